import { sql } from 'drizzle-orm';
import {
  check,
  foreignKey,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { chats } from './chats.ts';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { agents, members } from './workspaces.ts';

/**
 * One piece of work of an agent in a chat: from a message to its last answer. A chat has at most one that has not
 * ended. `attempt` is the fence: a worker that claims the turn raises it, and only the worker that holds the current
 * one may save a step. The row is also the job: from `lease_until` on any worker may claim it, and null means that it
 * waits for a person. `claims` counts the claims since a step was saved. `scopes` is the authority of the turn.
 */
export const chatTurns = pgTable(
  'chat_turns',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    chatId: uuid('chat_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    /** The person on whose behalf it works. */
    userId: uuid('user_id').notNull(),
    runId: uuid('run_id'),
    trigger: text('trigger', { enum: ['chat', 'manual', 'create', 'assignment', 'schedule'] }).notNull(),
    scopes: text('scopes').array().notNull(),
    /** 0 when a person or program started it, one more than the turn of the agent that did. */
    depth: smallint('depth').notNull().default(0),
    attempt: integer('attempt').notNull().default(0),
    claims: smallint('claims').notNull().default(0),
    /** The process that works on it now. */
    workerId: uuid('worker_id'),
    leaseUntil: instant('lease_until'),
    notBefore: instant('not_before'),
    activeMs: integer('active_ms').notNull().default(0),
    minutes: numeric('minutes', { precision: 12, scale: 1, mode: 'number' }).notNull().default(0),
    startedAt: instant('started_at'),
    endedAt: instant('ended_at'),
    outcome: text('outcome', { enum: ['completed', 'failed', 'cancelled', 'timed_out', 'superseded'] }),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'chat_turns_chat_fk',
      columns: [table.workspaceId, table.chatId],
      foreignColumns: [chats.workspaceId, chats.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'chat_turns_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    foreignKey({
      name: 'chat_turns_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    check('chat_turns_outcome', sql`(ended_at is null) = (outcome is null)`),
    uniqueIndex('chat_turns_open').on(table.workspaceId, table.chatId).where(sql`ended_at is null`),
    index('chat_turns_chat').on(table.workspaceId, table.chatId, table.createdAt),
    index('chat_turns_due')
      .on(table.workspaceId, table.leaseUntil)
      .where(sql`ended_at is null and lease_until is not null`),
    index('chat_turns_agent').on(table.workspaceId, table.agentId).where(sql`ended_at is null`),
  ],
);

/** A tool call that waits for a person, or waited. */
export const approvals = pgTable(
  'approvals',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    chatId: uuid('chat_id').notNull(),
    turnId: uuid('turn_id').notNull(),
    todoId: uuid('todo_id'),
    agentId: uuid('agent_id').notNull(),
    messageSequence: integer('message_sequence').notNull(),
    toolCallId: text('tool_call_id').notNull(),
    toolName: text('tool_name').notNull(),
    title: text('title').notNull(),
    /** What the tool will be called with; a person may have edited it. */
    input: jsonb('input').notNull(),
    reason: text('reason').notNull(),
    status: text('status', { enum: ['pending', 'approved', 'denied', 'expired', 'superseded'] })
      .notNull()
      .default('pending'),
    requestedAt: instant('requested_at').notNull().default(sql`now()`),
    expiresAt: instant('expires_at').notNull(),
    decidedAt: instant('decided_at'),
    decidedBy: uuid('decided_by'),
    note: text('note'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'approvals_chat_fk',
      columns: [table.workspaceId, table.chatId],
      foreignColumns: [chats.workspaceId, chats.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'approvals_turn_fk',
      columns: [table.workspaceId, table.turnId],
      foreignColumns: [chatTurns.workspaceId, chatTurns.id],
    }).onDelete('cascade'),
    uniqueIndex('approvals_call').on(table.workspaceId, table.turnId, table.toolCallId),
    index('approvals_requested').on(table.workspaceId, table.requestedAt, table.id),
    index('approvals_pending').on(table.workspaceId, table.requestedAt, table.id).where(sql`status = 'pending'`),
    index('approvals_chat').on(table.workspaceId, table.chatId, table.requestedAt, table.id),
    index('approvals_expiry').on(table.expiresAt).where(sql`status = 'pending'`),
  ],
);

/**
 * A todo worked on by an agent. The chat may be erased later, and the run stays: no foreign key. Its latest one is also
 * named by the todo, set in the transaction that makes the run.
 */
export const todoRuns = pgTable(
  'todo_runs',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    todoId: uuid('todo_id').notNull(),
    chatId: uuid('chat_id').notNull(),
    agentId: uuid('agent_id').notNull(),
    trigger: text('trigger', { enum: ['manual', 'create', 'assignment', 'schedule'] }).notNull(),
    status: text('status', { enum: ['running', 'completed', 'failed', 'cancelled', 'timed_out'] })
      .notNull()
      .default('running'),
    statusReason: text('status_reason'),
    errorMessage: text('error_message'),
    summary: text('summary'),
    minutesUsed: numeric('minutes_used', { precision: 12, scale: 1, mode: 'number' }).notNull().default(0),
    startedAt: instant('started_at').notNull().default(sql`now()`),
    finishedAt: instant('finished_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'todo_runs_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }),
    foreignKey({
      name: 'todo_runs_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    check('todo_runs_finished', sql`(status = 'running') = (finished_at is null)`),
    uniqueIndex('todo_runs_running').on(table.workspaceId, table.todoId).where(sql`status = 'running'`),
    index('todo_runs_started').on(table.workspaceId, table.todoId, table.startedAt, table.id),
    index('todo_runs_latest').on(table.workspaceId, table.startedAt, table.id),
    index('todo_runs_status').on(table.workspaceId, table.status, table.startedAt, table.id),
    index('todo_runs_agent').on(table.workspaceId, table.agentId, table.startedAt, table.id),
    index('todo_runs_chat').on(table.workspaceId, table.chatId),
  ],
);
