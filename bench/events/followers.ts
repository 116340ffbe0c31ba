import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import type { Opening, Report } from './readers.ts';

/** Connections that are opened at the same time: their requests are work of the service, and not what is measured. */
const atOnce = 50;

/** The parent of a process of readers (`readers.ts`). */
export class Followers {
  readonly #child: ChildProcess;
  readonly #times = new Map<number, number[]>();
  readonly #waiting = new Set<() => void>();
  #opened = 0;
  #fault: string | undefined;

  constructor() {
    this.#child = fork(fileURLToPath(new URL('./readers.ts', import.meta.url)), { execArgv: [] });
    this.#child.on('message', (report: Report) => {
      if ('opened' in report) this.#opened = report.opened;
      else if ('fault' in report) this.#fault = report.fault;
      else this.#times.set(report.sequence, report.times);
      for (const look of [...this.#waiting]) look();
    });
    this.#child.on('exit', () => {
      this.#fault ??= 'the readers ended';
      for (const look of [...this.#waiting]) look();
    });
  }

  /** Waits until `find` returns something. @throws Error when a connection was lost. */
  #until<Found>(find: () => Found | undefined): Promise<Found> {
    return new Promise((resolve, reject) => {
      const look = () => {
        const found = find();
        if (found === undefined && this.#fault === undefined) return;
        this.#waiting.delete(look);
        if (found === undefined) reject(new Error(`The readers of events failed: ${this.#fault}`));
        else resolve(found);
      };
      this.#waiting.add(look);
      look();
    });
  }

  /** Opens `count` more streams, and resolves when all are open. */
  async open(url: string, key: string, count: number): Promise<void> {
    const total = this.#opened + count;
    this.#child.send({ url, key, count, atOnce } satisfies Opening);
    await this.#until(() => (this.#opened === total ? true : undefined));
  }

  /** When each stream had the event, on the clock of the machine; resolves when all had it. */
  async timesOf(sequence: number): Promise<number[]> {
    const times = await this.#until(() => this.#times.get(sequence));
    this.#times.delete(sequence);
    return times;
  }

  close(): void {
    this.#child.kill();
  }
}
