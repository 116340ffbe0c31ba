import { codePoints } from './fields.ts';

/** No language writes more marks on one character (UAX #15 §13, Stream-Safe Text). */
const tooManyMarks = /\p{M}{31}/u;
const fewMarks = /\P{M}*\p{M}{0,30}/gu;

/**
 * The text in Normalization Form C, in time that is linear: ICU sorts the marks of a character, which takes the square
 * of their number, so that more than 30 in a row are composed in several runs (UAX #15 §13).
 */
export function composed(text: string): string {
  if (!tooManyMarks.test(text)) return text.normalize('NFC');
  return text.replaceAll(fewMarks, (run) => run.normalize('NFC'));
}

/**
 * Text as search compares it: lower case and then composed, because some characters are composed in lower case only. A
 * final sigma becomes an ordinary one, so that a part of a word is folded as it is within the word. It is folded here,
 * so that the collation of the database does not matter.
 */
export function folded(text: string): string {
  return composed(text.toLowerCase()).replaceAll('ς', 'σ');
}

/** The text without what jsonb and JSON in UTF-8 cannot store: NUL and lone surrogates. */
export function storable(text: string): string {
  return text.replaceAll('\0', '').toWellFormed();
}

/** A value as JSON that jsonb can store: what it cannot store is dropped from texts and names of fields. */
export function storableJson(value: unknown): string {
  return JSON.stringify(value, (_, each: unknown) => {
    if (typeof each === 'string') return storable(each);
    if (typeof each !== 'object' || each === null || Array.isArray(each)) return each;
    return Object.fromEntries(Object.entries(each).map(([name, field]) => [storable(name), field]));
  });
}

/** A value as the database will return it: check this one where the checked value is stored. */
export function asStored(value: unknown): unknown {
  return JSON.parse(storableJson(value)) as unknown;
}

/** A text that the database can store, of at most `max` code points; a cut text ends with “…”. */
export function cutTo(text: string, max: number): string {
  const whole = storable(text).trim();
  if (whole.length <= max || codePoints(whole) <= max) return whole;
  return `${Array.from(whole)
    .slice(0, max - 1)
    .join('')
    .trimEnd()}…`;
}

/** Longest name of a todo in code points: that of the title of a chat. */
const maxNameLength = 200;

/** The name of a todo: its title, or the first line of its content that is not blank. */
export function nameOf({ title, content }: { title: string | null; content: string | null }): string | null {
  const lines = (title ?? content ?? '').split(/[\r\n\u2028\u2029]/).map((line) => line.trim());
  const name = lines.find(Boolean);
  if (name === undefined || codePoints(name) <= maxNameLength) return name ?? null;
  return `${Array.from(name)
    .slice(0, maxNameLength - 1)
    .join('')}…`;
}
