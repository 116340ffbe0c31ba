import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { serviceOrigin } from '../../db/origin.ts';
import { applyPlain, type Change, type Only } from '../../domain/todos/change.ts';

const test = suite('texts of the statements that change todos');
const workspaceId = '01980000-0000-7000-8000-000000000001';
const todoId = '01980000-0000-7000-8000-000000000002';

/** A value for each column that differs from those of the others. */
const values = {
  title: 'A title',
  content: 'A content',
  status: 'in_progress',
  priority: 3,
  type: 'responsibility',
  todo_list_id: '01980000-0000-7000-8000-000000000003',
  due_date: '2027-02-28',
  parent_todo_id: '01980000-0000-7000-8000-000000000004',
  is_suggested: false,
} as const;
const names = Object.keys(values) as (keyof typeof values)[];

/** All sets of columns, in their order and in the reverse one. */
const sets = Array.from({ length: 2 ** names.length - 1 }, (_, bits) => names.filter((_, i) => (bits + 1) & (1 << i)));

/** The statement of a change, which is not executed. */
async function statementOf(
  columns: Change['columns'],
  only: Only,
): Promise<{ text: string; given: readonly unknown[] }> {
  let sent: { text: string; given: readonly unknown[] } | undefined;
  const db = {
    origin: serviceOrigin(),
    rows: async (text: string, given: readonly unknown[]) => {
      sent = { text, given };
      return [];
    },
  } as unknown as Db;
  const change = { columns, assignees: undefined, labels: undefined, schedule: undefined, schedulePaused: undefined };
  await applyPlain(db, workspaceId, todoId, change, only);
  return sent ?? { text: '', given: [] };
}

test('the text of each set of columns names these, in their order, with the values that are sent with it', async () => {
  for (const only of ['any', 'unscheduled', 'untouched'] as const) {
    for (const set of [...sets, ...sets.map((each) => each.toReversed())]) {
      const { text, given } = await statementOf(Object.fromEntries(set.map((name) => [name, values[name]])), only);
      const [, assigned = ''] = /update todos set (.*?), updated_at = /.exec(text) ?? [];
      const found = [...assigned.matchAll(/(\w+) = \$(\d+)/g)].map(([, name, place]) => [
        name,
        given[Number(place) - 1],
      ]);
      assert.equal(
        found,
        set.map((name) => [name, values[name]]),
        `${only} ${set}`,
      );
      const places = new Set([...text.matchAll(/\$(\d+)/g)].map(([, place]) => Number(place)));
      assert.is(places.size, given.length, `${only} ${set}`);
      assert.is(text.includes('not todos.is_scheduled'), only !== 'any');
      assert.is(text.includes('latest_run_id is null'), only === 'untouched');
    }
  }
});

test('the same shape has the same text again, whatever its values are', async () => {
  const [one, two] = [await statementOf({ title: 'One' }, 'any'), await statementOf({ title: 'Two' }, 'any')];
  assert.is(one.text, two.text);
  assert.ok(one.given.includes('One') && two.given.includes('Two'));
});

test.run();
