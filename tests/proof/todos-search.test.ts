import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { walk } from '../support/todo-fixtures.ts';
import { inOrder, pickOf, randomOf } from '../support/todo-oracle.ts';

const test = suite('searching thousands of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** A workspace of 2,600 todos; every hundredth holds a rare word, the others one that all of these hold. */
async function crowd(workspaceId: string) {
  const pick = pickOf(randomOf(5));
  const days = [null, null, '2026-03-01', '2026-03-02', '2026-03-03'];
  const moments = Array.from({ length: 9 }, (_, index) => `2026-03-01T09:00:00.00${index}Z`);
  const rows = Array.from({ length: 2600 }, (_, index) => ({
    id: newId(),
    title: index % 100 === 17 ? 'needle hay' : 'hay',
    priority: pick([null, null, 1, 2, 3, 4]),
    due: pick(days),
    created: pick(moments),
    updated: pick(moments),
  }));
  await tandem.db.rows(
    `with r as (select * from jsonb_to_recordset($2::jsonb)
        as r(id uuid, title text, priority smallint, due date, created timestamptz, updated timestamptz)),
      made as (insert into todos (workspace_id, id, title, priority, todo_list_id, due_date, created_at, updated_at)
        select $1, id, title, priority, (select l.id from todo_lists l where l.workspace_id = $1), due, created, updated from r)
    insert into todo_search (workspace_id, todo_id, title, content) select $1, id, title, '' from r`,
    [workspaceId, JSON.stringify(rows)],
  );
  return rows.map(({ id, title, priority, due, created, updated }) => {
    const name = priority === null ? null : ['low', 'medium', 'high', 'urgent'][priority - 1];
    return { id, title, priority: name, dueDate: due, createdAt: created, updatedAt: updated } as TodoAnswer;
  });
}

test('a rare word among thousands of todos is walked exactly once, by every sort and page size', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const rare = (await crowd(workspaceId)).filter(({ title }) => title !== 'hay');
  assert.is(rare.length, 26);
  for (const sort of ['createdAt', 'updatedAt', 'dueDate', 'priority'] as const) {
    for (const order of ['asc', 'desc'] as const) {
      const expected = rare.sort(inOrder({ sort, order })).map(({ id }) => id);
      for (const [query, limit] of [
        ['needle', 1],
        ['needle', 2],
        ['needle', 3],
        ['NEEDLE hay', 5],
        ['eedl', 7],
        ['dl', 7],
        ['needle', 100],
      ]) {
        const listed = await walk(call, { sort, order, limit, query });
        assert.equal(
          listed.map(({ id }) => id),
          expected,
          `${query} by ${sort} ${order}, ${limit} a page`,
        );
      }
    }
  }
  const { body } = await call('GET /todos?query=needle&include=totalCount&limit=1');
  assert.is(body.totalCount, 26);
  assert.is((await call('GET /todos/summary?query=needle')).body.total, 26);
  assert.is((await call('GET /todos/summary?query=hay')).body.total, 2600);
});

test('a common word among thousands is walked exactly once beside a writer', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const all = await crowd(workspaceId);
  const ids = new Set(all.map(({ id }) => id));
  let turns = 0;
  const between = () => call('POST /todos', { title: `hay ${turns++}`, priority: 'high' });
  for (const sort of ['createdAt', 'priority'] as const) {
    const listed = await walk(call, { sort, order: 'desc', limit: 100, query: 'hay', status: 'active' }, between);
    const kept = listed.map(({ id }) => id).filter((id) => ids.has(id));
    assert.equal(
      kept,
      all.sort(inOrder({ sort, order: 'desc' })).map(({ id }) => id),
      sort,
    );
  }
});

test.run();
