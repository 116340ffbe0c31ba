import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hashSecret } from '../../db/secrets.ts';
import { scopes } from '../../domain/scopes.ts';
import { notOnCluster } from '../support/citus.ts';
import { ask, assertFrame, inOneWindow } from '../support/frame.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, holdTable, releaseAll, untilBlocked } from '../support/locks.ts';
import { within } from '../support/until.ts';

const test = suite('locks that others hold');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(releaseAll);
test.after(() => tandem.close());

function assertUnavailable(answer: Answer): void {
  const { status, headers, body } = assertFrame(answer);
  assert.is(status, 503);
  assert.is(headers.get('retry-after'), '2');
  assert.equal(
    [body.code, body.reason, body.retryable, body.retryAfterSeconds],
    ['internal_error', 'unavailable', true, 2],
  );
}

/**
 * Sixty requests for todos while the table is locked; resolves once some of them wait for the lock, or all have given
 * up.
 */
async function readersOf(readers: readonly TestWorkspace[]) {
  const table = await holdTable('todos');
  const answers = Array.from({ length: 60 }, (_, place) =>
    readers[place % readers.length]?.call(place % 2 ? 'GET /todos' : 'GET /todos/summary'),
  );
  const all = Promise.all(answers as Promise<Answer>[]);
  await untilBlocked('%from todos%', all);
  return { table, answers: all };
}

const ofMany = notOnCluster(test, 'an answer about another table was 503 there on a busy machine (docs/scale.md)');

for (const count of [1, 12]) {
  const check = count === 1 ? test : ofMany;
  check(`a locked table with 60 readers of ${count} workspaces leaves other tables and readiness alone`, async () => {
    const readers = await Promise.all(Array.from({ length: count }, () => tandem.workspace()));
    const other = await tandem.workspace();
    const { table, answers } = await readersOf(readers);
    for (let round = 0; round < 3; round++) {
      const agents = await within(() => 'the agents of another workspace', other.call('GET /agents'));
      assert.is(assertFrame(agents).status, 200);
      const made = await within(
        () => 'an agent of another workspace',
        other.call('POST /agents', { name: `A${round}` }),
      );
      assert.is(assertFrame(made).status, 201);
      assert.is((await within(() => 'readiness', ask(`${tandem.url}/readyz`))).status, 200);
    }
    for (const answer of await within(() => 'an answer to each reader', answers)) assertUnavailable(answer);
    await table.release();
    assert.is((await readers[0]?.call('GET /todos'))?.status, 200);
  });
}

test('a locked row of the rate windows holds up its own caller alone, and then nothing is counted twice', async () => {
  await inOneWindow(tandem, 20);
  const workspace = await tandem.workspace();
  const key = await workspace.mint(scopes, { rateLimitPerMinute: 100 });
  const other = await workspace.mint(scopes, { rateLimitPerMinute: 100 });
  const get = (secret: string) => tandem.call('GET /me', undefined, { key: secret }).then(assertFrame);
  await get(key);
  await get(other);
  const row = await hold('select 1 from rate_windows where bucket = $1 for update', [hashSecret(key)]);
  const stuck = Promise.all([get(key), get(key)]);
  await untilBlocked('with asked as%', stuck);
  for (let sent = 0; sent < 10; sent++) {
    const answer = await within(() => 'the answer to another caller', get(other));
    assert.is(answer.headers.get('ratelimit-remaining'), String(98 - sent));
    assert.is(answer.status, 200);
  }
  for (const answer of await within(() => 'an answer to the callers of the row', stuck)) assertUnavailable(answer);
  await row.release();
  assert.is((await get(key)).headers.get('ratelimit-remaining'), '98', 'the two that failed cost nothing');
});

test('a locked table of the rate windows answers 503 to everybody, and all is well when it is free', async () => {
  const { call, key } = await tandem.workspace();
  const table = await hold('lock table rate_windows in access exclusive mode');
  const answers = await within(
    () => 'an answer to each',
    Promise.all([...Array.from({ length: 20 }, () => call('GET /me')), tandem.call('GET /me', undefined, { key })]),
  );
  for (const answer of answers) assertUnavailable(answer);
  assert.is((await ask(`${tandem.url}/readyz`)).status, 200);
  await table.release();
  assert.is((await call('GET /me')).status, 200);
});

test('a tool and a typed call that wait for a locked table are 503 too, in the forms of MCP and tRPC', async () => {
  const { key } = await tandem.workspace();
  const table = await holdTable('todos');
  const authorization = `Bearer ${key}`;
  const overTrpc = ask(`${tandem.url}/trpc/todos.list?input=%7B%7D`, { headers: { authorization } });
  const params = { name: 'list_todos', arguments: {} };
  const overMcp = ask(`${tandem.url}/mcp`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/call', params }),
  });
  const [typed, tool] = await within(() => 'both answers', Promise.all([overTrpc, overMcp]));
  await table.release();
  const problemOf = (answer: Answer, problem: unknown) => {
    assert.is(answer.status, 503);
    assert.is(answer.headers.get('retry-after'), '2');
    assertUnavailable({ ...answer, body: problem });
  };
  assert.is(typed.body.error.data.code, 'SERVICE_UNAVAILABLE');
  assert.is(typed.body.error.data.httpStatus, 503);
  problemOf(typed, typed.body.error.data.problem);
  const { jsonrpc, id, error } = tool.body;
  assert.equal([jsonrpc, id, error.code, error.message], ['2.0', 7, -32603, error.data.message]);
  problemOf(tool, error.data);
});

test('a write that waits for a locked row is given up with 503, and may then be repeated with its key', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const held = await hold('select 1 from workspaces where id = $1 for update', [workspaceId]);
  const headers = { 'idempotency-key': 'one' };
  const make = () => call('POST /todo-lists', { name: 'A' }, { headers });
  assertUnavailable(await within(() => 'the answer to a write', make()));
  await held.release();
  const { status, body } = await make();
  assert.is(status, 201);
  assert.equal((await make()).body, body);
});

test.run();
