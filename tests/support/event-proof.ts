import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import * as assert from 'uvu/assert';
import type { Database } from '../../db/client.ts';
import type { EventAnswer } from '../../domain/events/shapes.ts';
import type { Commit } from './event-writers.ts';
import type { TestWorkspace } from './harness.ts';

type EventPage = { data: EventAnswer[] };

/** What a reader has seen, in the order in which it came: the numbers, and the ids of the resources. */
export interface Reader {
  sequences: number[];
  ids: string[];
  stop(): Promise<void>;
}

/** A reader that polls without a pause, at any of the services. */
export class PollingReader implements Reader {
  readonly sequences: number[] = [];
  readonly ids: string[] = [];
  /** When each event was seen, by the id of its resource; in ms since 1970. */
  readonly seenAt = new Map<string, number>();
  #last = 0;
  #isStopped = false;
  readonly #running: Promise<void>;

  constructor(urlOf: () => string, { key }: Pick<TestWorkspace, 'key'>) {
    this.#running = this.#run(urlOf, key);
  }

  async #run(urlOf: () => string, key: string): Promise<void> {
    while (!this.#isStopped) {
      const address = `${urlOf()}/api/v1/events?afterSequence=${this.#last}&limit=500`;
      const answer = await fetch(address, { headers: { authorization: `Bearer ${key}` } }).catch(() => undefined);
      const body = answer?.ok ? ((await answer.json().catch(() => undefined)) as EventPage | undefined) : undefined;
      if (!body) continue;
      const at = performance.timeOrigin + performance.now();
      for (const { sequence, data } of body.data) {
        this.sequences.push(sequence);
        this.ids.push(data.id);
        this.seenAt.set(data.id, at);
        this.#last = sequence;
      }
    }
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.#running;
  }
}

const program = fileURLToPath(new URL('./event-reader-process.ts', import.meta.url));

/** What a reader in a process of its own polls, and from where. */
export interface Polling {
  url: string;
  key: string;
  after: number;
}

/** A reader in a process of its own, which another one continues when it is killed, and when its service is. */
export class KilledReader implements Reader {
  readonly sequences: number[] = [];
  readonly ids: string[] = [];
  readonly #polling: () => Omit<Polling, 'after'>;
  #child: ChildProcess;
  #isStopped = false;

  constructor(urlOf: () => string, { key }: Pick<TestWorkspace, 'key'>) {
    this.#polling = () => ({ url: urlOf(), key });
    this.#child = this.#start();
  }

  #start(): ChildProcess {
    const child = fork(program, { execArgv: [] });
    // A page is a message: the parent has all of it or nothing, and continues where it ends.
    child.on('message', (page: [number, string][]) => {
      for (const [sequence, id] of page) {
        this.sequences.push(sequence);
        this.ids.push(id);
      }
    });
    // What it sent is read before the channel ends.
    child.once('disconnect', () => {
      if (!this.#isStopped) this.#child = this.#start();
    });
    child.send({ ...this.#polling(), after: this.sequences.at(-1) ?? 0 } satisfies Polling);
    return child;
  }

  /** Kills its process; another one continues. */
  async kill(): Promise<void> {
    const child = this.#child;
    child.kill('SIGKILL');
    if (child.connected) await once(child, 'disconnect');
  }

  stop(): Promise<void> {
    this.#isStopped = true;
    return this.kill();
  }
}

/**
 * A new table with what was committed, in a schema of its own: the catalogue of the service has nothing of it.
 * @throws Error where the database of the run does not record commit times: without them the order is not that of
 * commits.
 */
export async function makeLedger(db: Database): Promise<{ name: string; drop(): Promise<void> }> {
  const schema = `proof_${crypto.randomUUID().replaceAll('-', '')}`;
  const { driver } = db;
  const [commitTimes] = await driver.unsafe<{ isOn: boolean }[]>(
    `select current_setting('track_commit_timestamp') = 'on' as "isOn"`,
  );
  if (!commitTimes?.isOn)
    throw new Error('Set track_commit_timestamp = on in the PostgreSQL of the run (docs/events.md)');
  await driver.unsafe(`create schema ${schema}`);
  await driver.unsafe(`create table ${schema}.commits (id uuid primary key, transaction xid8 not null)`);
  return {
    name: `${schema}.commits`,
    drop: async () => {
      await driver.unsafe(`drop schema ${schema} cascade`);
    },
  };
}

/** Whether every committed event has a number. */
export async function isNumbered(db: Database, workspaceId: string, ledger: string): Promise<boolean> {
  const [row] = await db.driver.unsafe(
    `select (select count(*) from ${ledger}) = (select count(*) from events where workspace_id = '${workspaceId}') as done`,
  );
  return row?.done === true;
}

/** As `assert.equal`, which takes hours to show a difference between very many. */
function requireSame(found: readonly string[], expected: readonly string[]): void {
  const place = expected.findIndex((id, at) => found[at] !== id);
  assert.is(place, -1, `at ${place} of ${expected.length}: ${found[place]} instead of ${expected[place]}`);
  assert.is(found.length, expected.length);
}

/** Waits until each reader has so many events, for as long as that takes. */
export async function untilRead(readers: readonly Reader[], count: number): Promise<void> {
  while (readers.some(({ ids }) => ids.length < count)) await sleep(20);
}

/**
 * Checks the log against what was committed, and each reader against the log: nothing is missing, nothing comes twice,
 * the numbers have no gap, and a transaction whose commit was over before that of another began comes before it.
 * Returns how many events have an earlier commit timestamp than one before them: these commits ran at the same time.
 */
export async function checkLog(
  db: Database,
  { workspaceId, ledger }: { workspaceId: string; ledger: string },
  commits: readonly Commit[],
  readers: readonly Reader[],
): Promise<number> {
  const log = await db.driver.unsafe<{ id: string; sequence: string; at: number; transaction: string }[]>(
    `select e.object_id as id, e.sequence, c.transaction::text as transaction,
        extract(epoch from pg_xact_commit_timestamp(c.transaction::xid))::float8 as at
      from events e left join ${ledger} c on c.id = e.object_id where e.workspace_id = '${workspaceId}'
      order by e.sequence`,
  );
  const committed = await db.driver.unsafe<{ id: string }[]>(`select id from ${ledger}`);
  requireSame(log.map(({ id }) => id).sort(), committed.map(({ id }) => id).sort());
  assert.ok(log.every(({ sequence }, place) => Number(sequence) === place + 1));
  const ids = log.map(({ id }) => id);
  for (const reader of readers) {
    requireSame(reader.ids, ids);
    assert.ok(reader.sequences.every((sequence, place) => sequence === place + 1));
  }
  const places = new Map(ids.map((id, place) => [id, place]));
  const byPlace = commits
    .map((commit) => ({ ...commit, places: commit.ids.map((id) => places.get(id) ?? -1) }))
    .sort((a, b) => (a.places[0] ?? 0) - (b.places[0] ?? 0));
  let latestSent = 0;
  for (const { places: own, sentAt, doneAt } of byPlace) {
    const [first = -1] = own;
    assert.equal(
      own,
      own.map((_, offset) => first + offset),
    );
    assert.ok(doneAt >= latestSent, 'a commit that was over came after one that had not begun');
    latestSent = Math.max(latestSent, sentAt);
  }
  let latest = 0;
  let inverted = 0;
  for (const { at } of log) {
    if (at < latest) inverted++;
    latest = Math.max(latest, at);
  }
  return inverted;
}

/** Milliseconds from the acknowledged commit until a reader had the event, at the 50th and the 99th percentile. */
export function lagOf(commits: readonly Commit[], readers: readonly PollingReader[]): { p50: number; p99: number } {
  const lags = readers.flatMap(({ seenAt }) =>
    commits.flatMap(({ ids, doneAt }) => ids.map((id) => (seenAt.get(id) ?? Number.NaN) - doneAt)),
  );
  lags.sort((a, b) => a - b);
  const at = (share: number) => Math.round(lags[Math.floor(lags.length * share)] ?? 0);
  return { p50: at(0.5), p99: at(0.99) };
}
