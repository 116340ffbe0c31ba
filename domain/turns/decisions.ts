import type { Db } from '../../db/client.ts';
import type { Scope } from '../scopes.ts';
import type { Claim } from './steps.ts';

const decisions = `select a.tool_call_id as "toolCallId", a.status, a.input,
    (select t.scopes from chat_turns t where t.workspace_id = $1 and t.id = $2) as scopes
  from approvals a where a.workspace_id = $1 and a.turn_id = $2`;

interface DecidedCall {
  toolCallId: string;
  status: string;
  input: unknown;
  /** What the turn may do now: whoever decided may have narrowed it. Null: its chat was erased. */
  scopes: Scope[] | null;
}

/** What was decided of the calls of a turn, by call id. The claim gets the scopes that the turn has left. */
export async function decisionsOf(db: Db, claim: Claim): Promise<Map<string, DecidedCall>> {
  const rows = await db.rows<DecidedCall>(decisions, [claim.workspaceId, claim.turnId]);
  for (const { scopes } of rows) claim.scopes = scopes ?? [];
  return new Map(rows.map((row) => [row.toolCallId, row]));
}
