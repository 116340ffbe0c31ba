import { kebab } from '../commands/options.ts';
import { referenceFlags } from '../commands/spelling.ts';
import { type Output, paintOfState } from '../terminal/output.ts';
import { lines, oneLine } from '../terminal/safe.ts';
import { pad, width, wrap } from '../terminal/width.ts';
import { cell, isInstant } from './cells.ts';
import { columnsOf, filledColumns } from './columns.ts';
import { table } from './table.ts';

type Thing = Readonly<Record<string, unknown>>;

/** Where and how a block is written. */
interface Page {
  output: Output;
  /** Shortens times for people; without it they stay in RFC 3339. */
  now: Date | undefined;
  indent: string;
}

const maxKeyWidth = 24;

const isThing = (value: unknown): value is Thing =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isEmpty = (value: unknown) =>
  value === null || value === undefined || value === '' || (Array.isArray(value) && value.length === 0);

/** `lastRunAt` → `last run`, `isArchived` → `archived`. */
function label(name: string): string {
  const plain = name.replace(/(?<=.)At$/, '').replace(/^is(?=[A-Z])/, '');
  return oneLine(kebab(plain)).replaceAll('-', ' ');
}

/** Whether a list is printed as a table. References such as assignees are printed as names on one line. */
const isTable = (name: string, value: unknown): value is Thing[] =>
  Array.isArray(value) && value.length > 0 && value.every(isThing) && !referenceFlags[name];

function nestedTable(rows: readonly Thing[], { output, now, indent }: Page): string {
  const inner = { ...output, columns: output.columns - indent.length };
  const names = filledColumns(columnsOf(Object.keys(rows[0] ?? {})), rows);
  return table(names, rows, inner, now).replace(/^(?=.)/gm, indent);
}

/** A value beside its key, or below it where it has several lines. */
function beside(name: string, value: unknown, key: string, columns: number, { output, now, indent }: Page): string {
  const isText = typeof value === 'string' && !isInstant(value);
  const all = isText ? lines(value).split('\n') : [cell(value, now)];
  const wrapped = all.flatMap((line) => (width(line) > columns ? wrap(line, columns) : [line]));
  const [first = '', ...more] = wrapped;
  const style = name === 'status' || name === 'priority' ? paintOfState(first) : undefined;
  const shown = style ? output.paint(style, first) : first;
  const under = ' '.repeat(output.columns - columns);
  if (!isText || more.length === 0) return [`${key}  ${shown}`, ...more.map((line) => under + line)].join('\n');
  return [key.trimEnd(), ...wrapped.map((line) => `${indent}  ${line}`.trimEnd())].join('\n');
}

function write(thing: Thing, page: Page, names?: readonly string[]): string {
  const { output, indent } = page;
  const shown = names ?? Object.keys(thing).filter((name) => name !== 'object' && !isEmpty(thing[name]));
  const keyWidth = Math.min(maxKeyWidth, Math.max(0, ...shown.map((name) => width(label(name)))));
  const columns = Math.max(20, output.columns - indent.length - keyWidth - 2);
  const below = { ...page, indent: `${indent}  ` };
  return shown
    .map((name) => {
      const value = thing[name];
      const bare = indent + output.paint('dim', label(name));
      if (isThing(value)) return `${bare}\n${write(value, below)}`;
      if (isTable(name, value)) return `${bare}\n${nestedTable(value, below)}`;
      return `${beside(name, value, indent + output.paint('dim', pad(label(name), keyWidth)), columns, page)}\n`;
    })
    .join('');
}

/**
 * One resource as keys and values, for people. Empty fields are omitted; `names` selects fields and their order.
 * With `now` times are short.
 */
export function block(thing: Thing, output: Output, now: Date | undefined, names?: readonly string[]): string {
  return write(thing, { output, now, indent: '' }, names);
}
