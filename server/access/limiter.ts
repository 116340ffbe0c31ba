import type { Db } from '../../db/client.ts';
import { isDatabaseError, isUnavailable } from '../../db/errors.ts';
import { FairQueue, QueueFull } from '../../db/fair-queue.ts';
import { unavailable } from '../../domain/errors.ts';
import { type Admission, type Asking, admitAll, type Caller } from './admission.ts';

interface Waiting extends Asking {
  /** `performance.now()` of its arrival. */
  since: number;
  fail: (error: unknown) => void;
}

/** Requests that are counted in one statement, or wait for the statement before. */
interface Line {
  waiting: Waiting[];
  isBusy: boolean;
}

/** One name per credential and address: requests of one caller are counted together. */
function nameOf({ secretHash, addressHash }: Caller): string {
  return `${secretHash ?? ''} ${addressHash}`;
}

/** Requests that wait to be counted. What comes beyond is refused: the database does not keep up. */
const maxWaiting = 5000;
/** How long a request whose row is locked waits, in ms. */
const maxStuckMs = 2000;
/** Callers whose statements run beside those of everybody; the connections for admission are one more. */
const stuckLimits = { maxRunning: 3, maxWaiting, maxWaitingPerKey: 1 };

/**
 * The gate of one process: credential look-up and exact request count by group commit. While one statement runs,
 * all requests that arrive are batched into the next one; so a revocation holds for every request that arrives after it
 * committed, and a hot key costs one row lock per batch.
 *
 * A statement that meets a locked row ends after `lock_timeout` and counts nothing. Each of its callers then has a line
 * of its own until that was counted: only the requests of the locked row wait any longer.
 */
export class Limiter {
  readonly #db: Db;
  readonly #perAddress: number;
  readonly #everybody: Line = { waiting: [], isBusy: false };
  /** By the name of the caller. */
  readonly #stuck = new Map<string, Line>();
  readonly #turns = new FairQueue(stuckLimits);
  #waiting = 0;

  /** `perAddress`: requests a minute for a client address that shows no valid credential. */
  constructor(db: Db, perAddress: number) {
    this.#db = db;
    this.#perAddress = perAddress;
  }

  /**
   * Counts one request and resolves who makes it. @throws Failure 503 when too many wait, or the row of the caller
   * stays locked; otherwise what the database throws.
   */
  admit(caller: Caller): Promise<Admission> {
    if (this.#waiting >= maxWaiting) return Promise.reject(unavailable());
    this.#waiting++;
    return new Promise<Admission>((resolve, reject) => {
      const settle =
        <Value>(act: (value: Value) => void) =>
        (value: Value) => {
          this.#waiting--;
          act(value);
        };
      const request = { ...caller, since: performance.now(), admit: settle(resolve), fail: settle(reject) };
      const stuck = this.#stuck.size > 0 ? this.#stuck.get(nameOf(caller)) : undefined;
      (stuck ?? this.#everybody).waiting.push(request);
      if (!stuck && !this.#everybody.isBusy) void this.#commit();
      if (stuck && !stuck.isBusy) void this.#commitStuck(nameOf(caller), stuck);
    });
  }

  /** Counts everybody's requests, batch by batch. */
  async #commit(): Promise<void> {
    const line = this.#everybody;
    line.isBusy = true;
    while (line.waiting.length > 0) {
      const batch = line.waiting;
      line.waiting = [];
      const callers = Map.groupBy(batch, nameOf);
      try {
        await admitAll(this.#db, this.#perAddress, [...callers.values()]);
      } catch (error) {
        if (isDatabaseError('lockTimeout', error)) this.#separate(callers);
        // What arrived meanwhile does not wait once more for a database that is away or silent.
        else for (const each of isUnavailable(error) ? batch.concat(line.waiting.splice(0)) : batch) each.fail(error);
      }
    }
    line.isBusy = false;
  }

  /** Gives each caller a line of its own. */
  #separate(callers: Map<string, Waiting[]>): void {
    for (const [name, waiting] of callers) {
      const line = { waiting, isBusy: false };
      this.#stuck.set(name, line);
      void this.#commitStuck(name, line);
    }
  }

  /** Counts the requests of one caller until none waits. The line stays while its row is locked. */
  async #commitStuck(name: string, line: Line): Promise<void> {
    line.isBusy = true;
    let isLocked = false;
    while (line.waiting.length > 0) {
      let batch: Waiting[] = [];
      try {
        await this.#turns.run(name, async () => {
          batch = this.#inTime(line);
          if (batch.length > 0) await admitAll(this.#db, this.#perAddress, [batch]);
        });
        isLocked = batch.length === 0;
      } catch (error) {
        isLocked = isDatabaseError('lockTimeout', error);
        if (isLocked) line.waiting.unshift(...batch);
        else {
          const fault = error instanceof QueueFull ? unavailable(error) : error;
          for (const each of batch.concat(line.waiting.splice(0))) each.fail(fault);
        }
      }
    }
    line.isBusy = false;
    if (!isLocked || this.#stuck.size > maxWaiting) this.#stuck.delete(name);
  }

  /** Takes what waits in a line; what waited for too long fails with 503. */
  #inTime(line: Line): Waiting[] {
    const now = performance.now();
    const { late = [], timely = [] } = Object.groupBy(line.waiting.splice(0), ({ since }) =>
      now - since > maxStuckMs ? 'late' : 'timely',
    );
    for (const each of late) each.fail(unavailable());
    return timely;
  }
}
