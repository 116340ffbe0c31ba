import type { Chunk } from './outbox.ts';

/** Formats that the service accepts, the preferred first. */
const formats = ['audio/webm;codecs=opus', 'audio/webm'];

/** Clear for speech; one hour is 14 MB. */
const bitsPerSecond = 32_000;

/** Length of a chunk. */
const sliceMs = 500;

/** The format that this browser records in; null when it supports none of `formats`. */
export function recordingFormat(): string | null {
  if (typeof MediaRecorder === 'undefined') return null;
  return formats.find((format) => MediaRecorder.isTypeSupported(format)) ?? null;
}

/** A running encoder: one part of a recording. */
export interface Encoder {
  pause(): void;
  resume(): void;
  /** Resolves when its last audio has been delivered. */
  stop(): Promise<void>;
}

/** Starts encoding a stream. `onFault`: the encoder failed and delivers nothing more. */
export function startEncoder(
  stream: MediaStream,
  format: string,
  onChunk: (chunk: Chunk) => void,
  onFault: () => void,
): Encoder {
  const recorder = new MediaRecorder(stream, { mimeType: format, audioBitsPerSecond: bitsPerSecond });
  let begins = true;
  let since = performance.now();
  const stopped = new Promise<void>((resolve) => recorder.addEventListener('stop', () => resolve(), { once: true }));
  recorder.ondataavailable = ({ data }) => {
    if (data.size === 0) return;
    const now = performance.now();
    onChunk({ audio: data, begins, ms: now - since });
    since = now;
    begins = false;
  };
  recorder.onerror = onFault;
  recorder.start(sliceMs);
  return {
    pause: () => {
      if (recorder.state !== 'recording') return;
      recorder.requestData();
      recorder.pause();
    },
    resume: () => {
      if (recorder.state !== 'paused') return;
      since = performance.now();
      recorder.resume();
    },
    stop: () => {
      if (recorder.state !== 'inactive') recorder.stop();
      return stopped;
    },
  };
}
