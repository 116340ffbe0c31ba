import * as assert from 'uvu/assert';
import type { TestService } from './harness.ts';
import { queryOf, unknownId, walk } from './todo-fixtures.ts';
import {
  captures,
  days,
  inOrder,
  instants,
  matches,
  pickOf,
  populate,
  type Query,
  randomOf,
  scheduleStatuses,
  summaryOf,
  words,
} from './todo-oracle.ts';

/**
 * Asks for todos by so many random combinations of filters, sort and order, and compares what is listed, counted and
 * summarised with the rules (`todo-oracle.ts`).
 */
export async function compareFilters(tandem: TestService, rounds: number): Promise<void> {
  const seed = Number(process.env.ORACLE_SEED ?? 20260301);
  const random = randomOf(seed);
  const pick = pickOf(random);
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  const { todos, lists, assignees, labels } = await populate(tandem, workspace, 300, random);
  /** One value, or several of them, some twice. */
  const some = (items: readonly string[]) =>
    Array.from({ length: pick([1, 1, 1, 2, 3, 4]) }, () => pick(items)).join(',');
  const values: Record<keyof Query, () => string> = {
    status: () => some(['ready', 'in_progress', 'done', 'active', 'active']),
    priority: () => some(['urgent', 'high', 'medium', 'low', 'none']),
    type: () => pick(['task', 'responsibility']),
    todoListId: () => some([...lists, ...lists, unknownId]),
    captureId: () => pick([...captures, ...captures, unknownId]),
    assigneeId: () => some([...assignees, ...assignees, 'me', unknownId]),
    labelId: () => some([...labels, ...labels, unknownId]),
    assignedToMe: () => pick(['true', 'false']),
    unassigned: () => pick(['true', 'false']),
    includeArchived: () => pick(['true', 'false']),
    archived: () => 'any',
    isSuggested: () => pick(['true', 'false']),
    scheduleStatus: () => some(scheduleStatuses),
    hasRun: () => pick(['true', 'false']),
    updatedSince: () => pick([...instants, '2026-03-01T13:59:59.9991+02:00', '2026-03-02T00:00:00Z']),
    createdSince: () => pick([...instants, '2026-02-28T19:00:00.001-05:00', '2026-03-01T00:00:00Z']),
    dueBefore: () => pick(days),
    dueAfter: () => pick(days),
    query: () =>
      pick([...words, 'udget', 'émi', 'str x', 'x X', '%', '_', '\\', 'é', 'zzz', '预算', 'budget émile', 'x\ty']),
    sort: () => pick(['createdAt', 'updatedAt', 'dueDate', 'priority']),
    order: () => pick(['asc', 'desc']),
  };
  let [matched, empty] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    const share = pick([0.05, 0.15, 0.3]);
    const query: Query = {};
    for (const [name, value] of Object.entries(values) as [keyof Query, () => string][]) {
      if (random() < (['sort', 'order'].includes(name) ? 0.7 : share)) query[name] = value();
    }
    const hint = `seed ${seed}, round ${round}: ${JSON.stringify(query)}`;
    const expected = todos.filter((todo) => matches(todo, query, userId)).sort(inOrder(query));
    const listed = await walk(call, { ...query, limit: pick([13, 40, 100]) });
    assert.equal(
      listed.map(({ id }) => id),
      expected.map(({ id }) => id),
      hint,
    );
    assert.equal(listed[0], expected[0], hint);
    const counted = await call(`GET /todos?${queryOf({ ...query, include: 'totalCount', limit: 1 })}`);
    assert.is(counted.body.totalCount, expected.length, hint);
    const { sort: _, order: __, ...filters } = query;
    assert.equal((await call(`GET /todos/summary?${queryOf(filters)}`)).body, summaryOf(expected), hint);
    matched += expected.length;
    empty += expected.length === 0 ? 1 : 0;
  }
  const thin = matched <= 10 * rounds || empty >= rounds / 2;
  assert.not(thin, `the combinations are too thin: ${matched} todos, ${empty} empty lists`);
}
