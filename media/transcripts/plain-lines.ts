import { onOneLine } from '../../domain/captures/segments.ts';
import { clockMs } from './clock.ts';
import { nameShape } from './names.ts';

/** A line of a plain transcript, its time taken off. A line of a time, or of a name and a time, is a heading. */
export interface PlainLine {
  text: string;
  startMs: number | null;
  endMs: number | null;
  /** Of a heading: the speaker below it, null when it is a time alone. Undefined on a line of text. */
  heading: string | null | undefined;
}

/** A line that may carry a time; `isSure` when it is written as programs write it, and people do not. */
interface Found extends PlainLine {
  isSure: boolean;
}

const time = String.raw`(\d{1,3}(?::\d{2}){1,2}(?:[.,]\d{1,3})?)`;
const atEnd = new RegExp(String.raw`([[(]?)${time}[\])]?:?$`);
const atStart = new RegExp(
  String.raw`^([[(]?)${time}(?: ?(?:-->|[-\u2013\u2014]) ?${time})?[\])]?(?: ?[-\u2013\u2014])? +(?=\S)`,
);

/** `Alice Smith  0:01`, `[Alice Smith] 10:02:31`, `Alice Smith (0:01):` or a time alone. */
function headingOf(line: string): Found | undefined {
  if (line.length > 90 || !/[\d\]):]$/.test(line)) return undefined;
  const found = atEnd.exec(line);
  const startMs = clockMs(found?.[2] ?? '');
  if (!found || startMs === undefined) return undefined;
  const before = line.slice(0, found.index);
  const name = onOneLine(before).replace(/^\[(.*)\]$/, '$1');
  const isSure = /(?:\]|\s)\s$/.test(before) || found[1] !== '';
  if (name === '') return { text: '', startMs, endMs: null, heading: null, isSure: false };
  const shape = nameShape(name);
  if (!/[\s\]]$/.test(before) || shape === undefined || (shape === 'odd' && !isSure)) return undefined;
  return { text: '', startMs, endMs: null, heading: name, isSure };
}

/** `[00:00:01] text`, `0:01 text` or `[00:00.000 --> 00:04.000] text`. */
function stampOf(line: string): Found | undefined {
  if (!/^[\d[(]/.test(line)) return undefined;
  const text = onOneLine(line);
  const found = atStart.exec(text);
  const startMs = clockMs(found?.[2] ?? '');
  if (!found || startMs === undefined) return undefined;
  const endMs = clockMs(found[3] ?? '') ?? null;
  return { text: text.slice(found[0].length), startMs, endMs, heading: undefined, isSure: found[1] !== '' };
}

/**
 * Lines that carry times, if they do: none, unless each is surely one, or they rise and are `likely`. Times that fall
 * are left out. Times of the day, as Zoom saves them, count from the first: no transcript begins an hour after its
 * start.
 */
function accepted(found: Map<number, Found>, likely: boolean): Map<number, Found> {
  const times = [...found.values()].map(({ startMs }) => startMs ?? 0);
  const named = [...found.values()].filter(({ heading }) => heading !== null);
  const rises = times.every((each, index) => each >= (times[index - 1] ?? 0));
  const isSure = named.length > 0 && named.every((line) => line.isSure);
  if (!isSure && !(rises && likely)) return new Map();
  const first = times[0] ?? 0;
  const origin = first < 3_600_000 ? 0 : first;
  for (const line of found.values()) {
    line.startMs = rises && line.startMs !== null ? line.startMs - origin : null;
    line.endMs = rises && line.endMs !== null ? Math.max(line.startMs ?? 0, line.endMs - origin) : null;
  }
  return found;
}

/** The lines of a plain transcript, null where one is blank. */
export function plainLines(lines: readonly string[]): (PlainLine | null)[] {
  const headings = new Map<number, Found>();
  const stamps = new Map<number, Found>();
  let first = -1;
  let count = 0;
  let empty = 0;
  let above: Found | undefined;
  for (const [at, line] of lines.entries()) {
    const written = line.trimEnd();
    if (written === '') continue;
    if (first < 0) first = at;
    count += 1;
    const heading = headingOf(written);
    const stamp = heading ? undefined : stampOf(written);
    if (heading) headings.set(at, heading);
    if (stamp) stamps.set(at, stamp);
    if (heading && above?.heading) empty += 1;
    above = heading;
  }
  const headed = accepted(headings, empty === 0 && !above?.heading && (headings.size > 1 || headings.has(first)));
  const timed = accepted(stamps, stamps.size > 1 && stamps.size * 2 >= count);
  return lines.map((line, at) => {
    const found = headed.get(at) ?? timed.get(at);
    if (found) return found;
    const text = onOneLine(line);
    return text === '' ? null : { text, startMs: null, endMs: null, heading: undefined };
  });
}
