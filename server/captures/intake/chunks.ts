import { setTimeout as sleep } from 'node:timers/promises';
import { chunkKey, chunkOf, chunkPrefix, type RecordingPlace } from '../storage/keys.ts';
import { type AudioStore, StoreFault } from '../storage/store.ts';
import type { IntakeTimes } from './times.ts';

/** As much of the audio store as the intake needs. */
export type ChunkStore = Pick<AudioStore, 'put' | 'list'>;

export interface Chunk {
  sequence: number;
  /** It is the first of a new part. */
  begins: boolean;
  audio: Uint8Array;
}

function storeFault(error: unknown): StoreFault {
  return error instanceof StoreFault ? error : new StoreFault('The audio store failed.', { cause: error });
}

/** What the store holds of a recording: `next` follows its last chunk. @throws StoreFault */
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
  /** Resolves when it is durable. A store that fails is asked again for a while. @throws StoreFault */
  write(chunk: Chunk): Promise<void>;
  /** Whether a write has neither succeeded nor failed: it may still take effect. */
  readonly isUncertain: boolean;
}

export function createChunkWriter(
  store: ChunkStore,
  place: RecordingPlace,
  { putMs, patienceMs }: Pick<IntakeTimes, 'putMs' | 'patienceMs'>,
): ChunkWriter {
  let underWay = 0;

  const put = async (key: string, audio: Uint8Array) => {
    underWay += 1;
    const done = store.put(key, audio).finally(() => {
      underWay -= 1;
    });
    const late = new AbortController();
    const limit = sleep(putMs, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new StoreFault(`The audio store has not taken a chunk within ${putMs} ms.`);
    });
    done.catch(() => {});
    limit.catch(() => {});
    await Promise.race([done, limit]).finally(() => late.abort());
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
          if (underWay > 0 || performance.now() - began + pauseMs > patienceMs) throw storeFault(error);
        }
        await sleep(pauseMs);
      }
    },
  };
}
