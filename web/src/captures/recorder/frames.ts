/* The frames of the recording socket (docs/recording.md). */

/** Why a recording was stopped. */
export type StopReason = 'stopped' | 'silence' | 'connection_lost' | 'max_duration' | 'max_size';

/** The first frame of a connection. */
export interface ReadyFrame {
  type: 'ready';
  captureId: string;
  recordingId: string;
  resumeToken: string;
  /** Chunks below this sequence are durable. */
  nextSequence: number;
  maxDurationSeconds: number;
  maxChunkBytes: number;
  /** Maximum number of unacknowledged chunks. */
  window: number;
}

/** A frame of the service. */
export type ServerFrame =
  | ReadyFrame
  | { type: 'ack'; sequence: number }
  | { type: 'pong' }
  | { type: 'stopped'; reason: StopReason }
  | { type: 'error'; code: string; message: string };

/** A text frame of the recorder. */
export type ClientFrame =
  | { type: 'format'; mediaType: string }
  | { type: 'pause' }
  | { type: 'resume' }
  | { type: 'stop' }
  | { type: 'ping' };

const known = ['ready', 'ack', 'pong', 'stopped', 'error'];

/** Parses a text frame; null for an unknown type. @throws SyntaxError. */
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

/** The media type without parameters: `audio/webm;codecs=opus` is `audio/webm`. */
export function mediaTypeOf(mimeType: string): string {
  return mimeType.split(';')[0]?.trim().toLowerCase() ?? '';
}
