import { TRPCClientError } from '@trpc/client';
import { createTandemClient, isTandemError, keyed, type TandemInputs, type TandemOutputs } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { refusalOf, watchedClient } from '../support/client-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('the typed client');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('types and calls come from the service, and its address may end in a slash', async () => {
  const { key, call } = await tandem.workspace();
  const client = createTandemClient({ url: new URL(`${tandem.url}/`), token: key });
  const wanted: TandemInputs['todos']['create'] = { title: 'Typed', priority: 'high' };
  const made: TandemOutputs['todos']['create'] = await client.todos.create.mutate(wanted);
  assert.equal((await call(`GET /todos/${made.id}`)).body, made);
  // @ts-expect-error an unknown field
  const bad = () => client.todos.create.mutate({ titel: 'x' });
  // @ts-expect-error an operation that there is not
  const worse = () => client.todos.paint.mutate({});
  assert.type(bad, 'function');
  assert.type(worse, 'function');
});

test('the token and more headers are asked for before each request', async () => {
  const [one, two] = await Promise.all([tandem.workspace(), tandem.workspace()]);
  let turn = 0;
  const token = async () => (turn++ === 0 ? one.key : two.key);
  const { client, sent } = watchedClient(tandem, '', {
    token,
    headers: () => ({ 'X-Request-Source': `page ${turn}` }),
  });
  const first = await client.meta.identity.query({});
  const second = await client.meta.identity.query({});
  assert.equal([first.workspace.id, second.workspace.id], [one.workspaceId, two.workspaceId]);
  assert.equal(
    sent.map(({ headers }) => headers.get('x-request-source')),
    ['page 1', 'page 2'],
  );
  assert.is((await createTandemClient({ url: tandem.url }).meta.serviceInfo.query({})).name, 'Tandem');
});

test('calls of one tick go together, as many as the service takes, or alone when that is wished', async () => {
  const { key } = await tandem.workspace();
  for (const [batch, wanted] of [
    [true, [10, 10, 3]],
    [false, Array(23).fill(1)],
  ] as const) {
    const { client, sent } = watchedClient(tandem, key, { batch });
    const answers = await Promise.all(Array.from({ length: 23 }, (_, n) => client.todos.list.query({ limit: n + 1 })));
    assert.ok(answers.every(({ data }) => data.length === 0));
    assert.equal(
      sent.map(({ calls }) => calls.length),
      wanted,
    );
  }
});

test('long addresses are split before a server on the way refuses them', async () => {
  const { key } = await tandem.workspace();
  const { client, sent } = watchedClient(tandem, key);
  const query = '日'.repeat(200);
  const answers = await Promise.all(Array.from({ length: 10 }, () => client.todos.list.query({ query })));
  assert.is(answers.length, 10);
  assert.ok(sent.length > 1);
});

test('a call that may be held back keeps no other one waiting', async () => {
  const { key, call } = await tandem.workspace();
  const { body: chat } = await call('POST /chats', { message: 'What can you do?', waitSeconds: 100 });
  const { client, sent } = watchedClient(tandem, key);
  const held = { chatId: chat.id, afterSequence: 0, waitSeconds: 5 };
  await Promise.all([client.chats.listMessages.query(held), client.todos.list.query({}), client.agents.list.query({})]);
  assert.equal(
    sent.map(({ calls }) => calls).sort(),
    [['agents.list', 'todos.list'].reverse(), ['chats.listMessages']].sort(),
  );
});

test('keyed calls of one tick each carry their key, and a repetition answers what the first one did', async () => {
  const { key, call } = await tandem.workspace();
  const { client, sent } = watchedClient(tandem, key);
  const make = (title: string, name: string) => client.todos.create.mutate({ title }, keyed(name));
  const first = await Promise.all([make('Milk', 'a'), make('Bread', 'b'), make('Milk', 'a')]);
  assert.equal(first[2], first[0]);
  assert.equal(
    sent.map(({ headers }) => headers.get('idempotency-key')),
    ['"a"', '"b"', '"a"'],
  );
  const odd = ' "q" \\ ';
  const made = await make('Odd', odd);
  const quoted = `"${odd.replace(/["\\]/g, '\\$&')}"`;
  const rest = await call('POST /todos', { title: 'Odd' }, { headers: { 'idempotency-key': quoted } });
  assert.equal(rest.body, made);
  const reused = await refusalOf(make('Butter', 'a'));
  assert.is(isTandemError(reused) && reused.code, 'idempotency_key_reused');
  assert.is((await client.todos.list.query({ include: 'totalCount' })).totalCount, 3);
});

test('a key that cannot be sent or would be ignored is refused before anything is sent', async () => {
  const { key } = await tandem.workspace();
  const { client, sent } = watchedClient(tandem, key);
  for (const bad of ['', '   ', 'ключ', 'x'.repeat(256), 'a\nb']) assert.throws(() => keyed(bad), /1 to 255 printable/);
  const refusal = await refusalOf(client.todos.update.mutate({ todoId: unknownId, title: 'x' }, keyed('a')));
  assert.match(refusal.message, 'todos.update takes no idempotency key');
  assert.equal(sent, []);
});

test('a write whose answer is lost is repeated with its key, and done once', async () => {
  const { key } = await tandem.workspace();
  const { client, sent } = watchedClient(tandem, key, {}, async (send, _, number) => {
    const answer = await send();
    if (number > 1) return answer;
    throw new TypeError('terminated');
  });
  const made = await client.todos.create.mutate({ title: 'Once' });
  assert.is(sent.length, 2);
  const [first, second] = sent.map(({ headers }) => headers.get('idempotency-key'));
  assert.match(first ?? '', /^"[0-9a-f-]{36}"$/);
  assert.is(second, first);
  const { data } = await client.todos.list.query({});
  assert.equal(data, [made]);
});

test('reads are repeated when the connection breaks or something on the way answers; other writes are not', async () => {
  const { key } = await tandem.workspace();
  const { client: plain } = watchedClient(tandem, key);
  const { id: todoId } = await plain.todos.create.mutate({ title: 'Here' });
  const broken = (times: number) => async (send: () => Promise<Response>, _: unknown, number: number) => {
    if (number > times) return send();
    if (number % 2) throw new TypeError('fetch failed');
    return new Response('<h1>502 Bad Gateway</h1>', { status: 502 });
  };
  const reading = watchedClient(tandem, key, {}, broken(2));
  assert.is((await reading.client.todos.get.query({ todoId })).title, 'Here');
  assert.is(reading.sent.length, 3);

  const trying = watchedClient(tandem, key, { retries: 1 }, broken(2));
  assert.instance(await refusalOf(trying.client.todos.get.query({ todoId })), TRPCClientError);
  assert.is(trying.sent.length, 2);

  const writing = watchedClient(tandem, key, {}, broken(1));
  const refusal = await refusalOf(writing.client.todos.update.mutate({ todoId, title: 'There' }));
  assert.not.ok(isTandemError(refusal));
  assert.is((refusal.cause as Error).message, 'fetch failed');
  assert.is(writing.sent.length, 1);

  const once = watchedClient(tandem, key, { retries: 0 }, broken(1));
  await refusalOf(once.client.todos.create.mutate({ title: 'x' }));
  assert.is(once.sent.length, 1);
  assert.not.ok(once.sent[0]?.headers.has('idempotency-key'));
});

test('what was refused for too many requests is made again after the time that the service names', async () => {
  const { key, mint } = await tandem.workspace();
  const spent = watchedClient(tandem, await mint(['todos:write'], { rateLimitPerMinute: 0 }), { retries: 0 });
  const real = await refusalOf(spent.client.todos.create.mutate({ title: 'x' }));
  assert.ok(isTandemError(real));
  assert.is(real.code, 'rate_limit_exceeded');
  const seconds = real.problem.retryAfterSeconds ?? Number.NaN;
  assert.ok(seconds >= 1 && seconds <= 60);

  const refuse = (retryAfterSeconds: number) => {
    const { shape, problem } = real;
    const refused = { error: { ...shape, data: { ...shape?.data, problem: { ...problem, retryAfterSeconds } } } };
    return new Response(JSON.stringify(refused), { status: 429 });
  };
  const { body } = await tandem.call('POST /todos', { title: 'Todo' }, { key });
  const retrying = watchedClient(tandem, key, {}, async (send, _, number) => (number > 1 ? send() : refuse(0.3)));
  const start = performance.now();
  await retrying.client.todos.update.mutate({ todoId: body.id, title: 'Again' });
  assert.ok(performance.now() - start > 290);
  assert.is(retrying.sent.length, 2);

  const hopeless = watchedClient(tandem, key, {}, async () => refuse(61));
  assert.ok(isTandemError(await refusalOf(hopeless.client.todos.list.query({}))));
  assert.is(hopeless.sent.length, 1, 'nobody waits for more than a minute unasked');
});

test('errors of the service have code, param and request id, the same as over REST', async () => {
  const { key, call } = await tandem.workspace();
  const { client, sent } = watchedClient(tandem, key);
  const missing = await refusalOf(client.todos.get.query({ todoId: unknownId }));
  assert.ok(isTandemError(missing));
  assert.instance(missing, TRPCClientError);
  const overRest = (await call(`GET /todos/${unknownId}`)).body;
  assert.equal({ ...missing.problem, requestId: '' }, { ...overRest, requestId: '' });
  const { status, code, param, retryable, message, name } = missing;
  assert.equal(
    { status, code, param, retryable, name },
    {
      status: 404,
      code: 'resource_not_found',
      param: 'todoId',
      retryable: false,
      name: 'TandemError',
    },
  );
  assert.is(message, overRest.message);
  assert.match(missing.requestId, /^[0-9a-f-]{36}$/);
  const invalid = await refusalOf(client.todos.list.query({ limit: 500 }));
  assert.is(isTandemError(invalid) && invalid.param, 'limit');
  assert.is(sent.length, 2, 'neither is worth another try');
  const nobody = createTandemClient({ url: tandem.url });
  const refused = await refusalOf(Promise.all([nobody.todos.list.query({}), nobody.agents.list.query({})]));
  assert.is(isTandemError(refused) && refused.code, 'missing_credentials');
});

test('notes as long as they may be travel, and what is too long is refused with the limit', async () => {
  const { key } = await tandem.workspace();
  const client = createTandemClient({ url: tandem.url, token: key });
  const content = '日'.repeat(500_000);
  const { id: captureId } = await client.captures.create.mutate({ type: 'note', content });
  assert.is((await client.captures.get.query({ captureId })).content, content);
  for (const [call, limit] of [
    [() => client.captures.create.mutate({ type: 'note', content: content.repeat(3) }), 4],
    [() => client.todos.create.mutate({ content }), 1],
  ] as const) {
    const refusal = await refusalOf(call());
    assert.is(isTandemError(refusal) && refusal.status, 413);
    assert.match(refusal.message, `larger than ${limit} MiB`);
  }
});

test('calls whose answers are too long for one request are each answered', async () => {
  const { key, workspaceId } = await tandem.workspace();
  for (const retries of [0, 2]) {
    const { client, sent } = watchedClient(tandem, key, { retries });
    const make = () => client.captures.create.mutate({ type: 'note', content: 'Long' });
    const made = [await make(), await make(), await make()];
    const transcript = '"'.repeat(3_000_000);
    await tandem.db.rows('update captures set transcript = $2 where workspace_id = $1', [workspaceId, transcript]);
    const read = await Promise.all(made.map(({ id }) => client.captures.get.query({ captureId: id })));
    assert.equal(
      read.map((capture) => [capture.id, capture.transcript?.length]),
      made.map(({ id }) => [id, transcript.length]),
    );
    assert.equal(
      sent.slice(made.length).map(({ calls }) => calls.length),
      [3, 1],
    );
  }
});

test('a call that is aborted ends at once, while the others of its batch continue', async () => {
  const { key } = await tandem.workspace();
  const held = Promise.withResolvers<void>();
  const { client, sent } = watchedClient(tandem, key, {}, async (send) => {
    await held.promise;
    return send();
  });
  const leave = new AbortController();
  const given = refusalOf(client.todos.list.query({}, { signal: leave.signal }));
  const kept = client.todoLists.list.query({});
  while (sent.length === 0) await new Promise(setImmediate);
  leave.abort();
  const refusal = await given;
  assert.not.ok(isTandemError(refusal));
  assert.is((refusal.cause as Error).name, 'AbortError');
  held.resolve();
  assert.is((await kept).data.length, 1);
  assert.equal(
    sent.map(({ calls }) => calls),
    [['todos.list', 'todoLists.list']],
  );
  await refusalOf(client.todos.list.query({}, { signal: AbortSignal.abort() }));
  assert.is(sent.length, 1);
});

test('a call that is aborted while it waits for its next try ends at once, and is not made again', async () => {
  const { key } = await tandem.workspace();
  const tried = Promise.withResolvers<void>();
  const { client, sent } = watchedClient(tandem, key, {}, async () => {
    tried.resolve();
    throw new TypeError('fetch failed');
  });
  const leave = new AbortController();
  const refusal = refusalOf(client.todos.list.query({}, { signal: leave.signal }));
  await tried.promise;
  setTimeout(() => leave.abort(new Error('I left')), 20);
  assert.is((await refusal).message, 'I left');
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.is(sent.length, 1);
});

test.run();
