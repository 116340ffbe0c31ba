import { isOutOfOrder } from '../../../db/trouble.ts';
import { LostCapture } from '../../../routers/captures/processing/claims.ts';
import type { FailureFacts } from '../../../routers/captures/processing/saves.ts';
import { ProviderFault } from '../../providers/fault.ts';
import { StoreFault } from '../storage/store.ts';
import { TranscriptionFault } from '../transcription/index.ts';

/** A step that cannot be done, whatever is tried. */
export class Hopeless extends Error {
  override readonly name = 'Hopeless';
  readonly failure: FailureFacts;
  constructor(failure: FailureFacts) {
    super(failure.message);
    this.failure = failure;
  }
}

/** A step was begun again and again, and its processes died. */
export function fruitless(): Hopeless {
  const message = 'The work on it was begun too often without an end. Try again later with retryCapture.';
  return new Hopeless({ code: 'internal_error', message, retryable: true });
}

const ours = [Hopeless, ProviderFault, StoreFault];

/**
 * Whether an error is for the capture to bear. Not so that of a database in trouble, which can save nothing: whoever
 * claims the work next finds it as it stands.
 */
export function isFault(error: unknown): boolean {
  if (ours.some((kind) => error instanceof kind)) return true;
  return !(error instanceof LostCapture) && !isOutOfOrder(error);
}

/** What a fault of a step means for its capture. */
export interface FaultFacts {
  failure: FailureFacts;
  /** Whether to try the step again. */
  again: boolean;
  /** The provider asked to wait that long. */
  retryAfterMs: number | undefined;
}

const trouble = {
  code: 'internal_error',
  message: 'Something went wrong on our side. Try again with retryCapture; if it goes on, tell the operator.',
  retryable: true,
} as const;

/** What a person is told of a fault. Only faults that were made for people tell of themselves. */
export function faultFacts(error: unknown): FaultFacts {
  if (error instanceof Hopeless) return { failure: error.failure, again: false, retryAfterMs: undefined };
  if (!(error instanceof ProviderFault)) return { failure: trouble, again: true, retryAfterMs: undefined };
  const code = error instanceof TranscriptionFault ? 'transcription_failed' : 'summary_failed';
  const { message, retryable, retryAfterMs } = error;
  // Also what is refused may be accepted once somebody corrected the configuration.
  return { failure: { code, message, retryable: true }, again: retryable, retryAfterMs };
}
