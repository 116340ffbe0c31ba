import { setTimeout as sleep } from 'node:timers/promises';
import type { Answer } from './harness.ts';
import type { ServiceProcess } from './processes.ts';
import { maxWaitMs } from './until.ts';

/** What is asked: a process, or what is in front of several. */
export type Asked = Pick<ServiceProcess, 'call'>;

/** How long a client waits for a process that may be frozen before it asks another one. */
const answerTimeoutMs = 10_000;

/** A client of several processes that are killed under it: it writes with keys, and notes what was acknowledged. */
export class WriteLedger {
  /** Ids by the idempotency key with which they were acknowledged. */
  readonly acknowledged = new Map<string, string[]>();
  /** What processes answered that could not, by status; 0 for no answer. */
  readonly refused = new Map<number, number>();
  readonly #any: () => Asked;
  readonly #key: string;

  constructor(any: () => Asked, key: string) {
    this.#any = any;
    this.#key = key;
  }

  /** Asks any process until one answers with what is not to be tried again. @throws Error after `maxWaitMs`. */
  async ask(route: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const tries: string[] = [];
    for (const deadline = performance.now() + maxWaitMs; performance.now() < deadline; await sleep(100)) {
      const asked = this.#any().call(route, this.#key, body, headers);
      const late = sleep(answerTimeoutMs, null, { ref: false });
      const answer = await Promise.race([asked.catch(() => null), late]);
      // 409 while the first request with this key may still be at work: its process was killed, its transaction was
      // not.
      if (answer && answer.status < 500 && answer.body?.retryable !== true) return answer;
      const status = answer?.status ?? 0;
      tries.push(`${status} ${answer?.body?.message ?? ''}`.trim());
      this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    }
    throw new Error(`${route} was not answered within ${maxWaitMs / 1000} s: ${tries.slice(-20).join('; ')}`);
  }

  /**
   * Writes with a key until it is acknowledged, and now and then once more, as a client does that lost the answer.
   * Returns the body. @throws Error when it is refused, or answered otherwise the second time.
   */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  async write(route: string, body: unknown, key: string): Promise<any> {
    const headers = { 'idempotency-key': key };
    const first = await this.ask(route, body, headers);
    if (first.status >= 300) throw new Error(`${route} ${first.status} ${first.text}`);
    const ids = idsOf(first.body);
    this.acknowledged.set(key, ids);
    if (Math.random() < 0.2) {
      const again = await this.ask(route, body, headers);
      if (idsOf(again.body).join() !== ids.join()) throw new Error(`${key} made ${ids} and then ${again.text}`);
    }
    return first.body;
  }
}

function idsOf(body: { id?: string; data?: { id: string }[] } | undefined): string[] {
  return body?.data?.map(({ id }) => id) ?? [body?.id ?? ''];
}
