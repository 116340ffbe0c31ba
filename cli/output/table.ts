import { kebab } from '../commands/options.ts';
import { cell } from './cells.ts';
import { type Output, paintOfState } from './terminal.ts';
import { cut, width } from './width.ts';

type Row = Readonly<Record<string, unknown>>;

const gap = 2;
/** A text column gives way down to this; a heading takes no more than this where its values are shorter. */
const narrowText = 16;
const widestHeading = 10;

const total = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + gap, -gap);

/** Columns that are worth nothing when they are cut. */
const isWhole = (name: string, natural: number) => natural <= narrowText || /^(id|sequence)$|Id$|At$/.test(name);

/**
 * How wide each column is, so that all fit. Where they do not, the last ones are left out (fewer widths than columns),
 * then the widest texts give way.
 */
function fitted(names: readonly string[], natural: readonly number[], columns: number): number[] {
  const least = names.map((name, index) => {
    const width = natural[index] ?? 0;
    return isWhole(name, width) ? width : narrowText;
  });
  let count = names.length;
  while (count > 1 && total(least.slice(0, count)) > columns) count--;
  const widths = least.slice(0, count);
  let spare = columns - total(widths);
  for (const index of widths.keys()) {
    const more = Math.min(spare, (natural[index] ?? 0) - (widths[index] ?? 0));
    if (more <= 0) continue;
    widths[index] = (widths[index] ?? 0) + more;
    spare -= more;
  }
  return widths;
}

/** `isDefault` → `DEFAULT`, `dueDate` → `DUE DATE`. */
const heading = (name: string) =>
  kebab(name.replace(/(?<=.)(Id|At)$/, '').replace(/^is(?=[A-Z])/, ''))
    .replaceAll('-', ' ')
    .toUpperCase();

/** Rows for people: a heading, columns that fit the terminal, what is too long cut. */
export function table(names: readonly string[], rows: readonly Row[], output: Output, now: Date | undefined): string {
  const texts = rows.map((row) => names.map((name) => cell(row[name], now)));
  const heads = names.map(heading);
  const natural = heads.map((head, index) =>
    Math.max(Math.min(widestHeading, width(head)), ...texts.map((each) => width(each[index] ?? ''))),
  );
  const widths = fitted(names, natural, output.columns);
  const line = (cells: readonly string[], paint: (text: string, name: string) => string) =>
    widths
      .map((columns, index) => {
        const shown = cut(cells[index] ?? '', columns);
        const after = index === widths.length - 1 ? '' : ' '.repeat(columns - width(shown) + gap);
        return paint(shown, names[index] ?? '') + after;
      })
      .join('')
      .trimEnd();
  const paintCell = (text: string, name: string) => {
    if (name === 'id') return output.paint('dim', text);
    const style = name === 'status' || name === 'priority' ? paintOfState(text) : undefined;
    return style ? output.paint(style, text) : text;
  };
  const head = line(heads, (text) => output.paint('bold', text));
  return [head, ...texts.map((each) => line(each, paintCell))].map((each) => `${each}\n`).join('');
}

/** Rows for programs: cells between tabs, nothing cut, no heading. */
export function tabbed(names: readonly string[], rows: readonly Row[]): string {
  return rows.map((row) => `${names.map((name) => cell(row[name])).join('\t')}\n`).join('');
}
