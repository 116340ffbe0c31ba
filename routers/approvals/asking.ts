import { z } from 'zod';
import { type Context, type Principal, principalOf, type Resumed } from '../base.ts';
import { readUntil } from '../chats/wait.ts';
import { Failure } from '../errors.ts';
import { announce, type Verdict } from '../live.ts';
import { decideApproval, reaches } from './decide.ts';
import { type AskedFor, questionText } from './question.ts';
import { DecideApproval } from './shapes.ts';

/*
 * Asking the person behind a client, who is there while a tool is called, what an agent waits for. The person answers to
 * the client's user interface, never to the model: no argument of a tool decides anything.
 */

/** What a person is asked about one approval, as a form that `AnswerForm` describes. */
export interface Question {
  approvalId: string;
  message: string;
}

/** The form of a question: JSON Schema, as far as elicitation has it. */
export const AnswerForm = {
  type: 'object' as const,
  properties: {
    decision: { type: 'string' as const, title: 'Decision', enum: ['approve', 'deny'] },
    note: {
      type: 'string' as const,
      title: 'Note',
      description: 'Told to the agent, such as why not.',
      maxLength: 2000,
    },
  },
  required: ['decision'],
};

/** Questions that are asked at once; the others follow when these are answered. */
const mostQuestions = 5;

interface Waiting {
  chat?: { id: string; status: string };
  hasMore?: boolean;
  pendingApprovals?: unknown[];
  messageSequence?: number;
}

/**
 * Where the call of a tool goes on once a person decided; null when its answer does not wait for one, or shows only a
 * part of what led to the question.
 */
export function waitingIn(answer: unknown): Resumed | null {
  const { chat, hasMore, pendingApprovals = [], messageSequence = 1 } = answer as Waiting;
  if (chat?.status !== 'awaiting_input' || hasMore || pendingApprovals.length === 0) return null;
  return { chatId: chat.id, sequence: messageSequence };
}

const pending = `select a.id as "approvalId", a.tool_name as "toolName", a.title, a.reason, a.input, g.name as agent
  from approvals a join agents g on g.workspace_id = a.workspace_id and g.id = a.agent_id
  where a.workspace_id = $1 and a.chat_id = $2 and a.status = 'pending' and a.expires_at > $3 and a.id <> all($4::uuid[])
  order by a.requested_at, a.id`;

function mayDecide({ kind, scopes }: Principal): boolean {
  return kind !== 'agent' && scopes.has('chats:write');
}

/** What the person may be asked about a chat, beside `known` approvals: only what their credential can approve. */
export async function questionsAbout(ctx: Context, chatId: string, known: readonly string[]): Promise<Question[]> {
  const principal = principalOf(ctx);
  if (!mayDecide(principal)) return [];
  const values = [principal.workspaceId, chatId, ctx.clock().toISOString(), known];
  const rows = await ctx.db.rows<AskedFor & { approvalId: string }>(pending, values);
  return rows
    .filter(({ toolName }) => reaches(ctx.service, toolName, principal))
    .slice(0, mostQuestions)
    .map(({ approvalId, ...asked }) => ({ approvalId, message: questionText(asked) }));
}

const Response = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });
const Content = z.object({ decision: z.enum(['approve', 'deny']), note: DecideApproval.shape.note.or(z.literal('')) });

const undecided = 'The person did not decide, and it still waits. Say so to them; do not ask again by yourself.';
const unread = 'The answer of the person could not be read, and it still waits: a decision is approve or deny.';

/**
 * Decides an approval as the person answered: accepted with a decision it is decided for the person of the credential,
 * anything else decides nothing. What stands in the way is told, not thrown.
 */
export async function takeAnswer(ctx: Context, approvalId: string, response: unknown): Promise<Verdict> {
  const answer = Response.safeParse(response);
  if (!answer.success || answer.data.action !== 'accept')
    return { approvalId, outcome: 'undecided', message: undecided };
  const content = Content.safeParse(answer.data.content);
  if (!content.success) return { approvalId, outcome: 'undecided', message: unread };
  if (!mayDecide(principalOf(ctx))) {
    return { approvalId, outcome: 'refused', message: 'Deciding needs a credential with the scope chats:write.' };
  }
  const { decision, note } = content.data;
  try {
    await decideApproval(ctx, approvalId, { decision, ...(note && { note }) });
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.status >= 500) throw error;
    return { approvalId, outcome: 'refused', message: error.message };
  }
  return { approvalId, outcome: decision === 'approve' ? 'approved' : 'denied' };
}

/** Tells all processes what a person said: one of them may have the call that asked. */
export function tellVerdict({ db }: Pick<Context, 'db'>, chatId: string, verdict: Verdict): Promise<void> {
  return announce(db, { kind: 'verdict', chatId, ...verdict });
}

const statuses = `select id, status from approvals where workspace_id = $1 and id = any($2::uuid[])`;
const outcomes: Record<string, Verdict['outcome'] | undefined> = { approved: 'approved', denied: 'denied' };
const open = 'The person was asked and has not answered yet; the answer counts when it comes. Call get_chat later.';

/**
 * Asks by `ask` and waits for what the person says of each approval, on whichever process it arrives, until `until`
 * (as `performance.now()` has it) or as long as the client is there.
 */
export async function askAndWait(
  ctx: Context,
  { chatId }: Resumed,
  approvalIds: readonly string[],
  { ask, until }: { ask: () => Promise<void>; until: number },
): Promise<Verdict[]> {
  const { workspaceId } = principalOf(ctx);
  const verdicts = new Map<string, Verdict>();
  const forget = ctx.live.subscribe(chatId, (event) => {
    if (event.kind !== 'verdict') return;
    const { approvalId, outcome, message } = event;
    verdicts.set(approvalId, { approvalId, outcome, message });
  });
  const read = async () => {
    const rows = await ctx.db.rows<{ id: string; status: string }>(statuses, [workspaceId, approvalIds]);
    for (const { id, status } of rows) {
      if (status === 'pending' || verdicts.has(id)) continue;
      const message = outcomes[status] ? undefined : 'It does not wait for a decision any more.';
      verdicts.set(id, { approvalId: id, outcome: outcomes[status] ?? 'refused', message });
    }
  };
  try {
    await ask();
    const seconds = Math.max(0, (until - performance.now()) / 1000);
    await readUntil(ctx, chatId, seconds, read, () => approvalIds.every((id) => verdicts.has(id)));
  } finally {
    forget();
  }
  return approvalIds.map((id) => verdicts.get(id) ?? { approvalId: id, outcome: 'undecided', message: open });
}
