import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, jsonb, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { members } from './workspaces.ts';

/**
 * Saved filters of lists of todos. Private ones are of `user_id` alone; `position` orders those of a person, and the
 * shared ones of the workspace. `query` is the filter as the operations take it: what it names may be gone since.
 */
export const savedViews = pgTable(
  'saved_views',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    name: text('name').notNull(),
    icon: text('icon'),
    isShared: boolean('is_shared').notNull().default(false),
    query: jsonb('query').notNull(),
    position: integer('position').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'saved_views_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    index('saved_views_user').on(table.workspaceId, table.userId),
    index('saved_views_shared').on(table.workspaceId).where(sql`is_shared`),
  ],
);
