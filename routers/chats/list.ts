import type { KeyObject } from 'node:crypto';
import { Bindings } from '../../db/bindings.ts';
import type { Db } from '../../db/client.ts';
import { type CursorScope, type Position, pageOf, positionOf } from '../page.ts';
import { hasTrigram, termsOf } from '../todos/search.ts';
import { type ChatRow, chatColumns, chatOf } from './rows.ts';
import type { ChatListingInput } from './shapes.ts';

/** How many chats a search looks through, the most recently active first, before it turns to the index. */
const walked = 2000;

/** Most recently active first. The position of a chat is its last message's instant and its id. */
const order = 'c.last_message_at desc, c.id desc';

interface Listing {
  workspaceId: string;
  filter: Pick<ChatListingInput, 'status' | 'agentId' | 'includeArchived'>;
  after: Position | undefined;
  /** Rows to fetch. */
  count: number;
}

function conditionsOf({ workspaceId, filter, after }: Listing, bindings: Bindings): string[] {
  const { status, agentId, includeArchived } = filter;
  const where = [`c.workspace_id = ${bindings.bind(workspaceId)}`];
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
  const bindings = new Bindings();
  const where = conditionsOf(listing, bindings).join(' and ');
  const text = `select ${chatColumns} from chats c where ${where} order by ${order} limit ${bindings.bind(listing.count)}`;
  return db.rows<ChatRow>(text, bindings.values, listing.filter.status === undefined ? 'generic' : 'custom');
}

/** Looks for the terms in the first chats of the list, or in all of them; `exhausted` when there were no more. */
async function searchNear(db: Db, listing: Listing, terms: string[], most: number | null) {
  const bindings = new Bindings();
  const where = conditionsOf(listing, bindings).join(' and ');
  const near = `select * from chats c where ${where} order by ${order} limit ${bindings.bind(most)}`;
  const found = matchesOf(terms, bindings).join(' and ');
  const text = `with near as materialized (${near}), page as (
      select * from near c where ${found} order by ${order} limit ${bindings.bind(listing.count)})
    select n.looked, ${chatColumns} from (select count(*)::int as looked from near) n left join page c on true
    order by ${order}`;
  const rows = await db.rows<ChatRow & { looked: number }>(text, bindings.values, 'custom');
  const page = rows.filter((row) => row.id !== null).map(({ looked: _, ...row }) => row as ChatRow);
  return { page, exhausted: most === null || (rows[0]?.looked ?? 0) < most };
}

/** Finds the terms through the trigram index, then filters and sorts what it found. */
async function searchIndex(db: Db, listing: Listing, terms: string[]): Promise<ChatRow[]> {
  const bindings = new Bindings();
  const matches = matchesOf(terms, bindings);
  const hits = [`c.workspace_id = ${bindings.bind(listing.workspaceId)}`, ...matches].join(' and ');
  const where = conditionsOf(listing, bindings).join(' and ');
  const text = `with hits as materialized (select * from chats c where ${hits})
    select ${chatColumns} from hits c where ${where} order by ${order} limit ${bindings.bind(listing.count)}`;
  return db.rows<ChatRow>(text, bindings.values, 'custom');
}

/** Words that occur often fill a page from the newest chats; others are few enough to take from the index whole. */
async function searchPage(db: Db, listing: Listing, query: string): Promise<ChatRow[]> {
  const terms = termsOf(query);
  const indexed = hasTrigram(terms);
  const { page, exhausted } = await searchNear(db, listing, terms, indexed ? walked : null);
  return page.length === listing.count || exhausted ? page : searchIndex(db, listing, terms);
}

/**
 * One page of chats, the most recently active first: keyset paging, so that a walk returns every chat in which nothing
 * is written meanwhile exactly once. @throws Failure 400 `invalid_cursor`.
 */
export async function listChats(db: Db, workspaceId: string, cursorKey: KeyObject, input: ChatListingInput) {
  const { limit, cursor, query, ...filter } = input;
  const filters = { ...filter, agentId: filter.agentId?.toLowerCase(), query };
  const sorted = { sort: 'lastMessageAt', order: 'desc' };
  const scope: CursorScope = { key: cursorKey, operation: 'listChats', workspaceId, ...sorted, filters };
  const after = cursor === undefined ? undefined : positionOf(scope, cursor);
  const listing: Listing = { workspaceId, filter, after, count: limit + 1 };
  const rows = query === undefined ? await walkPage(db, listing) : await searchPage(db, listing, query);
  const page = pageOf(rows.map(chatOf), limit, scope, (chat) => [chat.lastMessageAt, chat.id]);
  return { object: 'list' as const, ...page };
}
