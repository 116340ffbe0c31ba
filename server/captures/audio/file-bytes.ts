import type { FileHandle } from 'node:fs/promises';

const windowSize = 64 * 1024;

/** Small reads of a file one after another, through a window; what was read may have been changed since by `write`. */
export interface FileBytes {
  readonly size: number;
  /** Up to `length` bytes, at most 64 KiB; fewer at the end. */
  read(at: number, length: number): Promise<Buffer>;
  write(at: number, bytes: Uint8Array): Promise<void>;
  /** The first place at or after `from` where one of these stands; -1 when there is none. */
  find(patterns: readonly Buffer[], from: number): Promise<number>;
}

/** @throws ErrnoException */
export async function fileBytes(handle: FileHandle): Promise<FileBytes> {
  const { size } = await handle.stat();
  let start = 0;
  let window = Buffer.alloc(0);

  const fill = async (at: number) => {
    const buffer = Buffer.alloc(windowSize);
    const { bytesRead } = await handle.read(buffer, 0, windowSize, at);
    start = at;
    window = buffer.subarray(0, bytesRead);
  };

  const read = async (at: number, length: number) => {
    const inside = at >= start && at + length <= start + window.length;
    if (!inside) await fill(at);
    return window.subarray(at - start, at - start + length);
  };

  const find = async (patterns: readonly Buffer[], from: number) => {
    const longest = Math.max(...patterns.map((pattern) => pattern.length));
    for (let at = from; at < size; at += windowSize - longest + 1) {
      await fill(at);
      const found = patterns.map((pattern) => window.indexOf(pattern)).filter((place) => place >= 0);
      if (found.length > 0) return at + Math.min(...found);
    }
    return -1;
  };

  const write = async (at: number, bytes: Uint8Array) => {
    await handle.write(bytes, 0, bytes.length, at);
    window = Buffer.alloc(0);
  };

  return { size, read, write, find };
}
