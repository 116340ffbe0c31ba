import type { Logger } from 'pino';
import type { CaptureContext } from '../../../domain/captures/processing/saves.ts';
import type { Writer } from '../../../engine/writer/writer.ts';
import type { AudioStore } from '../../../media/storage/store.ts';
import type { Transcriber } from '../../../media/transcription/index.ts';

/** What processing captures needs. */
export interface CaptureParts {
  ctx: CaptureContext;
  log: Logger;
  store: AudioStore;
  writer: Writer;
  /** Null where no endpoint is configured: recordings then complete without a transcript. */
  transcriber: Transcriber | null;
  /** A directory for temporary files. */
  scratch: string;
  /** Milliseconds before the second and the third try; others only in tests. */
  pauses?: readonly number[];
  /** A capture is handed back after so many milliseconds, so that others get their turn; others only in tests. */
  turnMs?: number;
}

/** Whether another step, or the rest of this one, follows. */
export type StepOutcome = 'next' | 'done';
