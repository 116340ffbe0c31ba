import type { AudioCodec } from 'mediabunny';

/** Frames of one configuration, in tenths of a millisecond (RFC 6716, table 2). */
function frameLength(configuration: number): number {
  if (configuration < 12) return [100, 200, 400, 600][configuration % 4] ?? 0;
  if (configuration < 16) return configuration % 2 === 0 ? 100 : 200;
  return [25, 50, 100, 200][configuration % 4] ?? 0;
}

/** The duration of one Opus packet in seconds, from its first bytes (RFC 6716 §3); null when it is none. */
export function opusDuration(packet: Uint8Array): number | null {
  const [first, second = 0] = packet;
  if (first === undefined) return null;
  const code = first & 3;
  const frames = code === 0 ? 1 : code === 3 ? second & 63 : 2;
  const length = frames * frameLength(first >> 3);
  return length > 0 && length <= 1200 ? length / 10_000 : null;
}

/** Bytes of one sample of one channel. */
function sampleSize(codec: AudioCodec): number {
  return Number(/^pcm-[sf](\d+)$/.exec(codec)?.[1] ?? 8) / 8;
}

/** How long a packet plays, in seconds; null when it is no packet. */
export function durationOf(data: Uint8Array, codec: AudioCodec, config: AudioDecoderConfig): number | null {
  if (codec === 'opus') return opusDuration(data);
  const frames = Math.floor(data.byteLength / (sampleSize(codec) * config.numberOfChannels));
  return frames === 0 ? null : frames / config.sampleRate;
}

/** The header of Opus (RFC 7845 §5.1); empty when there is none. */
function opusHeader({ description }: AudioDecoderConfig): Buffer {
  const bytes = Buffer.from((description as Uint8Array | undefined) ?? []);
  return bytes.length >= 19 && bytes.toString('latin1', 0, 8) === 'OpusHead' ? bytes : Buffer.alloc(0);
}

/**
 * The kind of a track: those of one kind can be joined. Null when this service cannot join it. Opus of one or two
 * channels is decoded alike whatever its header contains.
 */
export function kindOf(codec: AudioCodec, config: AudioDecoderConfig): string | null {
  const { sampleRate, numberOfChannels } = config;
  if (!Number.isInteger(sampleRate) || sampleRate < 1000 || sampleRate > 768_000) return null;
  if (!Number.isInteger(numberOfChannels) || numberOfChannels < 1 || numberOfChannels > 32) return null;
  if (codec !== 'opus')
    return /^(pcm-(u8|[sf]\d\d)|ulaw|alaw)$/.test(codec) ? `${codec} ${sampleRate} ${numberOfChannels}` : null;
  const header = opusHeader(config);
  if (header.length === 0) return null;
  return header[18] === 0 ? 'opus' : `opus ${header.toString('hex')}`;
}
