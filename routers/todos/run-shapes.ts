import { z } from 'zod';
import { MessageText } from '../chats/shapes.ts';
import { CursorText, Id, Instant, Limit, listOf } from '../fields.ts';

export const RunStatus = z.enum(['running', 'completed', 'failed', 'cancelled', 'timed_out']);

export const TodoRun = z
  .object({
    object: z.literal('todo_run'),
    id: Id,
    todoId: Id,
    chatId: Id.describe('The chat where the work happens.'),
    agentId: Id.nullable(),
    status: RunStatus,
    trigger: z.enum(['manual', 'create', 'assignment', 'schedule']).describe('What started it.'),
    startedAt: Instant,
    finishedAt: Instant.nullable().describe('Null while it runs.'),
    statusReason: z
      .string()
      .nullable()
      .describe('While it runs: awaiting_input (a person must decide) or queued (until the agent’s working hours).'),
    errorMessage: z.string().nullable().describe('Why it failed.'),
    summary: z.string().nullable().describe('What the agent said last.'),
    minutesUsed: z.number().meta({ description: 'Agent minutes spent on it so far.', examples: [1.5] }),
  })
  .meta({ id: 'TodoRun' });

export type TodoRunAnswer = z.infer<typeof TodoRun>;

export const TodoRunPage = listOf(TodoRun, 'TodoRunPage');

/** What a run may say of itself. */
export const RunStart = z.strictObject({
  todoId: Id,
  agentId: Id.optional().describe(
    'Omitted: the first agent among the assignees, else the default agent of the workspace.',
  ),
  message: MessageText.optional().describe('What to tell the agent beside the todo itself.'),
});

export type RunStartInput = z.infer<typeof RunStart>;

export const RunListing = z.strictObject({
  todoId: Id,
  limit: Limit,
  cursor: CursorText,
  status: RunStatus.optional().describe('Only runs in this state.'),
});
