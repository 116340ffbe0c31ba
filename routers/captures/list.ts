import type { KeyObject } from 'node:crypto';
import { Bindings } from '../../db/bindings.ts';
import type { Db, Plan } from '../../db/client.ts';
import { type CursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { hasTrigram, termsOf } from '../todos/search.ts';
import { type ListedRow, listedColumns, listedOf } from './rows.ts';
import { hitsOf, termConditions } from './search.ts';
import type { CaptureListingInput } from './shapes.ts';
import { spelledTags, tagKeys } from './tags.ts';

/** How many captures a search looks through, the newest first, before it turns to the index: their texts are long. */
const walked = 100;

/** How many it looks through when the first ones promise that these will fill the page. */
const walkedAtMost = 10 * walked;

/** Newest first. The position of a capture is the instant it was made and its id. */
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
function conditionsOf({ workspaceId, filter, after }: Walk, bindings: Bindings): string[] {
  const { type, tags, createdAfter, createdBefore, updatedSince, includeArchived } = filter;
  const where = [`c.workspace_id = ${bindings.bind(workspaceId)}`];
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

/** Filters that the index of the order answers badly have their plan made for their values; the others share one. */
function planOf({ tags, createdAfter, createdBefore, updatedSince }: Filter): Plan {
  const selective = [tags, createdAfter, createdBefore, updatedSince];
  return selective.every((each) => each === undefined) ? 'generic' : 'custom';
}

async function walkPage(db: Db, walk: Walk, count: number): Promise<ListedRow[]> {
  const bindings = new Bindings();
  const where = conditionsOf(walk, bindings).join(' and ');
  const text = `select ${listedColumns} from captures c where ${where} order by ${order} limit ${bindings.bind(count)}`;
  return db.rows<ListedRow>(text, bindings.values, planOf(walk.filter));
}

/**
 * Looks for the terms in the first captures of the walk, or in all of them; `exhausted` when there were no more.
 * `offset 0` keeps the planner from turning to the trigram index here.
 */
async function searchNear(db: Db, walk: Walk, terms: string[], count: number, most: number | null) {
  const bindings = new Bindings();
  const where = conditionsOf(walk, bindings).join(' and ');
  const near = `select c.workspace_id, c.id, c.created_at from captures c where ${where}
    order by ${order} limit ${bindings.bind(most)}`;
  const found = termConditions(terms, bindings).join(' and ');
  const text = `with near as materialized (${near}), page as (
      select c.* from near c cross join lateral (
        select title, body, summary from capture_search s
        where s.workspace_id = c.workspace_id and s.capture_id = c.id offset 0) s
      where ${found} order by ${order} limit ${bindings.bind(count)}
    ), whole as (
      select c.* from page p join captures c on c.workspace_id = p.workspace_id and c.id = p.id)
    select n.looked, ${listedColumns} from (select count(*)::int as looked from near) n left join whole c on true
    order by ${order}`;
  const rows = await db.rows<ListedRow & { looked: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ looked: _, ...row }) => row as ListedRow);
  return { page, exhausted: most === null || (rows[0]?.looked ?? 0) < most };
}

/** Finds the terms through the trigram index, then filters and sorts what it found. */
async function searchIndex(db: Db, walk: Walk, terms: string[], count: number): Promise<ListedRow[]> {
  const bindings = new Bindings();
  const hits = hitsOf(walk.workspaceId, terms, bindings);
  const where = conditionsOf(walk, bindings).join(' and ');
  const text = `with ${hits} select ${listedColumns} from hits h join captures c on c.id = h.capture_id
    where ${where} order by ${order} limit ${bindings.bind(count)}`;
  return db.rows<ListedRow>(text, bindings.values, 'custom');
}

/**
 * A search walks the newest captures, which fills a page for words that occur often, and walks on where they promise to
 * fill it; words that do not are few enough to take from the index. Shorter words than a trigram only walk.
 */
async function searchPage(db: Db, walk: Walk, query: string, count: number): Promise<ListedRow[]> {
  const terms = termsOf(query);
  const first = await searchNear(db, walk, terms, count, hasTrigram(terms) ? walked : null);
  if (first.page.length === count || first.exhausted) return first.page;
  const promising = Math.ceil((1.5 * walked * count) / first.page.length);
  if (promising > walkedAtMost) return searchIndex(db, walk, terms, count);
  const further = await searchNear(db, walk, terms, count, promising);
  return further.page.length === count || further.exhausted ? further.page : searchIndex(db, walk, terms, count);
}

/** How many captures a filter matches, over all pages. */
async function count(db: Db, workspaceId: string, filter: Filter, query: string | undefined): Promise<number> {
  const bindings = new Bindings();
  const hits = query === undefined ? '' : `with ${hitsOf(workspaceId, termsOf(query), bindings)} `;
  const from = hits === '' ? 'captures c' : 'hits h join captures c on c.id = h.capture_id';
  const where = conditionsOf({ workspaceId, filter }, bindings).join(' and ');
  const text = `${hits}select count(*)::int as count from ${from} where ${where}`;
  const [row] = await db.rows<{ count: number }>(text, bindings.values, hits ? 'custom' : planOf(filter));
  return row?.count ?? 0;
}

/**
 * One page of captures without their bodies, newest first: keyset paging, so that a walk returns every capture that was
 * there throughout exactly once. @throws Failure 400 `invalid_cursor`.
 */
export async function listCaptures(db: Db, workspaceId: string, cursorKey: KeyObject, input: CaptureListingInput) {
  const { limit, cursor, query, include, tags: named = [], ...filters } = input;
  const keys = tagKeys(named);
  const sorted = { sort: 'createdAt', order: 'desc' };
  const of = { ...filters, query, tags: keys };
  const scope: CursorScope = { key: cursorKey, operation: 'listCaptures', workspaceId, ...sorted, filters: of };
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
