import { kebab } from '../commands/options.ts';
import { type Output, paintOfState } from '../terminal/output.ts';
import { cut, width } from '../terminal/width.ts';
import { cell } from './cells.ts';

type Row = Readonly<Record<string, unknown>>;

const gap = 2;
/** Minimum width of a shortened text column; maximum width that a heading may claim. */
const minTextWidth = 16;
const maxHeadingWidth = 10;

const total = (widths: readonly number[]) => widths.reduce((sum, each) => sum + each + gap, -gap);

/** Columns that must not be cut. */
const isWhole = (name: string, natural: number) => natural <= minTextWidth || /^(id|sequence)$|Id$|At$/.test(name);

/**
 * The width of each column. If they do not fit, the last columns are dropped (fewer widths than columns), then the
 * widest texts are shortened.
 */
function fitted(names: readonly string[], natural: readonly number[], columns: number): number[] {
  const least = names.map((name, index) => {
    const width = natural[index] ?? 0;
    return isWhole(name, width) ? width : minTextWidth;
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

/** Columns beside the id that a table shows at least; where they do not fit, the ids get lines of their own. */
const minBesideId = 2;

/**
 * Rows for people: a heading, and columns that are cut to fit the terminal. In a narrow one the id, which must not be
 * cut, is on a line below its row, so that the title comes first.
 */
export function table(names: readonly string[], rows: readonly Row[], output: Output, now: Date | undefined): string {
  const [first, ...others] = names;
  const ids = rows.map(({ id }) => cell(id));
  const least = [Math.max(0, ...ids.map(width)), ...others.slice(0, minBesideId).map(() => minTextWidth)];
  if (first !== 'id' || others.length === 0 || total(least) <= output.columns) return grid(names, rows, output, now);
  const [head = '', ...lines] = grid(others, rows, output, now).replace(/\n$/, '').split('\n');
  const pairs = lines.flatMap((line, index) => [line, output.paint('dim', `  ${ids[index] ?? ''}`)]);
  return [head, ...pairs].map((line) => `${line}\n`).join('');
}

function grid(names: readonly string[], rows: readonly Row[], output: Output, now: Date | undefined): string {
  const texts = rows.map((row) => names.map((name) => cell(row[name], now)));
  const heads = names.map(heading);
  const natural = heads.map((head, index) =>
    Math.max(Math.min(maxHeadingWidth, width(head)), ...texts.map((each) => width(each[index] ?? ''))),
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

/** Rows for programs: tab-separated, nothing cut, no heading. */
export function tabbed(names: readonly string[], rows: readonly Row[]): string {
  return rows.map((row) => `${names.map((name) => cell(row[name])).join('\t')}\n`).join('');
}
