import { z } from 'zod';
import { CalendarDate, CursorText, Id, InstantInput, nonBlankText, oneOrMany } from '../fields.ts';
import { scheduleStatuses } from '../schedules/shapes.ts';
import { AssigneeId, priorities, TodoType } from './shapes.ts';

/** Values of one filter that a request names at most. */
const maxValues = 20;

/** Todos that one request reads by their ids at most. */
export const maxIds = 100;

/** Todos on one page at most: for the pages of the service, and for everybody else. */
const maxLimit = 500;
export const maxLimitOfPrograms = 100;

const Status = z.enum(['ready', 'in_progress', 'done', 'active']);
const PriorityOrNone = z.enum([...priorities, 'none']);

/** The filters that lists, counts and summaries of todos share. Several values of one filter are alternatives. */
export const TodoFilters = z.strictObject({
  status: oneOrMany(Status, maxValues).optional().describe('One or several. `active` is ready or in_progress.'),
  priority: oneOrMany(PriorityOrNone, maxValues).optional().describe('One or several. `none` is without a priority.'),
  type: TodoType.optional().describe('Tasks are finished once; responsibilities are continuing work.'),
  todoListId: oneOrMany(Id, maxValues).optional().describe('Only those of this todo list, or of one of several.'),
  captureId: Id.optional().describe('Also includes suggestions from that capture that are not accepted yet.'),
  assigneeId: oneOrMany(AssigneeId, maxValues)
    .optional()
    .describe('A user or an agent, or one of several; `me` is the owner of the credential.'),
  assignedToMe: z.boolean().optional().describe('Assigned to the owner of the credential; overrides `assigneeId`.'),
  unassigned: z.boolean().optional().describe('Ignored beside `assigneeId` or `assignedToMe`.'),
  labelId: oneOrMany(Id, maxValues).optional().describe('With this label, or with one of several.'),
  includeArchived: z.boolean().optional().describe('True lists the archived todos INSTEAD of the active ones.'),
  archived: z
    .enum(['any'])
    .optional()
    .describe('`any` lists active and archived todos together; overrides `includeArchived`.'),
  isSuggested: z
    .boolean()
    .optional()
    .describe('True: only suggestions of agents that are not accepted yet. False: none, also not with `captureId`.'),
  scheduleStatus: oneOrMany(z.enum(scheduleStatuses), maxValues)
    .optional()
    .describe('Only todos with a schedule in this state, or in one of several.'),
  hasRun: z.boolean().optional().describe('Whether an agent has ever run it.'),
  parentTodoId: Id.optional().describe('Only the sub-todos of this todo.'),
  hasParent: z
    .boolean()
    .optional()
    .describe('True: only sub-todos. False: none of them, so each whole piece of work once.'),
  updatedSince: InstantInput.optional().describe('Changed at or after.'),
  createdSince: InstantInput.optional().describe('Created at or after.'),
  dueBefore: CalendarDate.optional().describe('Due on or before; todos without a due date are left out.'),
  dueAfter: CalendarDate.optional().describe('Due on or after; todos without a due date are left out.'),
  query: nonBlankText(200)
    .optional()
    .describe('Words, or parts of words, in title or content, ignoring case; all must occur.'),
});

export type TodoFilter = z.infer<typeof TodoFilters>;

/** The input of listTodos. */
export const TodoListing = TodoFilters.extend({
  ids: z
    .array(Id)
    .min(1)
    .max(maxIds)
    .optional()
    .describe(
      'Only these todos, archived and suggested ones too, in this order; unknown ids are left out. They are on one page, unless their contents have more than 8 MiB together: then `nextCursor` continues with the same ids. Takes no filter or sort beside it.',
    ),
  limit: z
    .int()
    .min(1)
    .max(maxLimit)
    .default(25)
    .describe(
      `Page size. Up to ${maxLimitOfPrograms}; only sessions may ask for more. A page ends earlier where the contents on it would have more than 8 MiB together.`,
    ),
  cursor: CursorText,
  sort: z
    .enum(['createdAt', 'updatedAt', 'dueDate', 'priority', 'position'])
    .default('createdAt')
    .describe(
      'What to order by; for `priority`, desc is most urgent first, and for `position`, asc is the manual order.',
    ),
  order: z.enum(['asc', 'desc']).default('desc').describe('Todos without the sort value come last in both.'),
  include: z.enum(['totalCount']).optional().describe('`totalCount` adds the number of all matches.'),
});

export type TodoListingInput = z.infer<typeof TodoListing>;
