import * as assert from 'uvu/assert';
import type { Asked } from './write-ledger.ts';

/*
 * More requests than a key may make, sent while processes are killed; how many of them were counted, minute by minute.
 */

/** What came of the requests that were counted in one minute. */
interface Minute {
  /** Those that were granted, with what was left after each. */
  granted: { left: number; at: string; status: number }[];
  /** Requests that were refused because nothing was left. */
  refused: number;
}

const minuteMs = 60_000;

/** Clients that ask without a pause until `stop`. */
export class RateFlood {
  /** By the number of the minute since 1970 that ends with the window. */
  readonly minutes = new Map<number, Minute>();
  /** How many requests of each minute got no answer of a process, or late: it may have counted them. */
  readonly #lost = new Map<number, number>();
  #isOver = false;
  readonly #work: Promise<unknown>;
  readonly #quota: number;

  /** `quota`: the requests that the key may make in a minute. */
  constructor(any: () => Asked, key: string, quota: number, clients: number) {
    this.#quota = quota;
    this.#work = Promise.all(Array.from({ length: clients }, () => this.#ask(any, key)));
    this.#work.catch(() => {});
  }

  async #ask(any: () => Asked, key: string): Promise<void> {
    while (!this.#isOver) {
      const since = Date.now();
      const answer = await any()
        .call('GET /todos/summary', key)
        .catch(() => undefined);
      const names = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];
      const [limit, left, reset] = names.map((name) => Number(answer?.headers.get(name) ?? Number.NaN));
      // The minute of an answer that took long is not known: when within that time it was counted is not said.
      const isLate = Date.now() - since > minuteMs / 3;
      // Where a process could not count a request, it shows the limit of an address, and nothing left.
      const isCounted = answer && limit === this.#quota && !isLate;
      if (isCounted && left !== undefined && reset !== undefined) this.#note(answer.status, left, reset);
      else {
        const touched = new Set([since, Date.now()].map((at) => Math.floor(at / minuteMs) + 1));
        for (const minute of touched) this.#lost.set(minute, (this.#lost.get(minute) ?? 0) + 1);
      }
    }
  }

  #note(status: number, left: number, reset: number): void {
    // Windows end with the minute, and the seconds are rounded up.
    const minute = Math.round((Date.now() + reset * 1000) / minuteMs);
    const found = this.minutes.get(minute) ?? { granted: [], refused: 0 };
    if (status === 429) found.refused++;
    else found.granted.push({ left, at: new Date().toISOString(), status });
    this.minutes.set(minute, found);
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#work;
  }

  /**
   * Checks that none of the requests of a minute was counted twice, and that all were granted which the quota allows,
   * but for those that got no answer. Returns how many minutes were used up.
   */
  check(): number {
    const quota = this.#quota;
    let full = 0;
    for (const [minute, { granted, refused }] of this.minutes) {
      const what = `in the minute ${new Date((minute - 1) * minuteMs).toISOString()}`;
      const twice = [...Map.groupBy(granted, ({ left }) => left).values()].filter(({ length }) => length > 1);
      assert.equal(twice, [], `two requests were counted as one ${what}`);
      const lowest = Math.min(quota, ...granted.map(({ left }) => left));
      const counted = refused > 0 ? quota : quota - lowest;
      const lost = this.#lost.get(minute) ?? 0;
      const found = `${counted} were counted, ${granted.length} granted and ${lost} lost ${what}`;
      assert.ok(granted.length <= counted && counted <= granted.length + lost, found);
      if (refused > 0) full++;
    }
    return full;
  }
}
