import { createTRPCClient, httpBatchLink, httpBatchStreamLink, httpLink, TRPCClientError } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { inOneWindow } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('typed tRPC');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

function clientOf(key: string | null, headers: Record<string, string> = {}) {
  const authorization = key === null ? {} : { authorization: `Bearer ${key}` };
  const options = { url: `${tandem.url}/trpc`, headers: { ...authorization, ...headers } };
  const link = 'idempotency-key' in headers ? httpLink(options) : httpBatchLink(options);
  return createTRPCClient<AppRouter>({ links: [link] });
}

/** The problem in a client's error; fails when the call went through. */
async function problemOf(call: Promise<unknown>) {
  try {
    await call;
  } catch (error) {
    assert.instance(error, TRPCClientError);
    const { data, message } = error as TRPCClientError<AppRouter>;
    assert.is(message, data?.problem.message);
    return data?.problem;
  }
  throw new Error('the call was not refused');
}

test('a typed client makes, lists and changes todos with inferred types, several calls in one request', async () => {
  const { key, userId, call } = await tandem.workspace();
  const client = clientOf(key);
  const made = await client.todos.create.mutate({ title: 'From the web', priority: 'high' });
  const priority: 'urgent' | 'high' | 'medium' | 'low' | null = made.priority;
  assert.is(priority, 'high');
  const [page, summary, lists] = await Promise.all([
    client.todos.list.query({ sort: 'priority', limit: 5 }),
    client.todos.summary.query({ status: 'active' }),
    client.todoLists.list.query({}),
  ]);
  assert.equal(page.data, [made]);
  assert.is(summary.byPriority.high, 1);
  assert.is(lists.data[0]?.todoCount, 1);
  const changed = await client.todos.update.mutate({ todoId: made.id, status: 'done', assignees: [{ id: userId }] });
  assert.is(changed.status, 'done');
  assert.equal((await call(`GET /todos/${made.id}`)).body, changed);
});

test('the client cannot even name what the API does not have', () => {
  const client = clientOf(null);
  // @ts-expect-error an unknown field
  const bad = () => client.todos.create.mutate({ titel: 'x' });
  // @ts-expect-error a wrong enum value
  const worse = () => client.todos.list.query({ status: 'open' });
  assert.type(bad, 'function');
  assert.type(worse, 'function');
});

test('errors carry the service’s error object, with the same status as over REST', async () => {
  const workspace = await tandem.workspace();
  const client = clientOf(workspace.key);
  const todoId = '018f0000-0000-7000-8000-000000000000';
  const missing = await problemOf(client.todos.get.query({ todoId }));
  const overRest = await workspace.call(`GET /todos/${todoId}`);
  assert.equal({ ...missing, requestId: '' }, { ...overRest.body, requestId: '' });
  const invalid = await problemOf(client.todos.list.query({ limit: 500 }));
  assert.is(invalid?.status, 400);
  assert.is(invalid?.param, 'limit');
  assert.is((await problemOf(clientOf(null).todos.list.query({})))?.code, 'missing_credentials');
  const narrow = clientOf(await workspace.mint(['todos:read']));
  assert.is((await problemOf(narrow.todos.create.mutate({ title: 'x' })))?.code, 'missing_scope');
});

test('a single call takes an Idempotency-Key as REST does, and both share what the key was used for', async () => {
  const { key, call } = await tandem.workspace();
  const client = clientOf(key, { 'idempotency-key': 'once' });
  const first = await client.todos.create.mutate({ title: 'Once' });
  assert.equal(await client.todos.create.mutate({ title: 'Once' }), first);
  const rest = await call('POST /todos', { title: 'Once' }, { headers: { 'idempotency-key': 'once' } });
  assert.equal(rest.body, first);
  assert.is(rest.headers.get('idempotency-replayed'), 'true');
});

test('what is refused before a procedure is reached carries the error object too', async () => {
  const { key, mint } = await tandem.workspace();
  const json = { 'content-type': 'application/json' };
  const boundary = '--x\r\nContent-Disposition: form-data; name="title"\r\n\r\nx\r\n--x--\r\n';
  const refused: [route: string, status: number, init?: { body?: string; headers?: Record<string, string> }][] = [
    ['GET todos.create', 405],
    ['POST todos.list', 405, { body: '{}', headers: json }],
    ['DELETE todos.create', 405],
    ['POST todos.create', 415],
    ['POST todos.create', 415, { body: '{"title":"x"}', headers: { 'content-type': 'text/plain' } }],
    ['POST todos.create', 415, { body: boundary, headers: { 'content-type': 'multipart/form-data; boundary=x' } }],
    ['POST todos.create', 413, { body: JSON.stringify({ content: 'x'.repeat(1024 * 1024) }), headers: json }],
    ['POST todos.create', 400, { body: '{', headers: json }],
    ['GET nothing.at.all', 404],
    [`GET ${Array(11).fill('meta.serviceInfo').join()}?batch=1&input={}`, 400],
    [`GET ${Array(11).fill('meta.serviceInfo').join('%252C')}?batch=1&input={}`, 404],
    ['GET meta.serviceInfo?connectionParams=x', 400],
    ['GET todos.list,todos.create?batch=1&input={}', 400],
    ['GET meta.serviceInfo', 400, { headers: { 'trpc-accept': 'application/jsonl' } }],
    ['GET events.stream,meta.serviceInfo?batch=1&input={}', 400, { headers: { 'trpc-accept': 'application/jsonl' } }],
  ];
  for (const [route, status, { headers, ...init } = {}] of refused) {
    const [method = '', path = ''] = route.split(' ');
    const authorization = `Bearer ${key}`;
    const answer = await fetch(`${tandem.url}/trpc/${path}`, {
      method,
      headers: { authorization, ...headers },
      ...init,
    });
    const body = (await answer.json()) as {
      error: { message: string; data: { problem: Record<string, string | number> } };
    };
    const { error } = Array.isArray(body) ? body[0] : body;
    assert.is(answer.status, status, route);
    assert.is(error.data.problem.status, status, route);
    assert.match(error.data.problem.type, /^https?:/, route);
    assert.is(error.data.problem.requestId, answer.headers.get('x-request-id'), route);
    assert.is(error.message, error.data.problem.message, route);
  }
  const spent = clientOf(await mint(['todos:read'], { rateLimitPerMinute: 1 }));
  await spent.todos.list.query({}).catch(() => {});
  const problem = await problemOf(spent.todos.list.query({}).then(() => spent.todos.list.query({})));
  assert.is(problem?.code, 'rate_limit_exceeded');
});

test('a body that is sent without its length has the same limit, which is larger for captures', async () => {
  const { key } = await tandem.workspace();
  const send = async (path: string, input: unknown) => {
    const answer = await fetch(`${tandem.url}/trpc/${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: new Blob([JSON.stringify(input)]).stream(),
      duplex: 'half',
    });
    const body = (await answer.json()) as { error: { message: string; data: { problem: { code: string } } } };
    return { status: answer.status, body };
  };
  // 1.5 MB, of which a note takes each character.
  const content = '語'.repeat(500_000);
  assert.is((await send('captures.create', { type: 'note', content })).status, 200);
  assert.is((await send('todos.create', { title: 'Short' })).status, 200);
  const { status, body } = await send('todos.create', { title: 'Long', content });
  assert.equal([status, body.error.data.problem.code], [413, 'validation_failed']);
  assert.match(body.error.message, 'larger than 1 MiB');
  assert.is((await send('captures.create,todos.create?batch=1', { 0: { type: 'note', content } })).status, 413);
});

test('a client that takes each answer of a batch as it comes gets them', async () => {
  const { key } = await tandem.workspace();
  const link = httpBatchStreamLink({ url: `${tandem.url}/trpc`, headers: { authorization: `Bearer ${key}` } });
  const client = createTRPCClient<AppRouter>({ links: [link] });
  await client.todos.create.mutate({ title: 'One' });
  const [todos, lists] = await Promise.all([client.todos.list.query({}), client.todoLists.list.query({})]);
  assert.is(todos.data.length, 1);
  assert.is(lists.data[0]?.todoCount, 1);
});

test('a client that sends too many calls at once gets an error with how many may go together', async () => {
  const client = clientOf((await tandem.workspace()).key);
  const calls = Array.from({ length: 11 }, () => client.todos.list.query({}));
  const problems = await Promise.all(calls.map(problemOf));
  assert.is(problems[0]?.message, 'A batch may contain 10 calls. Set maxItems: 10 on httpBatchLink.');
});

test('requests are counted and answered with the rate-limit headers', async () => {
  const { mint } = await tandem.workspace();
  const key = await mint(['todos:read'], { rateLimitPerMinute: 1 });
  const send = () =>
    fetch(`${tandem.url}/trpc/todos.list?input=%7B%7D`, { headers: { authorization: `Bearer ${key}` } });
  await inOneWindow(tandem);
  const answers = [await send(), await send()];
  assert.equal(
    answers.map((answer) => answer.headers.get('ratelimit-limit')),
    ['1', '1'],
  );
  assert.is(answers.filter((answer) => answer.status === 429).length >= 1, true);
});

test.run();
