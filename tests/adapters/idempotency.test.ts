import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertFrame } from '../support/frame.ts';
import { newGrant } from '../support/grants.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { sweep } from '../support/sweeps.ts';

const test = suite('Idempotency-Key');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function create(
  { call }: TestWorkspace,
  idempotencyKey: string,
  body: unknown = { name: 'Errands' },
  key?: string,
) {
  const headers = { 'idempotency-key': idempotencyKey };
  return assertFrame(await call('POST /todo-lists', body, { headers, ...(key !== undefined && { key }) }));
}

/** How many lists there are beside the default one. */
async function made({ call }: TestWorkspace): Promise<number> {
  return (await call('GET /todo-lists')).body.data.length - 1;
}

function replayed({ headers }: Answer): boolean {
  return headers.get('idempotency-replayed') === 'true';
}

test('twenty concurrent twins make one resource and all answer with it', async () => {
  const workspace = await tandem.workspace();
  const answers = await Promise.all(Array.from({ length: 20 }, () => create(workspace, 'twins')));
  const [first] = answers;
  for (const answer of answers) {
    assert.is(answer.status, 201);
    assert.is(answer.text, first?.text);
    assert.is(answer.headers.get('etag'), first?.headers.get('etag'));
  }
  assert.is(answers.filter(replayed).length, 19);
  assert.is(await made(workspace), 1);
});

test('twenty concurrent twins make one todo', async () => {
  const { call } = await tandem.workspace();
  const headers = { 'idempotency-key': 'twins' };
  const send = () => call('POST /todos', { title: 'Once' }, { headers });
  const answers = await Promise.all(Array.from({ length: 20 }, send));
  assert.equal(new Set(answers.map(({ status }) => status)), new Set([201]));
  assert.is(new Set(answers.map(({ body }) => body.id)).size, 1);
  assert.is(answers.filter(replayed).length, 19);
  assert.is((await call('GET /todos')).body.data.length, 1);
});

test('a replay keeps status and body, whatever became of the resource', async () => {
  const workspace = await tandem.workspace();
  const first = await create(workspace, 'kept', { name: 'Before', emoji: '🛒' });
  await workspace.call(`PATCH /todo-lists/${first.body.id}`, { name: 'After' });
  const again = await create(workspace, 'kept', { emoji: '🛒', name: 'Before' });
  assert.is(again.status, 201);
  assert.is(again.text, first.text);
  assert.ok(replayed(again), 'the order of fields makes no other body');
  assert.not.ok(replayed(first));
  await workspace.call(`DELETE /todo-lists/${first.body.id}`);
  assert.is((await create(workspace, 'kept', { name: 'Before', emoji: '🛒' })).text, first.text);
  assert.is(await made(workspace), 0);
});

test('an answer that was stored without its tag, as before captures, is replayed', async () => {
  const workspace = await tandem.workspace();
  const first = await create(workspace, 'old');
  const text = 'update idempotency_keys set answer = $2 where workspace_id = $1';
  await tandem.db.rows(text, [workspace.workspaceId, first.text]);
  const again = await create(workspace, 'old');
  assert.is(again.status, 201);
  assert.is(again.text, first.text);
  assert.ok(replayed(again));
});

test('a replay names the event of the first request, over REST and tRPC, and records none of its own', async () => {
  const workspace = await tandem.workspace();
  const { call, key, workspaceId } = workspace;
  const first = await create(workspace, 'event');
  const eventId = first.headers.get('tandem-event');
  assert.ok(eventId);
  const again = await create(workspace, 'event');
  assert.equal([replayed(again), again.headers.get('tandem-event')], [true, eventId]);
  const send = () =>
    fetch(`${tandem.url}/trpc/todoLists.create`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'idempotency-key': 'event' },
      body: JSON.stringify({ name: 'Errands' }),
    });
  const overTrpc = await send();
  assert.equal([overTrpc.status, overTrpc.headers.get('tandem-event')], [200, eventId], await overTrpc.text());
  const parallel = await Promise.all(Array.from({ length: 5 }, () => create(workspace, 'parallel', { name: 'Two' })));
  assert.is(new Set(parallel.map(({ headers }) => headers.get('tandem-event'))).size, 1);
  const refused = await create(workspace, 'event', { name: 'Other' });
  assert.equal([refused.status, refused.headers.get('tandem-event')], [409, null]);
  const text = `select id from (select id, type from events where workspace_id = $1
    union select id, type from event_queue where workspace_id = $1) e where type = 'todo_list.created'`;
  const ids = (await tandem.db.rows<{ id: string }>(text, [workspaceId])).map(({ id }) => id);
  assert.is(ids.filter((id) => id === eventId).length, 1);
  assert.is(await made(workspace), 2);
  assert.is((await call('GET /todo-lists')).headers.get('tandem-event'), null);
});

test('another body under a used key is 409', async () => {
  const workspace = await tandem.workspace();
  await create(workspace, 'reused');
  for (const body of [{ name: 'Other' }, { name: 'Errands', color: 'teal' }]) {
    const answer = await create(workspace, 'reused', body);
    assert.is(answer.status, 409);
    assert.is(answer.body.code, 'idempotency_key_reused');
    assert.is(answer.body.param, 'Idempotency-Key');
    assert.is(answer.body.retryable, false);
  }
  assert.is(await made(workspace), 1, 'what was tried to find out is taken back');
});

test('a wrong body under a used key is answered with what is wrong with it', async () => {
  const workspace = await tandem.workspace();
  const headers = { 'idempotency-key': 'wrong' };
  await create(workspace, 'wrong');
  const answer = await create(workspace, 'wrong', { name: '' });
  assert.is(answer.status, 400);
  assert.is(answer.body.param, 'name');
  await workspace.call('POST /todos', { title: 'x' }, { headers });
  const assignees = [{ id: '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee' }];
  const unknown = await workspace.call('POST /todos', { title: 'x', assignees }, { headers });
  assert.is(unknown.status, 404);
});

test('a failure releases its key', async () => {
  const workspace = await tandem.workspace();
  assert.is((await create(workspace, 'freed', { name: '' })).status, 400);
  assert.is((await create(workspace, 'freed', { name: 'x', surprise: 1 })).status, 400);
  const answer = await create(workspace, 'freed');
  assert.is(answer.status, 201);
  assert.not.ok(replayed(answer));
  const headers = { 'idempotency-key': 'freed' };
  const assignees = [{ id: '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee' }];
  assert.is((await workspace.call('POST /todos', { title: 'x', assignees }, { headers })).status, 404);
  assert.is((await workspace.call('POST /todos', { title: 'x' }, { headers })).status, 201);
});

test('twins of which the first fails are each tried, and none is lost', async () => {
  const workspace = await tandem.workspace();
  const bodies = Array.from({ length: 10 }, (_, index) => (index % 2 ? { name: 'Good' } : { name: '' }));
  const answers = await Promise.all(bodies.map((body) => create(workspace, 'mixed', body)));
  assert.equal(
    answers.map(({ status }) => status),
    bodies.map(({ name }) => (name ? 201 : 400)),
  );
  assert.is(await made(workspace), 1);
});

test('a key belongs to its credential, its operation and its workspace', async () => {
  const [workspace, stranger] = [await tandem.workspace(), await tandem.workspace()];
  const second = await workspace.mint(['todos:read', 'todos:write']);
  const headers = { 'idempotency-key': 'mine' };
  const answers = [
    await create(workspace, 'mine'),
    await create(workspace, 'mine', { name: 'Errands' }, second),
    await create(stranger, 'mine'),
    await workspace.call('POST /todos', { title: 'x' }, { headers }),
    await workspace.call('POST /todos/batch', { data: [{ title: 'x' }] }, { headers }),
  ];
  for (const answer of answers) {
    assert.ok([200, 201].includes(answer.status), answer.text);
    assert.not.ok(replayed(answer));
  }
  assert.is(await made(workspace), 2);
  assert.is(await made(stranger), 1);
});

test('the quoted form of a key equals the bare one', async () => {
  const workspace = await tandem.workspace();
  const first = await create(workspace, 'a "b" \\c');
  const quoted = await create(workspace, '"a \\"b\\" \\\\c"');
  assert.ok(replayed(quoted));
  assert.is(quoted.text, first.text);
});

test('a key of 1 to 255 printable characters is taken, any other is 400', async () => {
  const workspace = await tandem.workspace();
  for (const good of ['x', 'k'.repeat(255), `"${'q'.repeat(255)}"`, '!"#$%&()*+,-./:;<=>?@[]^_`{|}~', 'a b']) {
    assert.is((await create(workspace, good)).status, 201, good);
  }
  for (const bad of ['', '""', '" "', 'k'.repeat(256), `"${'q'.repeat(256)}"`, 'é', 'a\tb']) {
    const { status, body } = await create(workspace, bad);
    assert.is(status, 400, bad);
    assert.is(body.param, 'Idempotency-Key');
  }
  assert.is(await made(workspace), 5);
});

test('a key on an operation that takes none is ignored', async () => {
  const { call } = await tandem.workspace();
  const { body } = await call('POST /todo-lists', { name: 'x' });
  for (const key of ['once', '']) {
    for (const name of ['One', 'Two']) {
      const headers = { 'idempotency-key': key };
      const answer = await call(`PATCH /todo-lists/${body.id}`, { name }, { headers });
      assert.is(answer.status, 200);
      assert.is(answer.body.name, name);
      assert.not.ok(replayed(answer));
    }
  }
});

test('a connected app gets the first answer with its next access token too; another app has keys of its own', async () => {
  const workspace = await tandem.workspace();
  const scopes = ['todos:read', 'todos:write'] as const;
  const [app, other] = [await newGrant(tandem, workspace, scopes), await newGrant(tandem, workspace, scopes)];
  const headers = { 'idempotency-key': 'renewed' };
  // A todo makes the claim in its statement, a list in a transaction.
  for (const [route, body] of [
    ['POST /todos', { title: 'Once' }],
    ['POST /todo-lists', { name: 'Once' }],
  ] as const) {
    const send = async ({ token }: typeof app) => workspace.call(route, body, { key: await token(), headers });
    const first = await send(app);
    await tandem.db.rows(`delete from credentials where workspace_id = $1 and kind = 'oauth'`, [workspace.workspaceId]);
    const again = await send(app);
    assert.equal([first.status, again.status, again.text], [201, 201, first.text]);
    assert.equal([replayed(first), replayed(again), replayed(await send(other))], [false, true, false]);
  }
});

test('a key is free again after 24 hours, swept or not', async () => {
  const workspace = await tandem.workspace();
  const age = (interval: string) =>
    tandem.db.rows('update idempotency_keys set created_at = now() - $2::text::interval where workspace_id = $1', [
      workspace.workspaceId,
      interval,
    ]);
  await create(workspace, 'aged');
  await age('23 hours 59 minutes');
  await sweep(tandem.db);
  assert.ok(replayed(await create(workspace, 'aged')));
  await age('24 hours 1 second');
  const other = await create(workspace, 'aged', { name: 'Other' });
  assert.is(other.status, 201);
  assert.not.ok(replayed(other));
  assert.ok(replayed(await create(workspace, 'aged', { name: 'Other' })));
  await age('24 hours 1 second');
  const twins = await Promise.all(Array.from({ length: 10 }, () => create(workspace, 'aged', { name: 'Third' })));
  assert.is(twins.filter(replayed).length, 9);
  await age('24 hours 1 second');
  await sweep(tandem.db);
  const left = await tandem.db.rows('select 1 from idempotency_keys where workspace_id = $1', [workspace.workspaceId]);
  assert.is(left.length, 0);
});

test.run();
