import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSecret } from '../../db/secrets.ts';
import { assertFrame } from '../support/frame.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { hold, holdWorkspace, releaseAll, untilBlocked } from '../support/locks.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { untilAnswer } from '../support/scripted-engine.ts';

const test = suite('Idempotency-Key while another is at work');
const headers = { 'idempotency-key': 'held' };
const list = { name: 'Errands' };
let tandem: TestService;
let other: ServiceProcess;

test.before(async () => {
  tandem = await startTestService();
  other = await startProcess();
});
test.after.each(releaseAll);
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

/**
 * The answer once the first twin has ended, which on a busy machine takes longer than the others wait, or than one may
 * wait for a place in the database.
 */
const ended = (send: () => Promise<Answer>) =>
  untilAnswer(send, ({ status, body }) => status !== 503 && body.reason !== 'idempotency_in_progress');

test('twins on two processes make one resource', async () => {
  const { key, call } = await tandem.workspace();
  const send = (index: number) =>
    index % 2 ? call('POST /todo-lists', list, { headers }) : other.call('POST /todo-lists', key, list, headers);
  const answers = await Promise.all(Array.from({ length: 20 }, (_, index) => ended(() => send(index))));
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.is(new Set(answers.map(({ text }) => text)).size, 1);
  assert.is(answers.filter((answer) => answer.headers.has('idempotency-replayed')).length, 19);
  assert.is((await call('GET /todo-lists')).body.data.length, 2);
});

test('twins on two processes make one todo, in the statement of the first', async () => {
  const { key, call } = await tandem.workspace();
  const todo = { title: 'Once' };
  for (const name of ['one', 'two', 'three', 'four', 'five']) {
    const keyed = { 'idempotency-key': name };
    const send = (index: number) =>
      index % 2 ? call('POST /todos', todo, { headers: keyed }) : other.call('POST /todos', key, todo, keyed);
    const answers = await Promise.all(Array.from({ length: 12 }, (_, index) => ended(() => send(index))));
    assert.equal(new Set(answers.map(({ status }) => status)), new Set([201]));
    assert.is(new Set(answers.map(({ text }) => text)).size, 1);
    assert.is(answers.filter((answer) => answer.headers.has('idempotency-replayed')).length, 11);
  }
  assert.is((await call('GET /todos')).body.data.length, 5);
});

test('a twin of a todo waits 5 s for the first, then is 409', async () => {
  const { key, call } = await tandem.workspace();
  const claim = await hold(
    `insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint)
      select workspace_id, id, 'createTodo', '{}', 'held', '' from credentials where secret_hash = $1`,
    [hashSecret(key)],
  );
  const sent = Date.now();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => call('POST /todos', { title: 'Twin' }, { headers })),
    other.call('POST /todos', key, { title: 'Twin' }, headers),
  ]);
  const waited = Date.now() - sent;
  assert.ok(waited > 4500, `${waited} ms`);
  for (const { status, body } of answers) assert.equal([status, body.reason], [409, 'idempotency_in_progress']);
  await claim.release();
  assert.is((await call('POST /todos', { title: 'Twin' }, { headers })).status, 201);
  assert.is((await call('GET /todos')).body.data.length, 1);
});

test('a process killed while it creates a todo leaves the key with the todo, or nothing', async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  const doomed = await startProcess();
  const held = await hold('select 1 from todo_lists where workspace_id = $1 for update', [workspaceId]);
  const lost = doomed.call('POST /todos', key, { title: 'Once' }, headers).catch(() => null);
  await untilBlocked('with facts as %');
  doomed.child.kill('SIGKILL');
  assert.is(await doomed.exited, 'SIGKILL');
  assert.is(await lost, null);
  await held.release();
  // PostgreSQL may still execute what the process had sent: then this is the answer to it.
  const answer = await call('POST /todos', { title: 'Once' }, { headers });
  assert.is(answer.status, 201, answer.text);
  const { data } = (await call('GET /todos')).body;
  assert.equal(data, [answer.body]);
});

test('a twin waits 5 s for the first, then is 409 with Retry-After', async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  const claim = await hold(
    `insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint)
      select workspace_id, id, 'createTodoList', '{}', 'held', '' from credentials where secret_hash = $1`,
    [hashSecret(key)],
  );
  const sent = Date.now();
  const answers = await Promise.all([
    ...Array.from({ length: 5 }, () => call('POST /todo-lists', list, { headers })),
    other.call('POST /todo-lists', key, list, headers),
  ]);
  const waited = Date.now() - sent;
  assert.ok(waited > 4500, `${waited} ms`);
  for (const answer of answers) {
    const { status, body } = assertFrame(answer);
    assert.is(status, 409);
    assert.is(body.code, 'resource_conflict');
    assert.is(body.reason, 'idempotency_in_progress');
    assert.is(body.retryAfterSeconds, 1);
    assert.is(body.retryable, true);
    assert.is(answer.headers.get('retry-after'), '1');
  }
  await claim.release();
  assert.is((await call('POST /todo-lists', list, { headers })).status, 201);
  assert.is((await call('GET /todo-lists')).body.data.length, 2, workspaceId);
});

test('the first may take longer than its twins wait', async () => {
  const { workspaceId, call } = await tandem.workspace();
  const held = await holdWorkspace(workspaceId);
  const first = call('POST /todo-lists', list, { headers });
  await untilBlocked('insert into "todo_lists"%');
  const twin = call('POST /todo-lists', list, { headers });
  assert.is((await twin).body.reason, 'idempotency_in_progress');
  await held.release();
  assert.is((await first).status, 201);
  const again = await call('POST /todo-lists', list, { headers });
  assert.is(again.text, (await first).text);
  assert.is(again.headers.get('idempotency-replayed'), 'true');
});

test('a process killed while it holds a key leaves nothing behind', async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  const doomed = await startProcess();
  const held = await holdWorkspace(workspaceId);
  const lost = doomed.call('POST /todo-lists', key, list, headers).catch(() => null);
  await untilBlocked('insert into "todo_lists"%');
  doomed.child.kill('SIGKILL');
  assert.is(await doomed.exited, 'SIGKILL');
  assert.is(await lost, null);
  await held.release();
  const answer = await call('POST /todo-lists', list, { headers });
  assert.is(answer.status, 201);
  assert.not.ok(answer.headers.has('idempotency-replayed'));
  assert.is((await call('GET /todo-lists')).body.data.length, 2);
});

test.run();
