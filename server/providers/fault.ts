/** A provider did not answer as it should. `message` is for a person: what happened and what to do. */
export class ProviderFault extends Error {
  /** Whether the same request may succeed later. */
  readonly retryable: boolean;
  /** The provider asked to wait that long. */
  readonly retryAfterMs: number | undefined;
  constructor(message: string, more: { retryable: boolean; retryAfterMs?: number | undefined; cause?: unknown }) {
    super(message, { cause: more.cause });
    this.retryable = more.retryable;
    this.retryAfterMs = more.retryAfterMs;
  }
}
