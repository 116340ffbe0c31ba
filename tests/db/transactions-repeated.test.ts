import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { untilBlocked } from '../support/locks.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';

const test = suite('transactions that a deadlock takes back');
let tandem: TestService;
let scratch: ScratchDatabase;
let db: Database;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  scratch = await createDatabase();
  db = connect(scratch.url, { poolSize: 4 });
  await db.rows('create table sums (name text primary key, value int not null)', []);
});
test.after(async () => {
  await db.close();
  await scratch.drop();
  await tandem.close();
});

const add = 'update sums set value = value + 1 where name = $1';

/** Meets the other one between two steps, the first time. */
function meeting() {
  let come = () => {};
  let there = 0;
  const both = new Promise<void>((resolve) => {
    come = resolve;
  });
  return () => {
    if (++there === 2) come();
    return both;
  };
}

test('two that wait for each other both end, and their effects happen once', async () => {
  await db.rows(`insert into sums values ('a', 0), ('b', 0)`, []);
  const meet = meeting();
  let runs = 0;
  const cross = (first: string, second: string) =>
    db.transaction(async (tx) => {
      runs++;
      await tx.rows(add, [first]);
      await meet();
      await tx.rows(add, [second]);
      return `${first}${second}`;
    });
  assert.equal(await Promise.all([cross('a', 'b'), cross('b', 'a')]), ['ab', 'ba']);
  assert.is(runs, 3, 'one of them ran again');
  const rows = await db.rows<{ value: number }>('select value from sums order by name', []);
  assert.equal(
    rows.map(({ value }) => value),
    [2, 2],
  );
});

test('any other error in it is thrown at once', async () => {
  let runs = 0;
  const broken = db.transaction(async (tx) => {
    runs++;
    await tx.rows('select 1 / 0', []);
  });
  assert.is(await broken.catch((error) => error.code), '22012');
  assert.is(runs, 1);
});

/**
 * Has the request that `ask` makes wait for what `first` locks, and then wants what it holds itself. The one that began
 * to wait first gives way, unless the machine was too slow and it had looked already: null then.
 */
async function crossing<Result>(
  [first, second]: [string, string],
  blocked: string,
  ask: () => Promise<Result>,
): Promise<Result | null> {
  const sql = postgres(testDatabaseUrl(), { max: 1 });
  try {
    await sql.unsafe('begin');
    await sql.unsafe(first);
    const asked = ask();
    await untilBlocked(blocked);
    const isVictim = await sql.unsafe(second).then(
      () => false,
      () => true,
    );
    await sql.unsafe('rollback');
    const answer = await asked;
    return isVictim ? null : answer;
  } finally {
    await sql.end();
  }
}

async function untilCrossed<Result>(attempt: () => Promise<Result | null>): Promise<Result> {
  for (let tries = 0; tries < 10; tries++) {
    const result = await attempt();
    if (result !== null) return result;
  }
  throw new Error('the request never was the one to give way');
}

const lock = (table: string, { workspaceId }: TestWorkspace, id: string) =>
  `select 1 from ${table} where workspace_id = '${workspaceId}' and id = '${id}' for update`;

const headers = { 'idempotency-key': 'once' };

for (const [name, more] of Object.entries({ 'with an Idempotency-Key': { headers }, 'without a key': {} })) {
  test(`a request ${name} that a deadlock takes back is repeated, and happens once`, async () => {
    const workspace = await tandem.workspace();
    const { call } = workspace;
    const { answer, chatId, send } = await untilCrossed(async () => {
      const { body: todo } = await call('POST /todos', { title: 'Contended' });
      const { body: chat } = await call('POST /chats', { message: 'Hello', todoId: todo.id });
      await call(`POST /chats/${chat.id}/cancel`);
      const ask = () => call(`POST /chats/${chat.id}/messages`, { message: 'Go on' }, more);
      const locks: [string, string] = [lock('chats', workspace, chat.id), lock('todos', workspace, todo.id)];
      const crossed = await crossing(locks, '%from chats c where%for update%', ask);
      return crossed && { answer: crossed, chatId: chat.id, send: ask };
    });
    assert.is(answer.status, 202, answer.text);
    const { body: now } = await call(`GET /chats/${chatId}`);
    assert.equal([now.status, now.messageCount], ['running', 2]);
    const turns = 'select 1 from chat_turns where chat_id = $1 and ended_at is null';
    assert.is((await tandem.db.rows(turns, [chatId])).length, 1);
    const again = await send();
    if ('headers' in more) assert.equal([again.status, again.text], [202, answer.text], 'the replay');
    else assert.is(again.status, 409);
  });
}

test('a patch of one statement that a deadlock takes back is repeated', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { body: list } = await call('POST /todo-lists', { name: 'Other' });
  const answer = await untilCrossed(async () => {
    const { body: todo } = await call('POST /todos', { title: 'Contended' });
    // The patch locks the todo, then its new list.
    const locks: [string, string] = [lock('todo_lists', workspace, list.id), lock('todos', workspace, todo.id)];
    const patch = () => call(`PATCH /todos/${todo.id}`, { todoListId: list.id });
    return crossing(locks, '%update todos set%', patch);
  });
  assert.equal([answer.status, answer.body.todoListId], [200, list.id], answer.text);
});

test.run();
