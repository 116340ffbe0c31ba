import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSecret } from '../../db/secrets.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { statementsOf } from '../support/todo-fixtures.ts';

const test = suite('Idempotency-Key of a todo, which is claimed in the statement that creates it');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const create = ({ call }: TestWorkspace, key: string, body: object) =>
  call('POST /todos', body, { headers: { 'idempotency-key': key } });

const isReplayed = ({ headers }: Answer) => headers.get('idempotency-replayed') === 'true';

const todosOf = async ({ call }: TestWorkspace) => (await call('GET /todos')).body.data as { id: string }[];

const everyMark = Array.from({ length: 31 }, (_, place) => String.fromCharCode(place + 1)).join('');
const bodies: object[] = [
  { title: 'Buy milk' },
  { content: 'A content alone' },
  {
    title: 'All of it',
    content: '# Steps\n\n1. One',
    priority: 'urgent',
    type: 'responsibility',
    dueDate: '2027-02-28',
  },
  { title: `Marks ${everyMark}`, content: `${everyMark} once more: ${everyMark}` },
  { title: String.raw`"\u0001" \u0002 "\\u0003" $1 \1`, content: `", "eventId": "x"} '' \\' $q$ \u2028 😀` },
  { title: '\\x01', content: '&'.repeat(50_000) },
];

for (const [place, body] of bodies.entries()) {
  test(`a todo like the ${place + 1}th is answered, read and replayed equally, to the byte`, async () => {
    const workspace = await tandem.workspace();
    const name = `O’Neill "${everyMark}" \\u0001`;
    await tandem.db.rows('update users set name = $2 where id = $1', [workspace.userId, name]);
    const lists = (await workspace.call('GET /todo-lists')).body.data;
    const first = await create(workspace, 'once', body);
    assert.is(first.status, 201, first.text);
    assert.equal({ ...first.body, ...body }, first.body);
    assert.equal([first.body.todoListId, first.body.assignees[0].name], [lists[0].id, name]);
    const read = await workspace.call(`GET /todos/${first.body.id}`);
    assert.is(read.text, first.text);
    assert.is(read.headers.get('etag'), first.headers.get('etag'));
    const again = await create(workspace, 'once', body);
    assert.equal([again.status, isReplayed(again), isReplayed(first)], [201, true, false]);
    assert.is(again.text, first.text);
    for (const header of ['etag', 'tandem-event']) assert.is(again.headers.get(header), first.headers.get(header));
    assert.is((await todosOf(workspace)).length, 1);
    const unkeyed = await workspace.call('POST /todos', body);
    const { id, position, createdAt, updatedAt, ...same } = first.body;
    assert.equal(
      { ...unkeyed.body, id, position, createdAt, updatedAt },
      { ...same, id, position, createdAt, updatedAt },
    );
    assert.is((await workspace.call(`GET /todos/${unkeyed.body.id}`)).text, unkeyed.text);
  });
}

test('claim, todo, event and answer are one statement; a todo that refers to something is created in a transaction', async () => {
  const workspace = await tandem.workspace();
  const plain = await statementsOf(() => create(workspace, 'plain', { title: 'Plain' }));
  assert.is(plain.length, 1, plain.join('\n'));
  const unkeyed = await statementsOf(() => workspace.call('POST /todos', { title: 'No key' }));
  assert.is(unkeyed.length, 1, unkeyed.join('\n'));
  const { body } = await workspace.call('GET /todo-lists');
  const referring = { title: 'Filed', todoListId: body.data[0].id };
  let filed: Answer | undefined;
  const texts = await statementsOf(async () => {
    filed = await create(workspace, 'filed', referring);
  });
  assert.ok(texts.length > 1);
  assert.is(filed?.status, 201);
  assert.is((await create(workspace, 'filed', referring)).text, filed?.text);
});

test('a failure leaves nothing of the key', async () => {
  const workspace = await tandem.workspace();
  for (const wrong of [{}, { title: ' ' }, { title: 'x', dueDate: 'soon' }, { content: '\n' }]) {
    assert.is((await create(workspace, 'failed', wrong)).status, 400);
  }
  const made = await create(workspace, 'failed', { title: 'Right' });
  assert.equal([made.status, isReplayed(made)], [201, false]);
});

test('another body under a used key is 409, and records no event', async () => {
  const workspace = await tandem.workspace();
  await create(workspace, 'used', { title: 'First' });
  for (const body of [{ title: 'Second' }, { title: 'First', priority: 'low' }]) {
    const { status, body: problem, headers } = await create(workspace, 'used', body);
    assert.equal([status, problem.code, headers.get('tandem-event')], [409, 'idempotency_key_reused', null]);
  }
  assert.is((await create(workspace, 'used', {})).status, 400);
  assert.is((await todosOf(workspace)).length, 1);
  const text = `select id from event_queue where workspace_id = $1 and type = 'todo.created'
    union select id from events where workspace_id = $1 and type = 'todo.created'`;
  assert.is((await tandem.db.rows(text, [workspace.workspaceId])).length, 1);
});

test('a key is free again after 24 hours, for one of the twins that come then', async () => {
  const workspace = await tandem.workspace();
  const first = await create(workspace, 'aged', { title: 'Old' });
  const text = `update idempotency_keys set created_at = now() - interval '24 hours 1 second' where workspace_id = $1`;
  await tandem.db.rows(text, [workspace.workspaceId]);
  const later = await Promise.all(Array.from({ length: 5 }, () => create(workspace, 'aged', { title: 'New' })));
  assert.is(later.filter(isReplayed).length, 4);
  assert.is(new Set(later.map(({ text }) => text)).size, 1);
  assert.is.not(later[0]?.body.id, first.body.id);
  assert.is((await todosOf(workspace)).length, 2);
});

/** A claim of the key `held` of a transaction that is open, as of another process. */
const holdKey = ({ key }: TestWorkspace) =>
  hold(
    `insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint)
      select workspace_id, id, 'createTodo', '{}', 'held', '' from credentials where secret_hash = $1`,
    [hashSecret(key)],
  );

test('a twin of a request in another process waits, and does the work when that one fails', async () => {
  const workspace = await tandem.workspace();
  const first = await holdKey(workspace);
  const twin = create(workspace, 'held', { title: 'Twin' });
  // It has left the single statement, which waits no longer than a moment.
  await untilBlocked('%on conflict (workspace_id, credential_id, operation, path, key) do update%', twin);
  await first.release();
  const { status, headers } = await twin;
  assert.equal([status, headers.has('idempotency-replayed')], [201, false]);
  assert.is((await todosOf(workspace)).length, 1);
});

test('one that waits for a lock of its work has the key meanwhile, and is not “in progress” itself', async () => {
  const workspace = await tandem.workspace();
  const lists = await hold('select 1 from todo_lists where workspace_id = $1 for update', [workspace.workspaceId]);
  const first = create(workspace, 'held', { title: 'Waits' });
  await untilBlocked('%insert into todos (%', first);
  await untilBlocked('%insert into todos (%', first);
  await lists.release();
  const made = await first;
  assert.equal([made.status, made.headers.has('idempotency-replayed')], [201, false], made.text);
  const again = await create(workspace, 'held', { title: 'Waits' });
  assert.is(again.text, made.text);
  assert.is((await todosOf(workspace)).length, 1);
});

test.run();
