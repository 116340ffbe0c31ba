import type { Bindings } from '../../db/bindings.ts';
import type { Position } from '../page.ts';
import { type Criteria, conditionsOf, criteriaOf, type Viewer, visibilitiesOf } from './filter.ts';
import { type Late, type Link, lateLinked, lateNarrow, lateUnassigned } from './late.ts';
import type { TodoListingInput } from './listing-shapes.ts';
import { positionColumn } from './order-keys.ts';
import { priorityRank } from './rows.ts';
import type { TodoAnswer } from './shapes.ts';

interface Sort {
  column: 't.created_at' | 't.updated_at' | 't.due_date' | 't.priority' | typeof positionColumn;
  type: 'timestamptz' | 'date' | 'smallint' | 'text';
  nullable: boolean;
  /** What the column is computed of, beside the id, where it is an expression. */
  reads?: 't.position';
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
  position: {
    column: positionColumn,
    type: 'text',
    nullable: false,
    reads: 't.position',
    of: (todo) => todo.position,
  },
};

/** A page of todos in a total order: the filter, the order and the position after which it starts. */
export interface Walk {
  viewer: Viewer;
  criteria: Criteria;
  sort: Sort;
  order: 'asc' | 'desc';
  after: Position | undefined;
  /** Bytes of contents that the page may have, where these are fewer than those of any. */
  pageBytes?: number;
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

/** Criteria without those on links. */
export const unlinked = { assigneeIds: [], labelIds: [] } as const;

/** What a filter names that todos are linked to. */
function linksOf({ assigneeIds, labelIds }: Criteria): Link[] {
  const assignees = { table: 'todo_assignees', column: 'assignee_id', ids: assigneeIds } as const;
  return [assignees, { table: 'todo_labels', column: 'label_id', ids: labelIds } as const].filter(
    ({ ids }) => ids.length > 0,
  );
}

/** The link whose index is walked: that index is in the order of creation. */
export function linkWalked({ criteria, sort }: Walk): Link | undefined {
  const [link, another] = linksOf(criteria);
  return sort.column === 't.created_at' && !another ? link : undefined;
}

/** The links that are looked up late: by sorting all their todos, or while walking another index. */
function lateLinks(walk: Walk): readonly [Link, Link | undefined] | undefined {
  const [first, second] = linksOf(walk.criteria);
  return first && !linkWalked(walk) ? [first, second] : undefined;
}

/** Whether todos of nobody are looked up late: those of a label are few, or found by its index. */
function looksUpNobody({ criteria }: Walk): boolean {
  return criteria.isUnassigned && criteria.labelIds.length === 0;
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
    const only = { priorities: [], ...(lateLinks(walk) && unlinked) };
    return { only, conditions: named.map((rank) => () => `t.priority = ${rank}`) };
  }
  if (lateLinks(walk)) return { only: unlinked, conditions: [() => 'true'] };
  if (sort.column !== 't.created_at') return everything;
  const link = linkWalked(walk);
  if (link) {
    const isOf = (id: string) => (bindings: Bindings) =>
      `a.workspace_id = t.workspace_id and a.${link.column} = ${bindings.bind(id)}`;
    return { only: unlinked, conditions: link.ids.map(isOf) };
  }
  if (listIds.length > 1) return { only: { listIds: [] }, conditions: listIds.map(inList) };
  if (statuses.length < 2) return everything;
  return { only: { statuses: [] }, conditions: statuses.map((status) => () => `t.status = '${status}'`) };
}

/** Whether the active and the archived todos are walked apart: their indexes are. */
function isSplitByVisibility(walk: Walk): boolean {
  const { criteria, sort } = walk;
  const isByList = sort.column === 't.created_at' && criteria.listIds.length > 0;
  const hasIndexOfBoth = linkWalked(walk) !== undefined || (isByList && !lateLinks(walk));
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

/**
 * What a filter names of the todos that an index of its own has, other than the one that is walked: parents, or a range
 * of dates. Undefined where it names no such thing.
 */
function narrowingOf({ criteria, sort }: Walk): Partial<Criteria> | undefined {
  const { hasParent, parentTodoId, dueBefore, dueAfter, updatedSince, createdSince } = criteria;
  if (linksOf(criteria).length > 0 || criteria.isUnassigned || visibilitiesOf(criteria).length > 1) return undefined;
  if (hasParent === true || parentTodoId !== undefined) return { hasParent, parentTodoId };
  if ((dueBefore ?? dueAfter) !== undefined && sort !== sorts.dueDate) return { dueBefore, dueAfter };
  if (updatedSince !== undefined && sort !== sorts.updatedAt) return { updatedSince };
  if (createdSince !== undefined && sort !== sorts.createdAt) return { createdSince };
  return undefined;
}

/** Whether a walk has several branches, whose rows are sorted together. */
export function isBranched(walk: Walk): boolean {
  if (lateLinks(walk) || looksUpNobody(walk) || narrowingOf(walk)) return true;
  return rangesOf(walk).flatMap(({ ranges }) => ranges).length > 1;
}

/** What a walk looks up late, if anything. */
function lateOf(walk: Walk, bindings: Bindings): Late | undefined {
  const { viewer, criteria } = walk;
  const links = lateLinks(walk);
  if (links) return lateLinked(links, bindings);
  if (looksUpNobody(walk)) return lateUnassigned();
  const narrowing = narrowingOf(walk);
  if (!narrowing) return undefined;
  // With a capture or suggestions other todos are visible.
  const { includeArchived, captureId, isSuggested } = criteria;
  const range = { ...criteriaOf(viewer, {}), ...narrowing, includeArchived, captureId, isSuggested };
  return lateNarrow(conditionsOf(range, bindings));
}

/**
 * The rows of a walk as a query of `columns` of `todos t`, in its total order: value, nulls last, id. Every range that
 * an index returns in order is a branch of its own, because one ORDER BY over all of them would read and sort all rows:
 * rows with and without a value, distinguished by `rank`, and each of several values of a filter. A todo of several
 * assignees or labels is in the branch of each, and once in the result. The bindings are those of the workspace;
 * `limit` is one of them.
 */
export function walkOf(walk: Walk, bindings: Bindings, limit: string, columns: string): string {
  const { criteria, sort, order, after } = walk;
  const turn = order === 'asc' ? '>' : '<';
  const link = linkWalked(walk);
  const from = link ? `${link.table} a join todos t on t.id = a.todo_id` : 'todos t';
  const [column, id] = link ? ['a.created_at', 'a.todo_id'] : [sort.column, 't.id'];
  const halves = rangesOf(walk);
  const shared = new Map<string, string[]>();
  const lookedUp = Object.fromEntries(Object.keys(narrowingOf(walk) ?? {}).map((name) => [name, undefined]));
  const sharedBy = (only: Partial<Criteria>, visibility: string | undefined) => {
    const name = `${Object.keys(only)} ${visibility}`;
    const wanted = { ...criteria, isUnassigned: criteria.isUnassigned && !looksUpNobody(walk), ...only, ...lookedUp };
    const known = shared.get(name) ?? conditionsOf(wanted, bindings, visibility);
    shared.set(name, known);
    return known;
  };
  const ranges = halves.flatMap(({ half, only, ranges: found }) =>
    found.map(({ visibility, condition }) => ({ half, where: [...sharedBy(only, visibility), condition(bindings)] })),
  );
  const value = after && after[0] !== null ? `${bindings.bind(after[0])}::${sort.type}` : null;
  const last = after && bindings.bind(after[1]);
  const late = lateOf(walk, bindings);
  // Rows without a value come after all that have one: they are read where those do not fill the page.
  const readsValuedFirst = halves.length > 1 && !late;
  const branches = ranges.map(({ half, where }, place) => {
    if (half === 'valued') where.push(`${sort.column} is not null`);
    if (half === 'null') where.push(`${sort.column} is null`);
    if (half === 'null' && readsValuedFirst) where.push(`(select count(*) from valued) < ${limit}`);
    if (half === 'null' && value === null && last) where.push(`t.id ${turn} ${last}`);
    if (half !== 'null' && value !== null) where.push(`(${column}, ${id}) ${turn} (${value}, ${last})`);
    const rank = halves.length === 1 ? '' : `, ${half === 'null' ? 1 : 0} as rank`;
    const ordered = `${column} ${order}, ${id} ${order}`;
    const first = (what: string, source: string, condition = 'true') =>
      `(select ${what} from ${source} where ${[...where, condition].join(' and ')}
        order by ${ordered} limit ${limit})`;
    const whole = `${columns}${rank}`;
    const range = { place, first, columns: whole, where: where.join(' and '), order: ordered, limit };
    return { half, texts: late?.branchesOf(range) ?? [first(whole, from)] };
  });
  const together = link && link.ids.length > 1 ? ' union ' : ' union all ';
  const unionOf = (some: typeof branches) => some.flatMap(({ texts }) => texts).join(together);
  const before = late?.before ?? [];
  let rows = unionOf(branches);
  if (readsValuedFirst) {
    before.push(`valued as materialized (${unionOf(branches.filter(({ half }) => half === 'valued'))})`);
    rows = `select * from valued${together}${unionOf(branches.filter(({ half }) => half === 'null'))}`;
  }
  if (branches.flatMap(({ texts }) => texts).length === 1) return rows;
  const named = before.length > 0 ? `with ${before.join(', ')} ` : '';
  return `(${named}select * from (${rows}) as t order by ${orderOf(walk)} limit ${limit})`;
}

/** The ORDER BY of a walk over rows named `t`. */
export function orderOf(walk: Walk): string {
  const { sort, order } = walk;
  return `${halvesOf(walk).length > 1 ? 't.rank, ' : ''}${sort.column} ${order}, t.id ${order}`;
}
