import type { Segment } from '../media.ts';

/** A silence after which a new paragraph begins, where no speaker is known. */
const pauseMs = 2000;

/**
 * A paragraph ends with the first sentence that ends beyond `usualLength` characters, or with the segment beyond
 * `maxLength`.
 */
const usualLength = 700;
const maxLength = 2000;

/** The end of a sentence with its closing quotes and brackets. In scripts without spaces, nothing need follow it. */
const sentenceEnd = /[.!?…]["'”’»)\]]*(?=\s|$)|[。！？]["'”’»）」』]*/g;

/**
 * Where to cut a text that is added to a paragraph of `size` characters: after each sentence that fills the paragraph.
 */
function* filled(text: string, size: number): Generator<{ text: string; full: boolean }> {
  let from = 0;
  let room = usualLength - size;
  while (from < text.length) {
    sentenceEnd.lastIndex = from + Math.max(0, room);
    const found = sentenceEnd.exec(text);
    const to = found ? found.index + found[0].length : text.length;
    yield { text: text.slice(from, to).trim(), full: found !== null };
    from = to;
    room = usualLength;
  }
}

class Paragraphs {
  readonly done: string[] = [];
  #parts: string[] = [];
  #size = 0;
  #speaker: string | null = null;
  #startMs: number | null = null;
  #endMs: number | null = null;

  add({ startMs, endMs, text }: Segment, speaker: string | null): void {
    if (this.#breaksBefore(startMs, speaker)) this.#close();
    const follows = this.#parts.length > 0 && endMs !== null;
    this.#endMs = follows ? Math.max(endMs, this.#endMs ?? endMs) : endMs;
    this.#startMs = startMs;
    this.#speaker = speaker;
    if (speaker !== null) this.#parts.push(text);
    else {
      for (const piece of filled(text, this.#size)) {
        if (piece.text === '') continue;
        this.#parts.push(piece.text);
        this.#size += piece.text.length + 1;
        if (piece.full) this.#close();
      }
    }
  }

  end(): string {
    this.#close();
    return this.done.join('\n\n');
  }

  /** Without times a segment is a paragraph of its source, and stays one. */
  #breaksBefore(startMs: number | null, speaker: string | null): boolean {
    if (speaker !== this.#speaker) return true;
    if (speaker !== null) return false;
    if (startMs === null || this.#startMs === null || this.#endMs === null) return true;
    return startMs - this.#endMs > pauseMs || startMs < this.#startMs || this.#size > maxLength;
  }

  #close(): void {
    if (this.#parts.length === 0) return;
    this.done.push(`${this.#speaker === null ? '' : `${this.#speaker}: `}${joined(this.#parts)}`);
    this.#parts = [];
    this.#size = 0;
  }
}

/**
 * The transcript of a capture: paragraphs with a blank line between them, without times. Successive segments of one
 * speaker are one paragraph that begins with `Name: `. If no speaker is known, a paragraph ends at a pause of over 2 s,
 * at the end of the sentence that fills it (700 characters), and after each segment that has no times. Empty segments
 * are left out.
 */
export function transcriptText(segments: readonly Segment[]): string {
  const paragraphs = new Paragraphs();
  for (const segment of segments) {
    const text = onOneLine(segment.text);
    if (text !== '') paragraphs.add({ ...segment, text }, onOneLine(segment.speaker ?? '') || null);
  }
  return paragraphs.end();
}

/**
 * Seconds to the last time that is known, rounded up: an end, or a start of which no end is known. Null without times.
 */
export function durationSeconds(segments: readonly Segment[]): number | null {
  let last: number | null = null;
  for (const { startMs, endMs } of segments) {
    const known = endMs ?? startMs;
    if (known !== null && (last === null || known > last)) last = known;
  }
  return last === null ? null : Math.ceil(last / 1000);
}

/** Han, kana and their punctuation: written without spaces between words. */
const unspaced = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\u3000-\u303f\uff00-\uffef]/u;

/** Joins texts with a space between each two, but none where both sides are in a script that writes no spaces. */
export function joined(texts: readonly string[]): string {
  const parts: string[] = [];
  let before = '';
  for (const text of texts) {
    const close = unspaced.test(before) && unspaced.test(text.charAt(0));
    if (before !== '' && text !== '' && !close) parts.push(' ');
    parts.push(text);
    if (text !== '') before = text.charAt(text.length - 1);
  }
  return parts.join('');
}

/** Whether there is any text to read: more than white space and invisible marks, such as U+200E. */
export function hasVisibleText(text: string): boolean {
  return /^\w/.test(text) || /[^\s\p{Cc}\p{Cf}]/u.test(text);
}

/** The text on one line: each run of white space is one space, none at the ends. */
export function onOneLine(text: string): string {
  let line = text.trim();
  // Not /\s+/: a run of millions is more than the backtracking of V8 has room for.
  while (/[^\S ]|\s\s/.test(line)) line = line.replace(/\s{1,1000}/g, ' ');
  return line;
}
