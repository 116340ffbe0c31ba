import { randomUUID } from 'node:crypto';
import type { Space } from '../../db/disk-space.ts';
import type { AudioStore } from '../../media/storage/store.ts';

/** Bytes of the object that checks whether there is space again. */
const probeBytes = 2 ** 20;

function isFull(error: unknown): boolean {
  const { code, cause } = (error ?? {}) as { code?: unknown; cause?: unknown };
  return code === 'ENOSPC' || code === 'EDQUOT' || (cause !== undefined && isFull(cause));
}

/** The store, noting when a write to it fails because its disk is full; and whether that is so. */
export function watchSpace(store: AudioStore): { store: AudioStore; space: Space } {
  let full = false;
  let checking: Promise<void> | undefined;
  const noting = async (write: Promise<void>) => {
    try {
      await write;
    } catch (error) {
      full ||= isFull(error);
      throw error;
    }
  };
  const probe = async () => {
    const place = `probe/${randomUUID()}/`;
    const write = store.put(`${place}space`, new Uint8Array(probeBytes));
    full = await write.then(
      () => false,
      () => true,
    );
    await store.remove(place).catch(() => {});
  };
  return {
    store: {
      put: (key, bytes) => noting(store.put(key, bytes)),
      putStream: (key, size, bytes) => noting(store.putStream(key, size, bytes)),
      list: (prefix) => store.list(prefix),
      size: (key) => store.size(key),
      read: (key, range) => store.read(key, range),
      remove: (prefix) => store.remove(prefix),
      tidy: async () => store.tidy?.(),
    },
    space: {
      get isFull() {
        return full;
      },
      check: async () => {
        if (!full) return;
        checking ??= probe().finally(() => {
          checking = undefined;
        });
        await checking;
      },
    },
  };
}
