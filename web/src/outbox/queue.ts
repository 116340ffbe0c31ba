import { sessionChanged } from '../api/acting.ts';
import type { Problem } from '../api/problem.ts';
import { parkedOf, rebased } from './parked.ts';
import { isPassing, Pauses } from './pauses.ts';
import type { Answer } from './send.ts';
import { blocks, concerns, fieldsIn, hasText, type Outcome, type Write } from './write.ts';

/*
 * The writes of one person in one workspace. Each is stored before it is sent. Writes of the same todo are sent in
 * their order, those of different ones side by side. Every window has a queue: one sends, the others show.
 */

/** Where the writes are stored, in their order. */
export interface WriteStore {
  all(): Promise<Write[]>;
  put(write: Write): Promise<void>;
  /** Changes a write that is still there. */
  update(id: string, changes: Partial<Write>): Promise<void>;
  delete(ids: readonly string[]): Promise<void>;
}

/** What a queue needs. */
export interface QueueParts {
  store: WriteStore;
  newId(): string;
  /** @throws what `problemOf` reads. */
  send(write: Write, hasWaited: boolean): Promise<Answer>;
  problemOf(error: unknown): Problem;
  /** Whether the session of this browser is still that of the writes. @throws when that cannot be known now. */
  isSameSession(): Promise<boolean>;
  isOnline(): boolean;
  now(): number;
  random(): number;
  /** Calls `work` after `ms`, and returns how to cancel that. */
  after(ms: number, work: () => void): () => void;
  /** The writes have changed. `isOwn`: by this queue, so that the other windows have to read them. */
  onChange(writes: readonly Write[], isOwn: boolean): void;
  /** Called before the write leaves the queue. */
  onSettled(write: Write, outcome: Outcome): void;
}

const maxSending = 4;
/** A write that is sent so long after it was made has waited, in ms. */
const freshMs = 10_000;
/** The service keeps an idempotency key for 24 hours (docs/guides/idempotency.md); one is for clocks that differ. */
const keyMs = 23 * 60 * 60_000;
const tooOld =
  'It was sent more than a day ago and no answer came. The service may have stored it: look, then send it again or discard it.';

/** The writes of a person, and their way to the service. */
export class Queue {
  readonly #parts: QueueParts;
  #writes: readonly Write[] = [];
  #isRunning = false;
  #last: Promise<unknown> = Promise.resolve();
  readonly #sending = new Map<string, Promise<void>>();
  readonly #pauses: Pauses;
  #cancelTimer = () => {};

  constructor(parts: QueueParts) {
    this.#parts = parts;
    this.#pauses = new Pauses(parts.now, parts.random);
  }

  get writes(): readonly Write[] {
    return this.#writes;
  }

  /** Sends from now on, until `stop`. */
  run(): void {
    this.#isRunning = true;
    this.#pump();
  }

  stop(): void {
    this.#isRunning = false;
    this.#cancelTimer();
  }

  /** The connection is back: what failed is sent again, but not before the service asked. */
  wake(): void {
    this.#pauses.wake();
    this.#pump();
  }

  /** Reads what another window has changed. */
  load(): Promise<void> {
    return this.#change(async () => {}, false);
  }

  /** Adds a write. What was refused of the same fields is replaced by it. @throws where it cannot be stored. */
  add(write: Write): Promise<void> {
    return this.#change(async (store) => {
      await store.delete(this.#replacedBy(write, 'refused'));
      await store.put(write);
    });
  }

  /**
   * Takes writes back; later ones are then based on the values before them. With `mayBeSent`, it waits for a write that
   * is being sent, and takes it back if the service has not stored it. Returns the writes that were taken back.
   */
  async discard(ids: readonly string[], mayBeSent = true): Promise<readonly string[]> {
    const underWay = () => ids.flatMap((id) => this.#sending.get(id) ?? []);
    while (mayBeSent && underWay().length > 0) await Promise.all(underWay());
    const given = this.#writes.filter(({ id }) => ids.includes(id) && !this.#sending.has(id));
    const taken = given.filter(({ sentAt }) => mayBeSent || sentAt === null);
    for (const write of taken) this.#parts.onSettled(write, { state: 'withdrawn' });
    await this.#change(async (store) => {
      for (const write of taken) await this.#remove(store, write);
    });
    return taken.map(({ id }) => id);
  }

  /** Sends a refused or too old write again. */
  async retry(id: string): Promise<void> {
    this.#pauses.forget(id);
    await this.#change((store) => store.update(id, { state: 'waiting', problem: null, sentAt: null, known: null }));
  }

  /** Changes what is stored, one change after another: a read in between never returns an older state than its own. */
  #change(work: (store: WriteStore) => Promise<unknown>, isOwn = true): Promise<void> {
    const { store, onChange } = this.#parts;
    const changing = this.#last.then(async () => {
      await work(store);
      this.#writes = await store.all();
      onChange(this.#writes, isOwn);
      this.#pump();
    });
    this.#last = changing.catch(() => {});
    return changing;
  }

  /** Parked updates of the same todo whose fields a write all sets. */
  #replacedBy(write: Pick<Write, 'action' | 'todos'>, state: Write['state']): string[] {
    const fields = fieldsIn(write);
    const [todo] = write.todos;
    const isReplaced = (each: Write) => {
      const own = fieldsIn(each);
      return own.length > 0 && own.every((field) => fields.includes(field)) && each.todos.length === 1;
    };
    const parked = this.#writes.filter((each) => each.state === state && todo !== undefined && concerns(each, todo.id));
    return parked.filter(isReplaced).map(({ id }) => id);
  }

  /** Removes a write that is not stored by the service. What depends on a todo that was never made goes with it. */
  async #remove(store: WriteStore, write: Write): Promise<void> {
    const later = this.#laterThan(write);
    if (write.action.operation === 'create') {
      for (const each of later) this.#parts.onSettled(each, { state: 'withdrawn' });
      await store.delete([write.id, ...later.map(({ id }) => id)]);
      return;
    }
    const [todo] = write.todos;
    for (const each of later) {
      const base = write.base ?? todo;
      if (each.base && base) await store.update(each.id, { base: rebased(each, base, fieldsIn(write)) });
    }
    await store.delete([write.id]);
  }

  /** The writes after this one of the same todo. */
  #laterThan({ id, todos }: Write): Write[] {
    const [todo] = todos;
    return this.#writes.filter((each) => each.id > id && todo !== undefined && concerns(each, todo.id));
  }

  /** Sends what may be sent. */
  #pump(): void {
    this.#cancelTimer();
    const { now, isOnline, after } = this.#parts;
    if (!this.#isRunning || !isOnline()) return;
    const time = now();
    const waits: number[] = [];
    const blocked = new Set<string>();
    for (const write of this.#writes) {
      const isFree = write.todos.every(({ id }) => !blocked.has(id));
      if (blocks(write)) for (const { id } of write.todos) blocked.add(id);
      if (!isFree || write.state !== 'waiting' || this.#sending.has(write.id)) continue;
      const until = this.#pauses.endOf(write.id);
      if (until > time) waits.push(until - time);
      else if (this.#sending.size < maxSending) this.#sending.set(write.id, this.#deliver(write));
    }
    if (waits.length > 0) this.#cancelTimer = after(Math.min(...waits), () => this.#pump());
  }

  async #deliver(write: Write): Promise<void> {
    const { now, isSameSession, send } = this.#parts;
    try {
      const startedAt = now();
      if (write.sentAt !== null && startedAt - write.sentAt > keyMs) {
        await this.#change((store) => store.update(write.id, { state: 'asks', problem: tooOld }));
        return;
      }
      if (!(await isSameSession())) return this.stop();
      // Before it is sent: a window that is closed now leaves a write that may have reached the service.
      await this.#change((store) => store.update(write.id, { sentAt: write.sentAt ?? startedAt }));
      if (!this.#isRunning || !this.#writes.some(({ id }) => id === write.id)) return;
      const answer = await send(write, write.undoes || write.sentAt !== null || startedAt - write.madeAt > freshMs);
      this.#pauses.succeeded();
      await this.#store(write, answer);
    } catch (error) {
      await this.#fail(write, this.#parts.problemOf(error)).catch(() => {});
    } finally {
      this.#sending.delete(write.id);
      this.#pump();
    }
  }

  /** The service has answered. What others changed as well is kept as a conflict. */
  async #store(write: Write, { todos, tagged, conflicts }: Answer): Promise<void> {
    const { onSettled, newId } = this.#parts;
    onSettled(write, conflicts.length > 0 ? { state: 'conflict' } : { state: 'stored', todos, tagged });
    await this.#change(async (store) => {
      for (const each of this.#laterThan(write)) {
        const [todo = tagged?.resource] = todos;
        const fields = write.action.operation === 'create' ? fieldsIn(each) : fieldsIn(write);
        const base = each.base && todo ? rebased(each, todo, fields) : each.base;
        await store.update(each.id, { base, known: each.todos.length === 1 ? tagged : null });
      }
      // After a sign-out nothing is stored again.
      const isKept = (await store.all()).some(({ id }) => id === write.id);
      await store.delete([write.id]);
      for (const refusal of isKept ? conflicts : []) {
        const parked = parkedOf(write, refusal, newId());
        await store.delete(this.#replacedBy(parked, 'conflict'));
        await store.put(parked);
      }
    });
  }

  async #fail(write: Write, problem: Problem): Promise<void> {
    const { onSettled } = this.#parts;
    if (problem.status === 401) return this.stop();
    if (problem.reason === sessionChanged) {
      this.stop();
      return this.#change((store) => store.update(write.id, { sentAt: write.sentAt }));
    }
    if (isPassing(problem)) {
      this.#pauses.failed(write.id, problem);
      onSettled(write, { state: 'waits' });
      return this.#change((store) => store.update(write.id, { problem: problem.message }));
    }
    onSettled(write, { state: 'refused', problem });
    await this.#change(async (store) => {
      if (hasText(write)) await store.update(write.id, { state: 'refused', problem: problem.message });
      else await this.#remove(store, write);
    });
  }
}
