import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { Failure } from '../errors.ts';

/** For so long after a person proved who they are, a session may change how they sign in. */
const validity = `interval '10 minutes'`;

const note = `insert into recent_authentications as r (credential_id, authenticated_at) values ($1, now())
  on conflict (credential_id) do update set authenticated_at = now()
  returning authenticated_at + ${validity} as "expiresAt"`;
const recent = `select 1 from recent_authentications where credential_id = $1 and authenticated_at > now() - ${validity}`;

/** Notes that the person of this session has just proved who they are; returns until when that counts. */
export async function noteAuthentication(db: Db, sessionId: string): Promise<string> {
  const [row] = await db.rows<{ expiresAt: string }>(note, [sessionId]);
  if (!row) throw new Error('the upsert of an authentication returned no row');
  return row.expiresAt;
}

/**
 * A stolen session must not change how its person signs in (ASVS 5.0, 7.5.1). @throws Failure 403
 * `reauthentication_required` when the person proved who they are more than 10 minutes ago.
 */
export async function requireRecentAuthentication({ db, principal }: Context): Promise<void> {
  const found = await db.rows(recent, [principal.credentialId]);
  if (found.length > 0) return;
  const message = 'Confirm that it is you first (reauthenticate), with your password or a second factor.';
  throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'reauthentication_required' });
}
