import type { Db } from '../../db/client.ts';
import { requestApproval } from '../approvals/rows.ts';
import { type ChatRef, chatEvent, statusChange } from '../chats/events.ts';
import { append, type NewMessage, textBlocks } from '../chats/messages.ts';
import { type HeldChat, type HeldTurn, holdChat } from '../chats/rows.ts';
import { setRunReason } from '../chats/runs.ts';
import type { MessageBlock } from '../chats/shapes.ts';
import { type Ending, endTurn } from '../chats/turns.ts';
import type { ServiceContext } from '../context.ts';
import { changeAndRecord } from '../events/record.ts';
import { LostLease } from '../jobs.ts';
import { announce } from '../live.ts';
import { notifyApprovals } from '../notifications/events.ts';
import type { Scope } from '../scopes.ts';
import { charge, type Trigger } from '../usage/minutes.ts';

/** A turn with all that its worker needs, as it was when it was claimed. */
export interface Claim {
  workspaceId: string;
  chatId: string;
  turnId: string;
  /** The fence: a step is saved only while this is the number on the row. */
  attempt: number;
  /** Claims since a step was saved, with this one. */
  claims: number;
  agentId: string;
  /** The agent that the chat names; null when the default one answers. */
  namedAgentId: string | null;
  userId: string;
  runId: string | null;
  todoId: string | null;
  trigger: Trigger;
  /** As of the latest question to the model: a change of the todo may take some (`narrowAuthority`). */
  scopes: Scope[];
  depth: number;
  timezone: string;
  /** Active time before this claim, in milliseconds. */
  activeMs: number;
  /** It began before: its run and its chat need not be set to running. */
  hasBegun: boolean;
}

/** What the turn was charged for so far, and the sequence of the message that comes next. */
interface StepRow extends Pick<HeldTurn, 'activeMs' | 'minutes'> {
  nextSequence: number;
  /** The agent that the chat names; null when the default one answers. */
  namedAgentId: string | null;
}

const lockStep = `select t.active_ms as "activeMs", t.minutes, c.message_count + 1 as "nextSequence",
    c.agent_id as "namedAgentId" from chats c
  join chat_turns t on t.workspace_id = c.workspace_id and t.chat_id = c.id
  where c.workspace_id = $1 and c.id = $2 and t.id = $3 and t.attempt = $4 and t.ended_at is null and c.status = 'running'
  for update of c, t`;

const lockTodo = 'select 1 from todos where workspace_id = $1 and id = $2 for no key update';

/** Locks the todo of a run: what a turn is charged is a change of it. */
export async function holdTodo(tx: Db, { workspaceId, runId, todoId }: Claim): Promise<void> {
  if (runId !== null && todoId !== null) await tx.rows(lockTodo, [workspaceId, todoId]);
}

/**
 * Locks the chat and the turn for one step, and before them the todo of a run, as `holdChat` does. @throws LostLease.
 */
async function holdStep(tx: Db, claim: Claim): Promise<StepRow> {
  const { workspaceId, chatId, turnId, attempt } = claim;
  const [, [row]] = await Promise.all([
    holdTodo(tx, claim),
    tx.rows<StepRow>(lockStep, [workspaceId, chatId, turnId, attempt]),
  ]);
  if (!row) throw new LostLease();
  return row;
}

/** The chat of a step, as its events name it. */
function chatOfStep({ workspaceId, chatId, todoId }: Claim, { namedAgentId: agentId }: StepRow): ChatRef {
  return { workspaceId, chatId, todoId, agentId };
}

type ChargedSoFar = Pick<StepRow, 'activeMs' | 'minutes'>;

function chargeStep(
  ctx: ServiceContext,
  claim: Claim,
  { activeMs, minutes }: ChargedSoFar,
  spentMs: number,
  isLast = false,
) {
  return charge(ctx, { ...claim, activeMs: activeMs + Math.ceil(spentMs), minutes: Number(minutes), isLast });
}

/** A tool call of a model's answer, with why a person must approve it, if one must. */
export interface AnsweredCall {
  name: string;
  title: string;
  input: unknown;
  approvalReason: string | null;
}

/**
 * Step (a): the model's answer with its tool calls, and the approvals that they need. Calls get ids that are unique in
 * the chat. Returns whether the workspace has run out of minutes. @throws LostLease.
 */
export async function saveCalls(
  ctx: ServiceContext,
  claim: Claim,
  answer: { text: string; calls: AnsweredCall[] },
  spentMs: number,
): Promise<{ dry: boolean }> {
  const { workspaceId, chatId, turnId, agentId, todoId } = claim;
  const { db } = ctx;
  const step = await holdStep(db, claim);
  const { nextSequence: messageSequence } = step;
  const blocks: MessageBlock[] = answer.text === '' ? [] : textBlocks(answer.text);
  const requests: Extract<MessageBlock, { type: 'approval_request' }>[] = [];
  for (const [place, { name, title, input, approvalReason: reason }] of answer.calls.entries()) {
    const toolCallId = `call_${messageSequence}_${place + 1}`;
    const call = { workspaceId, chatId, turnId, agentId, todoId, messageSequence, toolCallId, toolName: name };
    const approvalId = reason === null ? null : await requestApproval(ctx, { ...call, title, input, reason });
    blocks.push({
      type: 'tool_call',
      id: toolCallId,
      name,
      title,
      input: input ?? {},
      requiresApproval: reason !== null,
      approvalId,
    });
    if (approvalId && reason) requests.push({ type: 'approval_request', approvalId, toolCallId, title, reason });
  }
  const text = answer.text || answer.calls.map(({ title }) => `${title} …`).join('\n');
  const message = { turnId, role: 'agent' as const, text, blocks: [...blocks, ...requests], agentId };
  const [, charged] = await Promise.all([
    append(db, ctx.live, chatOfStep(claim, step), message),
    chargeStep(ctx, claim, step, spentMs),
    notifyApprovals(ctx, { ...claim, messageSequence, approvals: requests }),
  ]);
  return charged;
}

/** What a tool call came to. */
export interface CallResult {
  toolCallId: string;
  title: string;
  isError: boolean;
  output: unknown;
  truncated: boolean;
  quotesCaptures?: boolean;
}

/**
 * Step (b): the result of one tool call, in the transaction of its effect; call it after the effect, so that todos are
 * locked before the chat. @throws LostLease: the effect is then rolled back with it.
 */
export async function saveResult(
  ctx: ServiceContext,
  claim: Claim,
  result: CallResult,
  spentMs: number,
): Promise<{ dry: boolean }> {
  const { toolCallId, title, isError, output, truncated, quotesCaptures = false } = result;
  const step = await holdStep(ctx.db, claim);
  const block: MessageBlock = { type: 'tool_result', toolCallId, isError, output, truncated, quotesCaptures };
  const text = isError ? `${title}: it failed.` : `${title}: done.`;
  const message = { turnId: claim.turnId, role: 'system' as const, text, blocks: [block] };
  const [, charged] = await Promise.all([
    append(ctx.db, ctx.live, chatOfStep(claim, step), message),
    chargeStep(ctx, claim, step, spentMs),
  ]);
  return charged;
}

/** The chat, with all that an ending changes locked. It is queued when its turn never began. @throws LostLease. */
async function holdEnding(tx: Db, claim: Claim): Promise<HeldChat & { turn: HeldTurn }> {
  const chat = await holdChat(tx, claim.workspaceId, claim.chatId, () => new LostLease());
  const { turn, status } = chat;
  if (turn?.turnId !== claim.turnId || turn.attempt !== claim.attempt) throw new LostLease();
  if (status !== 'running' && status !== 'queued') throw new LostLease();
  return { ...chat, turn };
}

/** Saves the last message of a turn, its charge and its end: sent together, run in this order. @throws LostLease. */
async function saveLast(ctx: ServiceContext, claim: Claim, message: NewMessage, ending: Ending, spentMs: number) {
  const chat = await holdEnding(ctx.db, claim);
  await Promise.all([
    append(ctx.db, ctx.live, chat, message, null),
    chargeStep(ctx, claim, chat.turn, spentMs, true),
    endTurn(ctx, chat, { ...ending, beside: 'message' }),
  ]);
}

/** Longest summary of a run in characters. */
const longestSummary = 500;

/** Step (c): the last message of a turn, its charge, and the end of turn, run and chat, together. @throws LostLease. */
export async function saveEnd(ctx: ServiceContext, claim: Claim, text: string, spentMs: number): Promise<void> {
  const { turnId, agentId } = claim;
  const message = { turnId, role: 'agent' as const, text, blocks: textBlocks(text), agentId };
  const summary = Array.from(text).slice(0, longestSummary).join('');
  await saveLast(ctx, claim, message, { outcome: 'completed', summary }, spentMs);
}

/** Ends a turn that cannot continue, with a message that says why. @throws LostLease. */
export async function saveFailure(ctx: ServiceContext, claim: Claim, ending: Ending, spentMs: number): Promise<void> {
  const text = ending.errorMessage ?? 'The turn ended.';
  const message = { turnId: claim.turnId, role: 'system' as const, text, blocks: textBlocks(text) };
  await saveLast(ctx, claim, message, ending, spentMs);
}

const membership = `select exists (select from members m
    where m.workspace_id = $1 and m.user_id = $2 and m.removed_at is null) as "isMember"
  from chat_turns t where t.workspace_id = $1 and t.id = $3 and t.attempt = $4 and t.ended_at is null`;

/**
 * Whether the person for whom the agent works is still a member: nobody's agents outlive that. @throws LostLease.
 */
export async function worksForMember(db: Db, { workspaceId, userId, turnId, attempt }: Claim): Promise<boolean> {
  const [row] = await db.rows<{ isMember: boolean }>(membership, [workspaceId, userId, turnId, attempt]);
  if (!row) throw new LostLease();
  return row.isMember;
}

const pending = `select 1 from approvals where workspace_id = $1 and turn_id = $2 and status = 'pending' limit 1`;
const wait = `update chats set status = 'awaiting_input', updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning id`;
const leave =
  'update chat_turns set worker_id = null, lease_until = null, claims = 0 where workspace_id = $1 and id = $2';

/**
 * Lets a turn wait for a person; false when all was decided in the meantime and it can continue. @throws LostLease.
 */
export async function pauseTurn({ db }: ServiceContext, claim: Claim): Promise<boolean> {
  const { workspaceId, chatId, turnId, runId } = claim;
  const step = await holdStep(db, claim);
  if ((await db.rows(pending, [workspaceId, turnId])).length === 0) return false;
  announce(db, { kind: 'status', chatId });
  await Promise.all([
    changeAndRecord(db, wait, [workspaceId, chatId], [chatEvent(chatOfStep(claim, step), statusChange())]),
    db.rows(leave, [workspaceId, turnId]),
    runId && setRunReason(db, workspaceId, runId, 'awaiting_input'),
  ]);
  return true;
}
