import { createHash } from 'node:crypto';
import type { AdapterPayload } from 'oidc-provider';
import type { Db } from '../../../db/client.ts';

/** The hash under which an artifact of the provider is stored: its id is a secret. */
export function hashOf(model: string, id: string): Buffer {
  return createHash('sha256').update(`${model} ${id}`).digest();
}

const lockRequest = `select payload from oauth_artifacts where hash = $1 and expires_at > now() for update`;
const setPayload = 'update oauth_artifacts set payload = $2 where hash = $1';

/**
 * Stores what `decide` returns as the decision on an authorization request. Both happen in the transaction `tx`. If two
 * decide at the same time, the second one finds the decision of the first. Returns undefined if there is a decision
 * already, or the request is gone.
 */
export async function decideOnce<Result extends object>(
  tx: Db,
  uid: string,
  decide: () => Promise<Result>,
): Promise<Result | undefined> {
  const hash = hashOf('Interaction', uid);
  const [request] = await tx.rows<{ payload: AdapterPayload }>(lockRequest, [hash]);
  if (!request || request.payload.result) return undefined;
  const result = await decide();
  await tx.rows(setPayload, [hash, JSON.stringify({ ...request.payload, result })]);
  return result;
}
