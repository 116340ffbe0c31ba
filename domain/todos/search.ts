import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { hasTrigram, hitsOf, termConditions, termsOf } from '../search.ts';
import { conditionsOf } from './filter.ts';
import { type TodoRow, todoColumns } from './rows.ts';
import { halvesOf, orderOf, type Walk, walkOf } from './walk.ts';

/** Todos that a search reads in the order of the page before it uses the index. */
const searchDepth = 1000;

/** Todos that it reads at most in the order of the page, which takes about as long as sorting `maxSorted` matches. */
const maxSearchDepth = 20 * searchDepth;

/** Matches of the index that are sorted before more todos are read in the order of the page. */
const maxSorted = 3000;

const wholeTodo = todoColumns();

/** A statement with its values. */
interface Statement {
  text: string;
  values: readonly unknown[];
}

/**
 * Searches the first `depth` todos of the walk for the terms. Their texts are read by one scan in the order of the ids,
 * which is nearly that of the texts on disk: a look-up for each would descend the index as often. `offset 0` keeps the
 * planner from using the trigram index here, which costs more.
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
      select t.* from near t where t.id in (select todo_id from found)
      order by ${orderOf(walk)} limit ${bindings.bind(count)}
    ), whole as (
      select t.*${halvesOf(walk).length > 1 ? ', p.rank' : ''} from page p
      join todos t on t.workspace_id = $1 and t.id = p.id)
    select n.searched, ${wholeTodo} from (select count(*)::int as searched from near) n left join whole t on true
    order by ${orderOf(walk)}`;
  return { text, values: bindings.values };
}

/**
 * Searches with the trigram index, then filters and sorts its matches; nothing where there are more than `max` of them.
 * What reads the index is planned for all matches (`materialized`) and ends after `max`.
 */
export function indexStatement(walk: Walk, terms: readonly string[], count: number, max: number | null): Statement {
  const { viewer, criteria, sort, order, after } = walk;
  const bindings = new Bindings(viewer.workspaceId);
  const hits = hitsOf(terms, bindings);
  const [limit, most] = [bindings.bind(max === null ? null : max + 1), bindings.bind(max)];
  const where = conditionsOf(criteria, bindings);
  const turn = order === 'asc' ? '>' : '<';
  if (after?.[0] === null) where.push(`${sort.column} is null and t.id ${turn} ${bindings.bind(after[1])}`);
  else if (after) {
    const value = `${bindings.bind(after[0])}::${sort.type}`;
    where.push(`((${sort.column}, t.id) ${turn} (${value}, ${bindings.bind(after[1])}) or ${sort.column} is null)`);
  }
  const ordered = `${sort.column} ${order} nulls last, t.id ${order}`;
  const text = `with ${hits}, few as materialized (
      select todo_id from hits limit ${limit}
    ), counted as materialized (
      select count(*)::int as matched from few
    ), page as (
      select t.* from (
        select * from todos where workspace_id = $1 and id = any(array(
          select todo_id from few where coalesce((select matched from counted) <= ${most}::int, true))) offset 0) t
      where ${where.join(' and ')} order by ${ordered} limit ${bindings.bind(count)})
    select c.matched, ${wholeTodo} from counted c left join page t on true order by ${ordered}`;
  return { text, values: bindings.values };
}

/** The todos of a statement that has a row even where it finds none, and the number that it counted. */
async function found<Counted extends string>(db: Db, { text, values }: Statement, counted: Counted) {
  const rows = await db.rows<TodoRow & Record<Counted, number>>(text, values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ [counted]: _, ...row }) => row as unknown as TodoRow);
  return { page, number: rows[0]?.[counted] ?? 0 };
}

/**
 * The first todos of a walk that have all words of a query. The first ones in the order of the page fill it for frequent
 * words; more are read when the matches so far suggest that these fill it. Rare words have few matches, which the index
 * returns. Where they are too many to sort, but not among the newest, more are read in the order of the page before all
 * matches are sorted. Words shorter than a trigram are searched in all texts of the workspace instead of the index.
 */
export async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<TodoRow[]> {
  const terms = termsOf(query);
  const near = async (depth: number) => {
    const { page, number } = await found(db, nearStatement(walk, terms, count, depth), 'searched');
    return { page, isEnough: page.length === count || number < depth };
  };
  const indexed = async (max: number | null) => {
    const { page, number } = await found(db, indexStatement(walk, terms, count, max), 'matched');
    return { page, isEnough: max === null || number <= max };
  };
  const first = await near(searchDepth);
  if (first.isEnough) return first.page;
  const promising = hasTrigram(terms) ? Math.ceil((1.5 * searchDepth * count) / first.page.length) : maxSearchDepth;
  const steps =
    promising <= maxSearchDepth
      ? [() => near(promising), () => indexed(maxSorted)]
      : [() => indexed(maxSorted), () => near(maxSearchDepth)];
  for (const step of steps) {
    const { page, isEnough } = await step();
    if (isEnough) return page;
  }
  return (await indexed(null)).page;
}
