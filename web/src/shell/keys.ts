import { parseKeybinding } from 'tinykeys';
import type { Command, Scope } from './command.ts';

/* What the keys of commands mean: how they are shown, and which of them clash. */

const names: Readonly<Record<string, string>> = { Meta: '⌘', Control: 'Ctrl', Shift: '⇧', Alt: 'Alt' };
const keyNames: Readonly<Record<string, string>> = { ArrowDown: '↓', ArrowUp: '↑', Escape: 'Esc' };

const nameOf = (key: string) => (key.length === 1 ? key.toUpperCase() : key);

/** The presses of a binding, as words for people: `g t` is `['G', 'T']`, `$mod+k` is `['Ctrl K']` or `['⌘ K']`. */
export function shownKeys(keys: string): string[] {
  return parseKeybinding(keys).map(([required, , key]) =>
    [...required.map((modifier) => names[modifier] ?? modifier), keyNames[String(key)] ?? nameOf(String(key))].join(
      ' ',
    ),
  );
}

/** The binding for `aria-keyshortcuts`; undefined for sequences, which that attribute does not know. */
export function ariaKeys(keys: string | undefined): string | undefined {
  const presses = keys === undefined ? [] : parseKeybinding(keys);
  const [press] = presses;
  if (!press || presses.length > 1) return undefined;
  const [required, , key] = press;
  return [...required, String(key).toUpperCase()].join('+');
}

function pressesOf(keys: string): string[] {
  return parseKeybinding(keys).map(([required, , key]) =>
    [...required].sort().concat(String(key).toLowerCase()).join('+'),
  );
}

/** Whether two scopes can be active together. */
function meet(a: Scope, b: Scope): boolean {
  return a === b || a === 'everywhere' || b === 'everywhere';
}

/** Pairs of commands of which one takes the keys of the other, alone or as the start of a sequence. */
export function clashesOf(commands: readonly Command[]): [string, string][] {
  const bound = commands.flatMap(({ id, keys, scope }) =>
    keys === undefined ? [] : [{ id, scope, presses: pressesOf(keys) }],
  );
  return bound.flatMap((a, place) =>
    bound
      .slice(place + 1)
      .filter((b) => {
        const length = Math.min(a.presses.length, b.presses.length);
        return meet(a.scope, b.scope) && a.presses.slice(0, length).join() === b.presses.slice(0, length).join();
      })
      .map((b): [string, string] => [a.id, b.id]),
  );
}
