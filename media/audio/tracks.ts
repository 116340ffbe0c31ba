import { setImmediate } from 'node:timers/promises';
import {
  type AudioCodec,
  CustomSource,
  EncodedPacketSink,
  Input,
  type InputAudioTrack,
  Logging,
  LogLevel,
  MATROSKA,
  WAVE,
  WEBM,
} from 'mediabunny';
import { durationOf, kindOf } from './codecs.ts';

/** Packets that are yielded before other work of the process gets a turn: reading them from memory never waits. */
const packetsAtOnce = 250;

// Messages of the library about files of users must not reach the log.
Logging.level = LogLevel.Silent;

/** Bytes of one audio file, wherever they lie. */
export interface AudioBytes {
  size: number;
  /** From `start` up to but not including `end`; both lie inside. */
  read(start: number, end: number): Promise<Uint8Array>;
  /** Each read takes its time: rather few and large ones. */
  distant?: boolean;
}

/** One packet of a track: for WAV a few hundredths of a second of samples. */
export interface Packet {
  data: Uint8Array;
  /** Seconds, as the file has it. */
  timestamp: number;
  /** Seconds it plays, computed from the packet itself. */
  duration: number;
}

/** The audio of one file, to be read packet by packet. */
export interface Track {
  /** Its number in a WebM file. */
  number: number;
  codec: AudioCodec;
  config: AudioDecoderConfig;
  extension: 'webm' | 'wav';
  /** Tracks of the same kind can be joined without re-encoding. */
  kind: string;
  /**
   * From the one that plays at `from` (seconds), or from the first. Ends where the file cannot be read any further.
   * @throws what `AudioBytes.read` throws
   */
  packets(from?: number): AsyncGenerator<Packet>;
  close(): void;
}

/** Packets with their lengths, and a turn for others now and then. What is no packet of the codec is left out. */
export async function* measured(
  packets: AsyncIterable<Omit<Packet, 'duration'>>,
  { codec, config }: Pick<Track, 'codec' | 'config'>,
): AsyncGenerator<Packet> {
  let read = 0;
  for await (const { data, timestamp } of packets) {
    if (++read % packetsAtOnce === 0) await setImmediate();
    const duration = durationOf(data, codec, config);
    if (duration !== null && Number.isFinite(timestamp)) yield { data, timestamp, duration };
  }
}

/** Reads the audio of a file; null when there is none that can be joined. @throws what `bytes.read` throws */
export async function openTrack(bytes: AudioBytes): Promise<Track | null> {
  let failed: { error: unknown } | undefined;
  const source = new CustomSource({
    getSize: () => bytes.size,
    read: async (start, end) => {
      try {
        const read = await bytes.read(start, end);
        if (read.byteLength === end - start) return read;
        throw new Error(`${read.byteLength} bytes of audio came instead of ${end - start}.`);
      } catch (error) {
        failed = { error };
        throw error;
      }
    },
    maxCacheSize: (bytes.distant ? 16 : 2) * 2 ** 20,
    prefetchProfile: bytes.distant ? 'network' : 'fileSystem',
    handleUnhandledError: () => {},
  });
  // What the reader throws of its own accord is the file's fault.
  const onlyOfFile = () => {
    if (failed) throw failed.error;
  };
  const input = new Input({ source, formats: [WEBM, MATROSKA, WAVE] });

  async function* packetsOf(track: InputAudioTrack, from?: number) {
    const sink = new EncodedPacketSink(track);
    try {
      const start = from === undefined ? undefined : await sink.getPacket(from);
      yield* sink.packets(start ?? undefined);
    } catch {
      onlyOfFile();
    }
  }

  try {
    const track = await input.getPrimaryAudioTrack();
    const [codec, config] = [await track?.getCodec(), await track?.getDecoderConfig()];
    const kind = codec && config ? kindOf(codec, config) : null;
    if (track && codec && config && kind !== null) {
      const packets = (from?: number) => measured(packetsOf(track, from), { codec, config });
      const extension = codec === 'opus' ? 'webm' : 'wav';
      return { number: track.id, codec, config, kind, extension, packets, close: () => input.dispose() };
    }
  } catch {
    onlyOfFile();
  }
  input.dispose();
  return null;
}
