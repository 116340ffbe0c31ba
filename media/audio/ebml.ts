import { setImmediate } from 'node:timers/promises';
import type { FileBytes } from './file-bytes.ts';

/** Elements of WebM by their ids (RFC 9559 §5, RFC 8794 §11). */
export const ids = {
  ebml: 0x1a45dfa3,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  tracks: 0x1654ae6b,
  cluster: 0x1f43b675,
  timestamp: 0xe7,
  simpleBlock: 0xa3,
  blockGroup: 0xa0,
  block: 0xa1,
} as const;

/** Elements whose children follow one another, whatever their size field contains: a recorder may not have it yet. */
const open = new Set<number>([ids.segment, ids.info, ids.cluster, ids.blockGroup]);

/** Where a reader that lost its way can continue. */
const landmarks = [ids.ebml, ids.cluster].map((id) => Buffer.from(id.toString(16), 'hex'));

/** Places that are examined before other work of the process gets a turn: reading them from memory never waits. */
const placesAtOnce = 500;

export interface Element {
  id: number;
  at: number;
  dataAt: number;
  /** Bytes of the data; null when it ends where the next element begins. */
  size: number | null;
}

/** Bytes of a number of variable size, from its first byte (RFC 8794 §4): 1 to 8, or 9 for none. */
export function numberLength(first: number | undefined): number {
  return first === undefined ? 9 : Math.clz32(first) - 23;
}

/** The value of such a number. Beyond 2⁵³ it is about right. */
export function numberValue(bytes: Buffer): number {
  return bytes.reduce((sum, byte) => sum * 256 + byte, 0) - 2 ** (7 * bytes.length);
}

/** The element that begins at `at` (RFC 8794 §5, §6); null when it is none, or its head is cut off. */
async function elementAt(file: FileBytes, at: number): Promise<Element | null> {
  const head = await file.read(at, 12);
  const idLength = numberLength(head[0]);
  const sizeLength = numberLength(head[idLength]);
  if (idLength > 4 || sizeLength > 8 || head.length < idLength + sizeLength) return null;
  const size = numberValue(head.subarray(idLength, idLength + sizeLength));
  return {
    id: head.readUIntBE(0, idLength),
    at,
    dataAt: at + idLength + sizeLength,
    size: size === 2 ** (7 * sizeLength) - 1 ? null : size,
  };
}

/**
 * The elements between two places of a file, in order; those in segments, clusters and block groups too. One that is
 * cut off ends it; after bytes that are none it continues at the next cluster. Others get a turn now and then.
 */
export async function* elements(file: FileBytes, start: number, end: number): AsyncGenerator<Element> {
  for (let at = start, looked = 1; at < end; looked++) {
    if (looked % placesAtOnce === 0) await setImmediate();
    const element = await elementAt(file, at);
    const { dataAt = 0, size = null } = element ?? {};
    const next = element && open.has(element.id) ? dataAt : dataAt + (size ?? Number.POSITIVE_INFINITY);
    if (element && next <= end) {
      yield element;
      at = next;
    } else {
      const found = await file.find(landmarks, at + 1);
      if (found < 0 || found >= end) return;
      at = found;
    }
  }
}
