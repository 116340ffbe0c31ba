import type { Db } from '../../db/client.ts';
import { lockAccess, revokeKeysAndApps } from '../accounts/revoke-access.ts';
import { revokeSessions } from '../accounts/sessions.ts';
import { removeFactors } from '../second-factors/factors.ts';
import { disableEndpointsOf } from '../webhooks/disable.ts';

/** What ends beside the sessions. */
export interface RevokedAccess {
  /** API keys and connected apps, and webhooks that were made in sessions. */
  keys: boolean;
  /** The authenticator app, passkeys and recovery codes. */
  factors: boolean;
}

const named = 'select id from users where lower(email) = lower($1)';
const withAccess = 'select distinct user_id as id from credentials where revoked_at is null order by user_id';
/** An app has no credential between the end of its access token and the next refresh. */
const withAccessOrApps = `select user_id as id from credentials where revoked_at is null
  union select user_id from connected_apps where revoked_at is null order by id`;

async function revokeFrom(db: Db, userId: string, { keys, factors }: RevokedAccess): Promise<void> {
  await db.transaction(async (tx) => {
    const workspaceIds = await lockAccess(tx, userId);
    await revokeSessions(tx, userId, null);
    if (keys) {
      await revokeKeysAndApps(tx, userId, workspaceIds);
      // The operator ends access without SMTP: people are notified in the app.
      await disableEndpointsOf({ db: tx, clock: () => new Date(), mail: { sends: false } }, userId, workspaceIds);
    }
    if (factors) await removeFactors(tx, userId);
  });
}

/**
 * Ends access on behalf of the operator (OWASP ASVS 5, 7.4.5 and 6.4.4): of the person with this e-mail address, or of
 * everybody when it is null. A revocation holds on the next request of every process. Each person is a transaction of
 * their own. Returns the number of people; 0 when nobody has the address.
 */
export async function revokeAccess(db: Db, email: string | null, revoked: RevokedAccess): Promise<number> {
  const everybody = revoked.keys ? withAccessOrApps : withAccess;
  const people = await (email === null
    ? db.rows<{ id: string }>(everybody, [])
    : db.rows<{ id: string }>(named, [email]));
  for (const { id } of people) await revokeFrom(db, id, revoked);
  return people.length;
}
