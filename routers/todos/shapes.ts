import { z } from 'zod';
import { CalendarDate, CursorText, Day, Id, Instant, InstantInput, Limit, listOf, saidText, text } from '../fields.ts';
import { ScheduleParams } from '../schedules/shapes.ts';
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

const ScheduleError = z
  .object({
    object: z.literal('schedule_error'),
    code: z.enum([
      'insufficient_minutes',
      'agent_archived',
      'no_assignee',
      'already_running',
      'run_failed',
      'internal_error',
    ]),
    message: z.string(),
    occurredAt: Instant,
    consecutiveFailures: z.int(),
    willRetry: z.boolean(),
  })
  .meta({ id: 'ScheduleError' });

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
    type: TodoType.describe('A task is finished once; a responsibility is standing work.'),
    todoListId: Id,
    dueDate: Day.nullable(),
    assignees: z.array(TodoAssignee),
    captureId: Id.nullable().describe('The capture it came from.'),
    isArchived: z.boolean(),
    isSuggested: z.boolean().describe('True while an agent’s suggestion is not accepted.'),
    source: z
      .enum(['user_created', 'agent_created', 'auto_suggested'])
      .nullable()
      .meta({ examples: ['user_created'] }),
    scheduleError: ScheduleError.nullable(),
    rrule: z.string().nullable().describe('RFC 5545 recurrence rule.'),
    timezone: z.string().nullable().describe('IANA time zone of the rule.'),
    nextRunAt: Instant.nullable(),
    upcomingRuns: z.array(Instant).describe('The next times of its schedule, up to 5; the first is `nextRunAt`.'),
    lastRunAt: Instant.nullable(),
    scheduleType: z.enum(['one_off', 'recurring']).nullable(),
    scheduleStatus: z.enum(['pending', 'queued', 'disabled', 'error', 'completed']).nullable(),
    lastNotificationStatus: z.enum(['sent', 'failed', 'partial', 'suppressed']).nullable(),
    lastNotificationSentAt: Instant.nullable(),
    latestRun: TodoRun.nullable().describe('The most recent agent run; null when it never ran.'),
    minutesSaved: z.int().nullable().describe('Estimated minutes saved; null until classified.'),
    minutesSavedReason: z.string().nullable(),
    minutesSavedConfidence: z.enum(['low', 'medium', 'high']).nullable(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Todo' });

export type TodoAnswer = z.infer<typeof Todo>;

const totalCount = z.int().nullable().describe('Rows over all pages; null unless asked for with include=totalCount.');
export const TodoPage = listOf(Todo, 'TodoPage').extend({ totalCount }).meta({ id: 'TodoPage' });

export const Assignees = z
  .array(z.strictObject({ id: Id, type: z.enum(['user', 'agent']).optional() }).meta({ id: 'TodoAssigneeParams' }))
  .max(20);

/** What a new todo may say. `title` or `content` must say something. */
export const TodoCreate = z
  .strictObject({
    title: saidText(500)
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
    schedule: ScheduleParams.optional().describe('When it is due: a rule, one time, or every so often.'),
    captureId: Id.optional(),
    run: z
      .boolean()
      .default(false)
      .describe('Starts the first agent among the assignees at once; spends agent minutes.'),
  })
  .meta({ id: 'TodoCreateParams' });

export type NewTodo = z.infer<typeof TodoCreate>;

/** What a change of a todo may say; what it omits stays. */
export const TodoUpdate = z
  .strictObject({
    title: saidText(500).optional(),
    content: text(50_000).nullable().optional(),
    status: TodoStatus.optional().meta({ examples: ['done'] }),
    priority: Priority.nullable().optional().describe('Null clears it.'),
    type: TodoType.optional(),
    todoListId: Id.optional().describe('Moves it to another list.'),
    dueDate: CalendarDate.nullable().optional().describe('Null clears it.'),
    assignees: Assignees.optional().describe('Replaces all assignees; empty unassigns everyone.'),
    schedule: ScheduleParams.nullable().optional().describe('Replaces the schedule; null ends it.'),
    schedulePaused: z.boolean().optional().describe('True pauses the schedule, false resumes it.'),
    isSuggested: z.literal(false).optional().describe('False accepts a suggestion.'),
  })
  .meta({ id: 'TodoUpdateParams' });

export type TodoPatch = z.infer<typeof TodoUpdate>;

/** The filters that lists, counts and summaries of todos share. */
export const TodoFilters = z.strictObject({
  status: z.enum(['ready', 'in_progress', 'done', 'active']).optional().describe('`active` is ready or in_progress.'),
  priority: z
    .enum([...priorities, 'none'])
    .optional()
    .describe('`none` is without a priority.'),
  type: TodoType.optional().describe('Tasks are finished once; responsibilities are standing work.'),
  todoListId: Id.optional(),
  captureId: Id.optional().describe('Suggestions from that capture that nobody accepted yet are then included.'),
  assigneeId: Id.optional().describe('A user or an agent.'),
  assignedToMe: z.boolean().optional().describe('Assigned to the owner of the credential; wins over `assigneeId`.'),
  unassigned: z.boolean().optional().describe('Ignored beside `assigneeId` or `assignedToMe`.'),
  includeArchived: z.boolean().optional().describe('True lists the archived todos INSTEAD of the active ones.'),
  updatedSince: InstantInput.optional().describe('Changed at or after.'),
  createdSince: InstantInput.optional().describe('Created at or after.'),
  dueBefore: CalendarDate.optional().describe('Due on or before; todos without a due date are left out.'),
  dueAfter: CalendarDate.optional().describe('Due on or after; todos without a due date are left out.'),
  query: saidText(200)
    .optional()
    .describe('Words, or parts of words, in title or content, ignoring case; all must occur.'),
});

export type TodoFilter = z.infer<typeof TodoFilters>;

export const TodoListing = TodoFilters.extend({
  limit: Limit,
  cursor: CursorText,
  sort: z
    .enum(['createdAt', 'updatedAt', 'dueDate', 'priority'])
    .default('createdAt')
    .describe('What to order by; for `priority`, desc is most urgent first.'),
  order: z.enum(['asc', 'desc']).default('desc').describe('Todos without the sort value come last in both.'),
  include: z.enum(['totalCount']).optional().describe('`totalCount` adds the number of all matches.'),
});

export type TodoListingInput = z.infer<typeof TodoListing>;

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
