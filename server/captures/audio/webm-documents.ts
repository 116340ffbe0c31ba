import type { FileBytes } from './file-bytes.ts';

/** A whole file within a file: from `start` up to but not including `end`. */
export interface Span {
  start: number;
  end: number;
}

/** RFC 9559 §5 and RFC 8794 §11.3. */
const ids = { ebml: 0x1a45dfa3, segment: 0x18538067, cluster: 0x1f43b675 };
const landmarks = [ids.ebml, ids.cluster].map((id) => Buffer.from(id.toString(16), 'hex'));

/** Elements are read into memory whole: a larger one than this is not audio. */
const largestElement = 32 * 2 ** 20;

interface Element {
  id: number;
  at: number;
  dataAt: number;
  /** Bytes of the data; null when it goes on until something else begins. */
  size: number | null;
}

/** The element that begins at `at` (RFC 8794 §4–6); null when it is cut off or none. */
async function elementAt(file: FileBytes, at: number): Promise<Element | null> {
  const head = await file.read(at, 12);
  const idLength = Math.clz32(head[0] ?? 0) - 23;
  if (idLength > 4 || head.length <= idLength) return null;
  const first = head[idLength] ?? 0;
  const length = Math.clz32(first) - 23;
  if (length > 8 || head.length < idLength + length) return null;
  const bits = 7 * length;
  const value = head.subarray(idLength, idLength + length).reduce((sum, byte) => sum * 256 + byte, 0) - 2 ** bits;
  return {
    id: head.readUIntBE(0, idLength),
    at,
    dataAt: at + idLength + length,
    size: value === 2 ** bits - 1 ? null : value,
  };
}

/** Makes a known size that reaches beyond `end` end there, in as many bytes as it had. */
async function endAt(file: FileBytes, element: Element | undefined, end: number): Promise<void> {
  if (!element || element.size === null || element.dataAt + element.size <= end) return;
  const [first = 0] = await file.read(element.at, 1);
  const sizeAt = element.at + Math.clz32(first) - 23;
  const length = element.dataAt - sizeAt;
  const bytes = Buffer.alloc(length);
  let left = end - element.dataAt;
  for (let place = length - 1; place >= 0; place--, left = Math.floor(left / 256)) bytes[place] = left % 256;
  bytes[0] = (bytes[0] ?? 0) | (0x80 >> (length - 1));
  await file.write(sizeAt, bytes);
}

/** Writes a Void element over bytes that are none (RFC 8794 §11.3.2); at least two. */
async function voidOver(file: FileBytes, start: number, end: number): Promise<void> {
  const length = end - start;
  const wide = length >= 9;
  const head = Buffer.alloc(wide ? 9 : 2);
  head[0] = 0xec;
  if (wide) head.writeBigUInt64BE(2n ** 56n + BigInt(length - 9), 1);
  else head[1] = 0x80 | (length - 2);
  await file.write(start, head);
}

/**
 * The WebM documents in a file: a MediaRecorder writes one, without knowing its end. What a reader could not bear is
 * mended in place: an element that is cut off at the end is left out and the sizes around it are set right; bytes in
 * the middle that are no element are made void up to the next cluster.
 */
export async function webmDocuments(file: FileBytes): Promise<Span[]> {
  const documents: Span[] = [];
  let start = -1;
  let segment: Element | undefined;
  let cluster: Element | undefined;

  const close = async (end: number) => {
    if (start < 0) return;
    await endAt(file, cluster, end);
    await endAt(file, segment, end);
    documents.push({ start, end });
    start = -1;
    segment = undefined;
    cluster = undefined;
  };

  for (let at = 0; at < file.size; ) {
    const element = await elementAt(file, at);
    const descends = element?.id === ids.segment || element?.id === ids.cluster;
    const next = element && (descends ? element.dataAt : element.dataAt + (element.size ?? Number.POSITIVE_INFINITY));
    const large = element !== null && element.id !== ids.segment && (element.size ?? 0) > largestElement;
    if (element === null || next === null || next > file.size || large) {
      const found = await file.find(landmarks, at + 2);
      if (found < 0) {
        await close(at);
        return documents;
      }
      await voidOver(file, at, found);
      at = found;
      continue;
    }
    if (element.id === ids.ebml) {
      await close(at);
      start = at;
    }
    if (element.id === ids.segment) segment = element;
    if (element.id === ids.cluster) {
      await endAt(file, cluster, at);
      cluster = element;
    }
    at = next;
  }
  await close(file.size);
  return documents;
}
