import {
  EncodedAudioPacketSource,
  EncodedPacket,
  Output,
  type Target,
  WavOutputFormat,
  WebMOutputFormat,
} from 'mediabunny';
import type { Packet, Track } from './tracks.ts';

/** Seconds of one cluster of a WebM file, that is of one entry of its index. */
const clusterSeconds = 5;

/** WAV counts its bytes in 32 bits; beyond it is RF64 (EBU Tech 3306). */
const maxWavBytes = 2 ** 32 - 2 ** 20;

/** Writes one playable file: WebM with duration and index, or WAV with the right sizes. */
export interface AudioWriter {
  /** `timestamp`: seconds from the beginning of the file, never less than the last one's. */
  add(packet: Packet): Promise<void>;
  finish(): Promise<void>;
  /** Closes the target, unfinished. */
  cancel(): Promise<void>;
}

/** A file of audio like `track`'s; `size`: about how many bytes of packets come. */
export async function writeAudio(
  track: Pick<Track, 'codec' | 'config' | 'extension'>,
  target: Target,
  size: number,
): Promise<AudioWriter> {
  const format =
    track.extension === 'webm'
      ? new WebMOutputFormat({ minimumClusterDuration: clusterSeconds })
      : new WavOutputFormat({ large: size > maxWavBytes });
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource(track.codec);
  output.addAudioTrack(source);
  await output.start();
  const meta = { decoderConfig: track.config };
  return {
    add: ({ data, timestamp, duration }) => source.add(new EncodedPacket(data, 'key', timestamp, duration), meta),
    finish: () => output.finalize(),
    cancel: () => output.cancel(),
  };
}
