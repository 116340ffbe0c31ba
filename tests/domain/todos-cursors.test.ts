import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createApiKey, sharedSecret } from '../../db/seed.ts';
import { cursorAfter } from '../../domain/page.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { addMember, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('cursors');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** A workspace of five todos, and the cursor after the second of a list. */
async function world(query = '') {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { body } = await call('POST /todos/batch', { data: Array.from({ length: 5 }, () => ({ title: 'a' })) });
  const first = await call(`GET /todos?limit=2${query}`);
  const cursor = first.body.nextCursor as string;
  assert.type(cursor, 'string');
  const next = (with_: string, more = '') => call(`GET /todos?limit=2${more}&cursor=${encodeURIComponent(with_)}`);
  return { ...workspace, todos: body.data, cursor, next };
}

test('a cursor that was changed in any place is refused', async () => {
  const { cursor, next } = await world();
  assert.is((await next(cursor)).status, 200);
  for (let place = 0; place < cursor.length; place += 3) {
    const other = cursor[place] === 'A' ? 'B' : 'A';
    const answer = await next(cursor.slice(0, place) + other + cursor.slice(place + 1));
    refused(answer, 400, 'cursor', 'invalid_cursor');
  }
  const last = cursor.slice(0, -1);
  for (const character of 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_') {
    if (last + character !== cursor) refused(await next(last + character), 400, 'cursor', 'invalid_cursor');
  }
});

test('a cursor that was cut, lengthened or made up is refused', async () => {
  const { cursor, next } = await world();
  const made = [
    '',
    ' ',
    '0',
    'null',
    'undefined',
    '=',
    '%',
    unknownId,
    `${cursor}A`,
    `${cursor}=`,
    `${cursor} `,
    ` ${cursor}`,
  ];
  const signed = Buffer.from(cursor, 'base64url');
  made.push(signed.toString('base64'), signed.toString('hex'), 'x'.repeat(5000), '\u0000', '😀', `${cursor}${cursor}`);
  for (const bad of [...made, ...[1, 5, 22, 40].map((length) => cursor.slice(0, length))]) {
    if (bad !== cursor) refused(await next(bad), 400, 'cursor', 'invalid_cursor');
  }
});

test('a cursor opens only the list it came from', async () => {
  const { cursor, next, todos } = await world();
  const mores = [
    '&status=ready',
    '&sort=dueDate',
    '&sort=updatedAt',
    '&order=asc',
    '&includeArchived=true',
    '&query=a',
  ];
  mores.push('&assignedToMe=true', `&todoListId=${todos[0].todoListId}`, '&dueBefore=2026-01-01', '&type=task');
  for (const more of mores) refused(await next(cursor, more), 400, 'cursor', 'invalid_cursor');
  for (const more of ['&sort=createdAt', '&order=desc', '&include=totalCount']) {
    assert.is((await next(cursor, more)).status, 200, more);
  }
  const { next: elsewhere } = await world();
  refused(await elsewhere(cursor), 400, 'cursor', 'invalid_cursor');
});

test('a filter may be written in another order, but not with another value', async () => {
  const { cursor, call } = await world('&status=active&type=task');
  assert.is((await call(`GET /todos?type=task&cursor=${cursor}&status=active`)).status, 200);
  refused(await call(`GET /todos?type=task&cursor=${cursor}&status=ready`), 400, 'cursor', 'invalid_cursor');
  refused(await call(`GET /todos?type=task&cursor=${cursor}`), 400, 'cursor', 'invalid_cursor');
});

test('“assigned to me” is another list for every person', async () => {
  const { cursor, next, workspaceId } = await world('&assignedToMe=true');
  const ann = await addMember(tandem, workspaceId, 'Ann');
  const seed = { workspaceId, userId: ann, name: 'Ann’s', scopes: ['todos:read'], rateLimitPerMinute: 1000 };
  const { secret: key } = await createApiKey(tandem.db, seed);
  const theirs = `/todos?limit=2&assignedToMe=true&cursor=${cursor}`;
  assert.is((await next(cursor, '&assignedToMe=true')).status, 200);
  refused(await tandem.call(`GET ${theirs}`, undefined, { key }), 400, 'cursor', 'invalid_cursor');
});

test('a genuine cursor of another operation is refused', async () => {
  const { next, todos, workspaceId } = await world();
  const scope = {
    key: await sharedSecret(tandem.db, 'cursor'),
    workspaceId,
    sort: 'createdAt',
    order: 'desc',
    filters: {},
  };
  const { createdAt, id } = todos[2];
  assert.is((await next(cursorAfter({ ...scope, operation: 'listTodos' }, [createdAt, id]))).status, 200);
  for (const other of [{ operation: 'listChats' }, { operation: 'listTodos', workspaceId: unknownId }]) {
    const cursor = cursorAfter({ ...scope, ...other }, [createdAt, id]);
    refused(await next(cursor), 400, 'cursor', 'invalid_cursor');
  }
});

test('a cursor is good on every process, and after a restart', async () => {
  const { cursor, next, key } = await world();
  const here = await next(cursor);
  for (const _ of ['a second process', 'another start']) {
    const other = await startTestService();
    try {
      const there = await other.call(`GET /todos?limit=2&cursor=${cursor}`, undefined, { key });
      assert.is(there.status, 200);
      assert.equal(there.body, here.body);
    } finally {
      await other.close();
    }
  }
});

test('a cursor whose todo was changed, archived or erased continues from where it stood', async () => {
  const { cursor, next, call, todos } = await world();
  const rest = [todos[2], todos[1]].map(({ id }) => id);
  const after = async () => (await next(cursor)).body.data.map(({ id }: { id: string }) => id);
  assert.equal(await after(), rest);
  await call(`PATCH /todos/${todos[3].id}`, { title: 'b', status: 'done' });
  assert.equal(await after(), rest);
  await call(`DELETE /todos/${todos[3].id}`);
  assert.equal(await after(), rest);
  await call(`DELETE /todos/${todos[3].id}?permanent=true`);
  assert.equal(await after(), rest);
});

test.run();
