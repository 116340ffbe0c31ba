import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { isFull } from '../support/proof-size.ts';
import { refused, walk } from '../support/todo-fixtures.ts';
import { inOrder, pickOf, type Query, randomOf } from '../support/todo-oracle.ts';

const test = suite('pages of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const sorts = ['createdAt', 'updatedAt', 'dueDate', 'priority', 'position'] as const;
const orders = ['asc', 'desc'] as const;
const sizes = isFull ? [1, 2, 3, 5, 7] : [1, 3, 7];
/** Of pages between which the other writer writes: each page costs several requests. */
const sizesBesideWriter = isFull ? sizes : [2, 5];
/** Each is answered in a way of its own: by sort index, by one range per status, by search. */
const ways: Query[] = [{}, { status: 'active' }, { query: 'steady word' }];

const days = [null, null, '2026-03-01', '2026-03-02'];
/** Null: where its id places it, between the others. */
const positions = [null, '01', '01', 'f'];
const moments = ['2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00.001Z', '2026-03-01T09:00:00.002Z'];

/** Todos whose sort values are null or tied, none of which the other writer moves. */
async function steady({ call, workspaceId }: TestWorkspace, count: number): Promise<TodoAnswer[]> {
  const pick = pickOf(randomOf(7));
  const data = Array.from({ length: count }, () => ({
    title: 'a steady word',
    ...pick([{}, { priority: pick(['urgent', 'high', 'low']) }]),
  }));
  const { body } = await call('POST /todos/batch', { data });
  for (const { id } of body.data) {
    await tandem.db.rows(
      `update todos set due_date = $3, created_at = $4, updated_at = $5, status = $6, position = $7
        where workspace_id = $1 and id = $2`,
      [workspaceId, id, pick(days), pick(moments), pick(moments), pick(['ready', 'in_progress']), pick(positions)],
    );
  }
  return walk(call, { limit: 100 });
}

for (const sort of sorts) {
  for (const order of orders) {
    test(`by ${sort} ${order}, every todo comes exactly once and in order, at every page size`, async () => {
      const workspace = await tandem.workspace();
      const expected = (await steady(workspace, 20)).sort(inOrder({ sort, order })).map(({ id }) => id);
      for (const way of ways) {
        for (const limit of sizes) {
          const listed = await walk(workspace.call, { sort, order, limit, ...way });
          assert.equal(
            listed.map(({ id }) => id),
            expected,
            `${JSON.stringify(way)} by ${limit}`,
          );
        }
      }
    });
  }
}

/**
 * Another writer: each turn makes a todo, moves one to a random place, archives or restores one, touches a steady one.
 */
function writerOf({ call, workspaceId }: TestWorkspace, fixed: TodoAnswer[], sort: string) {
  const random = randomOf(11);
  const pick = pickOf(random);
  const movers: string[] = [];
  let turns = 40;
  return async () => {
    if (turns-- <= 0) return;
    const todo = { title: 'a steady word, but new', ...pick([{}, { priority: pick(['urgent', 'medium']) }]) };
    const { body } = await call('POST /todos', todo);
    movers.push(body.id);
    await tandem.db.rows(
      `update todos set due_date = $3, priority = $4, created_at = $5, updated_at = $6,
        archived_at = case when $7 then now() end where workspace_id = $1 and id = $2`,
      [workspaceId, pick(movers), pick(days), pick([null, 1, 2, 3, 4]), pick(moments), pick(moments), random() < 0.2],
    );
    const touched = pick(fixed);
    if (sort === 'updatedAt') await call(`GET /todos/${touched.id}`);
    else await call(`PATCH /todos/${touched.id}`, { content: String(turns), assignees: [] });
  };
}

for (const sort of sorts) {
  for (const order of orders) {
    test(`by ${sort} ${order}, what stays put comes exactly once while others write`, async () => {
      for (const way of ways) {
        const workspace = await tandem.workspace();
        const fixed = await steady(workspace, 14);
        const expected = [...fixed].sort(inOrder({ sort, order })).map(({ id }) => id);
        for (const limit of sizesBesideWriter) {
          const between = writerOf(workspace, fixed, sort);
          const listed = (await walk(workspace.call, { sort, order, limit, ...way }, between)).map(({ id }) => id);
          const hint = `${JSON.stringify(way)} by ${limit}`;
          assert.equal(
            listed.filter((id) => expected.includes(id)),
            expected,
            hint,
          );
        }
      }
    });
  }
}

test('a walk beside a writer that never pauses misses nothing that stays put', async () => {
  const workspace = await tandem.workspace();
  const fixed = await steady(workspace, 30);
  const ids = new Set(fixed.map(({ id }) => id));
  let walking = true;
  const write = async () => {
    for (let turn = 0; walking && turn < 300; turn++) {
      const { body } = await workspace.call('POST /todos', { title: 'a steady word', dueDate: '2026-03-01' });
      await workspace.call(`PATCH /todos/${body.id}`, {
        dueDate: turn % 2 ? null : '2026-03-02',
        status: 'in_progress',
      });
      if (turn % 3 === 0) await workspace.call(`DELETE /todos/${body.id}?permanent=${turn % 2 === 0}`);
    }
  };
  const writing = Promise.all([write(), write()]);
  try {
    for (const way of ways) {
      const listed = await walk(workspace.call, { sort: 'dueDate', order: 'asc', limit: 7, ...way });
      const seen = listed.filter(({ id }) => ids.has(id)).map(({ id }) => id);
      assert.is(seen.length, ids.size);
      assert.is(new Set(seen).size, ids.size);
    }
  } finally {
    walking = false;
    await writing;
  }
});

test('a page is 25 todos unless limit says otherwise, and limit may change from page to page', async () => {
  const { call } = await tandem.workspace();
  for (const count of [50, 10]) {
    await call('POST /todos/batch', { data: Array.from({ length: count }, () => ({ title: 'a' })) });
  }
  const all = (await walk(call, { limit: 100 })).map(({ id }) => id);
  const listed: string[] = [];
  let cursor = '';
  for (const limit of ['', '&limit=1', '&limit=30', '&limit=100']) {
    const { body } = await call(`GET /todos?${cursor}${limit}`);
    listed.push(...body.data.map(({ id }: TodoAnswer) => id));
    assert.is(listed.length, { '': 25, '&limit=1': 26, '&limit=30': 56, '&limit=100': 60 }[limit]);
    cursor = `cursor=${body.nextCursor}`;
  }
  assert.equal(listed, all);
  assert.is(cursor, 'cursor=null');
});

test('a page that ends with the last todo says that there is no more', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos/batch', { data: Array.from({ length: 6 }, () => ({ title: 'a' })) });
  const { body: first } = await call('GET /todos?limit=3&include=totalCount');
  assert.equal([first.hasMore, first.data.length, first.totalCount], [true, 3, 6]);
  const { body: last } = await call(`GET /todos?limit=3&cursor=${first.nextCursor}`);
  assert.equal([last.hasMore, last.data.length, last.nextCursor, last.totalCount], [false, 3, null, null]);
  const whole = await call('GET /todos?limit=6');
  assert.equal([whole.body.hasMore, whole.body.nextCursor], [false, null]);
  assert.equal((await call('GET /todos?query=nothing&include=totalCount')).body, {
    object: 'list',
    data: [],
    hasMore: false,
    nextCursor: null,
    totalCount: 0,
  });
  refused(await call('GET /todos?limit=1&cursor=null'), 400, 'cursor', 'invalid_cursor');
});

test.run();
