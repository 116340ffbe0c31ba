import type { z } from 'zod';
import { Bindings } from '../../db/bindings.ts';
import type { Context } from '../context.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { type ApprovalRow, approvalColumns, approvalOf } from './rows.ts';
import type { ApprovalListing } from './shapes.ts';

/** A page of approvals, newest first. @throws Failure 400 `invalid_cursor`. */
export async function listApprovals(ctx: Context, input: z.infer<typeof ApprovalListing>) {
  const { limit, cursor, status, chatId, agentId } = input;
  const filters = { status, chatId, agentId };
  const scope = cursorScope(ctx, { sort: 'requestedAt', order: 'desc', filters });
  const bindings = new Bindings();
  const where = [`workspace_id = ${bindings.bind(ctx.principal.workspaceId)}`];
  // Not bound: the partial index of pending approvals is used only by a statement with this literal.
  if (status !== undefined) where.push(`status = '${status}'`);
  if (chatId !== undefined) where.push(`chat_id = ${bindings.bind(chatId)}`);
  if (agentId !== undefined) where.push(`agent_id = ${bindings.bind(agentId)}`);
  if (cursor !== undefined) {
    const [requestedAt, id] = positionOf(scope, cursor);
    where.push(`(requested_at, id) < (${bindings.bind(requestedAt)}::timestamptz, ${bindings.bind(id)})`);
  }
  const text = `select ${approvalColumns} from approvals where ${where.join(' and ')}
    order by requested_at desc, id desc limit ${bindings.bind(limit + 1)}`;
  const rows = await ctx.db.rows<ApprovalRow>(text, bindings.values);
  const page = pageOf(rows, limit, scope, (row) => [row.requestedAt, row.id]);
  return { object: 'list' as const, ...page, data: page.data.map(approvalOf) };
}
