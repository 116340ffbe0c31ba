import { sql } from 'drizzle-orm';
import { foreignKey, index, pgTable, primaryKey, text, unique, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { members } from './workspaces.ts';

/**
 * Something in the inbox of a person that the person does not want to see before `until`. It refers to what it is about
 * without a foreign key: that may be erased, and the row then says nothing about it. It is deleted some days after
 * `until`.
 */
export const snoozes = pgTable(
  'snoozes',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    subjectType: text('subject_type', { enum: ['approval', 'todo_run', 'todo', 'notification'] }).notNull(),
    subjectId: uuid('subject_id').notNull(),
    until: instant('until').notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'snoozes_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    unique('snoozes_subject').on(table.workspaceId, table.userId, table.subjectId),
    index('snoozes_until').on(table.until),
  ],
);
