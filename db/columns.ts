import { customType, uuid } from 'drizzle-orm/pg-core';

/** An instant: `timestamptz(3)`, read and written as an RFC 3339 UTC string with milliseconds. */
export const instant = customType<{ data: string; driverData: string }>({
  dataType: () => 'timestamp (3) with time zone',
});

/** Bytes, read and written as a Buffer. */
export const bytes = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' });

/** The tenant column that starts every key of a tenant table. */
export const workspaceId = () => uuid('workspace_id').notNull();
