import { sql } from 'drizzle-orm';
import { bigint, integer, pgTable, primaryKey, smallint, text, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';

const statuses = ['ready', 'in_progress', 'done'] as const;

/** What listed todos (`db/schema/todos.ts`) are counted by. */
const counted = () => ({
  workspaceId: workspaceId(),
  todoListId: uuid('todo_list_id').notNull(),
  status: text('status', { enum: statuses }).notNull(),
  /** The rank of the todos; 0: they have none. */
  priority: smallint('priority').notNull(),
});

/**
 * How many todos are listed, and the minutes saved by the completed ones: what was counted or added last.
 * `todo_count_changes` is to be added. No foreign keys: the rows are made by triggers and in the background.
 */
export const todoCounts = pgTable(
  'todo_counts',
  {
    ...counted(),
    todos: bigint('todos', { mode: 'number' }).notNull(),
    minutes: bigint('minutes', { mode: 'number' }).notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.todoListId, table.status, table.priority] })],
);

/**
 * Changes of the counts that are not in `todo_counts` yet. Triggers of `todos` write them in the transaction of each
 * change: a row of its own, so that changes of one workspace do not wait for each other.
 */
export const todoCountChanges = pgTable(
  'todo_count_changes',
  {
    ...counted(),
    position: bigint('position', { mode: 'number' }).generatedAlwaysAsIdentity().notNull(),
    todos: integer('todos').notNull(),
    minutes: integer('minutes').notNull(),
  },
  (table) => [primaryKey({ columns: [table.workspaceId, table.position] })],
);

/**
 * The workspaces of which `todo_counts` and `todo_count_changes` together are the counts. In others todos are counted.
 */
export const countedWorkspaces = pgTable('counted_workspaces', {
  workspaceId: workspaceId().primaryKey(),
  countedAt: instant('counted_at').notNull().default(sql`now()`),
});
