import { inTurns } from './in-turns.ts';
import { type NameBook, nameBook } from './people.ts';
import { sentencesOf } from './sentences.ts';
import type { CaptureMaterial } from './shapes.ts';
import { hasName, labelOf, speakersOf } from './speakers.ts';

/** What a line is by how it is written. A `task` is open; `done` is checked or struck through. */
export type Mark = 'task' | 'done' | 'item' | 'heading' | 'quote' | 'table' | 'plain';

/** A line of the material, without its mark and its speaker. */
export interface Passage {
  source: 'notes' | 'text';
  /** Of a transcript, and not written by hand. */
  isSpoken: boolean;
  /** As labelled; null where nobody is. */
  speaker: string | null;
  mark: Mark;
  /** As it stands there. */
  text: string;
  /** Each without Markdown. */
  sentences: string[];
}

/** The material as it is read. */
export interface Reading {
  passages: Passage[];
  /** In the order in which they first speak. */
  speakers: string[];
  names: NameBook;
}

const bullet = '(?:[-*+•‣–—]|\\d{1,3}[.)])';
const marks: [Mark, RegExp][] = [
  ['quote', /^\s*>\s*/],
  ['done', new RegExp(`^\\s*(?:${bullet}\\s+)?(?:\\[ ?\\]\\s+)?~~(?=.{1,2000}~~[\\s.]*$)`)],
  ['task', new RegExp(`^\\s*(?:${bullet}\\s+)?(?:\\[ ?\\]|[☐□◻])\\s+(?=\\S)`, 'u')],
  ['done', new RegExp(`^\\s*(?:${bullet}\\s+)?(?:\\[[xX✓✔-]\\]|[☑✅✔✓])\\s*(?=\\S)`, 'u')],
  ['item', new RegExp(`^\\s*${bullet}\\s+(?=\\S)`, 'u')],
  ['heading', /^\s{0,3}#{1,6}\s+/],
  ['heading', /^\s*(?=(\*\*|__)[^*_]{1,80}\1\s*:?\s*$)/],
  ['heading', /^\s*(?=[^:：]{1,60}[:：]\s*$)/],
  ['table', /^\s*\|/],
];

function marked(line: string): { mark: Mark; text: string } {
  for (const [mark, pattern] of marks) {
    const match = pattern.exec(line);
    if (match) return { mark, text: line.slice(match[0].length) };
  }
  return { mark: 'plain', text: line };
}

const fence = /^\s*(?:```|~~~)/;

/** The lines without blocks of code; a block that is never closed is none. Blank lines stay, empty. */
function linesOf(text: string): string[] {
  const lines = text.split(/\r\n?|[\n\v\f\u2028\u2029]/);
  const fences = [...lines.keys()].filter((place) => fence.test(lines[place] ?? ''));
  const kept: string[] = [];
  let from = 0;
  for (let place = 0; place + 1 < fences.length; place += 2) {
    kept.push(...lines.slice(from, fences[place]), '');
    from = (fences[place + 1] ?? 0) + 1;
  }
  for (const line of lines.slice(from)) if (!fence.test(line)) kept.push(line);
  return kept;
}

/** Whether a line continues the sentence of the one before, as in a text that is broken at a column. */
function goesOn(before: Passage | undefined, { mark, text }: { mark: Mark; text: string }): before is Passage {
  const isOpen = before?.mark === 'plain' || before?.mark === 'item' || before?.mark === 'task';
  if (!isOpen || mark !== 'plain' || before.text.length > 400) return false;
  return before.text.length >= 50 && /[\p{L}\p{N},]$/u.test(before.text.trimEnd()) && /^\s*\p{Ll}/u.test(text);
}

type Origin = Pick<Passage, 'source' | 'isSpoken'>;

function passagesOf(lines: readonly string[], origin: Origin, speakers: ReadonlySet<string>): Passage[] {
  const passages: Passage[] = [];
  let speaker: string | null = null;
  let before: Passage | undefined;
  for (const line of lines) {
    if (line.trim() === '') {
      speaker = null;
      before = undefined;
      continue;
    }
    const labelled = labelOf(line);
    const speaks = labelled !== undefined && speakers.has(labelled.name);
    if (speaks) speaker = labelled.name;
    else if (!origin.isSpoken) speaker = null;
    const { mark, text } = speaks ? ({ mark: 'plain', text: labelled.rest } as const) : marked(line);
    if (!/[\p{L}\p{N}]/u.test(text)) continue;
    if (!speaks && goesOn(before, { mark, text })) {
      before.text = `${before.text.trimEnd()} ${text.trim()}`;
      continue;
    }
    before = { ...origin, speaker, mark, text, sentences: [] };
    passages.push(before);
  }
  return passages;
}

/**
 * Reads notes first, because they take precedence, then the text. In time linear in their length.
 * @throws the signal's reason, when it is aborted.
 */
export async function readMaterial(
  { type, text, notes, people }: CaptureMaterial,
  signal: AbortSignal,
): Promise<Reading> {
  const known = nameBook(people);
  const noteLines = linesOf(notes ?? '');
  const textLines = linesOf(text ?? '');
  const speakers = new Set([
    ...speakersOf(textLines, known, type === 'recording'),
    ...speakersOf(noteLines, known, false),
  ]);
  const passages = [
    ...passagesOf(noteLines, { source: 'notes', isSpoken: false }, speakers),
    ...passagesOf(textLines, { source: 'text', isSpoken: type === 'recording' }, speakers),
  ];
  await inTurns(passages, signal, (passage) => {
    passage.sentences = sentencesOf(passage.text);
  });
  return { passages, speakers: [...speakers], names: nameBook(people, [...speakers].filter(hasName)) };
}
