import { sql } from 'drizzle-orm';
import {
  boolean,
  check,
  date,
  foreignKey,
  index,
  integer,
  pgTable,
  primaryKey,
  smallint,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import { captures } from './captures.ts';
import { bytes, instant, searchPartOf, searchParts, workspaceId } from './columns.ts';
import { agents, members, workspaces } from './workspaces.ts';

export const todoLists = pgTable(
  'todo_lists',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    name: text('name').notNull(),
    emoji: text('emoji'),
    color: text('color'),
    isDefault: boolean('is_default').notNull().default(false),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.id] }),
    foreignKey({ name: 'todo_lists_workspace_fk', columns: [table.workspaceId], foreignColumns: [workspaces.id] }),
    uniqueIndex('todo_lists_default').on(table.workspaceId).where(sql`is_default`),
    index('todo_lists_name').on(table.workspaceId, sql`lower(${table.name})`),
  ],
);

/**
 * `priority` is a rank (4 urgent, 3 high, 2 medium, 1 low) so that it sorts. Listed todos are those that are neither
 * archived nor an unaccepted suggestion: the sort indexes hold exactly these, each in the total order of its page.
 */
export const todos = pgTable(
  'todos',
  {
    workspaceId: workspaceId(),
    id: uuid('id').notNull(),
    title: text('title'),
    content: text('content'),
    status: text('status', { enum: ['ready', 'in_progress', 'done'] })
      .notNull()
      .default('ready'),
    priority: smallint('priority'),
    type: text('type', { enum: ['task', 'responsibility'] })
      .notNull()
      .default('task'),
    todoListId: uuid('todo_list_id').notNull(),
    dueDate: date('due_date', { mode: 'string' }),
    /**
     * The todo that it is a part of. That one has no parent itself: `requireParent` checks it with both rows locked.
     */
    parentTodoId: uuid('parent_todo_id'),
    /** Its place in the manual order, as hexadecimal digits; null where its id gives it: it was never moved. */
    position: text('position'),
    captureId: uuid('capture_id'),
    isSuggested: boolean('is_suggested').notNull().default(false),
    source: text('source', { enum: ['user_created', 'agent_created', 'auto_suggested'] }),
    /** It has a row in `todo_schedules`. */
    isScheduled: boolean('is_scheduled').notNull().default(false),
    /**
     * Set by triggers with its first label, and with its first sub-todo, and never cleared: others need not be looked
     * for.
     */
    hasHadLabels: boolean('has_had_labels').notNull().default(false),
    hasHadSubTodos: boolean('has_had_sub_todos').notNull().default(false),
    latestRunId: uuid('latest_run_id'),
    minutesSaved: integer('minutes_saved'),
    minutesSavedReason: text('minutes_saved_reason'),
    minutesSavedConfidence: text('minutes_saved_confidence', { enum: ['low', 'medium', 'high'] }),
    /**
     * 1 when it is created, one more with every change that is recorded as an event of the todo. The previous release
     * calls something else "version" in its statements.
     */
    version: integer('revision').notNull().default(1),
    /** SHA-256 of what it was created with, where the client chose its id: a repeated creation is recognised by it. */
    createdFrom: bytes('created_from'),
    archivedAt: instant('archived_at'),
    createdAt: instant('created_at').notNull().default(sql`now()`),
    updatedAt: instant('updated_at').notNull().default(sql`now()`),
  },
  (table) => {
    // Ids are of version 7 and begin with their time: what was never moved is in the order of creation.
    const positionKey = sql`(coalesce(position, replace(id::text, '-', ''))) collate "C"`;
    const listed = sql`archived_at is null and not is_suggested`;
    const archived = sql`archived_at is not null`;
    return [
      primaryKey({ columns: [table.workspaceId, table.id] }),
      foreignKey({
        name: 'todos_list_fk',
        columns: [table.workspaceId, table.todoListId],
        foreignColumns: [todoLists.workspaceId, todoLists.id],
      }),
      foreignKey({
        name: 'todos_capture_fk',
        columns: [table.workspaceId, table.captureId],
        foreignColumns: [captures.workspaceId, captures.id],
      }),
      foreignKey({
        name: 'todos_parent_fk',
        columns: [table.workspaceId, table.parentTodoId],
        foreignColumns: [table.workspaceId, table.id],
      }).onDelete('cascade'),
      check('todos_not_own_parent', sql`parent_todo_id <> id`),
      check('todos_text', sql`title is not null or coalesce(content ~ '[^[:space:]]', false)`),
      check('todos_status', sql`status in ('ready', 'in_progress', 'done')`),
      check('todos_priority', sql`priority between 1 and 4`),
      index('todos_created').on(table.workspaceId, table.createdAt, table.id).where(listed),
      index('todos_updated').on(table.workspaceId, table.updatedAt, table.id).where(listed),
      index('todos_due').on(table.workspaceId, table.dueDate, table.id).where(listed),
      index('todos_priority_rank').on(table.workspaceId, table.priority, table.id).where(listed),
      index('todos_status_created').on(table.workspaceId, table.status, table.createdAt, table.id).where(listed),
      index('todos_counts')
        .on(table.workspaceId, table.status, table.priority, table.todoListId, table.minutesSaved)
        .where(listed),
      index('todos_capture').on(table.workspaceId, table.captureId).where(sql`capture_id is not null`),
      index('todos_archived').on(table.workspaceId, table.createdAt, table.id).where(archived),
      index('todos_archived_updated').on(table.workspaceId, table.updatedAt, table.id).where(archived),
      index('todos_archived_due').on(table.workspaceId, table.dueDate, table.id).where(archived),
      index('todos_archived_priority').on(table.workspaceId, table.priority, table.id).where(archived),
      index('todos_suggested').on(table.workspaceId, table.createdAt, table.id).where(sql`is_suggested`),
      index('todos_scheduled').on(table.workspaceId, table.createdAt, table.id).where(sql`is_scheduled`),
      index('todos_run').on(table.workspaceId, table.createdAt, table.id).where(sql`latest_run_id is not null`),
      index('todos_parent')
        .on(table.workspaceId, table.parentTodoId, table.createdAt, table.id)
        .where(sql`parent_todo_id is not null`),
      // The columns after the id sort nothing: an index with an expression is read alone where it has what that is made
      // of.
      index('todos_position').on(
        table.workspaceId,
        positionKey,
        table.id,
        table.position,
        table.archivedAt,
        table.isSuggested,
      ),
      index('todos_archived_position').on(table.workspaceId, positionKey, table.id, table.position).where(archived),
      index('todos_list_position')
        .on(table.workspaceId, table.todoListId, positionKey, table.id, table.position)
        .where(listed),
      index('todos_list').on(table.workspaceId, table.todoListId, table.createdAt, table.id),
    ];
  },
);

/**
 * Who a todo is assigned to, in the order given: a member or an agent of the same workspace. `created_at` is the
 * todo's own, which never changes: “assigned to me, newest first” is one walk of an index.
 */
export const todoAssignees = pgTable(
  'todo_assignees',
  {
    workspaceId: workspaceId(),
    todoId: uuid('todo_id').notNull(),
    position: smallint('position').notNull(),
    userId: uuid('user_id'),
    agentId: uuid('agent_id'),
    assigneeId: uuid('assignee_id').notNull().generatedAlwaysAs(sql`coalesce(user_id, agent_id)`),
    createdAt: instant('created_at').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.todoId, table.position] }),
    foreignKey({
      name: 'todo_assignees_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    foreignKey({
      name: 'todo_assignees_user_fk',
      columns: [table.workspaceId, table.userId],
      foreignColumns: [members.workspaceId, members.userId],
    }),
    foreignKey({
      name: 'todo_assignees_agent_fk',
      columns: [table.workspaceId, table.agentId],
      foreignColumns: [agents.workspaceId, agents.id],
    }),
    uniqueIndex('todo_assignees_assignee').on(table.workspaceId, table.assigneeId, table.createdAt, table.todoId),
    check('todo_assignees_one', sql`num_nonnulls(user_id, agent_id) = 1`),
  ],
);

/**
 * Title and content of a todo, case-folded, for search. A table of its own, written only when the text changes:
 * a trigram index on `todos` would be rewritten by every change of status.
 */
export const todoSearch = pgTable(
  'todo_search',
  {
    workspaceId: workspaceId(),
    todoId: uuid('todo_id').notNull(),
    title: text('title').notNull(),
    content: text('content').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.workspaceId, table.todoId] }),
    foreignKey({
      name: 'todo_search_todo_fk',
      columns: [table.workspaceId, table.todoId],
      foreignColumns: [todos.workspaceId, todos.id],
    }).onDelete('cascade'),
    // Title and content in one: a scan of an index intersects the trigrams of all words, whichever of the two has each.
    // Of an index of all workspaces it would read what everybody has of a word.
    ...Array.from({ length: searchParts }, (_, part) =>
      index(`todo_search_texts_${part}`)
        .using('gin', table.workspaceId, sql`(${table.title} || ' ' || ${table.content}) gin_trgm_ops`)
        .where(sql.raw(`${searchPartOf('workspace_id')} = ${part}`)),
    ),
  ],
);
