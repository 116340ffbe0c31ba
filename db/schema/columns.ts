import { sql } from 'drizzle-orm';
import { customType, uuid } from 'drizzle-orm/pg-core';

/** An instant: `timestamptz(3)`, read and written as an RFC 3339 UTC string with milliseconds. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
});

/** Bytes, read and written as a Buffer. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** The id of a transaction, read and written as decimal digits. */
export const transactionId = customType<{ data: string; driverData: string }>({ dataType: () => 'xid8' });

/** The new `updated_at` of a changed row: now, and never earlier than the one it replaces. */
export const changedNow = sql`greatest(now(), updated_at)`;

/**
 * The tenant column that starts every key of a tenant table. It has no default: each statement names its workspace.
 */
export const workspaceId = () => uuid('workspace_id').notNull();

/**
 * The parts of the workspaces, by the last bits of their ids, which are random. Each part has a search index of its
 * own: to intersect a word with a workspace, PostgreSQL reads all that an index has of that word.
 */
export const searchParts = 16;

/** The part of a workspace in SQL, from 0; `column` holds its id. */
export function searchPartOf(column: string): string {
  return `(get_byte(uuid_send(${column}), 15) & ${searchParts - 1})`;
}

/**
 * The condition in SQL that `column` holds a workspace of the same part as `id`, by which PostgreSQL uses the index of
 * this part. The part is in the text: a plan that is made without the values of its statement, as in every transaction,
 * can use no index of a part otherwise.
 */
export function inSearchPart(column: string, id: string): string {
  return `${searchPartOf(column)} = ${Number.parseInt(id.slice(-2), 16) % searchParts}`;
}

/** Whether a text has the condition of a part, so that it exists once for each of them. */
export function namesSearchPart(text: string): boolean {
  return text.includes('(get_byte(uuid_send(');
}
