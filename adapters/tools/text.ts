import { codePoints, Id, indexAfter } from '../../domain/fields.ts';

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
  /** Whether lists were shortened: beside each, a count such as `moreLabels` says by how much. */
  isShortened: boolean;
}

/** Fields that are never cut: a cursor or an address is useless without its end. So is an id, wherever it stands. */
const uncut = new Set(['nextCursor', 'recordingPageUrl']);
const idLength = 36;
const isId = (text: string) => text.length === idLength && Id.safeParse(text).success;

/** Lists of an answer that are pages. They are not shortened here: their cursor would skip what is left out. */
const pages = new Set(['data', 'messages']);

/** The field that counts what is left out of a list. */
const countOf = (list: string) => `more${list.charAt(0).toUpperCase()}${list.slice(1)}`;

const isValue = (value: unknown) => value !== null && value !== undefined;

/** The address of an object's page. */
type AddressOf = (shown: Readonly<Record<string, unknown>>) => string | undefined;

/** The length of a text in code points, counted once: an answer is shown in several sizes before one fits. */
export function lengthsOnce(): (text: string) => number {
  const known = new Map<string, number>();
  return (text) => {
    const length = known.get(text) ?? codePoints(text);
    known.set(text, length);
    return length;
  };
}

/**
 * The value without nulls, at any depth, with texts cut to `maxText` characters, lists in objects shortened to
 * `maxItems`, and with the `url` of each object.
 */
export function compact(
  value: unknown,
  maxText: number,
  addressOf: AddressOf,
  maxItems = Number.POSITIVE_INFINITY,
  lengthOf = codePoints,
): Compact {
  const cuts: Cut[] = [];
  let isShortened = false;
  const walk = (each: unknown, field: string): unknown => {
    if (typeof each === 'string') {
      const end = indexAfter(each, maxText);
      if (end === each.length || isId(each)) return each;
      cuts.push({ field, shown: maxText, length: lengthOf(each) });
      return each.slice(0, end);
    }
    if (Array.isArray(each)) return each.filter(isValue).map((item, i) => walk(item, `${field}[${i}]`));
    if (typeof each !== 'object' || each === null) return each;
    const shown: Record<string, unknown> = {};
    const counts: [name: string, leftOut: number][] = [];
    for (const [key, item] of Object.entries(each)) {
      if (!isValue(item)) continue;
      const isLong = Array.isArray(item) && item.length > maxItems && !(field === '' && pages.has(key));
      if (isLong) counts.push([countOf(key), item.length - maxItems]);
      const part = isLong ? item.slice(0, maxItems) : item;
      const kept = uncut.has(key) ? part : walk(part, field === '' ? key : `${field}.${key}`);
      // Assigned, it would be the prototype.
      if (key === '__proto__') Object.defineProperty(shown, key, { value: kept, enumerable: true });
      else shown[key] = kept;
    }
    for (const [name, leftOut] of counts) shown[name] = leftOut + (Number(shown[name]) || 0);
    isShortened ||= counts.length > 0;
    const url = addressOf(each as Record<string, unknown>);
    if (url !== undefined) shown.url = url;
    return shown;
  };
  return { value: walk(value, ''), cuts, isShortened };
}
