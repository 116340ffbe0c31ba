import { v7 as newId } from 'uuid';
import type { z } from 'zod';
import type { passkeys } from '../../db/schema/index.ts';
import type { Context } from '../context.ts';
import { conflict, invalid, notFound } from '../errors.ts';
import { wholeList } from '../fields.ts';
import { descriptorsOf } from './assertions.ts';
import { issueChallenge, type Purpose, siteOf, takeChallenge, timeoutMs } from './challenges.ts';
import { endCodesOfNone, holdOwnFactors } from './factors.ts';
import { queueFactorNotice } from './notices.ts';
import { requireRecentAuthentication } from './recent-authentication.ts';
import { firstRecoveryCodes } from './recovery-codes.ts';
import type { PasskeyAnswer, PasskeyCreateParams, PasskeyCreation, PasskeyUpdateParams } from './shapes.ts';
import type { Attestation } from './webauthn-shapes.ts';

const maxPasskeys = 20;
/** COSE: EdDSA, ES256, RS256. */
const algorithms = [-8, -7, -257];
const selection = { residentKey: 'required', requireResidentKey: true, userVerification: 'required' } as const;

type PasskeyRow = Pick<typeof passkeys.$inferSelect, 'id' | 'name' | 'isSynced' | 'createdAt' | 'lastUsedAt'>;

const fields = `id, name, is_synced as "isSynced", created_at as "createdAt", last_used_at as "lastUsedAt"`;
const list = `select ${fields} from passkeys where user_id = $1 order by created_at, id`;
const person = 'select name, email from users where id = $1';
const count = 'select count(*)::int as count from passkeys where user_id = $1';
const insert = `insert into passkeys (user_id, id, name, credential_id, public_key, sign_count, transports, is_synced)
  values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (credential_id) do nothing returning ${fields}`;
const rename = `update passkeys set name = $3 where user_id = $1 and id = $2 returning ${fields}`;
const remove = 'delete from passkeys where user_id = $1 and id = $2 returning name';

const passkeyOf = (row: PasskeyRow): PasskeyAnswer => ({ object: 'passkey', ...row });

/** A registration is answered in the session that began it. */
const registrationIn = ({ principal }: Context): Purpose => ({
  purpose: 'registration',
  binding: principal.credentialId,
});

/** The passkeys of the person, the oldest first. */
export async function listPasskeys({ db, principal }: Context) {
  const rows = await db.rows<PasskeyRow>(list, [principal.userId]);
  return wholeList(rows.map(passkeyOf));
}

/** Options for `navigator.credentials.create()`. @throws Failure 403. */
export async function beginPasskey(ctx: Context): Promise<z.infer<typeof PasskeyCreation>> {
  const { db, principal, service } = ctx;
  await requireRecentAuthentication(ctx);
  const [found] = await db.rows<{ name: string; email: string | null }>(person, [principal.userId]);
  const { challenge, expiresAt } = await issueChallenge(db, registrationIn(ctx));
  const existing = await descriptorsOf(db, principal.userId);
  const { generateRegistrationOptions } = await import('./webauthn.ts');
  const options = await generateRegistrationOptions({
    rpName: 'Tandem',
    rpID: siteOf(service).id,
    userID: Uint8Array.from(Buffer.from(principal.userId)),
    userName: found?.email ?? principal.userId,
    userDisplayName: found?.name ?? '',
    challenge,
    timeout: timeoutMs,
    attestationType: 'none',
    supportedAlgorithmIDs: algorithms,
  });
  return {
    object: 'passkey_creation',
    options: {
      rp: { id: siteOf(service).id, name: 'Tandem' },
      user: options.user,
      challenge: options.challenge,
      pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
      timeout: timeoutMs,
      excludeCredentials: existing.map((each) => ({ ...each, type: 'public-key' })),
      authenticatorSelection: selection,
      attestation: 'none',
    },
    expiresAt,
  };
}

/** The new credential, verified (WebAuthn Level 3, §7.1). @throws Failure 400 `credential`. */
async function verified(ctx: Context, { response, ...credential }: Attestation) {
  const refused = () => invalid('credential', 'This passkey could not be verified. Start again.');
  const challenge = await takeChallenge(ctx.db, response.clientDataJSON, registrationIn(ctx));
  if (challenge === null) throw refused();
  const { id, origin } = siteOf(ctx.service);
  const { clientDataJSON, attestationObject, transports = [] } = response;
  try {
    const { isPlainAttestation, verifyRegistrationResponse } = await import('./webauthn.ts');
    if (!isPlainAttestation(attestationObject)) throw refused();
    const { registrationInfo } = await verifyRegistrationResponse({
      response: {
        id: credential.id,
        rawId: credential.rawId,
        type: 'public-key',
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origin,
      expectedRPID: id,
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    });
    if (!registrationInfo) throw refused();
    return { ...registrationInfo, transports };
  } catch {
    throw refused();
  }
}

/**
 * Adds a passkey of the person. @throws Failure 400 when it cannot be verified, 403, 409 for a known one or too many.
 */
export async function createPasskey(ctx: Context, { name, credential }: z.infer<typeof PasskeyCreateParams>) {
  const { userId } = ctx.principal;
  await requireRecentAuthentication(ctx);
  const { credential: made, credentialBackedUp, transports } = await verified(ctx, credential);
  return ctx.db.transaction(async (tx) => {
    await holdOwnFactors(tx, ctx.principal);
    const [existing] = await tx.rows<{ count: number }>(count, [userId]);
    if ((existing?.count ?? 0) >= maxPasskeys)
      throw conflict(`A person has at most ${maxPasskeys} passkeys. Delete one first.`);
    const id = Buffer.from(made.id, 'base64url');
    const values = [
      userId,
      newId(),
      name,
      id,
      Buffer.from(made.publicKey),
      made.counter,
      transports,
      credentialBackedUp,
    ];
    const [row] = await tx.rows<PasskeyRow>(insert, values);
    if (!row) throw conflict('This passkey is in use already.');
    await queueFactorNotice(ctx, tx, userId, 'passkey_added', name);
    return { ...passkeyOf(row), recoveryCodes: await firstRecoveryCodes(tx, userId) };
  });
}

/** Renames a passkey. @throws Failure 404. */
export async function updatePasskey(
  { db, principal }: Context,
  { passkeyId, name }: z.infer<typeof PasskeyUpdateParams>,
): Promise<PasskeyAnswer> {
  const [row] = await db.rows<PasskeyRow>(rename, [principal.userId, passkeyId, name]);
  if (!row) throw notFound('passkey', 'passkeyId');
  return passkeyOf(row);
}

/** Deletes a passkey. @throws Failure 403, 404. */
export async function deletePasskey(ctx: Context, { passkeyId }: { passkeyId: string }) {
  const { userId } = ctx.principal;
  await requireRecentAuthentication(ctx);
  await ctx.db.transaction(async (tx) => {
    await holdOwnFactors(tx, ctx.principal);
    const [removed] = await tx.rows<{ name: string }>(remove, [userId, passkeyId]);
    if (!removed) throw notFound('passkey', 'passkeyId');
    await endCodesOfNone(tx, userId);
    await queueFactorNotice(ctx, tx, userId, 'passkey_removed', removed.name);
  });
  return { object: 'deleted' as const, id: passkeyId, deleted: true as const, recoverable: false as const };
}
