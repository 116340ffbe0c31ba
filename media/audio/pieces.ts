import { StreamTarget, type StreamTargetChunk } from 'mediabunny';
import { type AudioStore, MissingAudio } from '../storage/store.ts';
import { loudness, quietestCut } from './loudness.ts';
import { type AudioBytes, openTrack, type Packet, type Track } from './tracks.ts';
import { writeAudio } from './write.ts';

/** A complete audio file cut out of a longer one. */
export interface AudioPiece {
  /** Where it begins and ends in the whole, in ms; the next piece begins where this one ends. */
  startMs: number;
  endMs: number;
  contentType: 'audio/webm' | 'audio/wav';
  extension: 'webm' | 'wav';
  bytes: Uint8Array;
}

/** How much one piece may be. */
export interface PieceLimits {
  maxMs: number;
  maxBytes: number;
}

/** A piece may end this many seconds early, and no more than a fifth of its length, where it is quietest. */
const maxSearchSeconds = 30;

/** What an audio file in the store holds, for reading it here and there. @throws MissingAudio */
export async function storedAudio(store: AudioStore, key: string): Promise<AudioBytes> {
  const size = await store.size(key);
  if (size === null) throw new MissingAudio(key);
  const read = async (start: number, end: number) => {
    const pieces: Uint8Array[] = [];
    for await (const piece of store.read(key, { start, end: end - 1 })) pieces.push(piece);
    return Buffer.concat(pieces);
  };
  return { size, read, distant: true };
}

const msOf = (seconds: number) => Math.round(seconds * 1000);

/** The most bytes that a file adds to its packets: headers, an index entry for each cluster, heads of blocks. */
function overhead(extension: Track['extension'], packets: number, seconds: number): number {
  return extension === 'wav' ? 128 : 1024 + 12 * packets + 64 * Math.ceil(seconds);
}

/** A file in memory, of at most `size` bytes. */
function inMemory(size: number) {
  const bytes = Buffer.alloc(size);
  let end = 0;
  const write = ({ data, position }: StreamTargetChunk) => {
    bytes.set(data, position);
    end = Math.max(end, position + data.byteLength);
  };
  return { target: new StreamTarget(new WritableStream({ write })), whole: () => bytes.subarray(0, end) };
}

async function fileOf(track: Track, packets: readonly Packet[], seconds: number): Promise<Uint8Array> {
  const bytes = packets.reduce((sum, { data }) => sum + data.byteLength, 0);
  const size = bytes + overhead(track.extension, packets.length, seconds);
  const memory = inMemory(size);
  const writer = await writeAudio(track, memory.target, size);
  const first = packets[0]?.timestamp ?? 0;
  for (const packet of packets) await writer.add({ ...packet, timestamp: packet.timestamp - first });
  await writer.finish();
  return memory.whole();
}

/** The packets from `fromMs` on that fit into one piece, and whether more follow. */
async function gather(track: Track, fromMs: number, { maxMs, maxBytes }: PieceLimits) {
  const packets: Packet[] = [];
  let bytes = 0;
  for await (const packet of track.packets(fromMs === 0 ? undefined : fromMs / 1000)) {
    const startMs = msOf(packet.timestamp);
    if (startMs < fromMs) continue;
    const first = packets[0]?.timestamp ?? packet.timestamp;
    const seconds = packet.timestamp + packet.duration - first;
    const size = bytes + packet.data.byteLength + overhead(track.extension, packets.length + 1, seconds);
    if (msOf(seconds) > maxMs || size > maxBytes) {
      if (packets.length === 0) throw new RangeError(`No packet fits into ${maxBytes} bytes and ${maxMs} ms.`);
      return { packets, next: packet };
    }
    packets.push({ ...packet, data: packet.data.slice() });
    bytes += packet.data.byteLength;
  }
  return { packets, next: undefined };
}

/** How many of the packets make the piece, when more follow: up to the quietest place near its end. */
function cutOf(packets: readonly Packet[], track: Track): number {
  const [first, last] = [packets[0]?.timestamp ?? 0, packets.at(-1)?.timestamp ?? 0];
  const earliest = Math.max(last - maxSearchSeconds, first + (last - first) * 0.8);
  const levels = packets.map((packet) => (packet.timestamp < earliest - 1 ? 0 : loudness(packet, track.codec)));
  return quietestCut(
    packets,
    levels,
    packets.findIndex(({ timestamp }) => timestamp >= earliest),
  );
}

/**
 * The pieces of an assembled file from `fromMs` on, one after another: each a complete file within the limits. Where a
 * piece ends depends on where it begins and on the limits alone, so that the work can be resumed where the last one
 * ended. One piece at a time is in memory. @throws RangeError when nothing fits the limits or timestamps do not
 * advance, or what `audio.read` throws
 */
export async function* pieces(audio: AudioBytes, limits: PieceLimits, fromMs = 0): AsyncGenerator<AudioPiece> {
  const track = await openTrack(audio);
  if (!track) return;
  try {
    const { extension } = track;
    for (let startMs = fromMs; ; ) {
      const { packets, next } = await gather(track, startMs, limits);
      if (packets.length === 0) return;
      const kept = next ? packets.slice(0, cutOf(packets, track)) : packets;
      const [first, last] = [kept[0] as Packet, kept.at(-1) as Packet];
      const following = packets[kept.length] ?? next;
      const endMs = msOf(following?.timestamp ?? last.timestamp + last.duration);
      if (following && endMs <= startMs) throw new RangeError(`The timestamps do not advance after ${startMs} ms.`);
      const bytes = await fileOf(track, kept, last.timestamp + last.duration - first.timestamp);
      yield { startMs: msOf(first.timestamp), endMs, contentType: `audio/${extension}`, extension, bytes };
      if (!following) return;
      startMs = endMs;
    }
  } finally {
    track.close();
  }
}

/** How long an assembled file plays, in ms; 0 when it cannot be read. @throws what `audio.read` throws */
export async function durationMs(audio: AudioBytes): Promise<number> {
  const track = await openTrack(audio);
  let end = 0;
  try {
    if (track)
      for await (const { timestamp, duration } of track.packets(Number.MAX_SAFE_INTEGER)) end = timestamp + duration;
  } finally {
    track?.close();
  }
  return msOf(end);
}
