import { elements, ids, numberLength, numberValue } from './ebml.ts';
import { type FileBytes, windowSize } from './file-bytes.ts';
import { measured, openTrack, type Packet, type Track } from './tracks.ts';

/** A whole file within a file: from `start` up to but not including `end`. */
export interface Span {
  start: number;
  end: number;
}

/** A part holds one document, or a few when a recorder restarted unnoticed. What is more belongs to the last. */
const maxDocuments = 100;

/** A segment of unknown size. */
const segmentHead = Buffer.from('1853806701ffffffffffffff', 'hex');

/** The WebM documents in a file, one after another. */
export async function webmDocuments(file: FileBytes): Promise<Span[]> {
  const starts: number[] = [];
  for await (const { id, at } of elements(file, 0, file.size)) {
    if (id === ids.ebml && starts.length < maxDocuments) starts.push(at);
  }
  return starts.map((start, index) => ({ start, end: starts[index + 1] ?? file.size }));
}

const uint = (bytes: Buffer) => bytes.reduce((sum, byte) => sum * 256 + byte, 0);

/** The packet of a block (RFC 9559 §10) and its time within the cluster; null for other tracks and for laced ones. */
function packetOf(block: Buffer, track: number): { data: Buffer; ticks: number } | null {
  const length = numberLength(block[0]);
  if (length > 8 || block.length < length + 4 || numberValue(block.subarray(0, length)) !== track) return null;
  const laced = ((block[length + 2] ?? 0) & 0x06) !== 0;
  return laced ? null : { data: Buffer.from(block.subarray(length + 3)), ticks: block.readInt16BE(length) };
}

async function* blocksOf(
  file: FileBytes,
  { start, end }: Span,
  track: number,
): AsyncGenerator<Omit<Packet, 'duration'>> {
  let [scale, cluster] = [1_000_000, 0];
  for await (const { id, dataAt, size } of elements(file, start, end)) {
    if (size === null || size > windowSize) continue;
    if (id === ids.timestampScale) scale = uint(await file.read(dataAt, Math.min(size, 8)));
    if (id === ids.timestamp) cluster = uint(await file.read(dataAt, Math.min(size, 8)));
    if (id !== ids.simpleBlock && id !== ids.block) continue;
    const packet = packetOf(await file.read(dataAt, size), track);
    if (packet) yield { data: packet.data, timestamp: ((cluster + packet.ticks) * scale) / 1e9 };
  }
}

/**
 * The beginning of a document, at most 64 KiB: its header and the description of its tracks alone. Null when these are
 * not there, or another document begins before them.
 */
async function headOf(file: FileBytes, { start, end }: Span): Promise<Buffer | null> {
  let header: Buffer | undefined;
  for await (const { id, at, dataAt, size } of elements(file, start, end)) {
    if (id === ids.cluster) return null;
    if (id !== ids.ebml && id !== ids.tracks) continue;
    const length = size === null ? Number.POSITIVE_INFINITY : dataAt + size - at;
    if ((header?.length ?? 0) + length > windowSize) return null;
    const bytes = Buffer.from(await file.read(at, length));
    if (id === ids.tracks) return Buffer.concat([header ?? bytes.subarray(0, 0), segmentHead, bytes]);
    if (header) return null;
    header = bytes;
  }
  return null;
}

/**
 * The audio of a WebM document as a recorder wrote it, which may have lost its end or bytes in the middle. The library
 * reads its head alone: a block or a cluster cut off makes it lose half a minute, and bytes that are no element can
 * keep it busy forever. Null when there is no audio that can be joined. @throws ErrnoException
 */
export async function openWebmStream(file: FileBytes, span: Span): Promise<Track | null> {
  const head = await headOf(file, span);
  const track = head && (await openTrack({ size: head.length, read: async (start, end) => head.subarray(start, end) }));
  track?.close();
  if (track?.codec !== 'opus') return null;
  const packets = () => measured(blocksOf(file, span, track.number), track);
  return { ...track, packets, close: () => {} };
}
