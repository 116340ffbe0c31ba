import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { cursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { hasTrigram, termsOf } from '../search.ts';
import { type ChatRow, chatColumns, chatOf } from './rows.ts';
import type { ChatListingInput } from './shapes.ts';

/** Chats that a search reads, the most recently active first, before it uses the index. */
const searchDepth = 2000;

/** Most recently active first. The position of a chat is its last message's instant and its id. */
const order = 'c.last_message_at desc, c.id desc';

interface Listing {
  workspaceId: string;
  filter: Pick<ChatListingInput, 'status' | 'agentId' | 'includeArchived'>;
  after: Position | undefined;
  /** Rows to fetch. */
  count: number;
}

function conditionsOf({ filter, after }: Listing, bindings: Bindings): string[] {
  const { status, agentId, includeArchived } = filter;
  const where = ['c.workspace_id = $1'];
  if (agentId !== undefined) where.push(`c.agent_id = ${bindings.bind(agentId)}`);
  if (status !== undefined) where.push(`c.status = ${bindings.bind(status)}`);
  if (!includeArchived) where.push('c.archived_at is null');
  if (after) {
    const [at, id] = after;
    where.push(`(c.last_message_at, c.id) < (${bindings.bind(at)}::timestamptz, ${bindings.bind(id)}::uuid)`);
  }
  return where;
}

/** Each term must occur in the title or the subtitle. */
function matchesOf(terms: readonly string[], bindings: Bindings): string[] {
  return terms.map((term) => `c.search like ${bindings.bind(`%${term.replace(/[\\%_]/g, '\\$&')}%`)}`);
}

async function walkPage(db: Db, listing: Listing): Promise<ChatRow[]> {
  const bindings = new Bindings(listing.workspaceId);
  const where = conditionsOf(listing, bindings).join(' and ');
  const text = `select ${chatColumns} from chats c where ${where} order by ${order} limit ${bindings.bind(listing.count)}`;
  return db.rows<ChatRow>(text, bindings.values, listing.filter.status === undefined ? 'generic' : 'custom');
}

/** Searches the first `depth` chats of the list, or all of them; `exhausted` when there were no more. */
async function searchNear(db: Db, listing: Listing, terms: string[], depth: number | null) {
  const bindings = new Bindings(listing.workspaceId);
  const where = conditionsOf(listing, bindings).join(' and ');
  const near = `select * from chats c where ${where} order by ${order} limit ${bindings.bind(depth)}`;
  const found = matchesOf(terms, bindings).join(' and ');
  const text = `with near as materialized (${near}), page as (
      select * from near c where ${found} order by ${order} limit ${bindings.bind(listing.count)})
    select n.searched, ${chatColumns} from (select count(*)::int as searched from near) n left join page c on true
    order by ${order}`;
  const rows = await db.rows<ChatRow & { searched: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ searched: _, ...row }) => row as ChatRow);
  return { page, exhausted: depth === null || (rows[0]?.searched ?? 0) < depth };
}

/** Searches with the trigram index, then filters and sorts its matches. */
async function searchIndex(db: Db, listing: Listing, terms: string[]): Promise<ChatRow[]> {
  const bindings = new Bindings(listing.workspaceId);
  const matches = matchesOf(terms, bindings);
  const hits = ['c.workspace_id = $1', ...matches].join(' and ');
  const where = conditionsOf(listing, bindings).join(' and ');
  const text = `with hits as materialized (select * from chats c where ${hits})
    select ${chatColumns} from hits c where ${where} order by ${order} limit ${bindings.bind(listing.count)}`;
  return db.rows<ChatRow>(text, bindings.values, 'custom');
}

/** Frequent words fill a page from the newest chats; rare words have few matches, so the index returns all of them. */
async function searchPage(db: Db, listing: Listing, query: string): Promise<ChatRow[]> {
  const terms = termsOf(query);
  const indexed = hasTrigram(terms);
  const { page, exhausted } = await searchNear(db, listing, terms, indexed ? searchDepth : null);
  return page.length === listing.count || exhausted ? page : searchIndex(db, listing, terms);
}

/**
 * One page of chats, the most recently active first: keyset paging, so that reading all pages returns every chat that
 * gets no message meanwhile exactly once. @throws Failure 400 `invalid_cursor`.
 */
export async function listChats(ctx: Context, input: ChatListingInput) {
  const { db, principal } = ctx;
  const { workspaceId } = principal;
  const { limit, cursor, query, ...filter } = input;
  const scope = cursorScope(ctx, { sort: 'lastMessageAt', order: 'desc', filters: { ...filter, query } });
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const listing: Listing = { workspaceId, filter, after, count: limit + 1 };
  const rows = query === undefined ? await walkPage(db, listing) : await searchPage(db, listing, query);
  const page = pageOf(rows.map(chatOf), limit, scope, (chat) => [chat.lastMessageAt, chat.id]);
  return { object: 'list' as const, ...page };
}
