import { z } from 'zod';
import { CalendarDate, Day, Id, Instant, listOf, NewId, nonBlankText, text, wholeList } from '../fields.ts';
import { LabelIds, TodoLabel } from '../labels/shapes.ts';
import { ScheduleFacts, ScheduleParams } from '../schedules/shapes.ts';
import { TodoRun } from './run-shapes.ts';

export const TodoStatus = z.enum(['ready', 'in_progress', 'done']);
export const TodoType = z.enum(['task', 'responsibility']);
export const priorities = ['urgent', 'high', 'medium', 'low'] as const;
export const Priority = z.enum(priorities);
export type PriorityName = z.infer<typeof Priority>;

const aTitle = 'Draft the quarterly report';
const aBody = 'Figures are in the shared folder. Keep it to **two pages**.';

export const TodoAssignee = z
  .object({
    object: z.literal('todo_assignee'),
    type: z.enum(['user', 'agent']),
    id: Id,
    name: z.string().meta({ examples: ['Ada Lovelace'] }),
    profilePhotoUrl: z.string().nullable(),
    isArchived: z.boolean().describe('True for an archived agent or a removed member.'),
  })
  .meta({ id: 'TodoAssignee' });

export const Todo = z
  .object({
    object: z.literal('todo'),
    id: Id,
    title: z
      .string()
      .nullable()
      .meta({ description: 'Null when the todo has only a body.', examples: [aTitle] }),
    content: z
      .string()
      .nullable()
      .meta({ description: 'Body; Markdown, kept as written.', examples: [aBody] }),
    status: TodoStatus,
    priority: Priority.nullable().meta({ examples: ['high'] }),
    type: TodoType.describe('A task is finished once; a responsibility is continuing work.'),
    todoListId: Id,
    dueDate: Day.nullable(),
    assignees: z.array(TodoAssignee),
    labels: z.array(TodoLabel).describe('By name.'),
    captureId: Id.nullable().describe('The capture it came from.'),
    parentTodoId: Id.nullable().describe('The todo that it is a part of; null when it is no sub-todo.'),
    subTodoCount: z.int().meta({ description: 'Its sub-todos, without archived and suggested ones.', examples: [5] }),
    doneSubTodoCount: z.int().meta({ description: 'Those of them that are done.', examples: [2] }),
    position: z.string().meta({
      description: 'Its place in the manual order, to be compared as text. moveTodo changes it.',
      examples: ['019ca8a03e8076028fae580f5863abfb'],
    }),
    isArchived: z.boolean(),
    isSuggested: z.boolean().describe('True while an agent’s suggestion is not accepted.'),
    source: z
      .enum(['user_created', 'agent_created', 'auto_suggested'])
      .nullable()
      .meta({ examples: ['user_created'] }),
    ...ScheduleFacts.shape,
    latestRun: TodoRun.nullable().describe('The most recent agent run; null when it never ran.'),
    minutesSaved: z.int().nullable().describe('Estimated minutes saved; null until classified.'),
    minutesSavedReason: z.string().nullable(),
    minutesSavedConfidence: z.enum(['low', 'medium', 'high']).nullable(),
    version: z.int().meta({
      description: 'Counts the changes: 1 when it is created, one more with each event of the todo.',
      examples: [3],
    }),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Todo' });

export type TodoAnswer = z.infer<typeof Todo>;

const totalCount = z.int().nullable().describe('Rows over all pages; null unless asked for with include=totalCount.');
export const TodoPage = listOf(Todo, 'TodoPage').extend({ totalCount }).meta({ id: 'TodoPage' });

/** All todos of a batch in one page. */
export function wholeBatch(data: TodoAnswer[]) {
  return { ...wholeList(data), totalCount: null };
}

/** In a request, the person behind the credential: its owner, or the one for whom an agent works. */
export const me = 'me';

/** An assignee in a request. */
export const AssigneeId = z
  .string()
  .regex(/^(me|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$/, 'must be a UUID, or me')
  .toLowerCase()
  .meta({ description: 'Id of a member or an agent; `me` is the owner of the credential.', examples: [me] });

export const Assignees = z
  .array(
    z.strictObject({ id: AssigneeId, type: z.enum(['user', 'agent']).optional() }).meta({ id: 'TodoAssigneeParams' }),
  )
  .max(20);

/** A new todo. `title` or `content` must not be blank. */
export const TodoCreate = z
  .strictObject({
    id: NewId.optional().describe(
      'A new UUIDv7 of your own. Creating a todo again with the same id and the same values returns the first one, at any time.',
    ),
    title: nonBlankText(500)
      .optional()
      .meta({ description: 'Give this, or `content`, or both.', examples: [aTitle] }),
    content: text(50_000)
      .optional()
      .meta({ description: 'Detail that an agent needs; Markdown.', examples: [aBody] }),
    priority: Priority.optional().meta({ description: 'Omitted: none.', examples: ['high'] }),
    type: TodoType.default('task'),
    todoListId: Id.optional().describe('Omitted: the default list of the workspace.'),
    todoListName: z
      .string()
      .min(1)
      .max(200)
      .optional()
      .describe('Name of a list, exact or ignoring case. Pass this or `todoListId`.'),
    dueDate: CalendarDate.optional(),
    assignees: Assignees.optional().describe('Omitted: the owner of the credential.'),
    labelIds: LabelIds.optional().describe('Ids of its labels.'),
    schedule: ScheduleParams.optional().describe('When it is due: a rule, one time, or an interval.'),
    captureId: Id.optional(),
    parentTodoId: Id.optional().describe(
      'Makes it a sub-todo of this one, which must not be a sub-todo itself; without a list it goes into the list of its parent. In a batch, it may be the `id` of another new todo.',
    ),
    run: z
      .boolean()
      .default(false)
      .describe('Starts the first agent among the assignees at once; spends agent minutes.'),
  })
  .meta({ id: 'TodoCreateParams' });

export type NewTodo = z.infer<typeof TodoCreate>;

/** A change of a todo; omitted fields are unchanged. */
export const TodoUpdate = z
  .strictObject({
    title: nonBlankText(500).optional(),
    content: text(50_000).nullable().optional(),
    status: TodoStatus.optional().meta({ examples: ['done'] }),
    priority: Priority.nullable().optional().describe('Null clears it.'),
    type: TodoType.optional(),
    todoListId: Id.optional().describe('Moves it to another list.'),
    dueDate: CalendarDate.nullable().optional().describe('Null clears it.'),
    parentTodoId: Id.nullable()
      .optional()
      .describe('Makes it a sub-todo of this one; null takes it out. There is one level of sub-todos.'),
    assignees: Assignees.optional().describe('Replaces all assignees; empty unassigns everyone.'),
    labelIds: LabelIds.optional().describe('Replaces all labels; empty takes all off.'),
    addLabelIds: LabelIds.optional().describe('Labels to put on, besides those that it has.'),
    removeLabelIds: LabelIds.optional().describe('Labels to take off; one that it does not have is ignored.'),
    schedule: ScheduleParams.nullable().optional().describe('Replaces the schedule; null ends it.'),
    schedulePaused: z.boolean().optional().describe('True pauses the schedule, false resumes it.'),
    isSuggested: z.literal(false).optional().describe('False accepts a suggestion.'),
  })
  .meta({ id: 'TodoUpdateParams' });

export type TodoPatch = z.infer<typeof TodoUpdate>;

/** Todos that one request creates at most. */
const maxBatch = 50;

/** New todos. */
export const TodoBatchCreate = z
  .strictObject({ data: z.array(TodoCreate).min(1).max(maxBatch) })
  .meta({ id: 'TodoBatchCreateParams' });

export const TodoSummary = z
  .object({
    object: z.literal('todo_summary'),
    total: z.int().meta({ examples: [42] }),
    active: z.int().meta({ description: 'Those ready or in_progress.', examples: [30] }),
    byStatus: z
      .object({ ready: z.int(), in_progress: z.int(), done: z.int() })
      .meta({ examples: [{ ready: 26, in_progress: 4, done: 12 }] }),
    byPriority: z
      .object({ urgent: z.int(), high: z.int(), medium: z.int(), low: z.int(), none: z.int() })
      .meta({ examples: [{ urgent: 1, high: 6, medium: 10, low: 5, none: 20 }] }),
    minutesSaved: z
      .int()
      .meta({ description: 'Estimated minutes saved by the completed todos among them.', examples: [95] }),
  })
  .meta({ id: 'TodoSummary' });
