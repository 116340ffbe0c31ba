import { z } from 'zod';
import { readUntil } from '../chats/wait.ts';
import type { AuthenticatedContext, Principal, Resumed } from '../context.ts';
import { Failure } from '../errors.ts';
import { announce, type Verdict } from '../live.ts';
import { canApprove, decideApproval } from './decide.ts';
import { questionText, type RequestedCall } from './question.ts';
import { DecideApproval } from './shapes.ts';

/*
 * While a tool is called, the person at the client can be asked to decide what an agent waits for. The person answers
 * in the user interface of the client, never through the model: no argument of a tool decides anything.
 */

/** A question to a person about one approval; `AnswerForm` is the form of the answer. */
export interface Question {
  approvalId: string;
  message: string;
}

/** The form of a question: JSON Schema in the subset of elicitation. */
export const AnswerForm = {
  type: 'object' as const,
  properties: {
    decision: { type: 'string' as const, title: 'Decision', enum: ['approve', 'deny'] },
    note: {
      type: 'string' as const,
      title: 'Note',
      description: 'Shown to the agent, such as the reason.',
      maxLength: 2000,
    },
  },
  required: ['decision'],
};

/** Questions that are asked at once; the others follow when these are answered. */
const maxQuestions = 5;

interface Waiting {
  chat?: { id: string; status: string };
  hasMore?: boolean;
  pendingApprovals?: unknown[];
  messageSequence?: number;
}

/**
 * Where the call of a tool continues after a decision; null when its answer waits for none, or shows only a part of the
 * messages before the question.
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

/**
 * Questions about the pending approvals of a chat, except `known` ones: only those that the credential can approve, at
 * most `limit` at once.
 */
export async function questionsAbout(
  ctx: AuthenticatedContext,
  { chatId, known, limit = maxQuestions }: { chatId: string; known: readonly string[]; limit?: number },
): Promise<Question[]> {
  const { principal } = ctx;
  if (!mayDecide(principal)) return [];
  const values = [principal.workspaceId, chatId, ctx.clock().toISOString(), known];
  const rows = await ctx.db.rows<RequestedCall & { approvalId: string }>(pending, values);
  return rows
    .filter(({ toolName }) => canApprove(ctx, toolName))
    .slice(0, limit)
    .map(({ approvalId, ...call }) => ({ approvalId, message: questionText(call) }));
}

const Response = z.object({ action: z.enum(['accept', 'decline', 'cancel']), content: z.unknown().optional() });
const Content = z.object({ decision: z.enum(['approve', 'deny']), note: DecideApproval.shape.note.or(z.literal('')) });

const undecided =
  'The person did not decide, and the approval is still pending. Say so to the person; do not ask again without being asked.';
const unread =
  'The answer of the person could not be read, and the approval is still pending: a decision is approve or deny.';

/**
 * Decides an approval as the person answered: an accepted form with a decision decides it for the person of the
 * credential, any other response decides nothing. A refusal is returned in the verdict, not thrown.
 */
export async function takeAnswer(
  ctx: AuthenticatedContext,
  { approvalId, response }: { approvalId: string; response: unknown },
): Promise<Verdict> {
  const answer = Response.safeParse(response);
  if (!answer.success || answer.data.action !== 'accept')
    return { approvalId, outcome: 'undecided', message: undecided };
  const content = Content.safeParse(answer.data.content);
  if (!content.success) return { approvalId, outcome: 'undecided', message: unread };
  if (!mayDecide(ctx.principal)) {
    return { approvalId, outcome: 'refused', message: 'Deciding needs a credential with the scope chats:write.' };
  }
  const { decision, note } = content.data;
  try {
    await decideApproval(ctx, { approvalId, decision, ...(note && { note }) });
  } catch (error) {
    if (!(error instanceof Failure) || error.problem.status >= 500) throw error;
    return { approvalId, outcome: 'refused', message: error.message };
  }
  return { approvalId, outcome: decision === 'approve' ? 'approved' : 'denied' };
}

/** Notifies all processes of a verdict: one of them may have the waiting call. */
export function notifyVerdict(
  { db }: Pick<AuthenticatedContext, 'db'>,
  { chatId, ...verdict }: Verdict & { chatId: string },
): void {
  announce(db, { kind: 'verdict', chatId, ...verdict });
}

const statuses = `select id, status from approvals where workspace_id = $1 and id = any($2::uuid[])`;
const outcomes: Record<string, Verdict['outcome'] | undefined> = { approved: 'approved', denied: 'denied' };
const open = 'The person was asked and has not answered yet; a later answer is still accepted. Call get_chat later.';

interface Asking {
  chatId: string;
  approvalIds: readonly string[];
  ask: () => Promise<void>;
  /** Deadline on the clock of `performance.now()`. */
  until: number;
}

/**
 * Calls `ask` and waits for the verdict on each approval, which may arrive at any process, until the deadline or until
 * the client has disconnected.
 */
export async function askAndWait(
  ctx: AuthenticatedContext,
  { chatId, approvalIds, ask, until }: Asking,
): Promise<Verdict[]> {
  const { workspaceId } = ctx.principal;
  const verdicts = new Map<string, Verdict>();
  const unsubscribe = ctx.live.subscribe(chatId, (event) => {
    if (event.kind !== 'verdict') return;
    const { approvalId, outcome, message } = event;
    verdicts.set(approvalId, { approvalId, outcome, message });
  });
  const read = async () => {
    const rows = await ctx.db.rows<{ id: string; status: string }>(statuses, [workspaceId, approvalIds]);
    for (const { id, status } of rows) {
      if (status === 'pending' || verdicts.has(id)) continue;
      const message = outcomes[status] ? undefined : 'It is no longer pending.';
      verdicts.set(id, { approvalId: id, outcome: outcomes[status] ?? 'refused', message });
    }
  };
  try {
    await ask();
    const seconds = Math.max(0, (until - performance.now()) / 1000);
    await readUntil(ctx, chatId, seconds, read, () => approvalIds.every((id) => verdicts.has(id)));
  } finally {
    unsubscribe();
  }
  return approvalIds.map((id) => verdicts.get(id) ?? { approvalId: id, outcome: 'undecided', message: open });
}
