import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { EngineName } from '../../db/engine/index.ts';
import { hasTrigram, termConditions, termsOf } from '../search.ts';
import { keptTotals } from './counts.ts';
import { areActive, conditionsOf } from './filter.ts';
import { fitting, fittingRows } from './page-bytes.ts';
import { type TodoRow, todoColumns } from './rows.ts';
import { hitsOf } from './search-index.ts';
import { halvesOf, orderOf, sorts, type Walk, walkOf } from './walk.ts';

/** Todos that a search reads in the order of the page before it uses the index. */
const searchDepth = 250;

/**
 * Todos whose texts it reads in the order of the page rather than use the index, where nothing is known of the costs.
 */
const maxPromising = 10 * searchDepth;

/** Texts that are read in the order of the page rather than find one match by the index. */
const textsPerMatch = 4;

/** How many times as many todos are read as should be enough, and at most as many times as were read before. */
const [margin, maxGrowth] = [1.5, 6];

/** Todos that it reads at most in the order of the page. */
const maxSearchDepth = 20_000;

/**
 * Matches of the index that are sorted, however many are among the first todos, where nothing is known of the costs.
 */
const maxLookedUp = 1500;

/** Entries of the index of the page's order that are read rather than look up one match. */
const entriesPerLookUp = 40;

/** Matches of the index that are sorted before the texts of more todos are read in the order of the page. */
const maxSorted = 20_000;

const wholeTodo = todoColumns();

/** Whether an index holds exactly the todos that the filter leaves, free text apart, in the order of the page. */
export function hasOwnIndex({ criteria, sort }: Walk): boolean {
  const hasOrder = sort.column === 't.created_at' || (criteria.statuses.length === 0 && sort !== sorts.position);
  return hasOrder && areActive({ ...criteria, query: undefined });
}

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
export function nearStatement(
  walk: Walk,
  terms: readonly string[],
  count: number,
  depth: number,
  engine: EngineName = 'postgres',
): Statement {
  const bindings = new Bindings(walk.viewer.workspaceId);
  const near = walkOf(
    walk,
    bindings,
    bindings.bind(depth),
    `t.workspace_id, t.id, ${walk.sort.reads ?? walk.sort.column}`,
  );
  const found = termConditions(terms, bindings).join(' and ');
  // What a walk costs that reads others too is not known by the number of the todos.
  const size = hasOwnIndex(walk) ? keptTotals[engine] : 'null::int';
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
    select n.searched, n.size, ${wholeTodo} from (
      select count(*)::int as searched, ${size} as size from near) n
    left join ${fitting('whole', count, orderOf(walk), walk.pageBytes)} t on true order by ${orderOf(walk)}`;
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

/** Which matches of the index are looked up, of a number of them. */
interface LookUps {
  /** All of so many. */
  all: number;
  /** Of more, those among so many todos in the order of the page, where these fill it. */
  depth: number;
}

/** What should cost least among `size` todos; null: that is not known. */
function lookUpsOf(count: number, size: number | null): LookUps {
  if (size === null) return { all: maxLookedUp, depth: maxSearchDepth };
  const all = Math.ceil(Math.sqrt((margin * count * size) / entriesPerLookUp));
  return { all, depth: Math.max(entriesPerLookUp * all, maxSearchDepth) };
}

/**
 * Searches with the trigram index, then brings its matches into the order of the page. Few are looked up and sorted. Of
 * more, those among the first todos of the walk are found by their ids alone; where they do not fill the page, all are
 * sorted. Nothing is found where there are more than `max` of them. What reads the index is planned for all matches
 * (`materialized`) and ends after `max`.
 */
function indexStatement(
  walk: Walk,
  terms: readonly string[],
  count: number,
  max: number | null,
  size: number | null,
): Statement {
  const { viewer, criteria, sort, order } = walk;
  const bindings = new Bindings(viewer.workspaceId);
  const hits = hitsOf(viewer.workspaceId, terms, bindings);
  const [limit, most] = [bindings.bind(max === null ? null : max + 1), bindings.bind(max)];
  const rows = bindings.bind(count);
  const where = [...conditionsOf(criteria, bindings), ...startOf(walk, bindings)];
  const ordered = `${sort.column} ${order} nulls last, t.id ${order}`;
  const lookUps = lookUpsOf(count, size);
  const walked = walkOf(walk, bindings, bindings.bind(lookUps.depth), `t.id, ${sort.reads ?? sort.column}`);
  // Of more than `max` only some are known, and the first of these are not the first of all.
  const isMany = `(select matched > ${bindings.bind(lookUps.all)}::int and matched <= ${most}::int from counted)`;
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
    from state c left join ${fitting('page', count, ordered, walk.pageBytes)} t on true order by ${ordered}`;
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

/** What was found in the first todos of a walk. */
interface Near {
  page: TodoRow[];
  searched: number;
  isEnough: boolean;
}

/**
 * How many of the first todos should fill a page of `count`, by what the first ones have; undefined where reading these
 * should cost more than finding all matches among the `size` todos of the workspace.
 */
function promising({ page, searched }: Near, count: number, size: number | null): number | undefined {
  const share = page.length / searched;
  if (size === null) {
    const depth = Math.ceil((2 * count) / share);
    return depth <= maxPromising ? depth : undefined;
  }
  const wanted = Math.ceil((margin * count) / share);
  const most = Math.min(textsPerMatch * share * size, maxSearchDepth);
  return wanted <= most ? Math.min(wanted, maxGrowth * searched) : undefined;
}

/**
 * The first todos of a walk that have all words of a query. The first ones in the order of the page fill it for
 * frequent words; more are read while the matches so far suggest that these fill it. Of other words the index returns
 * all matches. Where they are too many to sort, but not among the newest, more are read in the order of the page before
 * all matches are sorted. Words shorter than a trigram are searched in all texts of the workspace instead of the index.
 */
export async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<TodoRow[]> {
  const terms = termsOf(query);
  const useIndex = hasTrigram(terms);
  let size: number | null = null;
  const near = async (depth: number): Promise<Near> => {
    const statement = nearStatement(walk, terms, count, depth, db.engine);
    const { page, state } = await found<{ searched: number; size: number | null }>(db, statement);
    const { searched = 0, size: kept = null } = state ?? {};
    size = kept && Math.max(kept, searched);
    const isFull = page.length === count || fittingRows(page, walk.pageBytes) < page.length;
    return { page, searched, isEnough: isFull || searched < depth };
  };
  const indexed = async (max: number | null) => {
    const { page, state } = await found<{ is_enough: boolean }>(db, indexStatement(walk, terms, count, max, size));
    return { page, isEnough: state?.is_enough ?? true };
  };
  const next = (read: Near) => (read.isEnough || !useIndex ? undefined : promising(read, count, size));
  let first = await near(searchDepth);
  for (let depth = next(first); depth !== undefined; depth = next(first)) first = await near(depth);
  if (first.isEnough) return first.page;
  const steps = [() => indexed(maxSorted), () => near(maxSearchDepth)];
  if (!useIndex) steps.reverse();
  for (const step of steps) {
    const { page, isEnough } = await step();
    if (isEnough) return page;
  }
  return (await indexed(null)).page;
}
