import { audioKey, chunkOf, chunkPrefix, type RecordingPlace, type StoredChunk } from '../storage/keys.ts';
import type { AudioStore } from '../storage/store.ts';
import type { AudioPart } from './assemble.ts';

/** Chunks that are fetched ahead of the one that is needed. */
const prefetched = 8;

/** A recorder starts anew with a lost connection, so parts are few. What is more belongs to the last. */
const maxParts = 1000;

async function fetchWhole(store: AudioStore, key: string): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  for await (const piece of store.read(key)) pieces.push(piece);
  return Buffer.concat(pieces);
}

/** The bytes of the chunks one after another, a few fetched at a time. */
async function* inOrder(store: AudioStore, chunks: readonly StoredChunk[]): AsyncGenerator<Uint8Array> {
  const fetched: Promise<Uint8Array>[] = [];
  for (let next = 0; next < chunks.length || fetched.length > 0; ) {
    while (next < chunks.length && fetched.length < prefetched) {
      const fetching = fetchWhole(store, chunks[next++]?.key ?? '');
      // It is awaited in its turn.
      fetching.catch(() => {});
      fetched.push(fetching);
    }
    yield await (fetched.shift() as Promise<Uint8Array>);
  }
}

/**
 * The chunks in their order, divided into parts. A chunk with `begins` starts a part; of two chunks with the same
 * number it is the one that counts.
 */
export function groupChunks(chunks: readonly StoredChunk[]): StoredChunk[][] {
  const byNumber = new Map<number, StoredChunk>();
  for (const chunk of chunks) if (chunk.begins || !byNumber.has(chunk.sequence)) byNumber.set(chunk.sequence, chunk);
  const parts: StoredChunk[][] = [];
  for (const chunk of [...byNumber.values()].sort((a, b) => a.sequence - b.sequence)) {
    if (parts.length === 0 || (chunk.begins && parts.length < maxParts)) parts.push([]);
    parts.at(-1)?.push(chunk);
  }
  return parts;
}

/**
 * The file that a recording was joined into before, as its only part; no part where there is none. @throws StoreFault
 */
export async function joinedBefore(store: AudioStore, place: RecordingPlace): Promise<AudioPart[]> {
  for (const extension of ['webm', 'wav'] as const) {
    const key = audioKey(place, extension);
    if ((await store.size(key)) !== null) return [store.read(key)];
  }
  return [];
}

/**
 * What the store holds of a recording that is not assembled yet, for `assemble`. @throws StoreFault; later MissingAudio
 */
export async function storedParts(store: AudioStore, place: RecordingPlace): Promise<AudioPart[]> {
  const chunks = (await store.list(chunkPrefix(place))).map(chunkOf).filter((chunk) => chunk !== null);
  return groupChunks(chunks).map((part) => inOrder(store, part));
}
