import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { ShownWrite } from '../../web/src/outbox/write.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';
import type { Listing } from '../../web/src/todos/filter.ts';
import { readParts } from '../../web/src/todos/parts-query.ts';
import { withPending } from '../../web/src/todos/pending.ts';

/* Lists of groups that are read one after the other. */

const test = suite('lists in groups');

const partOf = (id: string): Listing => ({ todoListId: [id] });

/** A service with so many todos in each list: `a0`, `a1` and so on. */
function serviceOf(counts: Record<string, number>) {
  const asked: string[] = [];
  const list = async (listing: Listing, { limit, cursor = '0' }: { limit: number; cursor?: string }) => {
    const id = String(listing.todoListId);
    asked.push(`${id}${cursor === '0' ? '' : `@${cursor}`}:${limit}`);
    const from = Number(cursor);
    const to = Math.min(from + limit, counts[id] ?? 0);
    const data = Array.from({ length: to - from }, (_, n) => ({ id: `${id}${from + n}` }) as Todo);
    return { data, nextCursor: to < (counts[id] ?? 0) ? `${to}` : null };
  };
  return { asked, list };
}

async function readAll(counts: Record<string, number>, limit: number) {
  const { asked, list } = serviceOf(counts);
  const parts = Object.keys(counts).map(partOf);
  const ids: string[] = [];
  const sizes: number[] = [];
  type Start = Parameters<typeof readParts>[2];
  for (let start: Start | null = { part: 0 }; start; ) {
    const page: Awaited<ReturnType<typeof readParts>> = await readParts(list, parts, start, limit);
    ids.push(...page.data.map(({ id }) => id));
    sizes.push(page.data.length);
    start = page.next;
  }
  return { ids, sizes, asked };
}

const expected = (counts: Record<string, number>) =>
  Object.entries(counts).flatMap(([id, count]) => Array.from({ length: count }, (_, n) => `${id}${n}`));

test('every todo is read once, in the order of the parts, whatever their sizes are', async () => {
  for (const limit of [1, 7, 25, 100]) {
    for (const sizes of [[0], [1], [0, 0, 3], [100, 25, 26], [300, 0, 1], [26, 26, 26, 0, 0, 1, 0, 0, 0, 5, 101]]) {
      const counts = Object.fromEntries(sizes.map((size, place) => [String.fromCharCode(97 + place), size]));
      const { ids } = await readAll(counts, limit);
      assert.equal(ids, expected(counts), `${sizes} by ${limit}`);
    }
  }
});

test('short parts are read together, and a page is not shorter for them', async () => {
  const counts = { a: 2, b: 0, c: 3, d: 0, e: 1, f: 0, g: 0, h: 0, i: 4, j: 0 };
  const { sizes, asked } = await readAll(counts, 100);
  assert.equal(sizes, [10]);
  assert.is(asked.length, 10);
  assert.equal((await readAll({ a: 250, b: 1 }, 100)).sizes, [100, 100, 51]);
});

test('what was read ahead of a long part is read again after it, and nothing of it is lost', async () => {
  const { ids, asked } = await readAll({ a: 150, b: 2 }, 100);
  assert.is(ids.length, 152);
  assert.equal(asked, ['a:100', 'b:25', 'a@100:100', 'b:100']);
});

const todoOf = (id: string, status: Todo['status']): Todo =>
  ({
    ...{ id, title: id, content: null, status, priority: null, todoListId: 'inbox', dueDate: null },
    ...{ assignees: [], labels: [], isArchived: false, isSuggested: false, version: 1 },
  }) as unknown as Todo;
const statuses = ['ready', 'in_progress', 'done'];
const placeOf = ({ status }: Todo) => statuses.indexOf(status);
const change = (todo: Todo, status: Todo['status']): ShownWrite => ({
  ...{ id: todo.id, action: { operation: 'update', change: { status } }, todos: [todo], shows: { status }, base: null },
  ...{ known: null, madeAt: 0, sentAt: null, state: 'waiting', problem: null, theirs: null },
});
const create = (todo: Todo): ShownWrite => ({
  ...change(todo, todo.status),
  action: { operation: 'create', input: { id: todo.id } },
  shows: {},
});

test('what changes its group goes there at once, and a new todo is in its own', () => {
  const [a, b, c, d] = (['ready', 'ready', 'in_progress', 'in_progress'] as const).map((status, place) =>
    todoOf('abcd'[place] as string, status),
  ) as [Todo, Todo, Todo, Todo];
  const shown = (writes: ShownWrite[], listing: Listing = { status: ['active'] }) =>
    withPending([a, b, c, d], writes, listing, 'me', placeOf)
      .todos.map(({ id }) => id)
      .join('');
  assert.is(shown([change(a, 'in_progress')]), 'bacd');
  assert.is(shown([change(d, 'ready')]), 'dabc');
  assert.is(shown([change(d, 'ready')], { status: ['active'], sort: 'dueDate', order: 'asc' }), 'abdc');
  assert.is(shown([create(todoOf('n', 'in_progress'))]), 'abncd');
  assert.is(shown([create(todoOf('n', 'ready')), change(b, 'in_progress')]), 'nabcd');
  // Once it is done it leaves the list, and keeps its place until then.
  assert.is(shown([change(a, 'done')]), 'abcd');
  assert.is(shown([change(c, 'done')], { status: ['ready', 'in_progress', 'done'] }), 'abdc');
});

test.run();
