import { sql } from 'drizzle-orm';
import { check, foreignKey, index, pgTable, primaryKey, smallint, text, time, unique, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { members } from './workspaces.ts';

/**
 * When a person wants to be reminded of the due date of a todo: so many days before it, at a time of the day in a time
 * zone. `remind_at` is that instant while the reminder is still to be sent, and null once it was, or when it cannot be:
 * the todo has no due date, is done or archived, or the instant was past when it was set.
 */
export const todoReminders = pgTable(
  'todo_reminders',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    todoId: uuid('todo_id').notNull(),
    userId: uuid('user_id').notNull(),
    daysBefore: smallint('days_before').notNull(),
    atTime: time('at_time').notNull(),
    /** IANA. */
    timezone: text('timezone').notNull(),
    remindAt: instant('remind_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'todo_reminders_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'todo_reminders_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    unique('todo_reminders_same').on(
      table.workspaceId,
      table.todoId,
      table.userId,
      table.daysBefore,
      table.atTime,
      table.timezone,
    ),
    check('todo_reminders_days', sql`days_before between 0 and 365`),
    index('todo_reminders_due').on(table.remindAt).where(sql`remind_at is not null`),
  ],
);
