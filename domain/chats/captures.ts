import type { Db } from '../../db/client.ts';
import type { Principal } from '../context.ts';
import { Failure, notFound } from '../errors.ts';

/** Checks the scope: captures are context that the answer may repeat (CONTRACT §10.9). @throws Failure 403. */
export function mayGiveCaptures({ scopes }: Pick<Principal, 'scopes'>, captureIds: readonly string[]): void {
  if (captureIds.length === 0 || scopes.has('captures:read')) return;
  const message = 'This credential lacks the scope captures:read, which captureIds needs. Use one that has it.';
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: ['captures:read'] });
}

const hold = `select id from captures where workspace_id = $1 and id = any($2::uuid[]) order by id for key share`;

/** Captures that a request names. */
export interface GivenCaptures {
  /** In the order of the request, each once. */
  ids: string[];
  /** The failure for the first one that the workspace does not have. */
  fault: Failure | undefined;
}

/**
 * Looks up captures and locks them, so that none is erased meanwhile. Call it before the todo of the chat is locked:
 * erasing a capture locks in this order.
 */
export async function holdCaptures(db: Db, workspaceId: string, captureIds: readonly string[]): Promise<GivenCaptures> {
  const ids = [...new Set(captureIds)];
  if (ids.length === 0) return { ids, fault: undefined };
  const rows = await db.rows<{ id: string }>(hold, [workspaceId, ids]);
  const known = new Set(rows.map(({ id }) => id));
  const unknown = captureIds.findIndex((id) => !known.has(id));
  return { ids, fault: unknown < 0 ? undefined : notFound('capture', `captureIds[${unknown}]`) };
}

const attach = `insert into chat_captures (workspace_id, chat_id, position, capture_id)
  select $1, $2, place, id from unnest($3::uuid[]) with ordinality as given(id, place)`;

/** Attaches captures to a new chat, in this order. */
export async function attachCaptures(db: Db, workspaceId: string, chatId: string, ids: readonly string[]) {
  if (ids.length > 0) await db.rows(attach, [workspaceId, chatId, ids]);
}
