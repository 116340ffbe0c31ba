import { isUnavailable } from '../../../db/errors.ts';
import type { FailureFacts } from '../../../domain/captures/processing/saves.ts';
import { LostLease } from '../../../domain/jobs.ts';
import { ProviderFault } from '../../../engine/providers/errors.ts';
import { StoreFault } from '../../../media/storage/store.ts';
import { TranscriptionFault } from '../../../media/transcription/index.ts';
import { TaskLimit } from '../../compute/task-process.ts';

/** A step that cannot be done, whatever is tried. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
  readonly failure: FailureFacts;
  constructor(failure: FailureFacts) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A step was begun many times, and each time its process died. */
export function fruitless(): Hopeless {
  const message = 'Its processing was started too often without being finished. Try again later with retryCapture.';
  return new Hopeless({ code: 'internal_error', message, retryable: true });
}

/** A compute process was ended during a step: it would be ended again, but a person may try it on a larger machine. */
function tooHeavy({ limit }: TaskLimit): FailureFacts {
  const what = limit === 'time' ? 'takes too long' : 'needs too much memory';
  const message = `Summarizing this text ${what}, so it was stopped. The text is kept; import it in several parts.`;
  return { code: 'summary_failed', message, retryable: true };
}

const ours = [Hopeless, ProviderFault, StoreFault];

/**
 * Whether an error counts as a failed try of the capture. An unavailable database does not: it can save nothing, and
 * the next worker continues from what was saved.
 */
export function isFault(error: unknown): boolean {
  if (ours.some((kind) => error instanceof kind)) return true;
  return !(error instanceof LostLease) && !isUnavailable(error);
}

/** What a fault of a step means for its capture. */
export interface FaultFacts {
  failure: FailureFacts;
  /** Whether to try the step again. */
  again: boolean;
  /** The pause that the provider asked for, in milliseconds. */
  retryAfterMs: number | undefined;
}

const unexpected = {
  code: 'internal_error',
  message: 'Something went wrong on our side. Try again with retryCapture; if it happens again, inform the operator.',
  retryable: true,
} as const;

/** How a fault is shown to a person. Only messages that were written for people are shown. */
export function faultFacts(error: unknown): FaultFacts {
  if (error instanceof Hopeless) return { failure: error.failure, again: false, retryAfterMs: undefined };
  if (error instanceof TaskLimit) return { failure: tooHeavy(error), again: false, retryAfterMs: undefined };
  if (!(error instanceof ProviderFault)) return { failure: unexpected, again: true, retryAfterMs: undefined };
  const code = error instanceof TranscriptionFault ? 'transcription_failed' : 'summary_failed';
  const { message, retryable, retryAfterMs } = error;
  // A refused request may be accepted once somebody has corrected the configuration.
  return { failure: { code, message, retryable: true }, again: retryable, retryAfterMs };
}
