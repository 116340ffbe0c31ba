import { readFile } from 'node:fs/promises';
import { ALL_FORMATS, BufferSource, EncodedPacketSink, Input } from 'mediabunny';
import { type Assembly, type AudioPart, assemble } from '../../media/audio/assemble.ts';

const fixtures = new URL('../fixtures/audio/', import.meta.url);
const sizes: number[][] = JSON.parse(await readFile(new URL('chunks.json', fixtures), 'utf8'));

/** The chunks of what Chromium recorded: about 5 s, and about 3 s (`fixtures/audio/record.ts`). */
export const recorded: Buffer[][] = await Promise.all(
  sizes.map(async (lengths, index) => {
    const whole = await readFile(new URL(`part-${index + 1}.webm`, fixtures));
    let at = 0;
    return lengths.map((length) => {
      at += length;
      return whole.subarray(at - length, at);
    });
  }),
);

/** A part that comes in these chunks. */
export async function* partOf(...chunks: readonly Uint8Array[]): AudioPart {
  yield* chunks;
}

/** Joins parts; `bytes` is the file, when there is one. */
export async function assembled(scratch: string, ...parts: AudioPart[]): Promise<Assembly & { bytes: Buffer }> {
  const pieces: Uint8Array[] = [];
  const assembly = await assemble(parts, {
    scratch,
    name: crypto.randomUUID(),
    save: async (file) => {
      for await (const piece of file.bytes) pieces.push(piece);
    },
  });
  return { ...assembly, bytes: Buffer.concat(pieces) };
}

/** What a reader finds in a file. */
export interface Found {
  mimeType: string;
  /** Seconds, as the header says; null when it does not. */
  duration: number | null;
  packets: { data: Buffer; timestamp: number }[];
}

export async function readAudio(bytes: Uint8Array): Promise<Found> {
  const input = new Input({ source: new BufferSource(bytes as Uint8Array<ArrayBuffer>), formats: ALL_FORMATS });
  const track = await input.getPrimaryAudioTrack();
  if (!track) throw new Error('there is no audio in it');
  const packets: Found['packets'] = [];
  for await (const { data, timestamp } of new EncodedPacketSink(track).packets())
    packets.push({ data: Buffer.from(data), timestamp });
  return { mimeType: await input.getMimeType(), duration: await input.getDurationFromMetadata(), packets };
}

export const dataOf = (packets: Found['packets']) => packets.map(({ data }) => data.toString('base64'));

/** How the samples of a WAV file are. */
export interface WavShape {
  rate?: number;
  channels?: number;
  bits?: number;
  float?: boolean;
  /** What the header says instead of the true sizes. */
  sizes?: { riff: number; data: number };
}

/** A WAV file of these samples, as bytes. */
export function wavOf(samples: Uint8Array, { rate = 16_000, channels = 1, bits = 16, float, sizes }: WavShape = {}) {
  const head = Buffer.alloc(44);
  const frame = (channels * bits) / 8;
  head.write('RIFF', 0);
  head.writeUInt32LE(sizes?.riff ?? 36 + samples.length, 4);
  head.write('WAVEfmt ', 8);
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(float ? 3 : 1, 20);
  head.writeUInt16LE(channels, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * frame, 28);
  head.writeUInt16LE(frame, 32);
  head.writeUInt16LE(bits, 34);
  head.write('data', 36);
  head.writeUInt32LE(sizes?.data ?? samples.length, 40);
  return Buffer.concat([head, samples]);
}

/** 16-bit samples of a tone; quiet from `pause[0]` to `pause[1]` (ms). */
export function toneOf(ms: number, pause: readonly [number, number] = [0, 0], rate = 16_000): Buffer {
  const samples = Buffer.alloc(2 * Math.round((ms * rate) / 1000));
  for (let at = 0; 2 * at < samples.length; at++) {
    const time = (1000 * at) / rate;
    const loud = time < pause[0] || time >= pause[1];
    samples.writeInt16LE(loud ? Math.round(12_000 * Math.sin(at / 7)) : 0, 2 * at);
  }
  return samples;
}
