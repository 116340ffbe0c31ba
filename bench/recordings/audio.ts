import { randomBytes } from 'node:crypto';
import { BufferTarget, EncodedAudioPacketSource, EncodedPacket, Output, WebMOutputFormat } from 'mediabunny';

const packetSeconds = 0.02;

/** First byte of a packet of Opus: one frame of 20 ms, full band, one channel (RFC 6716 §3.1). */
const firstByte = 0xf8;

/** Header of an Opus track with one channel (RFC 7845 §5.1). */
const head = Uint8Array.from([...Buffer.from('OpusHead'), 1, 1, 0x38, 0x01, 0x80, 0xbb, 0, 0, 0, 0, 0]);

/**
 * The chunks of a WebM recording as a browser's MediaRecorder makes them, each about `chunkBytes` long and `chunkMs` of
 * audio. The packets contain random bytes.
 */
export async function webmChunks(seconds: number, chunkMs: number, chunkBytes: number): Promise<Buffer[]> {
  const target = new BufferTarget();
  const format = new WebMOutputFormat({ appendOnly: true, minimumClusterDuration: 1 });
  const output = new Output({ format, target });
  const source = new EncodedAudioPacketSource('opus');
  output.addAudioTrack(source);
  await output.start();
  const meta = { decoderConfig: { codec: 'opus', sampleRate: 48_000, numberOfChannels: 1, description: head } };
  const packetBytes = Math.round((chunkBytes * packetSeconds * 1000) / chunkMs);
  for (let at = 0; at < seconds / packetSeconds; at++) {
    const data = randomBytes(packetBytes);
    data[0] = firstByte;
    await source.add(new EncodedPacket(data, 'key', at * packetSeconds, packetSeconds), meta);
  }
  await output.finalize();
  const whole = Buffer.from(target.buffer ?? new ArrayBuffer(0));
  const length = Math.ceil(whole.length / Math.round((seconds * 1000) / chunkMs));
  return Array.from({ length: Math.ceil(whole.length / length) }, (_, at) =>
    whole.subarray(at * length, (at + 1) * length),
  );
}
