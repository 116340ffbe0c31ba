import type { Db } from '../../db/client.ts';
import { type HeldChat, holdChat } from '../chats/rows.ts';
import type { World } from '../chats/turns.ts';
import { type ApprovalRow, approvalColumns } from './rows.ts';
import { settle } from './settle.ts';

/** Chats that are looked at together. */
const batch = 100;

interface DueChat {
  workspaceId: string;
  chatId: string;
  todoId: string | null;
  /** When the first of its approvals was to be decided. */
  since: string;
}

const dueOfChat = `select ${approvalColumns} from approvals
  where workspace_id = $1 and chat_id = $2 and status = 'pending' and expires_at <= $3 order by requested_at, id`;
const dueChats = `select a.workspace_id as "workspaceId", a.chat_id as "chatId", c.todo_id as "todoId",
    min(a.expires_at) as since
  from approvals a join chats c on c.workspace_id = a.workspace_id and c.id = a.chat_id
  where a.status = 'pending' and a.expires_at <= $1
  group by a.workspace_id, a.chat_id, c.todo_id
  having (min(a.expires_at), a.chat_id) > ($2::timestamptz, $3::uuid)
  order by since, a.chat_id limit ${batch}`;
const lockTodo = 'select 1 from todos where workspace_id = $1 and id = $2 for no key update skip locked';
const lockChat = 'select 1 from chats where workspace_id = $1 and id = $2 for update skip locked';

/** Expires what is past its time in a chat that is locked; its turn goes on as if all that had been denied. */
export async function expireDue(world: World, chat: HeldChat, now: Date): Promise<number> {
  const { workspaceId, chatId } = chat;
  const due = await world.db.rows<ApprovalRow>(dueOfChat, [workspaceId, chatId, now.toISOString()]);
  for (const approval of due) await settle(world, chat, approval, { status: 'expired', decidedBy: null, note: null });
  return due.length;
}

/** Whether todo and chat are locked now, in the order of `holdChat`, without waiting for whoever has them. */
async function locks(tx: Db, { workspaceId, chatId, todoId }: DueChat): Promise<boolean> {
  if (todoId !== null && (await tx.rows(lockTodo, [workspaceId, todoId])).length === 0) return false;
  return (await tx.rows(lockChat, [workspaceId, chatId])).length > 0;
}

function expireChat(world: World, due: DueChat, now: Date): Promise<number> {
  return world.db.transaction(async (tx) => {
    if (!(await locks(tx, due))) return 0;
    const chat = await holdChat(tx, due.workspaceId, due.chatId);
    return expireDue({ ...world, db: tx }, chat, now);
  });
}

/**
 * Expires the approvals of all workspaces that nobody decided by `now`, each chat in a transaction of its own; returns
 * how many. A chat that somebody holds is left to the next call, and one that fails does not keep the others waiting.
 * @throws AggregateError once all were tried.
 */
export async function expireApprovals(world: World, now: Date): Promise<number> {
  const failures: unknown[] = [];
  let expired = 0;
  for (let after: [string, string] | null = ['-infinity', '00000000-0000-0000-0000-000000000000']; after; ) {
    const found: DueChat[] = await world.db.rows<DueChat>(dueChats, [now.toISOString(), ...after]);
    for (const due of found) {
      const count = await expireChat(world, due, now).catch((error: unknown) => void failures.push(error));
      expired += count ?? 0;
    }
    const last = found.at(-1);
    after = last && found.length === batch ? [last.since, last.chatId] : null;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} chats kept their expired approvals`);
  return expired;
}
