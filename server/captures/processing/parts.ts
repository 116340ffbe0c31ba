import type { Logger } from 'pino';
import type { CaptureWorld } from '../../../routers/captures/processing/saves.ts';
import type { Writer } from '../../agents/writer/index.ts';
import type { AudioStore } from '../storage/store.ts';
import type { Transcriber } from '../transcription/index.ts';

/** What the workers on captures share. */
export interface CaptureParts {
  world: CaptureWorld;
  log: Logger;
  store: AudioStore;
  writer: Writer;
  /** Null where no endpoint is configured: recordings then complete without a transcript. */
  transcriber: Transcriber | null;
  /** A directory for temporary files. */
  scratch: string;
  /** Milliseconds before the second and the third try; others only in tests. */
  pauses?: readonly number[];
}

/** What came of a step: there is another one, or nothing is left to be done. */
export type StepOutcome = 'next' | 'done';
