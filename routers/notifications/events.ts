import type { Db } from '../../db/client.ts';
import { nameOf } from '../todos/naming.ts';
import { cutTo } from './cut.ts';
import { notify, type Outcome, recordOnSchedule, type Teller } from './notify.ts';

/* The events that people are told of, in words. Each is called in the transaction of what happened. */

interface Named {
  title: string | null;
  content: string | null;
}

/** What a todo is called in a sentence. */
function called(todo: Named): string {
  return `“${cutTo(nameOf(todo) ?? 'untitled', 120)}”`;
}

const assigned = `select user_id as id from todo_assignees where workspace_id = $1 and todo_id = $2 and user_id is not null`;

/** The person behind the work, and the people assigned to its todo. */
async function concerned(db: Db, workspaceId: string, userId: string, todoId: string | null): Promise<string[]> {
  if (todoId === null) return [userId];
  const people = await db.rows<{ id: string }>(assigned, [workspaceId, todoId]);
  return [userId, ...people.map(({ id }) => id)];
}

const agentName = 'select name from agents where workspace_id = $1 and id = $2';

/** An agent asks for leave to call tools. */
export interface Request {
  workspaceId: string;
  chatId: string;
  todoId: string | null;
  agentId: string;
  /** The person on whose behalf it works. */
  userId: string;
  messageSequence: number;
  /** What it asks in one message; at least one. */
  approvals: readonly { approvalId: string; title: string; reason: string }[];
}

/** In SQL: what names the news of the approvals of a message, from a relation with `chat_id` and `message_sequence`. */
export function approvalsNews(relation: string): string {
  return `'approvals:' || ${relation}.chat_id || ':' || ${relation}.message_sequence`;
}

/** Tells of approvals that an agent asks for, once for all that it asks in one message. */
export async function tellApprovals(teller: Teller, request: Request): Promise<void> {
  const { workspaceId, chatId, todoId, agentId, userId, messageSequence, approvals } = request;
  const [first] = approvals;
  if (!first) return;
  const [agent] = await teller.db.rows<{ name: string }>(agentName, [workspaceId, agentId]);
  const more = approvals.length > 1 ? ` and ${approvals.length - 1} more` : '';
  await notify(teller, {
    workspaceId,
    userIds: await concerned(teller.db, workspaceId, userId, todoId),
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

/** Tells of a run that failed or took too long. */
export async function tellRunFailed(teller: Teller, run: EndedRun): Promise<void> {
  const { workspaceId, chatId, turnId, runId, todo, outcome, errorMessage } = run;
  const [person] = await teller.db.rows<{ userId: string }>(personBehind, [workspaceId, turnId]);
  if (!person) throw new Error('A run without its turn');
  const name = called(todo);
  await notify(teller, {
    workspaceId,
    userIds: await concerned(teller.db, workspaceId, person.userId, todo.id),
    kind: 'run_failed',
    title: outcome === 'failed' ? `An agent failed at ${name}` : `An agent took too long over ${name}`,
    text: errorMessage ?? 'Its chat shows how far it came.',
    todoId: todo.id,
    chatId,
    dedupe: `run:${runId}`,
  });
}

const owners = `select m.user_id as id, w.name from members m join workspaces w on w.id = m.workspace_id
  where m.workspace_id = $1 and m.role = 'owner' and m.removed_at is null`;

/** Tells the owners that the workspace has spent its agent minutes; `entryId` is the entry that took the last of them. */
export async function tellMinutesExhausted(teller: Teller, workspaceId: string, entryId: string): Promise<void> {
  const people = await teller.db.rows<{ id: string; name: string }>(owners, [workspaceId]);
  await notify(teller, {
    workspaceId,
    userIds: people.map(({ id }) => id),
    kind: 'minutes_exhausted',
    title: `“${cutTo(people[0]?.name ?? '', 120)}” has no agent minutes left`,
    text: 'Agents at work stop, and none can start, until the workspace gets more minutes. What they did is kept.',
    dedupe: `minutes:${entryId}`,
  });
}

// Their own: what they own before what they only joined, and of that the oldest.
const ownWorkspace = `select m.workspace_id as "workspaceId", m.user_id as "userId" from users u
  join members m on m.user_id = u.id and m.removed_at is null
  where lower(u.email) = lower($1) order by (m.role = 'owner') desc, m.created_at, m.workspace_id limit 1`;
const inviting = 'select w.name, u.name as inviter from workspaces w, users u where w.id = $1 and u.id = $2';

/**
 * Tells a person with an account of an invitation, in a workspace of their own: they are no member of the one that
 * invites. Its letter goes out by itself, and has the link.
 */
export async function tellInvited(
  teller: Teller,
  invitation: { id: string; workspaceId: string; email: string; invitedBy: string },
): Promise<void> {
  const { id, workspaceId, email, invitedBy } = invitation;
  const [guest] = await teller.db.rows<{ workspaceId: string; userId: string }>(ownWorkspace, [email]);
  if (!guest) return;
  const [names] = await teller.db.rows<{ name: string; inviter: string }>(inviting, [workspaceId, invitedBy]);
  await notify(teller, {
    workspaceId: guest.workspaceId,
    userIds: [guest.userId],
    kind: 'invited',
    title: `${cutTo(names?.inviter ?? '', 100)} invites you to “${cutTo(names?.name ?? '', 100)}”`,
    text: 'To join, open the link in the letter that was sent to your e-mail address.',
    dedupe: `invited:${id}`,
  });
}

/** A todo whose planned time has come. */
export interface Due {
  workspaceId: string;
  todo: Named & { id: string };
  /** The people assigned to it. */
  userIds: readonly string[];
  plannedAt: string;
  /** IANA; that of the schedule. */
  timezone: string;
}

/** Tells people that a todo is due, once for each planned time, and keeps on its schedule what became of it. */
export async function tellDue(teller: Teller, due: Due): Promise<Outcome> {
  const { workspaceId, todo, userIds, plannedAt, timezone } = due;
  const when = new Intl.DateTimeFormat('en', { dateStyle: 'full', timeStyle: 'short', timeZone: timezone });
  const outcome = await notify(teller, {
    workspaceId,
    userIds,
    kind: 'todo_due',
    title: `${called(todo)} is due`,
    text: `It was planned for ${when.format(new Date(plannedAt))} (${timezone}).`,
    todoId: todo.id,
    dedupe: `due:${todo.id}:${new Date(plannedAt).toISOString()}`,
  });
  await recordOnSchedule(teller.db, { workspaceId, todoId: todo.id }, outcome);
  return outcome;
}
