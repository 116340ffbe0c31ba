import { sql } from 'drizzle-orm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { connect, type Database } from '../../db/client.ts';
import { op, procedure, router } from '../../routers/base.ts';
import { createLog } from '../../server/log.ts';
import { ask, assertFrame } from '../support/frame.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until, within } from '../support/until.ts';

const test = suite('failures of our own');
const secret = 'Zq9x value that nobody else may read';
let tandem: TestService;
let workspace: TestWorkspace;
let lines: string[] = [];

const input = z.strictObject({ text: z.string().optional() });
const output = z.object({ text: z.string() });
const failing = (path: `/${string}`) =>
  procedure
    .meta(op(`POST ${path}`, { id: `fail${path.slice(1)}`, summary: 'Fails', scope: 'todos:write', keyed: true }))
    .input(input)
    .output(output);
const failures = router({
  error: failing('/error').mutation((): { text: string } => {
    throw new Error('the disk is on fire');
  }),
  text: failing('/text').mutation((): { text: string } => {
    throw 'a string';
  }),
  nothing: failing('/nothing').mutation((): { text: string } => {
    throw undefined;
  }),
  status: failing('/status').mutation((): { text: string } => {
    throw Object.assign(new Error('pretends to be ours'), { statusCode: 418, code: 'FST_ERR_BAD_URL' });
  }),
  statement: failing('/statement').mutation(({ ctx, input: { text } }) =>
    ctx.db.rows<{ text: string }>('select $1::text::int as text', [text]).then(([row]) => row ?? { text: '' }),
  ),
  constraint: failing('/constraint').mutation(async ({ ctx, input: { text } }) => {
    await ctx.db.rows('insert into users (id, email, name) values (gen_random_uuid(), $1, $1)', [text]);
    return { text: '' };
  }),
  drizzle: failing('/drizzle').mutation(async ({ ctx, input: { text } }) => {
    await ctx.db.orm.execute(sql`select ${text}::text::int`);
    return { text: '' };
  }),
  parse: failing('/parse').mutation(({ input: { text } }) => JSON.parse(text ?? '') as { text: string }),
  output: failing('/output').mutation(({ input: { text } }) => ({ text: [text] }) as unknown as { text: string }),
});

test.before(async () => {
  const log = createLog({ LOG_LEVEL: 'trace', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  tandem = await startTestService({}, { router: failures, log });
  workspace = await tandem.workspace();
});
test.before.each(() => {
  lines = [];
});
test.after(() => tandem.close());

for (const name of Object.keys(failures._def.procedures)) {
  for (const headers of [{}, { 'idempotency-key': `key of ${name}` }] as Record<string, string>[]) {
    const keyed = 'idempotency-key' in headers ? ' with a key' : '';

    test(`what nobody expected (${name}${keyed}) is a 500 without details, and its log line has no values`, async () => {
      const { status, body } = assertFrame(await workspace.call(`POST /${name}`, { text: secret }, { headers }));
      assert.is(status, 500);
      const { requestId, type: _, docUrl: __, ...rest } = body;
      const message = 'Something went wrong on our side. Try again; if it happens again, quote the request id.';
      assert.equal(rest, {
        object: 'error',
        title: 'Something went wrong on our side',
        status: 500,
        code: 'internal_error',
        detail: message,
        message,
        param: null,
        retryable: true,
        errors: [],
      });
      const [line = '', ...more] = lines.filter((each) => JSON.parse(each).level >= 50);
      assert.equal(more, [], 'one line');
      assert.is(JSON.parse(line).requestId, requestId);
      const logged = lines.join('');
      assert.not.match(logged, 'Zq9x');
      assert.not.match(logged, 'nobody else');
      assert.not.match(logged, workspace.key);
      assert.not.match(logged, workspace.key.slice(-20));
      if (name === 'error') assert.match(line, 'the disk is on fire');
      if (name === 'statement' || name === 'drizzle') assert.match(line, '22P02');
    });
  }
}

test('no log line of a request, at any level, holds a key, a body or a query', async () => {
  const headers = { cookie: 'session=cookie-value', 'idempotency-key': 'key-value' };
  await workspace.call('POST /error', { text: secret }, { headers });
  await workspace.call('GET /nope?text=query-value');
  await workspace.call('POST /error', '{"text": "half', {});
  await ask(`${tandem.url}/%zz?text=query-value`, { headers: { authorization: `Bearer ${workspace.key}` } });
  assert.ok(lines.length >= 3);
  const logged = lines.join('');
  for (const value of [secret, 'half', 'cookie-value', 'key-value', 'query-value', workspace.key]) {
    assert.not.match(logged, value);
  }
});

const down = suite('a database that is down');
let passage: Passage;
let beyond: Database;

down.before(async () => {
  passage = await openPassage(testDatabaseUrl());
  beyond = connect(passage.url, { poolSize: 4 });
  const log = createLog({ LOG_LEVEL: 'trace', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  tandem = await startTestService({}, { db: beyond, log });
  workspace = await tandem.workspace();
});
down.after(async () => {
  await passage.close();
  await beyond.close(1);
  await tandem.close();
});

down('is 503 in the envelope, not ready, yet alive; and all is well when it is back', async () => {
  const port = new URL(passage.url).port;
  assert.is((await workspace.call('GET /me')).status, 200);
  assert.is((await ask(`${tandem.url}/readyz`)).status, 200);
  await passage.cut();
  for (const route of ['GET /me', 'POST /todo-lists', 'GET /nope', 'PUT /me']) {
    const answer = assertFrame(await workspace.call(route), route);
    assert.is(answer.status, 503);
    assert.is(answer.headers.get('retry-after'), '2');
    const { requestId: _, type: __, docUrl: ___, ...rest } = answer.body;
    const message =
      'The service is temporarily unavailable. Try again in 2 s, with the same Idempotency-Key where the operation takes one.';
    assert.equal(rest, {
      object: 'error',
      title: 'Something went wrong on our side',
      status: 503,
      code: 'internal_error',
      detail: message,
      message,
      param: null,
      retryable: true,
      reason: 'unavailable',
      retryAfterSeconds: 2,
      errors: [],
    });
    assert.not.match(answer.text, new RegExp(`${port}|ECONN|CONNECTION`));
  }
  const authorization = `Bearer ${workspace.key}`;
  const typed = await ask(`${tandem.url}/trpc/meta.identity?input=%7B%7D`, { headers: { authorization } });
  assert.equal([typed.status, typed.headers.get('retry-after')], [503, '2']);
  assert.is(typed.body.error.data.problem.reason, 'unavailable');
  const headers = { authorization, 'content-type': 'application/json' };
  const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} });
  const listed = await ask(`${tandem.url}/mcp`, { method: 'POST', headers, body: message });
  assert.equal([listed.status, listed.headers.get('retry-after')], [503, '2']);
  // The credential comes before the body, and with it the id of the message.
  assert.equal([listed.body.jsonrpc, listed.body.id, listed.body.error.code], ['2.0', null, -32603]);
  assert.is(listed.body.error.data.reason, 'unavailable');
  const ready = await ask(`${tandem.url}/readyz`);
  assert.is(ready.status, 503);
  assert.equal(ready.body, { status: 'database unreachable' });
  assert.is((await ask(`${tandem.url}/healthz`)).status, 200);
  assert.not.match(lines.join(''), workspace.key);
  await passage.mend();
  await until(async () => (await workspace.call('GET /me')).status === 200);
  assert.is((await ask(`${tandem.url}/readyz`)).status, 200);
});

down('that went silent is not ready within seconds', async () => {
  passage.stall();
  // Its probe waits for no more than two seconds: longer timers do not end here.
  const ready = await withFrozenTimers(() => within(() => 'the answer', ask(`${tandem.url}/readyz`)), 2500);
  assert.is(ready.status, 503);
  assert.is((await ask(`${tandem.url}/healthz`)).status, 200);
});

test.run();
down.run();
