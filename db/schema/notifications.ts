import { sql } from 'drizzle-orm';
import { boolean, foreignKey, index, integer, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { members } from './workspaces.ts';

/**
 * Something that a person should know. It refers to what it is about without foreign keys: that may be erased. `dedupe`
 * names the event, so that it is sent once however often the work behind it is repeated. `in_app`: it is in the list of
 * the person; a row without that and without an email records that the person switched both off. `email` is the state
 * of its email: `none` when none is to be sent; a pending one is tried at `email_due_at`. A `security` notice is only
 * an email, and its workspace one that the person is or was a member of.
 */
export const notifications = pgTable(
  'notifications',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    userId: uuid('user_id').notNull(),
    kind: text('kind', {
      enum: [
        'todo_due',
        'approval_requested',
        'run_failed',
        'invited',
        'minutes_exhausted',
        'webhook_disabled',
        'mentioned',
        'todo_reminder',
        'security',
      ],
    }).notNull(),
    title: text('title').notNull(),
    text: text('text').notNull(),
    todoId: uuid('todo_id'),
    chatId: uuid('chat_id'),
    approvalId: uuid('approval_id'),
    dedupe: text('dedupe').notNull(),
    inApp: boolean('in_app').notNull(),
    email: text('email', { enum: ['none', 'pending', 'sent', 'failed', 'suppressed'] }).notNull(),
    emailAttempts: integer('email_attempts').notNull().default(0),
    emailDueAt: instant('email_due_at'),
    readAt: instant('read_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'notifications_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    uniqueIndex('notifications_dedupe').on(table.workspaceId, table.dedupe, table.userId),
    index('notifications_created').on(table.workspaceId, table.userId, table.createdAt, table.id).where(sql`in_app`),
    index('notifications_unread')
      .on(table.workspaceId, table.userId, table.createdAt, table.id)
      .where(sql`in_app and read_at is null`),
    // What an erased todo takes with it.
    index('notifications_todo').on(table.workspaceId, table.todoId).where(sql`todo_id is not null`),
    // What is old lies together, as rows are only added: a small index finds it for the sweep.
    index('notifications_age').using('brin', table.createdAt),
    index('notifications_emails_due').on(table.workspaceId, table.emailDueAt).where(sql`email = 'pending'`),
  ],
);

/** What a person is notified of, and how. A kind without a row is notified in every way there is. */
export const notificationSettings = pgTable(
  'notification_settings',
  {
    workspaceId: workspaceId(),
    userId: uuid('user_id').notNull(),
    kind: text('kind').notNull(),
    inApp: boolean('in_app').notNull().default(true),
    email: boolean('email').notNull().default(true),
    push: boolean('push').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.userId, table.kind] }),
    foreignKey({
      name: 'notification_settings_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
  ],
);
