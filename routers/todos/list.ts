import type { KeyObject } from 'node:crypto';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { type CursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { type Asker, assigneeOf, conditionsOf, planOf } from './filter.ts';
import { priorityRank, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { hasTrigram, hitsOf, termConditions, termsOf } from './search.ts';
import type { TodoAnswer, TodoFilter, TodoListingInput } from './shapes.ts';
import { countTodos } from './summary.ts';

/** How many todos a search looks through, in the order of the page, before it turns to the index. */
const walked = 1000;

/** How many it looks through when the first ones promise that these will fill the page. */
const walkedAtMost = 10 * walked;

interface Sort {
  column: 't.created_at' | 't.updated_at' | 't.due_date' | 't.priority';
  type: 'timestamptz' | 'date' | 'smallint';
  nullable: boolean;
  of: (todo: TodoAnswer) => string | number | null;
}

const sorts: Record<TodoListingInput['sort'], Sort> = {
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

interface Walk {
  asker: Asker;
  filter: TodoFilter;
  sort: Sort;
  order: 'asc' | 'desc';
  after: Position | undefined;
}

/** Which halves of a sort with nulls can hold rows: those with a value, those without. */
function halvesOf({ filter, sort, after }: Walk): ('valued' | 'null' | 'all')[] {
  if (!sort.nullable) return ['all'];
  const byDue = sort.column === 't.due_date';
  const neverNull = byDue
    ? filter.dueBefore !== undefined || filter.dueAfter !== undefined
    : !['none', undefined].includes(filter.priority);
  const onlyNull = !byDue && filter.priority === 'none';
  const valued = onlyNull || after?.[0] === null ? [] : (['valued'] as const);
  return neverNull ? [...valued] : [...valued, 'null'];
}

const anybody = { assigneeId: undefined, assignedToMe: undefined, unassigned: undefined };

/** The assignee whose own index is walked: it is in the order of creation. */
function assigneeWalked(asker: Asker, { filter, sort }: Walk): string | undefined {
  return sort.column === 't.created_at' ? assigneeOf(asker, filter) : undefined;
}

/** Whether an index has the statuses of a walk apart, each in the order of creation. */
function isSplit({ asker, filter, sort }: Walk): boolean {
  return filter.status === 'active' && sort.column === 't.created_at' && assigneeOf(asker, filter) === undefined;
}

/** Whether a walk has several branches, which are put in order together. */
function isBranched(walk: Walk): boolean {
  return halvesOf(walk).length > 1 || isSplit(walk);
}

/**
 * The rows of a walk as a query of `columns` of `todos t`, in its total order: value, nulls last, id. Every range that
 * an index can answer in order is a branch of its own, because one ORDER BY over all of them would read and sort them
 * all: rows with and without a value, told apart by `rank`, and each of several statuses. `most` rows at the most.
 */
function walkOf(walk: Walk, bindings: Bindings, most: string, columns: string): string {
  const { asker, filter, sort, order, after } = walk;
  const turn = order === 'asc' ? '>' : '<';
  const [assignee, split, halves] = [assigneeWalked(asker, walk), isSplit(walk), halvesOf(walk)];
  const from = assignee ? 'todo_assignees a join todos t on t.id = a.todo_id' : 'todos t';
  const [column, id] = assignee ? ['a.created_at', 'a.todo_id'] : [sort.column, 't.id'];
  const same = { ...(split && { status: undefined }), ...(assignee && anybody) };
  const shared = conditionsOf(asker, { ...filter, ...same }, bindings);
  if (assignee) shared.push(`a.workspace_id = t.workspace_id and a.assignee_id = ${bindings.bind(assignee)}`);
  const value = after && after[0] !== null ? `${bindings.bind(after[0])}::${sort.type}` : null;
  const last = after && bindings.bind(after[1]);
  const statuses = split ? [`t.status = 'ready'`, `t.status = 'in_progress'`] : ['true'];
  const branches = halves.flatMap((half) =>
    statuses.map((status) => {
      const where = [...shared, status];
      if (half === 'valued') where.push(`${sort.column} is not null`);
      if (half === 'null') where.push(`${sort.column} is null`);
      if (half === 'null' && value === null && last) where.push(`t.id ${turn} ${last}`);
      if (half !== 'null' && value !== null) where.push(`(${column}, ${id}) ${turn} (${value}, ${last})`);
      const rank = halves.length === 1 ? '' : `, ${half === 'null' ? 1 : 0} as rank`;
      return `(select ${columns}${rank} from ${from} where ${where.join(' and ')}
        order by ${column} ${order}, ${id} ${order} limit ${most})`;
    }),
  );
  if (branches.length === 1) return branches[0] ?? '';
  return `(select * from (${branches.join(' union all ')}) as t order by ${orderOf(walk)} limit ${most})`;
}

/** The order of the rows of a walk that are called `t`. */
function orderOf(walk: Walk): string {
  const { sort, order } = walk;
  return `${halvesOf(walk).length > 1 ? 't.rank, ' : ''}${sort.column} ${order}, t.id ${order}`;
}

const wholeTodo = todoColumns();

/** A walk without branches is in order as the index has it; the rows of others are put in order before they are whole. */
async function walkPage(db: Db, walk: Walk, count: number): Promise<TodoRow[]> {
  const bindings = new Bindings();
  const branched = isBranched(walk);
  const rows = walkOf(walk, bindings, bindings.bind(count), branched ? 't.*' : wholeTodo);
  const text = branched ? `select ${wholeTodo} from ${rows} as t order by ${orderOf(walk)}` : rows;
  return db.rows<TodoRow>(
    text,
    bindings.values,
    planOf(walk.asker, assigneeWalked(walk.asker, walk) ? { ...walk.filter, ...anybody } : walk.filter),
  );
}

/**
 * Looks through the first todos of the walk for the terms; `exhausted` when there were no more to look through.
 * `offset 0` keeps the planner from turning to the trigram index here, which costs more than the walk.
 */
async function searchNear(db: Db, walk: Walk, terms: string[], count: number, most: number | null) {
  const bindings = new Bindings();
  const near = walkOf(walk, bindings, bindings.bind(most), `t.workspace_id, t.id, ${walk.sort.column}`);
  const found = termConditions(terms, bindings).join(' and ');
  const text = `with near as materialized ${near}, page as (
      select t.* from near t cross join lateral (
        select title, content from todo_search s where s.workspace_id = t.workspace_id and s.todo_id = t.id offset 0) s
      where ${found} order by ${orderOf(walk)} limit ${bindings.bind(count)}
    ), whole as (
      select t.*${halvesOf(walk).length > 1 ? ', p.rank' : ''} from page p
      join todos t on t.workspace_id = p.workspace_id and t.id = p.id)
    select n.looked, ${wholeTodo} from (select count(*)::int as looked from near) n left join whole t on true
    order by ${orderOf(walk)}`;
  const rows = await db.rows<TodoRow & { looked: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ looked: _, ...row }) => row as TodoRow);
  return { page, exhausted: most === null || (rows[0]?.looked ?? 0) < most };
}

/** Finds the terms through the trigram index, then filters and sorts what it found. */
async function searchIndex(db: Db, walk: Walk, terms: string[], count: number): Promise<TodoRow[]> {
  const { asker, filter, sort, order, after } = walk;
  const bindings = new Bindings();
  const hits = hitsOf(asker.workspaceId, terms, bindings);
  const where = conditionsOf(asker, filter, bindings);
  const turn = order === 'asc' ? '>' : '<';
  if (after?.[0] === null) where.push(`${sort.column} is null and t.id ${turn} ${bindings.bind(after[1])}`);
  else if (after) {
    const value = `${bindings.bind(after[0])}::${sort.type}`;
    where.push(`((${sort.column}, t.id) ${turn} (${value}, ${bindings.bind(after[1])}) or ${sort.column} is null)`);
  }
  const ordered = `${sort.column} ${order} nulls last, t.id ${order}`;
  const text = `with ${hits} select ${wholeTodo} from (
      select t.* from hits h join todos t on t.id = h.todo_id where ${where.join(' and ')}
      order by ${ordered} limit ${bindings.bind(count)}) as t order by ${ordered}`;
  return db.rows<TodoRow>(text, bindings.values, 'custom');
}

/**
 * A search walks the newest (or first in the order asked for) todos, which fills a page for words that occur often, and
 * walks on where they promise to fill it; words that do not are few enough to take from the index whole. Shorter words than a trigram only walk.
 */
async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<TodoRow[]> {
  const terms = termsOf(query);
  const indexed = hasTrigram(terms);
  const { page, exhausted } = await searchNear(db, walk, terms, count, indexed ? walked : null);
  if (page.length === count || exhausted) return page;
  const promising = Math.ceil((1.5 * walked * count) / page.length);
  if (promising > walkedAtMost) return searchIndex(db, walk, terms, count);
  const further = await searchNear(db, walk, terms, count, promising);
  return further.page.length === count || further.exhausted ? further.page : searchIndex(db, walk, terms, count);
}

/**
 * One page of todos: keyset paging over a total order, so that a walk through all pages returns every todo that was
 * there throughout exactly once. @throws Failure 400 `invalid_cursor`.
 */
export async function listTodos(db: Db, asker: Asker, cursorKey: KeyObject, input: TodoListingInput) {
  const { limit, cursor, sort: sortName, order, include, ...filter } = input;
  const { workspaceId } = asker;
  const flags = { assignedToMe: filter.assignedToMe || undefined, unassigned: filter.unassigned || undefined };
  const filters = { ...filter, ...flags, me: filter.assignedToMe ? asker.userId : undefined };
  const scope: CursorScope = { key: cursorKey, operation: 'listTodos', workspaceId, sort: sortName, order, filters };
  const sort = sorts[sortName];
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const walk: Walk = { asker, filter, sort, order, after };
  const counted = include === 'totalCount' ? countTodos(db, asker, filter) : null;
  const found =
    filter.query === undefined ? walkPage(db, walk, limit + 1) : searchPage(db, walk, filter.query, limit + 1);
  const [rows, totalCount] = await Promise.all([found, counted]);
  const page = pageOf(rows.map(todoOf), limit, scope, (todo) => [sort.of(todo), todo.id]);
  return { object: 'list' as const, ...page, totalCount };
}
