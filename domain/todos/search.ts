import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { hasTrigram, termConditions, termsOf } from '../search.ts';
import { conditionsOf } from './filter.ts';
import { type TodoRow, todoColumns } from './rows.ts';
import { hitsOf } from './search-index.ts';
import { halvesOf, orderOf, type Walk, walkOf } from './walk.ts';

/** Todos that a search reads in the order of the page before it uses the index. */
const searchDepth = 250;

/** Todos whose texts it reads in the order of the page rather than use the index. */
const maxPromising = 10 * searchDepth;

/** Todos that it reads at most in the order of the page. */
const maxSearchDepth = 20_000;

/** Matches of the index that are sorted, however many there are among the first todos. */
const maxLookedUp = 1500;

/** Matches of the index that are sorted before the texts of more todos are read in the order of the page. */
const maxSorted = 20_000;

const wholeTodo = todoColumns();

/** A statement with its values. */
interface Statement {
  text: string;
  values: readonly unknown[];
}

/**
 * Searches the first `depth` todos of the walk for the terms. Their texts are read by one scan in the order of the ids,
 * which is nearly that of the texts on disk: a look-up for each would descend the index as often. `offset 0` keeps the
 * planner from using the trigram index here, which costs more. `is true` has what is found hashed: it is expected to be
 * little, and joined row by row where thousands are found that took seconds.
 */
export function nearStatement(walk: Walk, terms: readonly string[], count: number, depth: number): Statement {
  const bindings = new Bindings(walk.viewer.workspaceId);
  const near = walkOf(
    walk,
    bindings,
    bindings.bind(depth),
    `t.workspace_id, t.id, ${walk.sort.reads ?? walk.sort.column}`,
  );
  const found = termConditions(terms, bindings).join(' and ');
  const text = `with near as materialized ${near}, found as materialized (
      select s.todo_id from (
        select todo_id, title, content from todo_search where workspace_id = $1
          and todo_id = any(array(select id from near)) offset 0) s
      where ${found}
    ), page as (
      select t.* from near t where (t.id in (select todo_id from found)) is true
      order by ${orderOf(walk)} limit ${bindings.bind(count)}
    ), whole as (
      select t.*${halvesOf(walk).length > 1 ? ', p.rank' : ''} from page p
      join todos t on t.workspace_id = $1 and t.id = p.id)
    select n.searched, ${wholeTodo} from (select count(*)::int as searched from near) n left join whole t on true
    order by ${orderOf(walk)}`;
  return { text, values: bindings.values };
}

/** The keyset of a page on `todos t`, as conditions. */
function startOf({ sort, order, after }: Walk, bindings: Bindings): string[] {
  if (!after) return [];
  const turn = order === 'asc' ? '>' : '<';
  const [value, id] = after;
  if (value === null) return [`${sort.column} is null and t.id ${turn} ${bindings.bind(id)}`];
  const position = `(${bindings.bind(value)}::${sort.type}, ${bindings.bind(id)})`;
  return [`((${sort.column}, t.id) ${turn} ${position} or ${sort.column} is null)`];
}

/**
 * Searches with the trigram index, then brings its matches into the order of the page. Few are looked up and sorted. Of
 * more, those among the first todos of the walk are found by their ids alone; where they do not fill the page, all are
 * sorted. Nothing is found where there are more than `max` of them. What reads the index is planned for all matches
 * (`materialized`) and ends after `max`.
 */
export function indexStatement(walk: Walk, terms: readonly string[], count: number, max: number | null): Statement {
  const { viewer, criteria, sort, order } = walk;
  const bindings = new Bindings(viewer.workspaceId);
  const hits = hitsOf(viewer.workspaceId, terms, bindings);
  const [limit, most] = [bindings.bind(max === null ? null : max + 1), bindings.bind(max)];
  const rows = bindings.bind(count);
  const where = [...conditionsOf(criteria, bindings), ...startOf(walk, bindings)];
  const ordered = `${sort.column} ${order} nulls last, t.id ${order}`;
  const walked = walkOf(walk, bindings, bindings.bind(maxSearchDepth), `t.id, ${sort.reads ?? sort.column}`);
  // Of more than `max` only some are known, and the first of these are not the first of all.
  const isMany = `(select matched > ${maxLookedUp} and matched <= ${most}::int from counted)`;
  const text = `with ${hits}, few as materialized (
      select todo_id from hits limit ${limit}
    ), counted as materialized (
      select count(*)::int as matched from few
    ), near as materialized (
      select t.id from ${walked} t where ${isMany} and (t.id in (select todo_id from few)) is true
      order by ${orderOf(walk)} limit ${rows}
    ), state as materialized (
      select (select count(*) from near) = ${rows} as is_near, coalesce(matched <= ${most}::int, true) as is_all
      from counted
    ), page as (
      select t.* from (
        select * from todos where workspace_id = $1 and id = any(case
          when (select is_near from state) then array(select id from near)
          when (select is_all from state) then array(select todo_id from few) end) offset 0) t
      where ${where.join(' and ')} order by ${ordered} limit ${rows})
    select c.is_all as is_enough, ${wholeTodo}
    from state c left join page t on true order by ${ordered}`;
  return { text, values: bindings.values };
}

/** The todos of a statement that has a row even where it finds none, and what that row says beside them. */
async function found<State>(
  db: Db,
  { text, values }: Statement,
): Promise<{ page: TodoRow[]; state: State | undefined }> {
  const rows = await db.rows<TodoRow & State>(text, values, 'custom');
  return { page: rows.filter(({ id }) => id !== null), state: rows[0] };
}

/**
 * The first todos of a walk that have all words of a query. The first ones in the order of the page fill it for frequent
 * words; more are read when the matches so far suggest that these fill it. Of other words the index returns all matches.
 * Where they are too many to sort, but not among the newest, more are read in the order of the page before all matches
 * are sorted. Words shorter than a trigram are searched in all texts of the workspace instead of the index.
 */
export async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<TodoRow[]> {
  const terms = termsOf(query);
  const near = async (depth: number) => {
    const { page, state } = await found<{ searched: number }>(db, nearStatement(walk, terms, count, depth));
    return { page, isEnough: page.length === count || (state?.searched ?? 0) < depth };
  };
  const indexed = async (max: number | null) => {
    const { page, state } = await found<{ is_enough: boolean }>(db, indexStatement(walk, terms, count, max));
    return { page, isEnough: state?.is_enough ?? true };
  };
  const first = await near(searchDepth);
  if (first.isEnough) return first.page;
  const promising = Math.ceil((2 * searchDepth * count) / first.page.length);
  const steps = [() => indexed(maxSorted), () => near(maxSearchDepth)];
  if (!hasTrigram(terms)) steps.reverse();
  else if (promising <= maxPromising) steps.unshift(() => near(promising));
  for (const step of steps) {
    const { page, isEnough } = await step();
    if (isEnough) return page;
  }
  return (await indexed(null)).page;
}
