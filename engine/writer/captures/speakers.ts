import { labelWords } from './labels.ts';
import type { NameBook } from './people.ts';

const time = '\\d{1,2}:\\d{2}(?::\\d{2})?(?:[.,]\\d{1,3})?';
const label = new RegExp(
  `^\\s*(?:[[(]?${time}[\\])]?\\s*[-–]?\\s+)?(?:\\*\\*)?(\\p{L}[^:：*\\[\\]()<>|/]{0,58}?)(?:\\s*[[(]${time}[\\])])?(?:\\*\\*)?\\s*[:：](?:\\*\\*)?\\s*(?=\\S)`,
  'u',
);
const anonymous =
  /^(?:speaker|sprecher(?:in)?|locuteur|orateur|hablante|participante?|话者|話者|发言人|spreker)\s*\w{1,3}$/i;

/** One to four words with capitals, or one in a script without them. */
const properName = /^(?:\p{Lu}[\p{L}\p{M}'’.-]*(?: \p{Lu}[\p{L}\p{M}'’.-]*){0,3}|\p{Lo}{2,10})$/u;

/** A line that may begin with the name of who speaks. */
export interface Labelled {
  name: string;
  rest: string;
}

/** The label of a line as it stands; `speakersOf` decides whether it is a speaker's. */
export function labelOf(line: string): Labelled | undefined {
  // “http://…” and “10:30” are no labels.
  const match = label.exec(line);
  const name = match?.[1]?.trim();
  if (!match || name === undefined || line.startsWith('//', match[0].length)) return undefined;
  return name.split(/\s+/).length > 5 ? undefined : { name, rest: line.slice(match[0].length) };
}

/** Whether a speaker has a name, not a number of the transcription. */
export function hasName(speaker: string): boolean {
  return !anonymous.test(speaker);
}

/**
 * The labels of a text that are speakers: people whose names are known, and numbers of a transcription (“Speaker 2”).
 * In a transcript also other names: those that occur twice, all when most lines are labelled, and a proper name on the
 * only line. Not in a note, where labels such as “Decision: …” are common.
 */
export function speakersOf(lines: readonly string[], book: NameBook, isTranscript: boolean): Set<string> {
  const counts = new Map<string, number>();
  let labelled = 0;
  let lineCount = 0;
  for (const line of lines) {
    if (line.trim() === '') continue;
    lineCount++;
    const name = labelOf(line)?.name;
    if (name === undefined || (labelWords.test(name) && hasName(name))) continue;
    labelled++;
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const areMostlyLabelled = labelled >= 2 && labelled * 2 > lineCount;
  const isOnlyLine = lineCount === 1;
  const speaks = ([name, count]: [string, number]) =>
    book.find(name) !== undefined ||
    !hasName(name) ||
    (isTranscript && (count > 1 || areMostlyLabelled || (isOnlyLine && properName.test(name))));
  return new Set([...counts].filter(speaks).map(([name]) => name));
}
