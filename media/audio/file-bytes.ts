import type { FileHandle } from 'node:fs/promises';

/** The most that can be read at once. */
export const windowSize = 64 * 1024;

/** Small reads of a file one after another, through a window. */
export interface FileBytes {
  readonly size: number;
  /** Up to `length` bytes, at most 64 KiB; fewer at the end. Valid until the next call. */
  read(at: number, length: number): Promise<Buffer>;
  /** The first place of one of these at or after `from`; -1 when there is none. */
  find(patterns: readonly Buffer[], from: number): Promise<number>;
}

/** @throws ErrnoException */
export async function fileBytes(handle: FileHandle): Promise<FileBytes> {
  const { size } = await handle.stat();
  const buffer = Buffer.alloc(windowSize);
  let start = 0;
  let window = buffer.subarray(0, 0);
  /** The last search of each pattern in the window: from where, and where it was found. */
  const searches = new Map<Buffer, { from: number; found: number }>();

  /** What the window holds from `at` on: at least `length` bytes, unless the file ends. */
  const from = async (at: number, length: number) => {
    if (at < start || Math.min(at + length, size) > start + window.length) {
      const { bytesRead } = await handle.read(buffer, 0, windowSize, at);
      start = at;
      window = buffer.subarray(0, bytesRead);
      searches.clear();
    }
    return window.subarray(at - start);
  };

  /** Where a pattern comes next in the window. Its bytes are searched once, however often it is asked for. */
  const nextOf = (pattern: Buffer, at: number): number => {
    const last = searches.get(pattern);
    if (last && last.from <= at && at <= last.found) return last.found;
    const place = window.indexOf(pattern, at - start);
    const found = place < 0 ? Number.POSITIVE_INFINITY : start + place;
    searches.set(pattern, { from: at, found });
    return found;
  };

  return {
    size,
    read: async (at, length) => (await from(at, length)).subarray(0, length),
    find: async (patterns, begin) => {
      const longest = Math.max(...patterns.map((pattern) => pattern.length));
      for (let at = begin; at < size; ) {
        const { length } = await from(at, longest);
        const found = Math.min(...patterns.map((pattern) => nextOf(pattern, at)));
        if (Number.isFinite(found)) return found;
        at += Math.max(1, length - longest + 1);
      }
      return -1;
    },
  };
}
