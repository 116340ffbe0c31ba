import { validCredential } from '../access.ts';
import type { Context } from '../context.ts';
import { type MessageRow, messageColumns, messageOf } from './messages.ts';
import { readable } from './quotations.ts';
import type { ChatAnswer, MessageAnswer } from './shapes.ts';

/** Messages of a chat after a sequence, oldest first, and its status, from one snapshot: none is missed between. */
export interface Tail {
  status: ChatAnswer['status'];
  messages: MessageAnswer[];
  hasMore: boolean;
}

function statement(more = ''): string {
  return `select c.status${more}, ${messageColumns} from chats c left join lateral (
      select * from messages s where s.workspace_id = $1 and s.chat_id = c.id and s.sequence > $3
      order by s.sequence limit $4
    ) m on true
    where c.workspace_id = $1 and c.id = $2 order by m.sequence`;
}

const plain = statement();
const watched = statement(`,
    exists (select from credentials c where c.workspace_id = $1 and c.id = $5 and ${validCredential}) as allowed`);

type TailRow = Pick<ChatAnswer, 'status'> & MessageRow & { allowed: boolean };

function tailOf(ctx: Reading, rows: TailRow[], limit: number): Tail | undefined {
  const [first] = rows;
  if (!first) return undefined;
  const written = rows.filter(({ id }) => id !== null);
  const messages = written.slice(0, limit).map(({ status: _, allowed: __, ...row }) => messageOf(row));
  return { status: first.status, messages: readable(ctx, messages), hasMore: written.length > limit };
}

/** What reading a chat needs of a context. */
type Reading = Pick<Context, 'db' | 'principal' | 'service'>;

/** Up to `limit` messages after `sequence`; undefined when the workspace has no such chat. */
export async function readTail(ctx: Reading, chatId: string, sequence: number, limit: number) {
  const values = [ctx.principal.workspaceId, chatId, sequence, limit + 1];
  return tailOf(ctx, await ctx.db.rows<TailRow>(plain, values), limit);
}

/** As `readTail`, while the credential is valid; undefined also when it no longer is. */
export async function readTailAs(
  ctx: Reading,
  chatId: string,
  sequence: number,
  limit: number,
): Promise<Tail | undefined> {
  const { workspaceId, credentialId } = ctx.principal;
  const rows = await ctx.db.rows<TailRow>(watched, [workspaceId, chatId, sequence, limit + 1, credentialId]);
  return rows[0]?.allowed ? tailOf(ctx, rows, limit) : undefined;
}
