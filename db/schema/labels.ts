import { sql } from 'drizzle-orm';
import { check, foreignKey, pgTable, primaryKey, text, uniqueIndex, uuid } from 'drizzle-orm/pg-core';
import { instant, workspaceId } from './columns.ts';
import { todos } from './todos.ts';
import { workspaces } from './workspaces.ts';

export const labelColors = ['gray', 'red', 'orange', 'yellow', 'green', 'teal', 'blue', 'purple', 'pink'] as const;

/** The labels of a workspace. `key` is the name case-folded: no two labels differ only in case. */
export const labels = pgTable(
  'labels',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    key: text('key').notNull(),
    color: text('color', { enum: labelColors }).notNull(),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({ name: 'labels_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    uniqueIndex('labels_key').on(table.workspaceId, table.key),
    check('labels_color', sql.raw(`color in ('${labelColors.join("', '")}')`)),
  ],
);

/**
 * Which todos have which labels. `created_at` is the todo's own, which never changes: “with this label, newest first”
 * is one walk of an index.
 */
export const todoLabels = pgTable(
  'todo_labels',
  {
    workspaceId: workspaceId(),
    todoId: uuid('todo_id').notNull(),
    labelId: uuid('label_id').notNull(),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.todoId, table.labelId] }),
    foreignKey({
      name: 'todo_labels_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'todo_labels_label_fk',
      columns: [table.workspaceId, table.labelId],
      foreignColumns: [labels.workspaceId, labels.id],
    }).onDelete('cascade'),
    uniqueIndex('todo_labels_label').on(table.workspaceId, table.labelId, table.createdAt, table.todoId),
  ],
);
