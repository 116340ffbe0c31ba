import type { ChatEvent } from 'tandem/client';
import type { Message } from './queries.ts';

/*
 * What is known of the messages of a chat: settled ones without a gap, and the text of the one that is being written.
 */

type Delta = Extract<ChatEvent, { event: 'delta' }>['data'];

/** Text of the message of a sequence that is being written. It is never stored, and replaced by the message. */
export interface OpenText {
  sequence: number;
  /** The place of `text` in the whole, in UTF-16 code units: more than 0 where the beginning was missed. */
  start: number;
  text: string;
}

const first = (messages: readonly Message[]) => messages[0]?.sequence ?? 0;
const last = (messages: readonly Message[]) => messages.at(-1)?.sequence ?? 0;

/** The sequence of the last message; 0 without messages. */
export const lastSequence = last;

/**
 * Settled messages with others that were read or received, the oldest first. Messages never change, so known ones stay
 * the same objects. Without a gap: what does not follow on either side is left out, and is read again by its reader.
 */
export function joined(known: readonly Message[], incoming: readonly Message[]): readonly Message[] {
  const sorted = [...incoming].sort((a, b) => a.sequence - b.sequence);
  if (known.length === 0) return runFrom(sorted, first(sorted));
  const older: Message[] = [];
  for (const message of sorted.toReversed()) {
    if (message.sequence === (older[0]?.sequence ?? first(known)) - 1) older.unshift(message);
  }
  const newer = runFrom(sorted, last(known) + 1);
  return older.length + newer.length === 0 ? known : [...older, ...known, ...newer];
}

/** The messages of the sequences from `sequence` on, each once, up to the first that is missing. */
function runFrom(sorted: readonly Message[], sequence: number): Message[] {
  const run: Message[] = [];
  for (const message of sorted) if (message.sequence === sequence + run.length) run.push(message);
  return run;
}

/**
 * The open text after a piece of it was added. `settled`: the last sequence that is no longer open; pieces of it come
 * too late. A piece that begins after the end of the known text replaces all of it: what was missed arrives with the
 * message.
 */
export function withDelta(open: OpenText | null, { sequence, offset, text }: Delta, settled: number): OpenText | null {
  if (sequence <= settled || (open && sequence < open.sequence)) return open;
  const isSame = open?.sequence === sequence;
  if (!isSame || offset < open.start || offset > open.start + open.text.length)
    return { sequence, start: offset, text };
  return { sequence, start: open.start, text: open.text.slice(0, offset - open.start) + text };
}

const fence = /^ {0,3}(`{3,}|~{3,})(.*)$/;

/**
 * Markdown in pieces that can be parsed one by one: it is split at empty lines outside of code fences, so that only the
 * last piece changes while text is added.
 */
export function piecesOf(markdown: string): string[] {
  const pieces: string[] = [];
  let lines: string[] = [];
  let open: string | undefined;
  for (const line of markdown.split('\n')) {
    const [, mark, info = ''] = fence.exec(line) ?? [];
    if (mark !== undefined && open === undefined) open = mark;
    else if (open !== undefined && mark?.startsWith(open) && info.trim() === '') open = undefined;
    if (line.trim() === '' && open === undefined) {
      if (lines.length > 0) pieces.push(lines.join('\n'));
      lines = [];
    } else lines.push(line);
  }
  if (lines.length > 0) pieces.push(lines.join('\n'));
  return pieces;
}
