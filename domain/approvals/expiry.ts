import type { Db } from '../../db/client.ts';
import { type HeldChat, holdChat } from '../chats/rows.ts';
import type { ServiceContext } from '../context.ts';
import { type ApprovalRow, approvalColumns } from './rows.ts';
import { type Settlement, settle } from './settle.ts';

/** Chats per read. */
const batch = 100;

interface DueChat {
  workspaceId: string;
  chatId: string;
  todoId: string | null;
  /** When the first of its approvals expired. */
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

/** The due approvals of a locked chat, to be settled: its turn continues as if they had been denied. */
export async function dueSettlements(
  { db, clock }: ServiceContext,
  { workspaceId, chatId }: HeldChat,
): Promise<Settlement[]> {
  const due = await db.rows<ApprovalRow>(dueOfChat, [workspaceId, chatId, clock().toISOString()]);
  return due.map((approval) => ({ approval, status: 'expired', decidedBy: null, note: null }));
}

/** Locks todo and chat in the order of `holdChat`, without waiting; false when one is locked already. */
async function tryLock(tx: Db, { workspaceId, chatId, todoId }: DueChat): Promise<boolean> {
  if (todoId !== null && (await tx.rows(lockTodo, [workspaceId, todoId])).length === 0) return false;
  return (await tx.rows(lockChat, [workspaceId, chatId])).length > 0;
}

function expireChat(ctx: ServiceContext, due: DueChat): Promise<number> {
  return ctx.db.transaction(async (db) => {
    if (!(await tryLock(db, due))) return 0;
    const chat = await holdChat(db, due.workspaceId, due.chatId);
    const expired = await settle({ ...ctx, db }, chat, await dueSettlements({ ...ctx, db }, chat));
    return expired.length;
  });
}

/**
 * Expires the undecided approvals of all workspaces, each chat in its own transaction; returns how many. A locked chat
 * is left to the next call, and a chat that fails does not stop the others.
 * @throws AggregateError once all were tried.
 */
export async function expireApprovals(ctx: ServiceContext): Promise<number> {
  const failures: unknown[] = [];
  let expired = 0;
  for (let after: [string, string] | null = ['-infinity', '00000000-0000-0000-0000-000000000000']; after; ) {
    const found: DueChat[] = await ctx.db.rows<DueChat>(dueChats, [ctx.clock().toISOString(), ...after]);
    for (const due of found) {
      const count = await expireChat(ctx, due).catch((error: unknown) => void failures.push(error));
      expired += count ?? 0;
    }
    const last = found.at(-1);
    after = last && found.length === batch ? [last.since, last.chatId] : null;
  }
  if (failures.length > 0) throw new AggregateError(failures, `${failures.length} chats could not be expired`);
  return expired;
}
