import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { members } from './workspaces.ts';

/**
 * When a todo is due to be worked on again. `starts_at` anchors the rule (DTSTART); its wall-clock time in `timezone`
 * is what repeats. `next_run_at` is null when nothing will come: paused, stopped, spent. `scopes` and `user_id` are the
 * authority that a run of an agent gets: those of the person who set the schedule. `created_at` is when it was set, or
 * replaced.
 */
export const todoSchedules = pgTable(
  'todo_schedules',
  {
    workspaceId: workspaceId(),
    todoId: uuid('todo_id').notNull(),
    kind: text('kind', { enum: ['one_off', 'recurring'] }).notNull(),
    rrule: text('rrule'),
    timezone: text('timezone').notNull(),
    startsAt: instant('starts_at').notNull(),
    status: text('status', { enum: ['pending', 'queued', 'disabled', 'error', 'completed'] }).notNull(),
    paused: boolean('paused').notNull().default(false),
    nextRunAt: instant('next_run_at'),
    userId: uuid('user_id').notNull(),
    scopes: text('scopes').array().notNull(),
    lastFiredAt: instant('last_fired_at'),
    consecutiveFailures: integer('consecutive_failures').notNull().default(0),
    errorCode: text('error_code', {
      enum: [
        'insufficient_minutes',
        'agent_archived',
        'no_assignee',
        'already_running',
        'run_failed',
        'internal_error',
      ],
    }),
    errorMessage: text('error_message'),
    errorAt: instant('error_at'),
    lastNotificationStatus: text('last_notification_status', { enum: ['sent', 'failed', 'partial', 'suppressed'] }),
    lastNotificationSentAt: instant('last_notification_sent_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.todoId] }),
    foreignKey({
      name: 'todo_schedules_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'todo_schedules_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    check('todo_schedules_rule', sql`(kind = 'recurring') = (rrule is not null)`),
    index('todo_schedules_due').on(table.nextRunAt).where(sql`next_run_at is not null`),
  ],
);

/** A planned time of a schedule that came, or that a person skipped before it did. */
export const todoOccurrences = pgTable(
  'todo_occurrences',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    todoId: uuid('todo_id').notNull(),
    plannedAt: instant('planned_at').notNull(),
    firedAt: instant('fired_at'),
    status: text('status', { enum: ['upcoming', 'fired', 'done', 'skipped', 'missed'] }).notNull(),
    runId: uuid('run_id'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'todo_occurrences_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    uniqueIndex('todo_occurrences_planned').on(table.workspaceId, table.todoId, table.plannedAt),
  ],
);
