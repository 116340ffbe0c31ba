/** A stretch of audio, in the order in which it was recorded. */
export interface Chunk {
  audio: Blob;
  /** It is the first of a new part: of an encoder that began anew. */
  begins: boolean;
  /** How long it lasts. */
  ms: number;
}

/** Kept below what the service takes in one chunk: a window in the background may deliver minutes at once. */
const mostBytes = 512 * 1024;

function split(chunk: Chunk): Chunk[] {
  const { audio, begins, ms } = chunk;
  if (audio.size <= mostBytes) return [chunk];
  const count = Math.ceil(audio.size / mostBytes);
  return Array.from({ length: count }, (_, place) => ({
    audio: audio.slice(place * mostBytes, (place + 1) * mostBytes, audio.type),
    begins: begins && place === 0,
    ms: ms / count,
  }));
}

/**
 * The audio of a recording until the service has all of it. Chunks are numbered in the order they are added, beginning
 * where the service says that it is at the first connection: after a reload of the page that is not 0.
 *
 * What is acknowledged is kept as well, so that a recording which the service ended while this window was cut off can be
 * saved whole as another one. The browser holds blobs outside of the memory of the page.
 */
export class Outbox {
  readonly #chunks: Chunk[] = [];
  /** The sequence of the first chunk; null until the first connection. */
  #first: number | null = null;
  /** Places in `#chunks`: below them, all are durable, and all are sent. */
  #durable = 0;
  #sent = 0;

  add(chunk: Chunk): void {
    this.#chunks.push(...split(chunk));
  }

  /** A connection is open, and all chunks below `nextSequence` are durable. @throws Error when that is beyond all. */
  resume(nextSequence: number): void {
    this.#first ??= nextSequence;
    const place = nextSequence - this.#first;
    if (place > this.#chunks.length) throw new Error(`chunk ${nextSequence} is expected, and is not there`);
    this.#durable = Math.max(this.#durable, place);
    this.#sent = this.#durable;
  }

  /** The next chunk to send, while fewer than `window` are under way; it counts as sent. */
  take(window: number): { sequence: number; chunk: Chunk } | undefined {
    const chunk = this.#chunks[this.#sent];
    if (!chunk || this.#first === null || this.#sent - this.#durable >= window) return undefined;
    const sequence = this.#first + this.#sent;
    this.#sent += 1;
    return { sequence, chunk };
  }

  /** Chunk `sequence` and all before it are durable. */
  acknowledge(sequence: number): void {
    const place = sequence + 1 - (this.#first ?? 0);
    this.#durable = Math.max(this.#durable, Math.min(place, this.#sent));
  }

  get isAllSent(): boolean {
    return this.#sent === this.#chunks.length;
  }

  /** Milliseconds of audio that the service does not have yet. */
  get unsavedMs(): number {
    return this.#chunks.slice(this.#durable).reduce((sum, { ms }) => sum + ms, 0);
  }

  get isEmpty(): boolean {
    return this.#chunks.length === 0;
  }

  /** From now on for another recording, which gets all of it. */
  startOver(): void {
    this.#first = null;
    this.#durable = 0;
    this.#sent = 0;
  }

  /** All audio, a blob for each part. */
  parts(): Blob[] {
    const parts: Blob[][] = [];
    for (const { audio, begins } of this.#chunks) {
      if (begins || parts.length === 0) parts.push([]);
      parts.at(-1)?.push(audio);
    }
    return parts.map((blobs) => new Blob(blobs, { type: blobs[0]?.type ?? '' }));
  }
}
