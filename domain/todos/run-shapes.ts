import { z } from 'zod';
import { MessageText } from '../chats/shapes.ts';
import { CursorText, Id, Instant, InstantInput, Limit, listOf, oneOrMany } from '../fields.ts';

export const RunStatus = z.enum(['running', 'completed', 'failed', 'cancelled', 'timed_out']);

export const RunTrigger = z.enum(['manual', 'create', 'assignment', 'schedule']);

export const TodoRun = z
  .object({
    object: z.literal('todo_run'),
    id: Id,
    todoId: Id,
    chatId: Id.describe('The chat where the work happens.'),
    agentId: Id.nullable(),
    status: RunStatus,
    trigger: RunTrigger.describe('What started it.'),
    startedAt: Instant,
    finishedAt: Instant.nullable().describe('Null while it runs.'),
    statusReason: z
      .string()
      .nullable()
      .describe('While it runs: awaiting_input (a person must decide) or queued (until the agent’s working hours).'),
    errorMessage: z.string().nullable().describe('Why it failed.'),
    summary: z.string().nullable().describe('The last answer of the agent.'),
    minutesUsed: z.number().meta({ description: 'Agent minutes spent on it so far.', examples: [1.5] }),
  })
  .meta({ id: 'TodoRun' });

export type TodoRunAnswer = z.infer<typeof TodoRun>;

export const TodoRunPage = listOf(TodoRun, 'TodoRunPage');

/** The start of a run. */
export const RunStart = z.strictObject({
  todoId: Id,
  agentId: Id.optional().describe(
    'Omitted: the first agent among the assignees, else the default agent of the workspace.',
  ),
  message: MessageText.optional().describe('Instructions for the agent in addition to the todo.'),
});

export type RunStartInput = z.infer<typeof RunStart>;

export const RunListing = z.strictObject({
  todoId: Id,
  limit: Limit,
  cursor: CursorText,
  status: RunStatus.optional().describe('Only runs in this state.'),
});

/** Values of one filter that a request names at most. */
const maxValues = 10;

/** The runs of all todos. */
export const WorkspaceRunListing = z.strictObject({
  limit: Limit,
  cursor: CursorText,
  status: oneOrMany(RunStatus, maxValues).optional().describe('Only runs in this state, or in one of several.'),
  agentId: Id.optional().describe('Only runs of this agent.'),
  trigger: oneOrMany(RunTrigger, maxValues).optional().describe('Only runs that this started, or one of several.'),
  since: InstantInput.optional().describe('Only runs that started at or after this time.'),
});
