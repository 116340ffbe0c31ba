import type { Db } from '../../db/client.ts';
import { serviceOrigin } from '../../db/origin.ts';
import { recordEvent } from '../events/record.ts';
import { cutTo, nameOf } from '../text.ts';
import { type NotifyContext, notify, type Outcome, recordOnSchedule } from './notify.ts';

/* The texts of notifications, one function per event. Each is called in the transaction of its event. */

const maxNameLength = 120;

interface Named {
  title: string | null;
  content: string | null;
}

/** The name of a todo in a sentence, quoted and cut. */
export function quotedName(todo: Named): string {
  return `“${cutTo(nameOf(todo) ?? 'untitled', maxNameLength)}”`;
}

const assigned = `select user_id as id from todo_assignees where workspace_id = $1 and todo_id = $2 and user_id is not null`;

/** The person behind the work, and the people assigned to its todo. */
async function recipients(db: Db, workspaceId: string, userId: string, todoId: string | null): Promise<string[]> {
  if (todoId === null) return [userId];
  const people = await db.rows<{ id: string }>(assigned, [workspaceId, todoId]);
  return [userId, ...people.map(({ id }) => id)];
}

const agentName = 'select name from agents where workspace_id = $1 and id = $2';

/** Approvals that an agent requests in one message. */
interface RequestedApprovals {
  workspaceId: string;
  chatId: string;
  todoId: string | null;
  agentId: string;
  /** The person on whose behalf it works. */
  userId: string;
  messageSequence: number;
  /** At least one. */
  approvals: readonly { approvalId: string; title: string; reason: string }[];
}

/**
 * In SQL: `dedupe` of the notification of a message's approvals, from a relation with `chat_id` and `message_sequence`.
 */
export function approvalsDedupeKey(relation: string): string {
  return `'approvals:' || ${relation}.chat_id || ':' || ${relation}.message_sequence`;
}

/** Notifies of the approvals that an agent requests: once for all of one message. */
export async function notifyApprovals(ctx: NotifyContext, request: RequestedApprovals): Promise<void> {
  const { workspaceId, chatId, todoId, agentId, userId, messageSequence, approvals } = request;
  const [first] = approvals;
  if (!first) return;
  const [agent] = await ctx.db.rows<{ name: string }>(agentName, [workspaceId, agentId]);
  const more = approvals.length > 1 ? ` and ${approvals.length - 1} more` : '';
  await notify(ctx, {
    workspaceId,
    userIds: await recipients(ctx.db, workspaceId, userId, todoId),
    kind: 'approval_requested',
    title: `${agent?.name ?? 'An agent'} asks for approval: ${first.title}${more}`,
    text: [...new Set(approvals.map(({ reason }) => reason))].join('\n'),
    todoId,
    chatId,
    approvalId: first.approvalId,
    dedupe: `approvals:${chatId}:${messageSequence}`,
  });
}

const personBehind = 'select user_id as "userId" from chat_turns where workspace_id = $1 and id = $2';

export interface EndedRun {
  workspaceId: string;
  chatId: string;
  turnId: string;
  runId: string;
  todo: Named & { id: string };
  outcome: 'failed' | 'timed_out';
  errorMessage: string | null;
}

/** Notifies of a run that failed or timed out. */
export async function notifyRunFailed(ctx: NotifyContext, run: EndedRun): Promise<void> {
  const { workspaceId, chatId, turnId, runId, todo, outcome, errorMessage } = run;
  const [person] = await ctx.db.rows<{ userId: string }>(personBehind, [workspaceId, turnId]);
  if (!person) throw new Error('A run without its turn');
  const name = quotedName(todo);
  await notify(ctx, {
    workspaceId,
    userIds: await recipients(ctx.db, workspaceId, person.userId, todo.id),
    kind: 'run_failed',
    title: outcome === 'failed' ? `An agent failed at ${name}` : `An agent took too long for ${name}`,
    text: errorMessage ?? 'Its chat shows what it has done.',
    todoId: todo.id,
    chatId,
    dedupe: `run:${runId}`,
  });
}

const owners = `select m.user_id as id, w.name from members m join workspaces w on w.id = m.workspace_id
  where m.workspace_id = $1 and m.role = 'owner' and m.removed_at is null`;

/**
 * Records that the agent minutes are used up, and notifies the owners; `entryId` is the ledger entry that took the last
 * of them.
 */
export async function reportMinutesExhausted(ctx: NotifyContext, workspaceId: string, entryId: string): Promise<void> {
  await recordEvent(ctx.db, workspaceId, { type: 'minutes.exhausted', objectId: workspaceId });
  const people = await ctx.db.rows<{ id: string; name: string }>(owners, [workspaceId]);
  await notify(ctx, {
    workspaceId,
    userIds: people.map(({ id }) => id),
    kind: 'minutes_exhausted',
    title: `“${cutTo(people[0]?.name ?? '', maxNameLength)}” has no agent minutes left`,
    text: 'Agents at work stop, and none can start, until the operator of the service adds minutes. Their work so far is kept.',
    dedupe: `minutes:${entryId}`,
  });
}

// The person's own workspaces before those that they joined, the oldest first. If addresses can be confirmed ($2), only
// for a person who confirmed the address: somebody else may have signed up with the address of the guest, who gets the
// email.
const ownWorkspace = `select m.workspace_id as "workspaceId", m.user_id as "userId" from users u
  join members m on m.user_id = u.id and m.removed_at is null
  where lower(u.email) = lower($1) and (not $2 or u.email_verified_at is not null)
  order by (m.role = 'owner') desc, m.created_at, m.workspace_id limit 1`;
/** Of the names of inviter and workspace, which share one title. */
const maxInviterLength = 100;
const inviting = 'select w.name, u.name as inviter from workspaces w, users u where w.id = $1 and u.id = $2';

/**
 * Notifies a person with an account of an invitation, in a workspace of their own: they are not a member of the one
 * that invites. The email with the link is sent apart from this.
 */
export async function notifyInvited(
  ctx: NotifyContext,
  invitation: { id: string; workspaceId: string; email: string; invitedBy: string },
): Promise<void> {
  const { id, workspaceId, email, invitedBy } = invitation;
  const [guest] = await ctx.db.rows<{ workspaceId: string; userId: string }>(ownWorkspace, [email, ctx.mail.sends]);
  if (!guest) return;
  const [names] = await ctx.db.rows<{ name: string; inviter: string }>(inviting, [workspaceId, invitedBy]);
  // Who invites, and with which credential, is no business of the workspace of the guest.
  await notify(
    { ...ctx, db: ctx.db.as(serviceOrigin()) },
    {
      workspaceId: guest.workspaceId,
      userIds: [guest.userId],
      kind: 'invited',
      title: `${cutTo(names?.inviter ?? '', maxInviterLength)} invites you to “${cutTo(names?.name ?? '', maxInviterLength)}”`,
      text: ctx.mail.sends
        ? 'To join, open the link in the email that was sent to you.'
        : 'To join, open the link that you get from them: this service sends no email.',
      dedupe: `invited:${id}`,
    },
  );
}

/** A todo whose planned time is reached. */
export interface Due {
  workspaceId: string;
  todo: Named & { id: string };
  /** The people assigned to it. */
  userIds: readonly string[];
  plannedAt: string;
  /** IANA; that of the schedule. */
  timezone: string;
}

/** Notifies people that a todo is due, once per planned time, and records the outcome on its schedule. */
export async function notifyDue(ctx: NotifyContext, due: Due): Promise<Outcome> {
  const { workspaceId, todo, userIds, plannedAt, timezone } = due;
  const when = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  const outcome = await notify(ctx, {
    workspaceId,
    userIds,
    kind: 'todo_due',
    title: `${quotedName(todo)} is due`,
    text: `It was planned for ${when.format(new Date(plannedAt))} (${timezone}).`,
    todoId: todo.id,
    dedupe: `due:${todo.id}:${new Date(plannedAt).toISOString()}`,
  });
  await recordOnSchedule(ctx.db, { workspaceId, todoId: todo.id }, outcome);
  return outcome;
}
