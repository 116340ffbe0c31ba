import { sql } from 'drizzle-orm';
import {
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { captures } from './captures.ts';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { agents } from './workspaces.ts';

/**
 * A conversation with an agent. `message_count` is also the sequence of its last message. `last_message_at` is set with
 * every message, so it orders the list. `search` is title and subtitle, case-folded.
 */
export const chats = pgTable(
  'chats',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    /** The agent that was named; null when the default one answers because none was. */
    agentId: uuid('agent_id'),
    todoId: uuid('todo_id'),
    title: text('title'),
    titleGiven: boolean('title_given').notNull().default(false),
    subtitle: text('subtitle'),
    search: text('search').notNull().default(''),
    status: text('status', {
      enum: ['queued', 'running', 'awaiting_input', 'completed', 'failed', 'cancelled'],
    }).notNull(),
    errorMessage: text('error_message'),
    timezone: text('timezone').notNull().default('UTC'),
    messageCount: integer('message_count').notNull().default(0),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
    lastMessageAt: instant('last_message_at').notNull().default(sql`now()`),
    completedAt: instant('completed_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'chats_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    foreignKey({
      name: 'chats_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }),
    index('chats_active').on(table.workspaceId, table.lastMessageAt, table.id),
    index('chats_todo').on(table.workspaceId, table.todoId).where(sql`todo_id is not null`),
    index('chats_agent').on(table.workspaceId, table.agentId, table.lastMessageAt, table.id),
    index('chats_search').using('gin', table.workspaceId, sql`${table.search} gin_trgm_ops`),
  ],
);

/** What was said and done in a chat: append-only, `sequence` from 1 without gaps. */
export const messages = pgTable(
  'messages',
  {
    workspaceId: workspaceId(),
    chatId: uuid('chat_id').notNull(),
    sequence: integer('sequence').notNull(),
    id: uuid('id').notNull(),
    turnId: uuid('turn_id'),
    role: text('role', { enum: ['user', 'agent', 'system'] }).notNull(),
    text: text('text').notNull(),
    blocks: jsonb('blocks').notNull(),
    agentId: uuid('agent_id'),
    userId: uuid('user_id'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.chatId, table.sequence] }),
    foreignKey({
      name: 'messages_chat_fk',
      columns: [table.workspaceId, table.chatId],
      foreignColumns: [chats.workspaceId, chats.id],
    }).onDelete('cascade'),
    uniqueIndex('messages_id').on(table.workspaceId, table.id),
  ],
);

/** Captures that were given to a chat as context, in the order given. */
export const chatCaptures = pgTable(
  'chat_captures',
  {
    workspaceId: workspaceId(),
    chatId: uuid('chat_id').notNull(),
    position: smallint('position').notNull(),
    captureId: uuid('capture_id').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.chatId, table.position] }),
    foreignKey({
      name: 'chat_captures_chat_fk',
      columns: [table.workspaceId, table.chatId],
      foreignColumns: [chats.workspaceId, chats.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'chat_captures_capture_fk',
      columns: [table.workspaceId, table.captureId],
      foreignColumns: [captures.workspaceId, captures.id],
    }).onDelete('cascade'),
    index('chat_captures_capture').on(table.workspaceId, table.captureId),
  ],
);
