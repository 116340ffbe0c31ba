import type { FileHandle } from 'node:fs/promises';
import type { FileBytes } from './file-bytes.ts';
import type { Span } from './webm-stream.ts';

/** Size of a chunk whose size was not known when its header was written. */
const unknown = Buffer.from('ffffffff', 'hex');

/** Chunks before the samples. Recorders write a few; each is a read, and possibly a write. */
const maxChunks = 1000;

const isName = (bytes: Buffer) => /^[ -~]{4}$/.test(bytes.toString('latin1'));

/** Whether the samples may end at `end`: at the end of the file, or where another chunk begins and fits. */
async function mayEnd(file: FileBytes, end: number): Promise<boolean> {
  if (end >= file.size - 1) return end <= file.size;
  const at = end + (end & 1);
  const head = await file.read(at, 8);
  return head.length === 8 && isName(head.subarray(0, 4)) && at + 8 + head.readUInt32LE(4) <= file.size;
}

/** Whether a `fmt ` chunk makes sense as the WAVE reader understands it: a frame is one sample of each channel. */
function sensible(format: Buffer): boolean {
  if (format.length < 16) return false;
  const [channels, rate] = [format.readUInt16LE(2), format.readUInt32LE(4)];
  const [frame, bits] = [format.readUInt16LE(12), format.readUInt16LE(14)];
  return channels >= 1 && channels <= 32 && rate >= 1000 && rate <= 768_000 && frame === (channels * bits) / 8;
}

/**
 * The WAV file in a file, as one span, or none. A header that was written before the sizes were known (zero, all ones,
 * or of the first buffer alone) is repaired in place: the samples continue until the end. What else stands before them
 * is turned into JUNK chunks, which readers skip; when it is more than a thousand chunks, the file is unreadable.
 */
export async function wavDocuments(file: FileBytes, handle: FileHandle): Promise<Span[]> {
  const write = (at: number, bytes: Buffer) => handle.write(bytes, 0, bytes.length, at);
  let formatted = false;
  for (let at = 12, chunks = 0; at + 8 <= file.size && chunks < maxChunks; chunks++) {
    const head = await file.read(at, 8);
    const [name, size] = [head.toString('latin1', 0, 4), head.readUInt32LE(4)];
    const dataAt = at + 8;
    if (name === 'data') {
      if (!formatted) return [];
      await write(4, unknown);
      if (size > 0 && (await mayEnd(file, dataAt + size))) return [{ start: 0, end: dataAt + size }];
      await write(at + 4, unknown);
      return [{ start: 0, end: file.size }];
    }
    if (name !== 'fmt ') {
      if (name !== 'JUNK') await write(at, Buffer.from('JUNK'));
    } else if (size > 64 || !sensible(await file.read(dataAt, size))) return [];
    else formatted = true;
    at = dataAt + size + (size & 1);
  }
  return [];
}
