import type { Logger } from 'pino';
import type { Db } from '../../db/client.ts';
import type { AddressedEvent } from '../../domain/event-logs.ts';
import { logEnds, readAddressedEvents } from '../../domain/events/read.ts';

/** Events of a workspace that stay in memory while somebody follows it, and those that one statement reads. */
const maxEvents = 1000;
const batch = 500;
const retryMs = 500;

/** The place of the first event after `sequence`. */
function placeAfter(events: readonly AddressedEvent[], sequence: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((events[middle]?.shared.id ?? 0) > sequence) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** The end of the log of one workspace, read once for all who follow it on this process. */
export class LogTail {
  /** Resolves once the end of the log is known. */
  readonly opened: Promise<void>;
  /** Called when there are events, or may be. */
  readonly wakes = new Set<() => void>();
  #events: AddressedEvent[] = [];
  #start = 0;
  #end = 0;
  #target = 0;
  #isReading = true;
  #isClosed = false;
  readonly #db: Db;
  readonly #workspaceId: string;
  readonly #log: Logger;

  constructor(db: Db, workspaceId: string, log: Logger) {
    this.#db = db;
    this.#workspaceId = workspaceId;
    this.#log = log;
    this.opened = this.#open();
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  async #open(): Promise<void> {
    const { latest } = await logEnds(this.#db, this.#workspaceId);
    this.#start = latest;
    this.#end = latest;
    this.#isReading = false;
    this.advance(this.#target);
  }

  /** The log has events up to `sequence`: reads those that are missing here. */
  advance(sequence: number): void {
    this.#target = Math.max(this.#target, sequence);
    if (this.#isReading || this.#isClosed || this.#target <= this.#end) return;
    this.#isReading = true;
    void this.#read();
  }

  async #read(): Promise<void> {
    while (this.#end < this.#target && !this.#isClosed) {
      const query = { workspaceId: this.#workspaceId, after: this.#end, limit: batch };
      try {
        const { addressed, through } = await readAddressedEvents(this.#db, query);
        for (const { event, readerId } of addressed) {
          this.#events.push({ shared: { event: 'change', id: event.sequence, data: event }, readerId });
        }
        // Where the log does not reach what was announced, the database is another one than before.
        if (through <= this.#end) this.#target = this.#end;
        this.#end = through;
        this.#trim();
        this.wakeAll();
      } catch (error) {
        this.#log.debug({ err: error }, 'events not read, will retry');
        await new Promise((resolve) => setTimeout(resolve, retryMs));
      }
    }
    this.#isReading = false;
  }

  #trim(): void {
    if (this.#events.length <= maxEvents) return;
    const dropped = this.#events.splice(0, this.#events.length - maxEvents / 2);
    this.#start = dropped.at(-1)?.shared.id ?? this.#start;
  }

  wakeAll(): void {
    for (const wake of this.wakes) wake();
  }

  recent(sequence: number, limit: number): readonly AddressedEvent[] {
    const from = placeAfter(this.#events, sequence);
    return this.#events.slice(from, from + limit);
  }

  close(): void {
    this.#isClosed = true;
  }
}
