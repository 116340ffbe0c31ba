/*
 * Copies all todos of a workspace to a SQLite file, for reports, other tools or your own search. Each run reads only
 * what changed since the last one; a killed run is resumed. Needs only Node ≥ 22.18 and the REST API.
 *
 *   export TANDEM_URL=http://127.0.0.1:8080 TANDEM_API_KEY=tandem_sk_…      # scope todos:read
 *   node examples/sync-todos.ts todos.sqlite
 *
 * Why no change is lost:
 * - A round reads everything changed since the previous round BEGAN, by the service's clock, and OVERLAP seconds more:
 *   a transaction that was open then may have committed after the read. Reading a todo twice changes nothing.
 * - A page and the cursor of the next one are stored in one transaction, so a killed run repeats at most one page. The
 *   cursor is exact at equal instants; a todo that changes during a round moves to its end or to the next round.
 * - Lists contain either active or archived todos: each round reads the active ones, then the archived ones.
 * - An erased todo is in no list. When the copy has more todos than the service, everything is read once, and todos
 *   that were not seen are looked up by id.
 *
 * What is not kept up to date: names and colours of labels, names of assignees and counts of sub-todos change without
 * the `updatedAt` of the todos that show them. Read labels, agents and members by their ids, and count by
 * `parentTodoId`.
 */

import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';

interface Todo {
  id: string;
  updatedAt: string;
  isArchived: boolean;
  isSuggested: boolean;
}

interface Page {
  data: Todo[];
  nextCursor: string | null;
  totalCount: number | null;
}

/** One pass over both lists; `since` null means all todos. Stored until it is complete. */
interface Round {
  number: number;
  since: string | null;
  /** Where the round after this one begins. */
  nextSince: string;
  isArchived: boolean;
  cursor: string | null;
}

/** Stored between runs: where the next round begins, and the current one. */
interface State {
  since: string | null;
  rounds: number;
  round: Round | null;
}

const { TANDEM_URL: url = 'http://127.0.0.1:8080', TANDEM_API_KEY: key = '' } = process.env;
const { OVERLAP = '60', PAGE_SIZE = '100' } = process.env;

/** Body and date of a read, repeated after 429 and lost connections; body null for the error code `expected`. */
async function read<Answer>(path: string, expected?: string): Promise<{ body: Answer | null; date: string }> {
  for (let tries = 1; ; tries++) {
    const headers = { Authorization: `Bearer ${key}` };
    const response = await fetch(`${url}/api/v1${path}`, { headers }).catch((error: Error) => error);
    if (response instanceof Error) {
      if (tries >= 5) throw response;
      await sleep(200 * 2 ** tries);
      continue;
    }
    const date = new Date(response.headers.get('Date') ?? Date.now()).toISOString();
    if (response.ok) return { body: (await response.json()) as Answer, date };
    if (response.status === 429 && tries < 5) {
      await sleep(Number(response.headers.get('Retry-After') ?? 1) * 1000);
      continue;
    }
    const { code = '', message, requestId } = (await response.json()) as Record<string, string>;
    if (code === expected) return { body: null, date };
    throw new Error(`${code}: ${message} (request ${requestId})`);
  }
}

const [file = 'todos.sqlite'] = process.argv.slice(2);
const db = new DatabaseSync(file);
db.exec(`pragma journal_mode = wal; pragma synchronous = normal;
  create table if not exists todos (
    id text primary key, is_archived integer not null, round integer not null, body text not null);
  create table if not exists state (name text primary key, value text not null)`);
const put = db.prepare('insert or replace into todos (id, is_archived, round, body) values (?, ?, ?, ?)');
const drop = db.prepare('delete from todos where id = ?');
const count = db.prepare('select count(*) as count from todos where is_archived = ?');
const unmet = db.prepare('select id from todos where round < ?');
const keep = db.prepare(`insert or replace into state (name, value) values ('sync', ?)`);
const kept = db.prepare(`select value from state where name = 'sync'`).get() as { value: string } | undefined;
const state: State = kept ? JSON.parse(kept.value) : { since: null, rounds: 0, round: null };

/** Runs `work` and stores the state in one transaction. */
function commit(work: () => void = () => {}): void {
  db.exec('begin immediate');
  try {
    work();
    keep.run(JSON.stringify(state));
    db.exec('commit');
  } catch (error) {
    db.exec('rollback');
    throw error;
  }
}

let seen = 0;

/** Open suggestions are not copied; they are once they are accepted or dismissed. */
function store(todo: Todo, round: number): void {
  if (todo.isSuggested && !todo.isArchived) drop.run(todo.id);
  else put.run(todo.id, Number(todo.isArchived), round, JSON.stringify(todo));
}

/** Reads the rest of a round. */
async function walk(round: Round): Promise<void> {
  for (;;) {
    const query = new URLSearchParams({ sort: 'updatedAt', order: 'asc', limit: PAGE_SIZE });
    if (round.since !== null) query.set('updatedSince', round.since);
    if (round.isArchived) query.set('includeArchived', 'true');
    if (round.cursor !== null) query.set('cursor', round.cursor);
    const { body } = await read<Page>(`/todos?${query}`, 'invalid_cursor');
    if (!body) {
      // Cursors are signed: after a change of the service's key, the list is read from its beginning.
      round.cursor = null;
      continue;
    }
    const isThrough = body.nextCursor === null;
    seen += body.data.length;
    commit(() => {
      for (const todo of body.data) store(todo, round.number);
      round.cursor = body.nextCursor;
      if (isThrough && !round.isArchived) round.isArchived = true;
      else if (isThrough) [state.since, state.round] = [round.nextSince, null];
    });
    if (state.round === null) return;
  }
}

/** Number of todos in a list of the service. */
async function total(isArchived: boolean): Promise<{ total: number; date: string }> {
  const { body, date } = await read<Page>(`/todos?limit=1&include=totalCount&includeArchived=${isArchived}`);
  return { total: body?.totalCount ?? 0, date };
}

function copied(isArchived: boolean): number {
  return (count.get(Number(isArchived)) as { count: number }).count;
}

/** Completes a round, which a previous run may have begun. */
async function finish(round: Round): Promise<void> {
  await walk(round);
  if (round.since !== null) return;
  for (const { id } of unmet.all(round.number) as { id: string }[]) {
    const { body } = await read<Todo>(`/todos/${id}`, 'resource_not_found');
    commit(() => (body ? store(body, round.number) : drop.run(id)));
  }
}

/** Starts and completes a round of changes since `since`. */
async function sync(since: string | null): Promise<void> {
  const { date } = await total(false);
  const nextSince = new Date(Date.parse(date) - Number(OVERLAP) * 1000).toISOString();
  state.rounds++;
  state.round = { number: state.rounds, since, nextSince, isArchived: false, cursor: null };
  commit();
  await finish(state.round);
}

if (state.round) await finish(state.round);
await sync(state.since);
let erased = false;
for (const isArchived of [false, true]) erased ||= copied(isArchived) > (await total(isArchived)).total;
if (erased) await sync(null);
process.stdout.write(`${seen} read; ${copied(false)} active and ${copied(true)} archived todos in ${file}\n`);
db.close();
