import fc from 'fast-check';
import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { keyFor, maxKeyLength, spreadKeys } from '../../domain/todos/order-keys.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { refused, titlesOf, unknownId } from '../support/todo-fixtures.ts';

const test = suite('the manual order of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const now = new Date('2026-11-23T10:00:00Z');
const idKey = () => newId().replaceAll('-', '');

test('keys stay in order and short however todos are moved: at the ends, in one gap, anywhere', () => {
  const moves = fc.array(fc.tuple(fc.nat(), fc.nat(), fc.constantFrom('anywhere', 'start', 'end', 'gap')), {
    minLength: 1,
    maxLength: 300,
  });
  const property = fc.property(moves, (all) => {
    const keys = Array.from({ length: 12 }, idKey);
    for (const [from, to, where] of all) {
      keys.splice(from % keys.length, 1);
      const place = { anywhere: to % (keys.length + 1), start: 0, end: keys.length, gap: 5 }[where];
      const key = keyFor(keys[place - 1], keys[place], new Date());
      if (key === null) {
        const fresh = spreadKeys(undefined, undefined, keys.length + 1, new Date());
        assert.ok(fresh);
        keys.splice(0, keys.length, ...(fresh ?? []));
      } else keys.splice(place, 0, key);
      assert.equal(keys, [...keys].sort());
      assert.is(new Set(keys).size, keys.length);
      for (const each of keys) assert.match(each, /^[0-9a-f]{1,100}$/);
    }
  });
  fc.assert(property, { numRuns: 50 });
});

test('a key after the last todo is before that of a todo that is created later', () => {
  const last = '019ca8a03e8076028fae580f5863abfb';
  const key = keyFor(last, undefined, now) ?? '';
  assert.ok(key > last && key < now.getTime().toString(16).padStart(12, '0'));
  const future = 'f19ca8a03e8076028fae580f5863abfb';
  assert.ok((keyFor(future, undefined, now) ?? '').startsWith(future));
});

test('where there is no room there is no key, and many are spread between two', () => {
  assert.is(keyFor('a', 'a0', now), null);
  assert.is(keyFor('a', 'a', now), null);
  const [low, high] = ['a', `a${'0'.repeat(maxKeyLength - 1)}1`];
  assert.is(keyFor(low, high, now), null);
  assert.is(spreadKeys(low, high, 3, now), null);
  const keys = spreadKeys('a', 'b', 101, now) ?? [];
  assert.is(keys.length, 101);
  assert.equal(['a', ...keys, 'b'], ['a', ...keys, 'b'].sort());
  assert.ok(keys.every((key) => key.length <= 4));
});

type Call = Awaited<ReturnType<TestService['workspace']>>['call'];

async function someTodos(call: Call, titles: string): Promise<Record<string, string>> {
  const data = [...titles].map((title) => ({ title }));
  const { body } = await call('POST /todos/batch', { data });
  return Object.fromEntries(body.data.map(({ title, id }: { title: string; id: string }) => [title, id]));
}

const orderOf = async (call: Call, more = '') =>
  titlesOf(await call(`GET /todos?sort=position&order=asc&limit=100${more}`)).join('');

test('todos are in the order of creation until one is moved, and new ones come last', async () => {
  const { call } = await tandem.workspace();
  const ids = await someTodos(call, 'abcd');
  assert.is(await orderOf(call), 'abcd');
  const move = (id: string, place: object) => call(`POST /todos/${ids[id]}/move`, place);
  assert.is((await move('d', { before: ids.a })).status, 200);
  assert.is(await orderOf(call), 'dabc');
  await move('a', { after: ids.b });
  assert.is(await orderOf(call), 'dbac');
  await move('d', { after: ids.c?.toUpperCase() });
  await call('POST /todos', { title: 'e' });
  assert.is(await orderOf(call), 'bacde');
  assert.equal(titlesOf(await call('GET /todos?sort=position&order=desc')).join(''), 'edcab');
});

test('a list shows its part of the order, archived and sub-todos too; pages follow each other', async () => {
  const { call } = await tandem.workspace();
  const ids = await someTodos(call, 'abcdef');
  const { body: list } = await call('POST /todo-lists', { name: 'Other' });
  await call('POST /todos/bulk', { ids: [ids.b, ids.d, ids.f], patch: { todoListId: list.id } });
  await call(`POST /todos/${ids.f}/move`, { before: ids.a });
  assert.is(await orderOf(call, `&todoListId=${list.id}`), 'fbd');
  await call('POST /todos/bulk', { ids: [ids.b, ids.c], patch: { parentTodoId: ids.f } });
  await call(`POST /todos/${ids.c}/move`, { before: ids.b });
  assert.is(await orderOf(call, `&parentTodoId=${ids.f}`), 'cb');
  assert.is(await orderOf(call, '&query=b'), 'b');
  let [cursor, titles] = ['', ''];
  do {
    const answer = await call(`GET /todos?sort=position&order=asc&limit=2${cursor}`);
    titles += titlesOf(answer).join('');
    cursor = answer.body.nextCursor === null ? '' : `&cursor=${answer.body.nextCursor}`;
  } while (cursor !== '');
  assert.is(titles, 'facbde');
  await call(`DELETE /todos/${ids.f}`);
  assert.is(await orderOf(call, '&includeArchived=true'), 'fcb');
  assert.is(await orderOf(call, '&archived=any'), 'facbde');
});

test('a repeated move changes nothing; a move is refused without one place, and next to what is not there', async () => {
  const { call } = await tandem.workspace();
  const ids = await someTodos(call, 'abc');
  const { body: moved } = await call(`POST /todos/${ids.c}/move`, { after: ids.a });
  assert.is(moved.version, 2);
  for (const place of [{ after: ids.a }, { before: ids.b }]) {
    assert.equal((await call(`POST /todos/${ids.c}/move`, place)).body, moved);
  }
  const move = (place: object, id = ids.c) => call(`POST /todos/${id}/move`, place);
  refused(await move({}), 400, 'after');
  refused(await move({ after: ids.a, before: ids.b }), 400, 'after');
  refused(await move({ before: ids.c }), 400, 'before');
  refused(await move({ after: unknownId }), 404, 'after');
  refused(await move({ after: ids.a }, unknownId), 404, 'todoId');
  const stranger = await someTodos((await tandem.workspace()).call, 'x');
  refused(await move({ before: stranger.x }), 404, 'before');
});

test('concurrent moves leave one order that all of them are in', async () => {
  const { call } = await tandem.workspace();
  const ids = await someTodos(call, 'abcdefgh');
  const moves = [...'bcdefgh'].map((title) => call(`POST /todos/${ids[title]}/move`, { after: ids.a }));
  moves.push(...[...'cdefgh'].map((title) => call(`POST /todos/${ids[title]}/move`, { before: ids.b })));
  for (const { status } of await Promise.all(moves)) assert.is(status, 200);
  const { body } = await call('GET /todos?limit=100');
  const keys = body.data.map(({ position }: { position: string }) => position);
  assert.is(new Set(keys).size, 8);
  const order = await orderOf(call);
  assert.is([...order].sort().join(''), 'abcdefgh');
  assert.is(order[0], 'a');
});

test('keys that leave no room are spread anew, in the same order and with an event for each', async () => {
  const { call } = await tandem.workspace();
  const ids = await someTodos(call, 'abcd');
  const tight = ['a1', `a1${'0'.repeat(98)}1`];
  for (const [place, key] of tight.entries()) {
    await tandem.db.rows('update todos set position = $2 where id = $1', [ids['bc'[place] ?? ''], key]);
  }
  assert.is(await orderOf(call), 'adbc');
  const { body } = await call(`POST /todos/${ids.a}/move`, { after: ids.b });
  assert.is(await orderOf(call), 'dbac');
  assert.ok(body.position.length < 20);
  const { body: all } = await call('GET /todos');
  for (const { version } of all.data) assert.is(version, 2);
});

test.run();
