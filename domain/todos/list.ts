import { Bindings } from '../../db/bindings.ts';
import type { Db, Plan } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { cursorAfter, cursorScope, pageOf, positionOf } from '../page.ts';
import { canonicalFilters, criteriaOf, isMine, planOf } from './filter.ts';
import { maxLimitOfPrograms, type TodoListingInput } from './listing-shapes.ts';
import { contentSizes, fitting, fittingOf, fittingRows, isAlwaysWhole, pageBytesOf } from './page-bytes.ts';
import { findTodos, type TodoRow, todoColumns, todosOf } from './rows.ts';
import { hasOwnIndex, searchPage } from './search.ts';
import { countTodos } from './summary.ts';
import { isBranched, linkWalked, orderOf, sorts, unlinked, type Walk, walkOf } from './walk.ts';

const wholeTodo = todoColumns();

/**
 * The statement of a page without a search. The rows of several branches are sorted, and those of a large page that
 * have too long contents left out, before the other columns are read.
 */
export function pageStatement(walk: Walk, count: number): { text: string; values: readonly unknown[]; plan: Plan } {
  const bindings = new Bindings(walk.viewer.workspaceId);
  const isPlain = !isBranched(walk) && isAlwaysWhole(count, walk.pageBytes);
  const rows = walkOf(walk, bindings, bindings.bind(count), isPlain ? wholeTodo : 't.*');
  const order = orderOf(walk);
  const fit = isPlain ? rows : fitting(rows, count, order, walk.pageBytes);
  const text = isPlain ? rows : `select ${wholeTodo} from ${fit} as t order by ${order}`;
  const { values } = bindings;
  return {
    text,
    values,
    plan: planOf(linkWalked(walk) ? { ...walk.criteria, ...unlinked } : walk.criteria),
  };
}

/** Rows of a page that is read together with others. */
const maxTogether = 101;

/** Whether a page reads hardly more rows than it returns, whatever the workspace has. */
const isShort = (walk: Walk, count: number) => hasOwnIndex(walk) && count <= maxTogether;

function walkPage(db: Db, walk: Walk, count: number): Promise<TodoRow[]> {
  const { text, values, plan } = pageStatement(walk, count);
  return isShort(walk, count) ? db.lookUp<TodoRow>(text, values) : db.rows<TodoRow>(text, values, plan);
}

/** Filters of which false is as if they were absent. */
const isAbsent = (name: string, value: unknown) => value === false && ['assignedToMe', 'unassigned'].includes(name);

/**
 * The todos of these ids in their order, on one page unless their contents are too long for one.
 * @throws Failure 400 with another filter beside them, 400 `invalid_cursor`.
 */
async function listByIds(ctx: Context, input: TodoListingInput & { ids: string[] }) {
  const { workspaceId } = ctx.principal;
  const { ids, limit: _, sort: __, order: ___, include, cursor, ...others } = input;
  const [other] = Object.entries(others).filter(([name, value]) => value !== undefined && !isAbsent(name, value));
  if (other) throw invalid(other[0], `Pass either ids or ${other[0]}: ids reads exactly the todos that it names.`);
  const wanted = [...new Set(ids)];
  const scope = cursorScope(ctx, { sort: 'ids', order: 'asc', filters: { ids: wanted } });
  const start = cursor === undefined ? 0 : Number(positionOf(scope, cursor)[0]);
  const pageBytes = pageBytesOf(ctx.reply);
  const sizes = isAlwaysWhole(wanted.length, pageBytes) ? undefined : await contentSizes(ctx.db, workspaceId, wanted);
  const left = wanted.slice(start);
  const bytes = sizes && left.map((id) => sizes.get(id) ?? 0);
  const end = start + (bytes ? fittingOf(bytes, pageBytes) : left.length);
  const todos = await findTodos(ctx.db, workspaceId, wanted.slice(start, end));
  const found = new Map(todos.map((todo) => [todo.id, todo]));
  const data = wanted.flatMap((id) => found.get(id) ?? []);
  const hasMore = end < wanted.length;
  return {
    ...{ object: 'list' as const, data, hasMore, nextCursor: hasMore ? cursorAfter(scope, [end, '']) : null },
    totalCount: include === 'totalCount' ? (sizes?.size ?? data.length) : null,
  };
}

/** @throws Failure 400 when the page is too large for this credential. */
function requireLimit({ principal }: Context, limit: number): void {
  if (limit <= maxLimitOfPrograms || principal.kind === 'session') return;
  throw invalid('limit', `limit: must be at most ${maxLimitOfPrograms}. Follow nextCursor for more.`);
}

/**
 * One page of todos: keyset paging over a total order, so that reading all pages returns every todo that existed
 * throughout, with the same value to sort by, exactly once; or the todos of `ids`. @throws Failure 400
 * `invalid_cursor`.
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
  const pageBytes = pageBytesOf(ctx.reply);
  const walk: Walk = { viewer: principal, criteria, sort, order, after, pageBytes };
  const counted = include === 'totalCount' ? countTodos(db, principal, criteria) : null;
  const found =
    filter.query === undefined ? walkPage(db, walk, limit + 1) : searchPage(db, walk, filter.query, limit + 1);
  const [rows, totalCount] = await Promise.all([found, counted]);
  const shown = Math.min(limit, fittingRows(rows, pageBytes));
  const page = pageOf(await todosOf(rows), shown, scope, (todo) => [sort.of(todo), todo.id]);
  return { object: 'list' as const, ...page, totalCount };
}
