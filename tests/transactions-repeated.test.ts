import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../db/client.ts';
import { startTestService, type TestService, testDatabaseUrl } from './harness.ts';
import { untilBlocked } from './locks.ts';
import { createDatabase, type ScratchDatabase } from './scratch.ts';

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

test('two that wait for each other both come to their end, and what they do happens once', async () => {
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

test('what goes wrong in it otherwise is told at once', async () => {
  let runs = 0;
  const broken = db.transaction(async (tx) => {
    runs++;
    await tx.rows('select 1 / 0', []);
  });
  assert.is(await broken.catch((error) => error.code), '22012');
  assert.is(runs, 1);
});

/** Has the request that `ask` makes wait for the chat while it holds the todo, and wants the todo then. */
async function crossing<Result>(chatId: string, todoId: string, ask: () => Promise<Result>): Promise<Result> {
  const sql = postgres(testDatabaseUrl(), { max: 1 });
  try {
    await sql.unsafe('begin');
    await sql.unsafe('select 1 from chats where id = $1 for update', [chatId]);
    const asked = ask();
    await untilBlocked('%from chats c where%for update%');
    // The one that began to wait first finds out, and gives way.
    await sql.unsafe('select 1 from todos where id = $1 for update', [todoId]);
    await sql.unsafe('rollback');
    return await asked;
  } finally {
    await sql.end();
  }
}

const headers = { 'idempotency-key': 'once' };

for (const [name, more] of Object.entries({ 'with an Idempotency-Key': { headers }, 'without a key': {} })) {
  test(`a request ${name} that a deadlock takes back is repeated, and happens once`, async () => {
    const { call } = await tandem.workspace();
    const { body: todo } = await call('POST /todos', { title: 'Contended' });
    const { body: chat } = await call('POST /chats', { message: 'Hello', todoId: todo.id });
    await call(`POST /chats/${chat.id}/cancel`);
    const send = () => call(`POST /chats/${chat.id}/messages`, { message: 'Go on' }, more);
    const answer = await crossing(chat.id, todo.id, send);
    assert.is(answer.status, 202, answer.text);
    const { body: now } = await call(`GET /chats/${chat.id}`);
    assert.equal([now.status, now.messageCount], ['running', 2]);
    const turns = 'select 1 from chat_turns where chat_id = $1 and ended_at is null';
    assert.is((await tandem.db.rows(turns, [chat.id])).length, 1);
    const again = await send();
    if ('headers' in more) assert.equal([again.status, again.text], [202, answer.text], 'the replay');
    else assert.is(again.status, 409);
  });
}

test('a patch of one statement that a deadlock takes back is repeated', async () => {
  const { call } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'Contended' });
  const { body: list } = await call('POST /todo-lists', { name: 'Other' });
  const sql = postgres(testDatabaseUrl(), { max: 1 });
  await sql.unsafe('begin');
  // The patch locks the todo, then its new list.
  await sql.unsafe('select 1 from todo_lists where id = $1 for update', [list.id]);
  const patched = call(`PATCH /todos/${todo.id}`, { todoListId: list.id });
  await untilBlocked('%update todos set%');
  await sql.unsafe('select 1 from todos where id = $1 for update', [todo.id]);
  await sql.unsafe('rollback');
  await sql.end();
  const answer = await patched;
  assert.equal([answer.status, answer.body.todoListId], [200, list.id], answer.text);
});

test.run();
