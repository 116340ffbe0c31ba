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

  /** What the window holds from `at` on: at least `length` bytes, unless the file ends. */
  const from = async (at: number, length: number) => {
    if (at < start || Math.min(at + length, size) > start + window.length) {
      const { bytesRead } = await handle.read(buffer, 0, windowSize, at);
      start = at;
      window = buffer.subarray(0, bytesRead);
    }
    return window.subarray(at - start);
  };

  return {
    size,
    read: async (at, length) => (await from(at, length)).subarray(0, length),
    find: async (patterns, begin) => {
      const longest = Math.max(...patterns.map((pattern) => pattern.length));
      for (let at = begin; at < size; ) {
        const bytes = await from(at, longest);
        const found = patterns.map((pattern) => bytes.indexOf(pattern)).filter((place) => place >= 0);
        if (found.length > 0) return at + Math.min(...found);
        at += Math.max(1, bytes.length - longest + 1);
      }
      return -1;
    },
  };
}
