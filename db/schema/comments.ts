import { sql } from 'drizzle-orm';
import { check, foreignKey, index, pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { agents, members } from './workspaces.ts';

/** What people and agents say about a todo. One of `user_id` and `agent_id` is set: the author. */
export const todoComments = pgTable(
  'todo_comments',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    todoId: uuid('todo_id').notNull(),
    userId: uuid('user_id'),
    agentId: uuid('agent_id'),
    text: text('text').notNull(),
    /** Members whom the author notified of it. */
    mentions: uuid('mentions').array().notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    editedAt: instant('edited_at'),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({
      name: 'todo_comments_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'todo_comments_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    foreignKey({
      name: 'todo_comments_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    check('todo_comments_author', sql`num_nonnulls(user_id, agent_id) = 1`),
    index('todo_comments_todo').on(table.workspaceId, table.todoId, table.createdAt, table.id),
  ],
);
