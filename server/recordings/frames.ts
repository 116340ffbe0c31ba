import { z } from 'zod';
import type { StopReason } from '../../domain/captures/recording.ts';
import type { Chunk } from './chunks.ts';
import type { MediaType } from './claims.ts';

/* The frames of docs/recording.md. */

/** An invalid frame; the message is for the author of the client. The connection ends; the recording can be resumed. */
export class FrameFault extends Error {
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

export type ServerFrame =
  | {
      type: 'ready';
      captureId: string;
      recordingId: string;
      resumeToken: string;
      nextSequence: number;
      maxDurationSeconds: number;
      maxChunkBytes: number;
      window: number;
    }
  | { type: 'ack'; sequence: number }
  | { type: 'pong' }
  | { type: 'stopped'; reason: StopReason }
  | { type: 'error'; code: string; message: string };

const Frame = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('format'), mediaType: z.enum(['audio/webm', 'audio/wav']) }),
  z.strictObject({ type: z.literal('pause') }),
  z.strictObject({ type: z.literal('resume') }),
  z.strictObject({ type: z.literal('stop') }),
  z.strictObject({ type: z.literal('ping') }),
]);
export type ClientFrame = z.infer<typeof Frame>;

const maxTextBytes = 1000;

/** @throws FrameFault */
export function readText(data: Buffer): ClientFrame {
  const fault = new FrameFault(
    'frame_not_understood',
    'A text frame must be JSON like {"type":"stop"}; the types are format, pause, resume, stop and ping.',
  );
  if (data.length > maxTextBytes) throw fault;
  let json: unknown;
  try {
    json = JSON.parse(data.toString());
  } catch {
    throw fault;
  }
  const parsed = Frame.safeParse(json);
  if (!parsed.success) throw fault;
  return parsed.data;
}

/** Flags and sequence, before the audio. */
export const headerBytes = 5;

/** @throws FrameFault */
export function readChunk(data: Buffer): Chunk {
  if (data.length <= headerBytes) {
    throw new FrameFault('chunk_not_understood', 'A chunk is 5 bytes of header and at least one byte of audio.');
  }
  const flags = data.readUInt8(0);
  if (flags > 1) throw new FrameFault('chunk_not_understood', 'Byte 0 of a chunk is 1 where a part begins, else 0.');
  return { sequence: data.readUInt32BE(1), begins: flags === 1, audio: data.subarray(headerBytes) };
}

/** What is expected of one client next. */
export interface Reception {
  mediaType: MediaType | null;
  /** The chunk that is expected. */
  next: number;
}

/** Whether the chunk is new; one that came before is ignored. @throws FrameFault */
export function acceptChunk(reception: Reception, { sequence, begins }: Chunk): boolean {
  const { next, mediaType } = reception;
  if (sequence < next) return false;
  if (sequence > next)
    throw new FrameFault('sequence_gap', `Chunk ${next} is expected, but chunk ${sequence} was received.`);
  if (mediaType === null) throw new FrameFault('format_missing', 'Send a format frame before the first chunk.');
  if (sequence === 0 && !begins) {
    throw new FrameFault('part_missing', 'The first chunk of a recording begins a part: set bit 0 of its flags.');
  }
  reception.next += 1;
  return true;
}

/** Whether the format is new. @throws FrameFault when it differs from the one before. */
export function acceptFormat(reception: Reception, mediaType: MediaType): boolean {
  const { mediaType: known } = reception;
  if (known !== null && known !== mediaType) {
    throw new FrameFault('format_conflict', `This recording is ${known}. Start another one for ${mediaType}.`);
  }
  reception.mediaType = mediaType;
  return known === null;
}
