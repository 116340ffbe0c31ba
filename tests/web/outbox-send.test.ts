import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { setActor } from '../../web/src/api/acting.ts';
import { problemOf } from '../../web/src/api/problem.ts';
import type { Change, Todo } from '../../web/src/outbox/merge.ts';
import { send } from '../../web/src/outbox/send.ts';
import type { Action, Write } from '../../web/src/outbox/write.ts';

/* How a change is sent and merged, with a service of the test that has one version of one todo. */

const test = suite('unsent changes: sending and merging');

interface Request {
  method: string;
  path: string;
  headers: Headers;
  body: unknown;
}

const ada = { user: { id: 'ada' }, workspace: { id: 'home' } };
const realFetch = globalThis.fetch;
const requests: Request[] = [];
let todo: Todo;
let beforeAnswer: (request: Request) => void;

const tag = () => `"${todo.version}"`;
const change = (fields: Partial<Todo>) => {
  todo = { ...todo, ...fields, version: todo.version + 1 };
};
const answer = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers });

test.before.each(() => {
  todo = { id: 'a', title: 'A', priority: null, status: 'ready', assignees: [], version: 1 } as unknown as Todo;
  requests.length = 0;
  beforeAnswer = () => {};
  globalThis.fetch = async (url, { method = 'GET', headers, body } = {}) => {
    const request = {
      method,
      path: String(url),
      headers: new Headers(headers),
      body: JSON.parse(String(body ?? null)),
    };
    requests.push(request);
    beforeAnswer(request);
    const match = request.headers.get('If-Match');
    if (match !== null && match !== tag()) return answer(412, { code: 'resource_conflict', message: 'It changed.' });
    if (method === 'PATCH') change(request.body as Partial<Todo>);
    return answer(200, todo, { ETag: tag() });
  };
});
test.after(() => {
  globalThis.fetch = realFetch;
});

const writeOf = (action: Action, more: Partial<Write> = {}): Write => ({
  ...{ id: 'key', action, todos: [todo], shows: {}, base: null, known: null, madeAt: 0, sentAt: null },
  ...{ state: 'waiting', problem: null, theirs: null },
  ...more,
});
const update = (given: Change, more: Partial<Write> = {}) =>
  writeOf({ operation: 'update', change: given }, { base: { ...todo }, ...more });
const methods = () => requests.map(({ method }) => method).join(' ');

test('a change names the version that it was made of; without one that is read first', async () => {
  const known = { resource: todo, tag: tag() };
  const { todos, tagged, conflicts } = await send(update({ priority: 'high' }, { known }), false, ada);
  assert.equal([methods(), requests[0]?.headers.get('If-Match')], ['PATCH', '"1"']);
  assert.equal([todos[0]?.priority, tagged?.tag, conflicts], ['high', '"2"', []]);
  await send(update({ priority: 'low' }), false, ada);
  assert.is(methods(), 'PATCH GET PATCH');
});

test('after 412 what others changed in other fields is merged, and the same field is a conflict', async () => {
  const known = { resource: todo, tag: tag() };
  const mine = update({ title: 'Mine', priority: 'high' }, { known });
  change({ title: 'Theirs', status: 'done' });
  const { conflicts } = await send(mine, true, ada);
  assert.equal(requests.filter(({ method }) => method === 'PATCH').at(-1)?.body, { priority: 'high' });
  assert.equal(
    conflicts.map((each) => [each.change, each.theirs.title]),
    [[{ title: 'Mine' }, 'Theirs']],
  );
  assert.equal([todo.title, todo.priority, todo.status], ['Theirs', 'high', 'done']);
});

test('each field that others changed too is a conflict of its own, which is decided by itself', async () => {
  const known = { resource: todo, tag: tag() };
  const mine = update({ title: 'Mine', priority: 'high', status: 'done' }, { known });
  change({ title: 'Theirs', priority: 'low' });
  const { conflicts } = await send(mine, true, ada);
  assert.equal(
    conflicts.map((each) => [each.change, each.theirs.title, each.theirs.priority]),
    [
      [{ title: 'Mine' }, 'Theirs', 'low'],
      [{ priority: 'high' }, 'Theirs', 'low'],
    ],
  );
  assert.equal([todo.title, todo.priority, todo.status], ['Theirs', 'low', 'done']);
});

test('what the service stored before an answer was lost is not changed again', async () => {
  const known = { resource: todo, tag: tag() };
  const mine = update({ title: 'Mine' }, { known });
  change({ title: 'Mine' });
  const { conflicts, todos } = await send(mine, true, ada);
  assert.equal([methods(), conflicts, todos[0]?.version], ['PATCH GET', [], 2]);
});

test('a version that is older than what the change was made of is no conflict', async () => {
  const known = { resource: todo, tag: tag() };
  change({ title: 'B' });
  const { conflicts } = await send(update({ title: 'C' }, { known, base: { title: 'B' } }), false, ada);
  assert.equal([conflicts, todo.title], [[], 'C']);
});

test('a todo that others change all the time is given up after some rounds, with the error', async () => {
  beforeAnswer = ({ method }) => {
    if (method === 'PATCH') change({ status: 'done' });
  };
  try {
    await send(update({ priority: 'high' }), true, ada);
    assert.unreachable();
  } catch (error) {
    assert.is(problemOf(error).status, 412);
  }
  assert.is(requests.filter(({ method }) => method === 'PATCH').length, 5);
});

test('what was archived before an answer was lost is stored, and an archive that waited goes on from what others changed', async () => {
  const known = { resource: todo, tag: tag() };
  change({ isArchived: true });
  const { todos, tagged } = await send(writeOf({ operation: 'archive' }, { known }), true, ada);
  assert.equal([methods(), todos[0]?.isArchived, tagged?.tag], ['DELETE GET', true, '"2"']);
  const restore = writeOf({ operation: 'restore' }, { known: { resource: todo, tag: tag() } });
  change({ title: 'Theirs' });
  const restored = await send(restore, true, ada);
  assert.is(methods(), 'DELETE GET POST GET POST');
  assert.equal([restored.tagged?.resource.title, restored.tagged?.resource.isArchived], ['Theirs', false]);
  const status = await send(restore, false, ada).catch((error: unknown) => problemOf(error).status);
  assert.equal([status, methods()], [412, 'DELETE GET POST GET POST POST GET']);
});

test('a creation has its key, an archived todo its version, and several todos go in one request', async () => {
  await send(writeOf({ operation: 'create', input: { id: 'a', title: 'A' } }), false, ada);
  assert.equal([requests[0]?.path, requests[0]?.headers.get('Idempotency-Key')], ['/api/v1/todos', 'key']);
  await send(writeOf({ operation: 'archive' }, { known: { resource: todo, tag: tag() } }), false, ada);
  assert.equal([requests[1]?.method, requests[1]?.headers.get('If-Match')], ['DELETE', '"1"']);
  const two = [todo, { ...todo, id: 'b' }];
  await send(writeOf({ operation: 'update', change: { status: 'done' } }, { todos: two }), false, ada);
  assert.equal(
    [requests[2]?.path, requests[2]?.body],
    ['/api/v1/todos/bulk', { ids: ['a', 'b'], patch: { status: 'done' } }],
  );
});

test('every request names for whom the change was made', async () => {
  setActor({ user: { id: 'bob' }, workspace: { id: 'office' } });
  const two = [todo, { ...todo, id: 'b' }];
  await send(update({ title: 'B' }), false, ada);
  await send(writeOf({ operation: 'create', input: { id: 'a', title: 'A' } }), false, ada);
  await send(writeOf({ operation: 'archive' }), false, ada);
  await send(writeOf({ operation: 'restore' }), false, ada);
  await send(writeOf({ operation: 'archive' }, { todos: two }), false, ada);
  await send(writeOf({ operation: 'update', change: { status: 'done' } }, { todos: two }), false, ada);
  assert.ok(requests.length >= 7);
  for (const { method, path, headers } of requests)
    assert.is(headers.get('Tandem-Acting-As'), 'ada/home', `${method} ${path}`);
});

test.run();
