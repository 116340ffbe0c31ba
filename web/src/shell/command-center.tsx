import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useNavigate } from 'react-router';
import { createKeybindingsHandler } from 'tinykeys';
import { problemOf } from '../api/client.ts';
import { listOnPage, peekOnPage, searchOnPage, todosOnPage } from '../edits/list-actions.ts';
import { changesWait, useSignOut } from '../session/session.ts';
import { useAppearance } from '../ui/appearance.ts';
import { lazyOverlay } from '../ui/lazy-overlay.tsx';
import { useNotice } from '../ui/notice.tsx';
import { isComposing, latinKey, noneAhead, type TypedAhead } from '../ui/typed-ahead.tsx';
import type { Command, CommandContext } from './command.ts';
import { ContextOfCommands } from './command-context.ts';
import { commands } from './commands.ts';
import { useSidebar } from './sidebar-state.ts';

const Palette = lazyOverlay(() => import('./palette.tsx').then(({ Palette }) => Palette));
const SignOutQuestion = lazyOverlay(() => import('./background.ts').then(({ SignOutQuestion }) => SignOutQuestion));
const ShortcutSheet = lazyOverlay(() => import('./shortcut-sheet.tsx').then(({ ShortcutSheet }) => ShortcutSheet));

/** Milliseconds between the presses of a sequence. */
const sequenceMs = 2_000;

/** Inputs that take no text. */
const plainTypes = new Set(['checkbox', 'radio', 'button', 'submit', 'reset', 'range', 'color', 'file', 'image']);
const overlays = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"], dialog[open]';

/** Keys that may be held down. */
const repeating = new Set(commands.flatMap(({ repeats, keys }) => (repeats ? [keys?.split('+').at(-1)] : [])));

/** Whether a key press is for something else than a command: typed text, a composition, a dialog or menu. */
function isForOthers(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || (event.repeat && !repeating.has(event.key)) || isComposing(event)) return true;
  const target = event.target instanceof Element ? event.target : null;
  const field = target?.closest(
    'input, textarea, select, [contenteditable]:not([contenteditable="false"]), [role="textbox"]',
  );
  if (field && !(field instanceof HTMLInputElement && plainTypes.has(field.type))) return true;
  return document.querySelector(overlays) !== null;
}

/**
 * Whether commands are for the todo beside the list: where it has the focus, or the list has neither that nor selected
 * todos.
 */
function isBeside(focus: Element | null): boolean {
  if (focus?.closest('.peek')) return true;
  return peekOnPage() !== null && listOnPage()?.hasSelection() === false && !focus?.closest('.todo-grid');
}

/** Runs commands by their keys, and holds the palette and the sheet of keys. */
export function CommandCenter({ children }: { children: ReactNode }) {
  const [opened, setOpened] = useState<TypedAhead | 'shortcuts' | null>(null);
  const [loss, setLoss] = useState<string | null>(null);
  const navigate = useNavigate();
  const signOut = useSignOut();
  const notify = useNotice();
  const { shortcuts } = useAppearance();
  const { isWide, toggle } = useSidebar();
  // The palette has the focus itself: its commands are for what had it before.
  const before = useRef<Element | null>(null);
  useEffect(() => {
    if (opened === null) before.current = null;
  }, [opened]);
  const context = useMemo<CommandContext>(
    () => ({
      go: (path) => void navigate(path),
      get at() {
        return window.location;
      },
      openPalette: () => {
        before.current = document.activeElement;
        setOpened({ ...noneAhead });
      },
      openShortcuts: () => setOpened('shortcuts'),
      toggleSidebar: toggle,
      signOut: () =>
        void signOut().catch((error: unknown) => {
          const { reason, message } = problemOf(error);
          if (reason === changesWait) setLoss(message);
          else notify(message);
        }),
      hasSidebar: isWide,
      get list() {
        return listOnPage();
      },
      get peek() {
        return peekOnPage();
      },
      get todos() {
        return todosOnPage(isBeside(before.current ?? document.activeElement));
      },
      get search() {
        return searchOnPage();
      },
    }),
    [navigate, signOut, notify, toggle, isWide],
  );
  const latest = useRef(context);
  useEffect(() => {
    latest.current = context;
  }, [context]);
  useEffect(() => {
    const bound = commands.filter(({ keys, always }) => keys !== undefined && (shortcuts === 'on' || always));
    // Scopes that do not meet may share keys.
    const byKeys = Map.groupBy(bound, ({ keys = '' }) => keys);
    const start = (event: KeyboardEvent, sharing: readonly Command[]) => {
      // A new handler: the old one would go on with other sequences that began with the same key (tinykeys 4.0.0).
      handle = handlerOf();
      const command = sharing.find(({ id, when }) => id === 'palette' || when?.(latest.current) !== false);
      if (!command) return;
      event.preventDefault();
      command.run(latest.current);
    };
    const handlers = [...byKeys].map(([keys, sharing]) => [keys, (event: KeyboardEvent) => start(event, sharing)]);
    const handlerOf = () =>
      createKeybindingsHandler(Object.fromEntries(handlers), { ignore: isForOthers, timeout: sequenceMs });
    let handle = handlerOf();
    const listener = (event: KeyboardEvent) => {
      // tinykeys reads it from the event.
      Object.defineProperty(event, 'key', { value: latinKey(event) });
      handle(event);
    };
    window.addEventListener('keydown', listener);
    return () => window.removeEventListener('keydown', listener);
  }, [shortcuts]);
  const close = () => setOpened(null);
  return (
    <ContextOfCommands value={context}>
      {children}
      {typeof opened === 'object' && opened !== null && <Palette ahead={opened} close={close} />}
      {opened === 'shortcuts' && <ShortcutSheet close={close} />}
      {loss !== null && <SignOutQuestion loss={loss} close={() => setLoss(null)} />}
    </ContextOfCommands>
  );
}
