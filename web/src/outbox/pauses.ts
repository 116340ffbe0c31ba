import type { Problem } from '../api/problem.ts';

/* When what failed is sent again. Times are in ms. */

const firstPauseMs = 1_000;
const maxPauseMs = 60_000;

/** Answers that say nothing about the write: it is sent again. */
export const isPassing = ({ status, retryable }: Problem) =>
  retryable || status === 0 || status === 429 || status >= 500;

/** Answers about the service, not about one write. */
const concernsAll = ({ status }: Problem) => status === 0 || status === 429 || status === 503;

/** The pauses of a queue. Each failure in a row doubles them up to a minute, by a share of chance. */
export class Pauses {
  readonly #now: () => number;
  readonly #random: () => number;
  readonly #ofWrites = new Map<string, number>();
  #until = 0;
  /** Being online again ends a pause, but not what the service asked for (`Retry-After`). */
  #askedUntil = 0;
  #failures = 0;

  /** `random` is at least 0 and below 1. */
  constructor(now: () => number, random: () => number) {
    this.#now = now;
    this.#random = random;
  }

  /** A write failed in a way that says nothing about it. */
  failed(id: string, problem: Problem): void {
    this.#failures += 1;
    const growing = Math.min(maxPauseMs, firstPauseMs * 2 ** Math.min(this.#failures - 1, 10));
    const askedUntil = this.#now() + (problem.retryAfterSeconds ?? 0) * 1000;
    // The share of chance comes after the time that was asked for: not all clients come back at once.
    const until = askedUntil + growing * (0.5 + this.#random() / 2);
    if (!concernsAll(problem)) this.#ofWrites.set(id, until);
    else {
      this.#askedUntil = Math.max(this.#askedUntil, askedUntil);
      this.#until = Math.max(this.#until, until);
    }
  }

  /** The service has answered. */
  succeeded(): void {
    this.#failures = 0;
    this.#until = 0;
  }

  /** The connection is back. */
  wake(): void {
    this.#until = 0;
  }

  /** A person wants this write to be sent now. */
  forget(id: string): void {
    this.#ofWrites.delete(id);
  }

  /** When a write may be sent. */
  endOf(id: string): number {
    return Math.max(this.#until, this.#askedUntil, this.#ofWrites.get(id) ?? 0);
  }
}
