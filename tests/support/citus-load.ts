import * as assert from 'uvu/assert';
import type { Database } from '../../db/client.ts';
import { type Tenant, todosByTitle } from './citus.ts';
import { until } from './until.ts';
import { type Asked, WriteLedger } from './write-ledger.ts';

/* What clients do while a cluster changes or fails, and what must be there afterwards. */

/** A client that creates todos and changes them, and another one that has an agent create some, until `stop`. */
export function startWriting(any: () => Asked, tenant: Tenant) {
  const ledger = new WriteLedger(any, tenant.key);
  /** Title of each todo that was acknowledged last, by its id; and the chats. */
  const [titles, chats] = [new Map<string, string>(), new Map<string, string>()];
  let isOver = false;
  const write = async (name: string) => {
    for (let place = 0; !isOver; place++) {
      const title = `${name} ${place}`;
      const { id } = await ledger.write('POST /todos', { title }, title);
      titles.set(id, title);
      await ledger.write(`PATCH /todos/${id}`, { title: `${title}, changed` }, `change ${title}`);
      titles.set(id, `${title}, changed`);
    }
  };
  const talk = async () => {
    for (let place = 0; !isOver; place++) {
      const message = `Create a todo: Asked ${place}`;
      const { id } = await ledger.write('POST /chats', { message, waitSeconds: 5 }, message);
      chats.set(id, `Asked ${place}`);
    }
  };
  const work = Promise.all([write('a'), write('b'), talk()]);
  // A failure is thrown by `stop`.
  work.catch(() => {});
  return {
    ledger,
    titles,
    chats,
    stop: async () => {
      isOver = true;
      await work;
    },
  };
}

export type Writing = ReturnType<typeof startWriting>;

/** Waits until each of the clients has written something more. */
export async function writeOn(writings: readonly Writing[]): Promise<void> {
  const before = writings.map(({ titles }) => titles.size);
  await until(() => writings.every(({ titles }, n) => titles.size > (before[n] ?? 0) + 2));
}

const chatsOf = `select c.id, c.status, c.message_count as messages,
    (select count(*)::int from messages m where m.workspace_id = $1 and m.chat_id = c.id) as stored,
    (select count(*)::int from chat_turns t where t.workspace_id = $1 and t.chat_id = c.id and t.ended_at is null) as open
  from chats c where c.workspace_id = $1`;
const ledgerOf = `select (select agent_minutes from workspaces where id = $1) = sum(minutes) as "isEven"
  from minute_entries where workspace_id = $1`;

const waitingOf = 'select count(*)::int as count from event_queue where workspace_id = $1';
const logOf = `select object_id as id, type, count(*)::int as count from events
  where workspace_id = $1 and type in ('todo.created', 'todo.updated') group by 1, 2`;

/** Checks that the log has one event for each create and each change of the todos, and no other of todos. */
async function compareLog(db: Database, { workspaceId }: Tenant, created: string[], changed: string[]): Promise<void> {
  await until(async () => (await db.rows<{ count: number }>(waitingOf, [workspaceId]))[0]?.count === 0);
  const log = await db.rows<{ id: string; type: string; count: number }>(logOf, [workspaceId]);
  const found = log.map(({ id, type, count }) => `${type} ${id}: ${count}`);
  const wanted = [...created.map((id) => `todo.created ${id}: 1`), ...changed.map((id) => `todo.updated ${id}: 1`)];
  assert.equal(found.sort(), wanted.sort());
}

interface StoredChat {
  id: string;
  status: string;
  messages: number;
  stored: number;
  open: number;
}

/**
 * Checks that what was acknowledged is there once, as it was last, with its events, and that agents have done once what
 * they were asked for.
 */
export async function compare(db: Database, tenant: Tenant, { titles, chats }: Writing): Promise<void> {
  let found: StoredChat[] = [];
  await until(
    async () => {
      found = await db.rows<StoredChat>(chatsOf, [tenant.workspaceId]);
      return found.every(({ open, status }) => open === 0 && status !== 'running');
    },
    () => JSON.stringify(found),
  );
  assert.equal(found.map(({ id }) => id).sort(), [...chats.keys()].sort());
  assert.equal(
    found.filter(({ messages, stored }) => messages !== stored),
    [],
  );
  const made = found.filter(({ status }) => status === 'completed').map(({ id }) => chats.get(id) ?? '');
  assert.equal(
    found.filter(({ status }) => status !== 'completed'),
    [],
  );
  const wanted = [...titles.values(), ...made].sort();
  const todos = await todosByTitle(db, tenant);
  assert.equal(
    todos.map(([title, ids]) => [title, ids.length]),
    wanted.map((title) => [title, 1]),
  );
  for (const [title, ids] of todos) if (titles.has(ids[0] ?? '')) assert.is(titles.get(ids[0] ?? ''), title);
  const ids = todos.flatMap(([, each]) => each);
  await compareLog(db, tenant, ids, [...titles.keys()]);
  assert.equal(await db.rows(ledgerOf, [tenant.workspaceId]), [{ isEven: true }]);
}
