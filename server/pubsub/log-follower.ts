import type { LogAccessor, LogFollower } from '../../domain/event-logs.ts';
import { type AccessChange, concerns } from '../../domain/live.ts';
import type { LogTail } from './log-tail.ts';

/** One who follows a log. There may be thousands in a process, so it holds no timer and no signal of its own. */
export class Follower implements LogFollower {
  readonly accessor: LogAccessor;
  readonly #tail: LogTail;
  readonly #onClose: (follower: Follower) => void;
  readonly #expiresAt: number;
  #isWoken = false;
  #isOver = false;
  #deadline = Number.POSITIVE_INFINITY;
  #resolve: ((isWoken: boolean) => void) | undefined;

  constructor(tail: LogTail, accessor: LogAccessor, onClose: (follower: Follower) => void) {
    this.accessor = accessor;
    this.#tail = tail;
    this.#onClose = onClose;
    this.#expiresAt = accessor.expiresAt === null ? Number.POSITIVE_INFINITY : Date.parse(accessor.expiresAt);
    tail.wakes.add(this.#wake);
  }

  readonly #wake = () => {
    this.#isWoken = true;
    this.#settle(true);
  };

  #settle(isWoken: boolean): void {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    resolve?.(isWoken);
  }

  get start(): number {
    return this.#tail.start;
  }

  get end(): number {
    return this.#tail.end;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  recent(sequence: number, limit: number) {
    this.#isWoken = false;
    return this.#tail.recent(sequence, limit);
  }

  sleep(ms: number): Promise<boolean> {
    if (this.#isWoken || this.#isOver) {
      this.#isWoken = false;
      return Promise.resolve(true);
    }
    this.#deadline = performance.now() + ms;
    return new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** Called every second: ends a sleep that is over, and access that expires. */
  tick(now: number, time: number): void {
    if (time >= this.#expiresAt) this.close();
    else if (now >= this.#deadline) this.#settle(false);
  }

  /** Whether the change is one of its access. */
  concerns(change: AccessChange): boolean {
    return concerns(change, this.accessor);
  }

  close(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#tail.wakes.delete(this.#wake);
    this.#onClose(this);
    this.#settle(true);
  }
}
