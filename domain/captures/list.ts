import { Bindings } from '../../db/bindings.ts';
import type { Db, Plan } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { type CursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { hasTrigram, termsOf } from '../search.ts';
import { type ListedRow, listedColumns, listedOf } from './rows.ts';
import { hitsOf, termConditions } from './search.ts';
import type { CaptureListingInput } from './shapes.ts';
import { spelledTags, tagKeys } from './tags.ts';

/** Captures that a search scans, the newest first, before it uses the index: their texts are long. */
const firstScan = 100;

/** Captures that it scans at most, when the rate of hits in the first ones shows that these fill the page. */
const maxScan = 10 * firstScan;

/** Newest first. The position of a capture is its `created_at` and its id. */
const order = 'c.created_at desc, c.id desc';

type Filter = Pick<
  CaptureListingInput,
  'type' | 'createdAfter' | 'createdBefore' | 'updatedSince' | 'includeArchived'
> & { tags: readonly string[] | undefined };

interface Walk {
  workspaceId: string;
  filter: Filter;
  after?: Position | undefined;
}

/** The conditions of a walk on `captures c`, free text apart; their texts depend only on which filters are set. */
function conditionsOf({ filter, after }: Walk, bindings: Bindings): string[] {
  const { type, tags, createdAfter, createdBefore, updatedSince, includeArchived } = filter;
  const where = ['c.workspace_id = $1'];
  const add = (value: unknown, condition: (name: string) => string) => {
    if (value !== undefined) where.push(condition(bindings.bind(value)));
  };
  if (!includeArchived) where.push('c.archived_at is null');
  add(type, (name) => `c.type = ${name}`);
  add(tags, (name) => `c.tags @> ${name}::text[]`);
  add(createdAfter, (name) => `c.created_at > ${name}`);
  add(createdBefore, (name) => `c.created_at < ${name}`);
  add(updatedSince, (name) => `c.updated_at >= ${name}`);
  if (after) {
    const [at, id] = after;
    where.push(`(c.created_at, c.id) < (${bindings.bind(at)}::timestamptz, ${bindings.bind(id)}::uuid)`);
  }
  return where;
}

/**
 * With filters for which the index of the order is bad, the statement gets a plan made for its values; the others share
 * one plan.
 */
function planOf({ tags, createdAfter, createdBefore, updatedSince }: Filter): Plan {
  const selective = [tags, createdAfter, createdBefore, updatedSince];
  return selective.every((each) => each === undefined) ? 'generic' : 'custom';
}

async function walkPage(db: Db, walk: Walk, count: number): Promise<ListedRow[]> {
  const bindings = new Bindings(walk.workspaceId);
  const where = conditionsOf(walk, bindings).join(' and ');
  const text = `select ${listedColumns} from captures c where ${where} order by ${order} limit ${bindings.bind(count)}`;
  return db.rows<ListedRow>(text, bindings.values, planOf(walk.filter));
}

/**
 * Searches the terms in the first `max` captures of the walk, or in all of them; `exhausted` when there were no more.
 * `offset 0` keeps the planner from using the trigram index here.
 */
async function searchNear(db: Db, walk: Walk, terms: string[], count: number, max: number | null) {
  const bindings = new Bindings(walk.workspaceId);
  const where = conditionsOf(walk, bindings).join(' and ');
  const near = `select c.workspace_id, c.id, c.created_at from captures c where ${where}
    order by ${order} limit ${bindings.bind(max)}`;
  const found = termConditions(terms, bindings).join(' and ');
  const text = `with near as materialized (${near}), page as (
      select c.* from near c cross join lateral (
        select title, body, summary from capture_search s
        where s.workspace_id = $1 and s.capture_id = c.id offset 0) s
      where ${found} order by ${order} limit ${bindings.bind(count)}
    ), whole as (
      select c.* from page p join captures c on c.workspace_id = $1 and c.id = p.id)
    select n.scanned, ${listedColumns} from (select count(*)::int as scanned from near) n left join whole c on true
    order by ${order}`;
  const rows = await db.rows<ListedRow & { scanned: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ scanned: _, ...row }) => row as ListedRow);
  return { page, exhausted: max === null || (rows[0]?.scanned ?? 0) < max };
}

/** Finds the terms through the trigram index, then filters and sorts the hits. */
async function searchIndex(db: Db, walk: Walk, terms: string[], count: number): Promise<ListedRow[]> {
  const bindings = new Bindings(walk.workspaceId);
  const hits = hitsOf(terms, bindings);
  const where = conditionsOf(walk, bindings).join(' and ');
  const text = `with ${hits} select ${listedColumns} from hits h join captures c on c.id = h.capture_id
    where ${where} order by ${order} limit ${bindings.bind(count)}`;
  return db.rows<ListedRow>(text, bindings.values, 'custom');
}

/**
 * Scans the newest captures first, which fills a page for frequent words. If the rate of hits shows that a longer scan
 * fills the page, it scans further. Rarer words have so few hits that the index is used. Words shorter than a trigram
 * can only be scanned for.
 */
async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<ListedRow[]> {
  const terms = termsOf(query);
  const first = await searchNear(db, walk, terms, count, hasTrigram(terms) ? firstScan : null);
  if (first.page.length === count || first.exhausted) return first.page;
  const needed = Math.ceil((1.5 * firstScan * count) / first.page.length);
  if (needed > maxScan) return searchIndex(db, walk, terms, count);
  const further = await searchNear(db, walk, terms, count, needed);
  return further.page.length === count || further.exhausted ? further.page : searchIndex(db, walk, terms, count);
}

/** How many captures a filter matches, over all pages. */
async function count(db: Db, workspaceId: string, filter: Filter, query: string | undefined): Promise<number> {
  const bindings = new Bindings(workspaceId);
  const hits = query === undefined ? '' : `with ${hitsOf(termsOf(query), bindings)} `;
  const from = hits === '' ? 'captures c' : 'hits h join captures c on c.id = h.capture_id';
  const where = conditionsOf({ workspaceId, filter }, bindings).join(' and ');
  const text = `${hits}select count(*)::int as count from ${from} where ${where}`;
  const [row] = await db.rows<{ count: number }>(text, bindings.values, hits ? 'custom' : planOf(filter));
  return row?.count ?? 0;
}

/**
 * One page of captures without their bodies, newest first. Keyset paging: all pages together return each capture that
 * exists throughout exactly once. @throws Failure 400 `invalid_cursor`.
 */
export async function listCaptures(ctx: Context, input: CaptureListingInput) {
  const { db, operation } = ctx;
  const { workspaceId } = ctx.principal;
  const { limit, cursor, query, include, tags: named = [], ...filters } = input;
  const keys = tagKeys(named);
  const sorted = { sort: 'createdAt', order: 'desc' };
  const of = { ...filters, query, tags: keys };
  const scope: CursorScope = { key: ctx.service.cursorKey, operation, workspaceId, ...sorted, filters: of };
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const tags = keys.length === 0 ? [] : await spelledTags(db, workspaceId, keys);
  const filter: Filter = { ...filters, tags: keys.length === 0 ? undefined : tags };
  const walk: Walk = { workspaceId, filter, after };
  const find = () => (query === undefined ? walkPage(db, walk, limit + 1) : searchPage(db, walk, query, limit + 1));
  const [rows, totalCount] = await Promise.all([
    tags ? find() : [],
    include === 'totalCount' ? (tags ? count(db, workspaceId, filter, query) : 0) : null,
  ]);
  const page = pageOf(rows.map(listedOf), limit, scope, (capture) => [capture.createdAt, capture.id]);
  return { object: 'list' as const, ...page, totalCount };
}
