import { z } from 'zod';
import { folded } from '../../domain/text.ts';
import { quoted } from './reading.ts';
import { quote } from './rows.ts';

/** Texts of a capture, the most detailed first. */
export const parts = ['content', 'transcript', 'notes', 'summary'] as const;
export type Part = (typeof parts)[number];

export const CaptureRow = z.object({
  id: z.string(),
  title: z.string().nullish(),
  summary: z.string().nullish(),
  content: z.string().nullish(),
  transcript: z.string().nullish(),
  notes: z.string().nullish(),
  createdAt: z.string().nullish(),
});

export type Captured = z.infer<typeof CaptureRow>;

/** A capture as far as it was read. */
export interface Reading {
  capture: Captured;
  /** Texts that continue behind what was read of them. */
  cut: readonly Part[];
  /** Passages that were looked up behind that. */
  more: readonly string[];
}

/** Passages that are quoted of one capture, and the longest of them in characters. */
const maxPassages = 3;
const maxPassageLength = 500;

function wordsOf(query: string): string[] {
  return folded(query).split(/\s+/).filter(Boolean);
}

/** Sentences and lines of a text. */
function sentences(text: string): string[] {
  return text.split(/\n+|(?<=[.!?])\s+(?=\p{Lu})/u).filter((line) => line.trim() !== '');
}

/** The sentences that were read; not the last one of a text that was cut within it. */
function sentencesOf({ capture, cut, more }: Reading): string[] {
  const read = parts.flatMap((part) => {
    const all = sentences(capture[part] ?? '');
    return cut.includes(part) ? all.slice(0, -1) : all;
  });
  return [...new Set([...read, ...more.flatMap(sentences)])];
}

function scoreOf(words: readonly string[], line: string): number {
  return words.filter((word) => folded(line).includes(word)).length;
}

/** The sentences with all the words of a query; else those with the most of them, if any has one. */
function passages(reading: Reading, query: string): { lines: string[]; mentionAll: boolean } {
  const words = wordsOf(query);
  const scored = sentencesOf(reading).map((line) => ({ line, score: scoreOf(words, line) }));
  const best = Math.max(0, ...scored.map(({ score }) => score));
  const lines = best === 0 ? [] : scored.filter(({ score }) => score === best).map(({ line }) => line);
  return { lines, mentionAll: best === words.length };
}

/** Whether it has a word of the query. */
export function mentions(reading: Reading, query: string): boolean {
  return passages(reading, query).lines.length > 0;
}

/** Whether the part that was not read yet may match the query better. */
export function mayHoldMore(reading: Reading, query: string): boolean {
  return query !== '' && reading.cut.length > 0 && !passages(reading, query).mentionAll;
}

/** The passages of a capture about the query, as quotations; else its beginning. */
export function quotation(reading: Reading, query: string): string {
  const { capture } = reading;
  const { lines } = passages(reading, query);
  const name = `${quote(capture.title ?? 'Untitled capture')}${capture.createdAt ? `, ${capture.createdAt.slice(0, 10)}` : ''}`;
  if (lines.length === 0) {
    const whole = parts.map((part) => capture[part]).find((text) => text?.trim());
    return whole ? `${name} begins:\n\n${quoted(whole, maxPassageLength)}` : `${name} has no text.`;
  }
  const some = lines.slice(0, maxPassages).map((line) => quoted(line, maxPassageLength));
  const more = lines.length > maxPassages ? `\n\n… and ${lines.length - maxPassages} more places.` : '';
  return `${name} says:\n\n${some.join('\n>\n')}${more}`;
}
