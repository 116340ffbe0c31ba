/** A piece of audio, in recording order. */
export interface Chunk {
  audio: Blob;
  /** The first chunk of a part, i.e. of a restarted encoder. */
  begins: boolean;
  /** Duration in ms. */
  ms: number;
}

/** Below the service's chunk limit: a background window may deliver minutes of audio at once. */
const maxBytes = 512 * 1024;

function split(chunk: Chunk): Chunk[] {
  const { audio, begins, ms } = chunk;
  if (audio.size <= maxBytes) return [chunk];
  const count = Math.ceil(audio.size / maxBytes);
  return Array.from({ length: count }, (_, place) => ({
    audio: audio.slice(place * maxBytes, (place + 1) * maxBytes, audio.type),
    begins: begins && place === 0,
    ms: ms / count,
  }));
}

/**
 * The audio of a recording. Chunks are numbered in the order they are added, starting at the sequence that the service
 * expects at the first connection: after a reload that is not 0.
 *
 * Acknowledged chunks are stored too, so that a recording that the service ended during a disconnect can be saved
 * completely as another one. Browsers hold blobs outside of the page's memory.
 */
export class Outbox {
  readonly #chunks: Chunk[] = [];
  /** The sequence of the first chunk; null until the first connection. */
  #first: number | null = null;
  /** Indexes into `#chunks`: all below are durable, or sent. */
  #durable = 0;
  #sent = 0;

  add(chunk: Chunk): void {
    this.#chunks.push(...split(chunk));
  }

  /** A connection is open, and all chunks below `nextSequence` are durable. @throws Error when that is beyond all. */
  resume(nextSequence: number): void {
    this.#first ??= nextSequence;
    const place = nextSequence - this.#first;
    if (place > this.#chunks.length) throw new Error(`chunk ${nextSequence} is expected, but was not recorded`);
    this.#durable = Math.max(this.#durable, place);
    this.#sent = this.#durable;
  }

  /** The next chunk to send, unless `window` chunks are unacknowledged. Marks it as sent. */
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

  /** Restarts the numbering, to send everything to another recording. */
  startOver(): void {
    this.#first = null;
    this.#durable = 0;
    this.#sent = 0;
  }

  /** All audio, one blob per part. */
  parts(): Blob[] {
    const parts: Blob[][] = [];
    for (const { audio, begins } of this.#chunks) {
      if (begins || parts.length === 0) parts.push([]);
      parts.at(-1)?.push(audio);
    }
    return parts.map((blobs) => new Blob(blobs, { type: blobs[0]?.type ?? '' }));
  }
}
