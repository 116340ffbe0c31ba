import { codePoints, indexAfter } from '../../domain/fields.ts';

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

/** Fields that are never cut: a cursor or an address is useless without its end. */
const uncut = new Set(['nextCursor', 'recordingPageUrl']);

/** The address of an object's page. */
type AddressOf = (shown: Readonly<Record<string, unknown>>) => string | undefined;

/** The value without nulls, at any depth, with texts cut to `max` characters, and with the `url` of each object. */
export function compact(value: unknown, max: number, addressOf: AddressOf): Compact {
  const cuts: Cut[] = [];
  const walk = (each: unknown, field: string): unknown => {
    if (typeof each === 'string') {
      const end = indexAfter(each, max);
      if (end === each.length) return each;
      cuts.push({ field, shown: max, length: codePoints(each) });
      return each.slice(0, end);
    }
    if (Array.isArray(each)) {
      return each.filter((item) => item !== null && item !== undefined).map((item, i) => walk(item, `${field}[${i}]`));
    }
    if (typeof each !== 'object' || each === null) return each;
    const shown: Record<string, unknown> = {};
    for (const [key, item] of Object.entries(each)) {
      if (item === null || item === undefined) continue;
      const kept = uncut.has(key) ? item : walk(item, field === '' ? key : `${field}.${key}`);
      // Assigned, it would be the prototype.
      if (key === '__proto__') Object.defineProperty(shown, key, { value: kept, enumerable: true });
      else shown[key] = kept;
    }
    const url = addressOf(each as Record<string, unknown>);
    if (url !== undefined) shown.url = url;
    return shown;
  };
  return { value: walk(value, ''), cuts };
}
