import { z } from 'zod';
import { CursorText, Id, Instant, Limit, listOf, nonBlankText } from '../fields.ts';

const approvalStatuses = ['pending', 'approved', 'denied', 'expired', 'superseded'] as const;
export const ApprovalStatus = z.enum(approvalStatuses);

const anInput = { title: 'Buy oat milk', priority: 'high' };

export const Approval = z
  .object({
    object: z.literal('approval'),
    id: Id,
    chatId: Id.describe('The chat that waits for the decision.'),
    todoId: Id.nullable().describe('The todo that the chat works for.'),
    agentId: Id.describe('The agent that asks.'),
    messageSequence: z.int().meta({ description: 'The message of the chat that holds the tool call.', examples: [2] }),
    toolName: z.string().meta({ examples: ['create_todo'] }),
    title: z.string().meta({ description: 'What the agent wants to do.', examples: ['Create a todo'] }),
    input: z
      .unknown()
      .meta({ description: 'What the tool will be called with; a person may have edited it.', examples: [anInput] }),
    reason: z.string().meta({
      description: 'Why a person must agree.',
      examples: ['This agent asks before every change, except changes to the todo and the chat that it works on.'],
    }),
    status: ApprovalStatus.describe(
      'expired: no decision within 7 days, which counts as denied. superseded: the turn ended, or a person wrote instead of deciding, before the call was made; `decidedBy` is then who had approved it, if anybody had.',
    ),
    requestedAt: Instant,
    expiresAt: Instant,
    decidedAt: Instant.nullable(),
    decidedBy: Id.nullable().describe('The person who decided, or whose credential did.'),
    note: z.string().nullable().describe('The note of that person for the agent.'),
  })
  .meta({ id: 'Approval' });

export type ApprovalAnswer = z.infer<typeof Approval>;

export const ApprovalPage = listOf(Approval, 'ApprovalPage');

export const ApprovalListing = z.strictObject({
  status: ApprovalStatus.optional().describe('Only those of this status.'),
  chatId: Id.optional(),
  agentId: Id.optional().describe('Only those that this agent asked for.'),
  limit: Limit,
  cursor: CursorText,
});

const maxDepth = 64;

/** Whether jsonb can store the value: no NUL, no lone surrogates, no deeper nesting than `maxDepth`. */
function isStorable(value: unknown, depth = 0): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  if (depth === maxDepth) return false;
  return Object.entries(value).every(([name, field]) => isStorable(name) && isStorable(field, depth + 1));
}

export const DecideApproval = z
  .strictObject({
    approvalId: Id,
    decision: z.enum(['approve', 'deny']),
    note: nonBlankText(2000)
      .optional()
      .meta({
        description: 'Shown to the agent, such as the reason.',
        examples: ['The dairy-free one, please.'],
      }),
    input: z
      .record(z.string(), z.unknown())
      .refine((input) => isStorable(input), `must be well-formed Unicode without NUL, at most ${maxDepth} levels deep`)
      .optional()
      .meta({ description: 'With approve: the complete input to call the tool with instead.', examples: [anInput] }),
  })
  .meta({ id: 'ApprovalDecisionParams' });

export type Decision = Omit<z.infer<typeof DecideApproval>, 'approvalId'>;
