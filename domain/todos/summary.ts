import type { z } from 'zod';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { termsOf } from '../search.ts';
import { countedTodos } from './counts.ts';
import { areActive, type Criteria, conditionsOf, criteriaOf, planOf, type Viewer } from './filter.ts';
import type { TodoFilter } from './listing-shapes.ts';
import { priorityRank } from './rows.ts';
import { hitsOf } from './search-index.ts';
import { priorities, type TodoStatus } from './shapes.ts';

interface Group {
  status: z.infer<typeof TodoStatus>;
  priority: number | null;
  count: number;
  minutes: number | null;
}

/** `select what` over the todos of a filter, free text included. `tailOf` continues its conditions. */
export function over(
  what: string,
  viewer: Viewer,
  criteria: Criteria,
  tailOf: (bind: (value: unknown) => string) => string = () => '',
): { text: string; values: unknown[] } {
  const bindings = new Bindings(viewer.workspaceId);
  const { query } = criteria;
  const hits = query === undefined ? '' : `with ${hitsOf(viewer.workspaceId, termsOf(query), bindings)} `;
  const from = hits === '' ? 'todos t' : 'hits h join todos t on t.id = h.todo_id';
  const where = conditionsOf(criteria, bindings).join(' and ');
  const tail = tailOf((value) => bindings.bind(value));
  return { text: `${hits}select ${what} from ${from} where ${where} ${tail}`, values: bindings.values };
}

/** The same out of the numbers that are kept, for a filter that needs no others. */
function ofKept(db: Db, viewer: Viewer, { statuses, priorities, listIds }: Criteria) {
  const bindings = new Bindings(viewer.workspaceId);
  const ranks = priorities.map((name) => (name === 'none' ? 0 : priorityRank(name)));
  const where = (column: string, type: string, wanted: readonly unknown[]) =>
    wanted.length > 0 ? [`c.${column} = any(${bindings.bind(wanted)}::${type}[])`] : [];
  const conditions = [
    ...where('status', 'text', statuses),
    ...where('priority', 'smallint', ranks),
    ...where('todo_list_id', 'uuid', listIds),
  ];
  const text = `select c.status, nullif(c.priority, 0) as priority, sum(c.todos)::int as count, sum(c.minutes)::int as minutes
    from ${countedTodos(db.engine)} c where ${['true', ...conditions].join(' and ')}
    group by c.status, c.priority having sum(c.todos) <> 0`;
  return { text, values: bindings.values };
}

/** The todos of a filter by status and priority, out of the numbers that are kept; undefined where it needs others. */
async function keptGroups(db: Db, viewer: Viewer, criteria: Criteria): Promise<Group[] | undefined> {
  if (!areActive(criteria, ['statuses', 'priorities', 'listIds'])) return undefined;
  const { text, values } = ofKept(db, viewer, criteria);
  return db.rows<Group>(text, values, 'generic');
}

/** The same by counting them. */
function countedGroups(db: Db, viewer: Viewer, criteria: Criteria): Promise<Group[]> {
  const what = `t.status, t.priority, count(*)::int as count,
    (sum(t.minutes_saved) filter (where t.status = 'done'))::int as minutes`;
  const { text, values } = over(what, viewer, criteria, () => 'group by t.status, t.priority');
  return db.rows<Group>(text, values, planOf(criteria));
}

/** How many todos a filter matches, over all pages. */
export async function countTodos(db: Db, viewer: Viewer, criteria: Criteria): Promise<number> {
  const groups = await keptGroups(db, viewer, criteria);
  if (groups) return groups.reduce((sum, { count }) => sum + count, 0);
  // The dates of most filters have an index that is read alone for a count, but not for its groups.
  const { text, values } = over('count(*)::int as count', viewer, criteria);
  const [row] = await db.rows<{ count: number }>(text, values, planOf(criteria));
  return row?.count ?? 0;
}

/** Counts by status and by priority of the todos that a filter matches, and the minutes saved by the completed ones. */
export async function summariseTodos({ db, principal }: Context, filter: TodoFilter) {
  const criteria = criteriaOf(principal, filter);
  const groups = (await keptGroups(db, principal, criteria)) ?? (await countedGroups(db, principal, criteria));
  const countOf = (holds: (group: Group) => boolean) =>
    groups.reduce((sum, group) => sum + (holds(group) ? group.count : 0), 0);
  const [urgent, high, medium, low] = priorities.map((name) =>
    countOf((group) => group.priority === priorityRank(name)),
  );
  const byStatus = {
    ready: countOf((group) => group.status === 'ready'),
    in_progress: countOf((group) => group.status === 'in_progress'),
    done: countOf((group) => group.status === 'done'),
  };
  return {
    object: 'todo_summary' as const,
    total: countOf(() => true),
    active: byStatus.ready + byStatus.in_progress,
    byStatus,
    byPriority: {
      urgent: urgent ?? 0,
      high: high ?? 0,
      medium: medium ?? 0,
      low: low ?? 0,
      none: countOf((group) => group.priority === null),
    },
    minutesSaved: groups.reduce((sum, group) => sum + (group.minutes ?? 0), 0),
  };
}
