import type { AudioCodec } from 'mediabunny';
import type { Packet } from './tracks.ts';

/** Samples that are measured in one packet: enough to distinguish speech from a pause. */
const maxSamples = 64;

/**
 * How loud a packet is, in an arbitrary measure of its codec. Opus spends fewer bytes on silence; samples of 16 bits
 * and floats are looked at themselves. Any other is taken to be equally loud throughout.
 */
export function loudness({ data }: Packet, codec: AudioCodec): number {
  if (codec === 'opus') return data.byteLength;
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const size = codec === 'pcm-s16' ? 2 : codec === 'pcm-f32' ? 4 : 0;
  const samples = size === 0 ? 0 : Math.floor(data.byteLength / size);
  const step = Math.max(1, Math.floor(samples / maxSamples));
  let sum = 0;
  for (let at = 0; at < samples; at += step)
    sum += Math.abs(size === 2 ? view.getInt16(2 * at, true) : view.getFloat32(4 * at, true));
  return samples === 0 ? 0 : (sum * step) / samples;
}

/** Seconds on each side of a cut that shall be quiet. */
const quietSeconds = 0.2;

/**
 * Where to cut so that no word is torn: before which packet it is quietest, the later one of two. `from`: the first
 * place that may be chosen; the last is behind the last packet.
 */
export function quietestCut(packets: readonly Packet[], levels: readonly number[], from: number): number {
  let [best, lowest] = [packets.length, Number.POSITIVE_INFINITY];
  const duration = packets[0]?.duration ?? quietSeconds;
  const reach = Math.max(1, Math.round(quietSeconds / duration));
  for (let cut = Math.max(1, from); cut <= packets.length; cut++) {
    const near = levels.slice(Math.max(0, cut - reach), cut + reach);
    const level = near.reduce((sum, each) => sum + each, 0) / near.length;
    if (level <= lowest) [best, lowest] = [cut, level];
  }
  return best;
}
