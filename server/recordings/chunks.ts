import { setTimeout as sleep } from 'node:timers/promises';
import { chunkKey, chunkOf, chunkPrefix, type RecordingPlace } from '../../media/storage/keys.ts';
import { type AudioStore, StoreFault } from '../../media/storage/store.ts';
import { withTimeout } from '../runtime/timeouts.ts';
import type { IntakeTimes } from './times.ts';

/** The part of the audio store that the intake uses. */
export type ChunkStore = Pick<AudioStore, 'put' | 'list'>;

export interface Chunk {
  sequence: number;
  /** Whether it is the first of a new part. */
  begins: boolean;
  audio: Uint8Array;
}

function storeFault(error: unknown): StoreFault {
  return error instanceof StoreFault ? error : new StoreFault('The audio store failed.', { cause: error });
}

/** The chunks of a recording in the store: `next` follows the last one. @throws StoreFault */
export async function chunksOf(store: ChunkStore, place: RecordingPlace): Promise<{ next: number; sizeBytes: number }> {
  const objects = await store.list(chunkPrefix(place)).catch((error: unknown) => Promise.reject(storeFault(error)));
  const found = objects.flatMap((object) => chunkOf(object) ?? []);
  return {
    next: found.reduce((next, { sequence }) => Math.max(next, sequence + 1), 0),
    sizeBytes: found.reduce((sum, { size }) => sum + size, 0),
  };
}

const firstPauseMs = 100;

/** Writes the chunks of one connection. */
export interface ChunkWriter {
  /** Resolves when it is durable. A write that fails is tried again for a while. @throws StoreFault */
  write(chunk: Chunk): Promise<void>;
  /** Whether a write has neither succeeded nor failed: it may still take effect. */
  readonly isUncertain: boolean;
}

/**
 * A writer of chunks, each at its own key. It does not repeat a write after a timeout of the store: the first one may
 * still take effect.
 */
export function createChunkWriter(
  store: ChunkStore,
  place: RecordingPlace,
  { putMs, retryMs }: Pick<IntakeTimes, 'putMs' | 'retryMs'>,
): ChunkWriter {
  let underWay = 0;

  const put = async (key: string, audio: Uint8Array) => {
    underWay += 1;
    const done = store.put(key, audio).finally(() => {
      underWay -= 1;
    });
    const fault = () => new StoreFault(`The audio store has not stored a chunk within ${putMs} ms.`);
    await withTimeout(putMs, done, fault);
  };

  return {
    get isUncertain() {
      return underWay > 0;
    },
    write: async ({ sequence, begins, audio }) => {
      const key = chunkKey(place, sequence, begins);
      const began = performance.now();
      for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
        try {
          return await put(key, audio);
        } catch (error) {
          if (underWay > 0 || performance.now() - began + pauseMs > retryMs) throw storeFault(error);
        }
        await sleep(pauseMs);
      }
    },
  };
}
