import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertFrame } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { newAccount } from '../support/people.ts';

const test = suite('entity tags');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function newList({ call }: TestWorkspace): Promise<{ path: string; tag: string; id: string }> {
  const { body, headers } = await call('POST /todo-lists', { name: 'Errands' });
  return { id: body.id, path: `/todo-lists/${body.id}`, tag: headers.get('etag') ?? '' };
}

async function send({ call }: TestWorkspace, route: string, headers: Record<string, string>, body?: unknown) {
  return assertFrame(await call(route, body, { headers }));
}

test('POST, GET and PATCH of one resource answer its strong tag, the same for the same state', async () => {
  const workspace = await tandem.workspace();
  const { path, tag } = await newList(workspace);
  assert.match(tag, /^"[\w-]{20,}"$/);
  assert.is((await workspace.call(`GET ${path}`)).headers.get('etag'), tag);
  const changed = (await workspace.call(`PATCH ${path}`, { name: 'Chores' })).headers.get('etag');
  assert.is.not(changed, tag);
  assert.is((await workspace.call(`GET ${path}`)).headers.get('etag'), changed);
  assert.is((await workspace.call(`PATCH ${path}`, { name: 'Chores' })).headers.get('etag'), changed, 'no change');
});

test('a reader who has it gets 304 without a body', async () => {
  const workspace = await tandem.workspace();
  const { path, tag } = await newList(workspace);
  for (const known of [tag, `W/${tag}`, `"other", ${tag}`, `"other" , W/${tag},"more"`, '*']) {
    const answer = await send(workspace, `GET ${path}`, { 'if-none-match': known });
    assert.is(answer.status, 304, known);
    assert.is(answer.text, '');
    assert.is(answer.headers.get('etag'), tag);
  }
  for (const stale of ['"other"', 'W/"other"', tag.slice(1, -1), tag.toLowerCase().replace(/"$/, 'x"'), '']) {
    const answer = await send(workspace, `GET ${path}`, { 'if-none-match': stale });
    assert.is(answer.status, 200, stale);
    assert.is(answer.body.name, 'Errands');
  }
  await workspace.call(`PATCH ${path}`, { name: 'Chores' });
  assert.is((await send(workspace, `GET ${path}`, { 'if-none-match': tag })).status, 200);
  assert.is((await send(workspace, 'GET /me', { 'if-none-match': '*' })).status, 304);
});

test('If-None-Match of an unknown resource is 404, and of a write is passed over', async () => {
  const workspace = await tandem.workspace();
  const { path } = await newList(workspace);
  const headers = { 'if-none-match': '*' };
  assert.is((await send(workspace, 'GET /todo-lists/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', headers)).status, 404);
  assert.is((await send(workspace, `PATCH ${path}`, headers, { name: 'x' })).status, 200);
});

test('the tag of a write works in If-Match, as do * and a list of tags', async () => {
  const workspace = await tandem.workspace();
  const { path, tag } = await newList(workspace);
  const first = await send(workspace, `PATCH ${path}`, { 'if-match': tag }, { name: 'One' });
  assert.is(first.status, 200);
  const second = await send(
    workspace,
    `PATCH ${path}`,
    { 'if-match': first.headers.get('etag') ?? '' },
    { name: 'Two' },
  );
  assert.is(second.status, 200);
  const several = `"other", ${second.headers.get('etag')}`;
  assert.is((await send(workspace, `PATCH ${path}`, { 'if-match': several }, { name: 'Three' })).status, 200);
  assert.is((await send(workspace, `PATCH ${path}`, { 'if-match': '*' }, { name: 'Four' })).status, 200);
  const read = (await workspace.call(`GET ${path}`)).headers.get('etag') ?? '';
  assert.is((await send(workspace, `DELETE ${path}`, { 'if-match': read })).status, 200);
});

test('a write on a stale tag is 412 and changes nothing', async () => {
  const workspace = await tandem.workspace();
  const { path, tag } = await newList(workspace);
  const { text } = await workspace.call(`PATCH ${path}`, { name: 'Chores' });
  const message = 'The resource changed since you read it. Read it again and apply the change to its current state.';
  const docUrl = `${tandem.url}/docs/errors#resource_conflict`;
  for (const method of ['PATCH', 'DELETE']) {
    for (const stale of [tag, '"other"', `W/${tag}`, '']) {
      const change = method === 'PATCH' ? { name: 'Lost' } : undefined;
      const { status, body, headers } = await send(workspace, `${method} ${path}`, { 'if-match': stale }, change);
      assert.is(status, 412, `${method} ${stale}`);
      assert.equal(body, {
        object: 'error',
        type: docUrl,
        title: 'The state of the resource does not allow this',
        status: 412,
        code: 'resource_conflict',
        detail: message,
        message,
        param: 'If-Match',
        requestId: headers.get('x-request-id'),
        retryable: false,
        docUrl,
        errors: [{ param: 'If-Match', code: 'precondition_failed', message }],
        reason: 'precondition_failed',
      });
    }
  }
  assert.is((await workspace.call(`GET ${path}`)).text, text);
});

test('a weak tag never matches in If-Match, not even the current one', async () => {
  const workspace = await tandem.workspace();
  const { path, tag } = await newList(workspace);
  assert.is((await send(workspace, `PATCH ${path}`, { 'if-match': `W/${tag}` }, { name: 'x' })).status, 412);
});

test('a wrong body is 400 and an unknown resource 404 before the tag is looked at', async () => {
  const workspace = await tandem.workspace();
  const { path } = await newList(workspace);
  const stale = { 'if-match': '"other"' };
  assert.is((await send(workspace, `PATCH ${path}`, stale, { name: '' })).status, 400);
  const unknown = '/todo-lists/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
  for (const tag of ['"other"', '*']) {
    assert.is((await send(workspace, `PATCH ${unknown}`, { 'if-match': tag }, { name: 'x' })).status, 404);
    assert.is((await send(workspace, `DELETE ${unknown}`, { 'if-match': tag })).status, 404);
  }
});

test('of two concurrent writes on the same tag exactly one wins', async () => {
  const workspace = await tandem.workspace();
  for (let round = 0; round < 20; round++) {
    const { path, tag } = await newList(workspace);
    const write = (name: string) => send(workspace, `PATCH ${path}`, { 'if-match': tag }, { name });
    const answers = await Promise.all([write('Left'), write('Right')]);
    assert.equal(answers.map(({ status }) => status).sort(), [200, 412]);
    const won = answers.find(({ status }) => status === 200);
    assert.is((await workspace.call(`GET ${path}`)).text, won?.text);
  }
});

test("a list's tag changes with its counts", async () => {
  const workspace = await tandem.workspace();
  const { path, tag, id } = await newList(workspace);
  const { body: todo } = await workspace.call('POST /todos', { title: 'x', todoListId: id });
  const filled = await workspace.call(`GET ${path}`);
  assert.is(filled.body.todoCount, 1);
  assert.is.not(filled.headers.get('etag'), tag);
  assert.is((await send(workspace, `PATCH ${path}`, { 'if-match': tag }, { name: 'x' })).status, 412);
  await workspace.call(`PATCH /todos/${todo.id}`, { status: 'done' });
  const done = (await workspace.call(`GET ${path}`)).headers.get('etag');
  assert.is.not(done, filled.headers.get('etag'));
  assert.is((await send(workspace, `PATCH ${path}`, { 'if-match': done ?? '' }, { name: 'y' })).status, 200);
});

test('a workspace and its members are guarded, with the tag of the write before', async () => {
  const { session } = await newAccount(tandem);
  const call = (route: string, body?: unknown, headers = {}) =>
    tandem.call(route, body, { key: session.token, headers });
  const made = await call('POST /workspaces', { name: 'Second' });
  const path = `/workspaces/${made.body.id}`;
  const write = (name: string) => call(`PATCH ${path}`, { name }, { 'if-match': made.headers.get('etag') ?? '' });
  const answers = await Promise.all([write('Left'), write('Right')]);
  assert.equal(answers.map(({ status }) => status).sort(), [200, 412]);
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  const { session: other } = await newAccount(tandem);
  await tandem.db.rows(join, [made.body.id, other.user.id]);
  const member = `${path}/members/${other.user.id}`;
  const first = await call(`PATCH ${member}`, { role: 'owner' });
  const guarded = { 'if-match': first.headers.get('etag') ?? '' };
  assert.is((await call(`PATCH ${member}`, { role: 'member' }, guarded)).status, 200);
  for (const [route, body] of [[`PATCH ${member}`, { role: 'owner' }], [`DELETE ${member}`]] as const) {
    const { status, body: refused } = await call(route, body, guarded);
    assert.equal([status, refused.reason], [412, 'precondition_failed'], route);
  }
});

test('what has a secret is created with the tag of a read, and kept by no cache', async () => {
  const workspace = await tandem.workspace();
  const key = await workspace.session();
  const { workspaceId } = workspace;
  const call = (route: string, body?: unknown, headers = {}) => workspace.call(route, body, { key, headers });
  const creates = async (route: string, path: string, body?: unknown) => {
    const made = await call(route, body);
    assert.ok(made.body.secret, made.text);
    assert.is(made.headers.get('cache-control'), 'no-store');
    const read = await call(`GET ${path}/${made.body.id}`);
    assert.is(read.headers.get('etag'), made.headers.get('etag'), route);
    return { path: `${path}/${made.body.id}`, guarded: { 'if-match': made.headers.get('etag') ?? '' } };
  };
  await creates('POST /api-keys', '/api-keys', { workspaceId, name: 'x', scopes: ['todos:read'] });
  const endpoint = { url: 'https://example.com/hook', types: ['todo.created'] };
  const { path } = await creates('POST /webhook-endpoints', '/webhook-endpoints', endpoint);
  const { guarded } = await creates(`POST ${path}/rotate-secret`, '/webhook-endpoints');
  assert.is((await call(`PATCH ${path}`, { description: 'x' }, guarded)).status, 200);
  assert.is((await call(`PATCH ${path}`, { description: 'y' }, guarded)).status, 412);
});

test("a todo's tag guards its writes too", async () => {
  const workspace = await tandem.workspace();
  const made = await workspace.call('POST /todos', { title: 'x' });
  const path = `/todos/${made.body.id}`;
  const tag = made.headers.get('etag') ?? '';
  assert.is((await workspace.call(`GET ${path}`)).headers.get('etag'), tag);
  const write = (title: string) => send(workspace, `PATCH ${path}`, { 'if-match': tag }, { title });
  const answers = await Promise.all([write('Left'), write('Right')]);
  assert.equal(answers.map(({ status }) => status).sort(), [200, 412]);
  assert.is((await send(workspace, `DELETE ${path}`, { 'if-match': tag })).status, 412);
});

test.run();
