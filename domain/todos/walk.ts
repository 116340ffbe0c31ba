import type { Bindings } from '../../db/bindings.ts';
import type { Position } from '../page.ts';
import { type Criteria, conditionsOf, type Viewer, visibilitiesOf } from './filter.ts';
import type { TodoListingInput } from './listing-shapes.ts';
import { priorityRank } from './rows.ts';
import type { TodoAnswer } from './shapes.ts';

interface Sort {
  column: 't.created_at' | 't.updated_at' | 't.due_date' | 't.priority';
  type: 'timestamptz' | 'date' | 'smallint';
  nullable: boolean;
  of: (todo: TodoAnswer) => string | number | null;
}

/** The orders of a page, by name. */
export const sorts: Record<TodoListingInput['sort'], Sort> = {
  createdAt: { column: 't.created_at', type: 'timestamptz', nullable: false, of: (todo) => todo.createdAt },
  updatedAt: { column: 't.updated_at', type: 'timestamptz', nullable: false, of: (todo) => todo.updatedAt },
  dueDate: { column: 't.due_date', type: 'date', nullable: true, of: (todo) => todo.dueDate },
  priority: {
    column: 't.priority',
    type: 'smallint',
    nullable: true,
    of: (todo) => (todo.priority === null ? null : priorityRank(todo.priority)),
  },
};

/** A page of todos in a total order: the filter, the order and the position after which it starts. */
export interface Walk {
  viewer: Viewer;
  criteria: Criteria;
  sort: Sort;
  order: 'asc' | 'desc';
  after: Position | undefined;
}

type Half = 'valued' | 'null' | 'all';

/** The halves of a sort with nulls that can have rows: with a value, without one. */
export function halvesOf({ criteria, sort, after }: Walk): Half[] {
  if (!sort.nullable) return ['all'];
  const { dueBefore, dueAfter, priorities } = criteria;
  const byDue = sort.column === 't.due_date';
  const neverNull = byDue
    ? dueBefore !== undefined || dueAfter !== undefined
    : priorities.length > 0 && !priorities.includes('none');
  const onlyNull = !byDue && priorities.length === 1 && priorities[0] === 'none';
  const valued = onlyNull || after?.[0] === null ? [] : (['valued'] as const);
  return neverNull ? [...valued] : [...valued, 'null'];
}

/** Criteria without those on assignees. */
export const anybody = { assigneeIds: [], isUnassigned: false } as const;

/** The assignees whose index is walked: that index is in the order of creation. */
export function assigneesWalked({ criteria, sort }: Walk): readonly string[] {
  return sort.column === 't.created_at' ? criteria.assigneeIds : [];
}

/** Todos of the assignees that are read to sort them. */
const maxSorted = 2000;
/** Ids of todos of the assignees that are hashed, which PostgreSQL does in 8 MB. */
const maxHashed = 150_000;

/** Whether the assignees are looked up late: by sorting all their todos, or while walking another index. */
function looksUpAssignees({ criteria, sort }: Walk): boolean {
  return sort.column !== 't.created_at' && criteria.assigneeIds.length > 0;
}

/** One range of a walk, which an index returns in order. */
interface Range {
  /** Undefined where the shared conditions say it. */
  visibility: string | undefined;
  /** The condition that the other ranges do not have. */
  condition: (bindings: Bindings) => string;
}

const inList = (id: string) => (bindings: Bindings) => `t.todo_list_id = ${bindings.bind(id)}`;
const everything = { only: {}, conditions: [() => 'true'] };

/**
 * The values of one filter of which each has an index in the order of the walk, as a condition for each; `only` are the
 * criteria without that filter.
 */
function splitOf(walk: Walk, half: Half): { only: Partial<Criteria>; conditions: Range['condition'][] } {
  const { criteria, sort } = walk;
  const { statuses, priorities, listIds } = criteria;
  if (sort.column === 't.priority' && half === 'valued' && priorities.length > 1) {
    const named = priorities.flatMap((name) => (name === 'none' ? [] : priorityRank(name)));
    const only = { priorities: [], ...(looksUpAssignees(walk) && anybody) };
    return { only, conditions: named.map((rank) => () => `t.priority = ${rank}`) };
  }
  if (looksUpAssignees(walk)) return { only: anybody, conditions: [() => 'true'] };
  if (sort.column !== 't.created_at') return everything;
  const assignees = assigneesWalked(walk);
  if (assignees.length > 0) {
    const isOf = (id: string) => (bindings: Bindings) =>
      `a.workspace_id = t.workspace_id and a.assignee_id = ${bindings.bind(id)}`;
    return { only: anybody, conditions: assignees.map(isOf) };
  }
  if (listIds.length > 1) return { only: { listIds: [] }, conditions: listIds.map(inList) };
  if (statuses.length < 2) return everything;
  return { only: { statuses: [] }, conditions: statuses.map((status) => () => `t.status = '${status}'`) };
}

/** Whether the active and the archived todos are walked apart: their indexes are. */
function isSplitByVisibility({ criteria, sort }: Walk): boolean {
  const hasIndexOfBoth =
    sort.column === 't.created_at' && (criteria.assigneeIds.length > 0 || criteria.listIds.length > 0);
  return visibilitiesOf(criteria).length > 1 && !hasIndexOfBoth;
}

interface RangesOfHalf {
  half: Half;
  only: Partial<Criteria>;
  ranges: Range[];
}

function rangesOf(walk: Walk): RangesOfHalf[] {
  const visibilities = isSplitByVisibility(walk) ? visibilitiesOf(walk.criteria) : [undefined];
  return halvesOf(walk).map((half) => {
    const { only, conditions } = splitOf(walk, half);
    const ranges = visibilities.flatMap((visibility) => conditions.map((condition) => ({ visibility, condition })));
    return { half, only, ranges };
  });
}

/** Whether a walk has several branches, whose rows are sorted together. */
export function isBranched(walk: Walk): boolean {
  return looksUpAssignees(walk) || rangesOf(walk).flatMap(({ ranges }) => ranges).length > 1;
}

/**
 * The todos of assignees whose look-up is late, and the branches of a range that read them, of which one runs: it sorts
 * few todos, finds those of many by a hash of their ids while walking the index, whose entries are enough for that, and
 * looks each one up where they are too many for a hash. `offset 0` and `is true` keep the planner from joins, whose order
 * depends on estimates.
 */
function lateSources({ viewer, criteria }: Walk, bindings: Bindings) {
  const workspace = bindings.bind(viewer.workspaceId);
  const isTheirs = `a.workspace_id = ${workspace} and a.assignee_id = any(${bindings.bind(criteria.assigneeIds)}::uuid[])`;
  const count = '(select count(*) from theirs)';
  const isOne = `exists (select from todo_assignees a where ${isTheirs} and a.created_at = t.created_at
    and a.todo_id = t.id offset 0)`;
  const byId = (id: string) => `cross join lateral (
    select * from todos t where t.workspace_id = ${workspace} and t.id = ${id} offset 0)`;
  return {
    before: `with theirs as materialized (
        select a.todo_id from todo_assignees a where ${isTheirs} limit ${maxHashed + 1}
      ), few as materialized (
        select c.* from (select distinct todo_id from theirs where ${count} <= ${maxSorted}) f ${byId('f.todo_id')} c
      ) `,
    byId,
    many: [
      `${count} between ${maxSorted + 1} and ${maxHashed} and (t.id in (select todo_id from theirs)) is true`,
      `${count} > ${maxHashed} and ${isOne}`,
    ],
  };
}

/**
 * The rows of a walk as a query of `columns` of `todos t`, in its total order: value, nulls last, id. Every range that
 * an index returns in order is a branch of its own, because one ORDER BY over all of them would read and sort all rows:
 * rows with and without a value, distinguished by `rank`, and each of several values of a filter. A todo of several
 * assignees is in the branch of each, and once in the result. `limit` is a bound parameter.
 */
export function walkOf(walk: Walk, bindings: Bindings, limit: string, columns: string): string {
  const { viewer, criteria, sort, order, after } = walk;
  const turn = order === 'asc' ? '>' : '<';
  const assignees = assigneesWalked(walk);
  const from = assignees.length > 0 ? 'todo_assignees a join todos t on t.id = a.todo_id' : 'todos t';
  const [column, id] = assignees.length > 0 ? ['a.created_at', 'a.todo_id'] : [sort.column, 't.id'];
  const halves = rangesOf(walk);
  const shared = new Map<string, string[]>();
  const sharedBy = (only: Partial<Criteria>, visibility: string | undefined) => {
    const name = `${Object.keys(only)} ${visibility}`;
    const known = shared.get(name) ?? conditionsOf(viewer, { ...criteria, ...only }, bindings, visibility);
    shared.set(name, known);
    return known;
  };
  const ranges = halves.flatMap(({ half, only, ranges: found }) =>
    found.map(({ visibility, condition }) => ({ half, where: [...sharedBy(only, visibility), condition(bindings)] })),
  );
  const value = after && after[0] !== null ? `${bindings.bind(after[0])}::${sort.type}` : null;
  const last = after && bindings.bind(after[1]);
  const late = looksUpAssignees(walk) ? lateSources(walk, bindings) : undefined;
  const branches = ranges.flatMap(({ half, where }) => {
    if (half === 'valued') where.push(`${sort.column} is not null`);
    if (half === 'null') where.push(`${sort.column} is null`);
    if (half === 'null' && value === null && last) where.push(`t.id ${turn} ${last}`);
    if (half !== 'null' && value !== null) where.push(`(${column}, ${id}) ${turn} (${value}, ${last})`);
    const rank = halves.length === 1 ? '' : `, ${half === 'null' ? 1 : 0} as rank`;
    const first = (what: string, source: string, condition = 'true') =>
      `(select ${what} from ${source} where ${[...where, condition].join(' and ')}
        order by ${column} ${order}, ${id} ${order} limit ${limit})`;
    if (!late) return [first(`${columns}${rank}`, from)];
    const many = late.many.map((condition) => {
      return `(select ${columns}${rank} from ${first('t.id', from, condition)} o ${late.byId('o.id')} t)`;
    });
    return [first(`${columns}${rank}`, 'few t'), ...many];
  });
  if (branches.length === 1) return branches[0] ?? '';
  const together = assignees.length > 1 ? ' union ' : ' union all ';
  return `(${late?.before ?? ''}select * from (${branches.join(together)}) as t order by ${orderOf(walk)} limit ${limit})`;
}

/** The ORDER BY of a walk over rows named `t`. */
export function orderOf(walk: Walk): string {
  const { sort, order } = walk;
  return `${halvesOf(walk).length > 1 ? 't.rank, ' : ''}${sort.column} ${order}, t.id ${order}`;
}
