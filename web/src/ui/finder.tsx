import { type KeyboardEvent, type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { Icon, type IconName } from './icons.tsx';
import { Overlay } from './overlay.tsx';
import { isComposing, noneAhead, type TypedAhead } from './typed-ahead.tsx';

/** What can be chosen in a finder. */
export interface FinderEntry {
  id: string;
  name: string;
  icon?: IconName | undefined;
  /** Whether it is what is chosen at present. */
  isChosen?: boolean;
  /** At the end of its line. */
  aside?: ReactNode;
}

/** Entries below a heading; below none where `name` is null. */
export interface FinderGroup {
  name: string | null;
  entries: readonly FinderEntry[];
}

interface FinderProps {
  label: string;
  placeholder: string;
  /** The name of the list. */
  listLabel: string;
  typed: string;
  onType: (typed: string) => void;
  /** What is found by `typed`. Groups that are read later stand below the others. */
  groups: readonly FinderGroup[];
  /** Whether more is read that `typed` may find. */
  isReading: boolean;
  /** Instead of the words that nothing is found, or that it is read. */
  unread?: ReactNode;
  onChoose: (id: string) => void;
  onClose: () => void;
  /** What was typed before this was loaded. */
  ahead: TypedAhead;
  children?: ReactNode;
}

/**
 * A dialog in which something is found by typing. Enter chooses the entry that is shown as active: the first one that
 * is found, or the one that arrow keys or the pointer went to. What arrives later does not make another one active.
 * Where nothing is shown yet, Enter chooses the first entry as soon as it is read. (ARIA Authoring Practices,
 * "Combobox".)
 */
export function Finder(props: FinderProps) {
  const { label, placeholder, listLabel, typed, onType, groups, isReading, unread } = props;
  const { onChoose, onClose, ahead, children } = props;
  const id = useId();
  const entries = groups.flatMap((group) => group.entries);
  const [active, moveTo] = useActive(entries, typed);
  const [isEntered, setEntered] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  const place = entries.findIndex((entry) => entry.id === active);
  const idOf = (entry: string | undefined) => `${id}-${entry}`;

  useLayoutEffect(() => {
    if (ahead.text === '') return;
    onType(ahead.text);
    setEntered(ahead.isEntered);
    Object.assign(ahead, noneAhead);
  }, [ahead, onType]);
  useEffect(() => {
    if (!isEntered) return;
    if (active !== undefined || !isReading) setEntered(false);
    // Closed at once: the page behind is inert until the effects of closing have run, and could not get the focus back.
    if (active !== undefined) queueMicrotask(() => flushSync(() => onChoose(active)));
  }, [isEntered, active, isReading, onChoose]);
  useEffect(() => {
    // The button that read it again is gone.
    if (!isReading && document.activeElement === document.body) field.current?.focus();
  }, [isReading]);
  useEffect(() => {
    if (active !== undefined) document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  const pressKey = (event: KeyboardEvent) => {
    if (isComposing(event.nativeEvent) || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const { length } = entries;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined && active !== undefined) onChoose(active);
    else if (step === undefined) setEntered(typed.trim() !== '');
    else if (length > 0) moveTo(entries[place < 0 && step < 0 ? length - 1 : (place + step + length) % length]?.id);
  };

  return (
    <Overlay as="palette" label={label} isDismissable close={onClose}>
      <div className="palette-field">
        <Icon name="search" />
        <input
          ref={field}
          className="palette-input"
          role="combobox"
          aria-label={label}
          aria-autocomplete="list"
          aria-controls={id}
          aria-expanded={entries.length > 0}
          aria-activedescendant={active === undefined ? undefined : idOf(active)}
          placeholder={placeholder}
          autoComplete="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="go"
          // biome-ignore lint/a11y/noAutofocus: it is what the dialog was opened for
          autoFocus
          value={typed}
          onChange={(event) => {
            setEntered(false);
            onType(event.target.value);
          }}
          onKeyDown={pressKey}
        />
      </div>
      <div
        id={id}
        role="listbox"
        aria-label={listLabel}
        className="options palette-options"
        hidden={entries.length === 0}
      >
        {groups.map(({ name, entries: found }) => {
          const options = found.map((entry) => (
            <Option
              key={entry.id}
              id={idOf(entry.id)}
              entry={entry}
              isActive={entry.id === active}
              onPoint={() => moveTo(entry.id)}
              onChoose={() => onChoose(entry.id)}
            />
          ));
          if (name === null || found.length === 0) return options;
          return (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a list of options
            <div key={name} role="group" aria-label={name}>
              <div className="option-header" aria-hidden="true">
                {name}
              </div>
              {options}
            </div>
          );
        })}
      </div>
      <div role="status">
        {entries.length === 0 && unread === undefined && (
          <p className="no-option">{isReading ? 'Reading…' : 'Nothing is found.'}</p>
        )}
      </div>
      {unread}
      {children}
    </Overlay>
  );
}

/**
 * The id of the active entry, which stays active while it is found by the same text; and the function that makes
 * another one active.
 */
function useActive(entries: readonly FinderEntry[], typed: string) {
  const [{ id, of }, setActive] = useState<{ id: string | undefined; of: string }>({ id: undefined, of: '' });
  const stays = of === typed && entries.some((entry) => entry.id === id);
  const active = stays ? id : typed.trim() === '' ? undefined : entries[0]?.id;
  if (active !== id || of !== typed) setActive({ id: active, of: typed });
  return [active, (next: string | undefined) => setActive({ id: next, of: typed })] as const;
}

interface OptionProps {
  id: string;
  entry: FinderEntry;
  isActive: boolean;
  onPoint: () => void;
  onChoose: () => void;
}

function Option({ id, entry: { name, icon, isChosen, aside }, isActive, onPoint, onChoose }: OptionProps) {
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: its keys are those of the field, which keeps the focus
    <div
      id={id}
      role="option"
      tabIndex={-1}
      className="option"
      aria-selected={isActive}
      aria-checked={isChosen}
      data-focused={isActive || undefined}
      data-focus-visible={isActive || undefined}
      onPointerMove={isActive ? undefined : onPoint}
      // The field keeps the focus.
      onMouseDown={(event) => event.preventDefault()}
      onClick={onChoose}
    >
      <span className="option-name">
        {icon && <Icon name={icon} />}
        {name}
      </span>
      {aside}
      {isChosen && <Icon name="check" />}
    </div>
  );
}
