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
