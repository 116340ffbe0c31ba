import { Bindings } from '../../db/bindings.ts';
import type { Db, Plan } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { wholeList } from '../fields.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { hasTrigram, hitsOf, termConditions, termsOf } from '../search.ts';
import { canonicalFilters, conditionsOf, criteriaOf, isMine, planOf } from './filter.ts';
import { maxLimitOfPrograms, type TodoListingInput } from './listing-shapes.ts';
import { findTodos, type TodoRow, todoColumns, todoOf } from './rows.ts';
import { countTodos } from './summary.ts';
import { anybody, assigneesWalked, halvesOf, isBranched, orderOf, sorts, type Walk, walkOf } from './walk.ts';

/** Todos that a search reads in the order of the page before it uses the index. */
const searchDepth = 1000;

/** Todos that it reads when the first ones suggest that these fill the page. */
const maxSearchDepth = 10 * searchDepth;

const wholeTodo = todoColumns();

/** The statement of a page without a search. The rows of several branches are sorted before the other columns are read. */
export function pageStatement(walk: Walk, count: number): { text: string; values: readonly unknown[]; plan: Plan } {
  const bindings = new Bindings();
  const branched = isBranched(walk);
  const rows = walkOf(walk, bindings, bindings.bind(count), branched ? 't.*' : wholeTodo);
  const text = branched ? `select ${wholeTodo} from ${rows} as t order by ${orderOf(walk)}` : rows;
  const { values } = bindings;
  return {
    text,
    values,
    plan: planOf(assigneesWalked(walk).length > 0 ? { ...walk.criteria, ...anybody } : walk.criteria),
  };
}

function walkPage(db: Db, walk: Walk, count: number): Promise<TodoRow[]> {
  const { text, values, plan } = pageStatement(walk, count);
  return db.rows<TodoRow>(text, values, plan);
}

/**
 * Searches the first `depth` todos of the walk for the terms; `exhausted` when there were no more. `offset 0` keeps the
 * planner from using the trigram index here, which costs more than the walk.
 */
async function searchNear(db: Db, walk: Walk, terms: string[], count: number, depth: number | null) {
  const bindings = new Bindings();
  const near = walkOf(walk, bindings, bindings.bind(depth), `t.workspace_id, t.id, ${walk.sort.column}`);
  const found = termConditions(terms, bindings).join(' and ');
  const text = `with near as materialized ${near}, page as (
      select t.* from near t cross join lateral (
        select title, content from todo_search s where s.workspace_id = t.workspace_id and s.todo_id = t.id offset 0) s
      where ${found} order by ${orderOf(walk)} limit ${bindings.bind(count)}
    ), whole as (
      select t.*${halvesOf(walk).length > 1 ? ', p.rank' : ''} from page p
      join todos t on t.workspace_id = p.workspace_id and t.id = p.id)
    select n.searched, ${wholeTodo} from (select count(*)::int as searched from near) n left join whole t on true
    order by ${orderOf(walk)}`;
  const rows = await db.rows<TodoRow & { searched: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ searched: _, ...row }) => row as TodoRow);
  return { page, exhausted: depth === null || (rows[0]?.searched ?? 0) < depth };
}

/** Searches with the trigram index, then filters and sorts its matches. */
async function searchIndex(db: Db, walk: Walk, terms: string[], count: number): Promise<TodoRow[]> {
  const { viewer, criteria, sort, order, after } = walk;
  const bindings = new Bindings();
  const hits = hitsOf(viewer.workspaceId, terms, bindings);
  const where = conditionsOf(viewer, criteria, bindings);
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
 * A search walks the first todos in the order of the page, which fills a page for frequent words, and walks further when
 * the matches so far suggest that this fills it. Rare words have few matches, so the index returns all of them. Words
 * shorter than a trigram are searched by walking only.
 */
async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<TodoRow[]> {
  const terms = termsOf(query);
  const indexed = hasTrigram(terms);
  const { page, exhausted } = await searchNear(db, walk, terms, count, indexed ? searchDepth : null);
  if (page.length === count || exhausted) return page;
  const promising = Math.ceil((1.5 * searchDepth * count) / page.length);
  if (promising > maxSearchDepth) return searchIndex(db, walk, terms, count);
  const further = await searchNear(db, walk, terms, count, promising);
  return further.page.length === count || further.exhausted ? further.page : searchIndex(db, walk, terms, count);
}

/** The todos of these ids in their order, on one page. @throws Failure 400 with another filter beside them. */
async function listByIds({ db, principal }: Context, input: TodoListingInput & { ids: string[] }) {
  const { ids, limit: _, sort: __, order: ___, include, ...others } = input;
  const [other] = Object.entries(others).filter(([, value]) => value !== undefined);
  if (other) throw invalid(other[0], `Pass either ids or ${other[0]}: ids reads exactly the todos that it names.`);
  const wanted = [...new Set(ids.map((id) => id.toLowerCase()))];
  const found = new Map((await findTodos(db, principal.workspaceId, wanted)).map((todo) => [todo.id, todo]));
  const data = wanted.flatMap((id) => found.get(id) ?? []);
  return { ...wholeList(data), totalCount: include === 'totalCount' ? data.length : null };
}

/** @throws Failure 400 when the page is too large for this credential. */
function requireLimit({ principal }: Context, limit: number): void {
  if (limit <= maxLimitOfPrograms || principal.kind === 'session') return;
  throw invalid('limit', `limit: must be at most ${maxLimitOfPrograms}. Follow nextCursor for more.`);
}

/**
 * One page of todos: keyset paging over a total order, so that reading all pages returns every todo that existed
 * throughout exactly once; or the todos of `ids`. @throws Failure 400 `invalid_cursor`.
 */
export async function listTodos(ctx: Context, input: TodoListingInput) {
  const { db, principal } = ctx;
  const { ids, limit, cursor, sort: sortName, order, include, ...filter } = input;
  requireLimit(ctx, limit);
  if (ids) return listByIds(ctx, { ...input, ids });
  const flags = { assignedToMe: filter.assignedToMe || undefined, unassigned: filter.unassigned || undefined };
  const filters = { ...canonicalFilters(filter), ...flags, me: isMine(filter) ? principal.userId : undefined };
  const scope = cursorScope(ctx, { sort: sortName, order, filters });
  const sort = sorts[sortName];
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const criteria = criteriaOf(principal, filter);
  const walk: Walk = { viewer: principal, criteria, sort, order, after };
  const counted = include === 'totalCount' ? countTodos(db, principal, criteria) : null;
  const found =
    filter.query === undefined ? walkPage(db, walk, limit + 1) : searchPage(db, walk, filter.query, limit + 1);
  const [rows, totalCount] = await Promise.all([found, counted]);
  const page = pageOf(rows.map(todoOf), limit, scope, (todo) => [sort.of(todo), todo.id]);
  return { object: 'list' as const, ...page, totalCount };
}
