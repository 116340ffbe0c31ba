/* The frames of the recording socket (docs/recording.md), as a recorder sends and reads them. */

/** Why a recording was stopped. */
export type StopReason = 'stopped' | 'silence' | 'connection_lost' | 'max_duration' | 'max_size';

export interface ReadyFrame {
  type: 'ready';
  captureId: string;
  recordingId: string;
  resumeToken: string;
  /** Chunks below it are durable already. */
  nextSequence: number;
  maxDurationSeconds: number;
  maxChunkBytes: number;
  /** Chunks that may be under way without an acknowledgement. */
  window: number;
}

export type ServerFrame =
  | ReadyFrame
  | { type: 'ack'; sequence: number }
  | { type: 'pong' }
  | { type: 'stopped'; reason: StopReason }
  | { type: 'error'; code: string; message: string };

export type ClientFrame =
  | { type: 'format'; mediaType: string }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'stop' }
  | { type: 'ping' };

const known = ['ready', 'ack', 'pong', 'stopped', 'error'];

/** Reads a text frame; null for one of a kind that this recorder does not know. */
export function readFrame(text: string): ServerFrame | null {
  const frame = JSON.parse(text) as ServerFrame;
  return known.includes(frame.type) ? frame : null;
}

/** The bytes before the audio of a chunk: flags (bit 0: a part begins here) and the sequence. */
export function chunkHeader(sequence: number, begins: boolean): Uint8Array<ArrayBuffer> {
  const header = new DataView(new ArrayBuffer(5));
  header.setUint8(0, begins ? 1 : 0);
  header.setUint32(1, sequence);
  return new Uint8Array(header.buffer);
}

/** The kind of audio without its codec: `audio/webm;codecs=opus` is `audio/webm`. */
export function mediaTypeOf(mimeType: string): string {
  return mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
}
