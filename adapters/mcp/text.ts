import { codePoints } from '../../routers/fields.ts';

/** One text of an answer that was cut; lengths in Unicode code points. */
export interface Cut {
  field: string;
  shown: number;
  length: number;
}

/** An answer as a model gets it. */
export interface Compact {
  value: unknown;
  cuts: Cut[];
}

/** What pages on must stay whole. */
const whole = new Set(['nextCursor']);

/** Index behind the first `count` code points; the length of the text when it has no more. */
function indexAfter(text: string, count: number): number {
  if (text.length <= count) return text.length;
  let index = 0;
  for (const character of text) {
    if (count-- === 0) break;
    index += character.length;
  }
  return index;
}

/** The value without nulls, at any depth, and with texts cut to `longest` characters. */
export function compact(value: unknown, longest: number): Compact {
  const cuts: Cut[] = [];
  const walk = (each: unknown, field: string): unknown => {
    if (typeof each === 'string') {
      const end = indexAfter(each, longest);
      if (end === each.length) return each;
      cuts.push({ field, shown: longest, length: codePoints(each) });
      return each.slice(0, end);
    }
    if (Array.isArray(each)) {
      return each.filter((item) => item !== null && item !== undefined).map((item, i) => walk(item, `${field}[${i}]`));
    }
    if (typeof each !== 'object' || each === null) return each;
    const kept = Object.entries(each).filter(([, item]) => item !== null && item !== undefined);
    return Object.fromEntries(
      kept.map(([key, item]) => [key, whole.has(key) ? item : walk(item, field === '' ? key : `${field}.${key}`)]),
    );
  };
  return { value: walk(value, ''), cuts };
}
