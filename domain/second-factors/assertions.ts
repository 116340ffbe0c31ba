import type { z } from 'zod';
import type { Db } from '../../db/client.ts';
import type { ServiceSettings } from '../context.ts';
import { issueChallenge, type Purpose, siteOf, timeoutMs } from './challenges.ts';
import type { PasskeyRequest } from './shapes.ts';
import type { Assertion } from './webauthn-shapes.ts';

const ids =
  'select credential_id as "credentialId", transports from passkeys where user_id = $1 order by created_at, id';
const hold = `select id, user_id as "userId", public_key as "publicKey", sign_count as "signCount"
  from passkeys where credential_id = $1 for update`;
const used = 'update passkeys set sign_count = $2, is_synced = $3, last_used_at = now() where id = $1';

/** `signCount` is a bigint, which the driver returns as text. */
interface Held {
  id: string;
  userId: string;
  publicKey: Buffer;
  signCount: string;
}

/** The passkeys of a person as WebAuthn names them. */
export async function descriptorsOf(db: Db, userId: string): Promise<{ id: string; transports: string[] }[]> {
  const rows = await db.rows<{ credentialId: Buffer; transports: string[] }>(ids, [userId]);
  return rows.map(({ credentialId, transports }) => ({ id: credentialId.toString('base64url'), transports }));
}

/** Options for `navigator.credentials.get()`: for the passkeys of `userId`, or null for any that the device has. */
export async function requestPasskey(
  db: Db,
  service: ServiceSettings,
  userId: string | null,
  purpose: Purpose,
): Promise<z.infer<typeof PasskeyRequest>> {
  const { challenge, expiresAt } = await issueChallenge(db, purpose);
  const allowCredentials = userId === null ? [] : await descriptorsOf(db, userId);
  const { generateAuthenticationOptions } = await import('./webauthn.ts');
  const options = await generateAuthenticationOptions({
    rpID: siteOf(service).id,
    challenge,
    allowCredentials,
    timeout: timeoutMs,
    userVerification: 'required',
  });
  return {
    object: 'passkey_request',
    options: {
      rpId: siteOf(service).id,
      challenge: options.challenge,
      timeout: timeoutMs,
      allowCredentials: allowCredentials.map((each) => ({ ...each, type: 'public-key' })),
      userVerification: 'required',
    },
    expiresAt,
  };
}

/** Whether the user handle is the one under which the passkey was made: the id of its person. */
function isHandleOf(userHandle: string | null | undefined, userId: string): boolean {
  return !userHandle || Buffer.from(userHandle, 'base64url').toString() === userId;
}

/**
 * The person whose passkey answered the challenge, with user verification; null when anything is not right (WebAuthn
 * Level 3, §7.2). A signature counter that did not grow is refused: the passkey may have been copied. `tx` is a
 * transaction; `challenge` is what `takeChallenge` returned.
 */
export async function personOfPasskey(
  tx: Db,
  service: ServiceSettings,
  { response, ...credential }: Assertion,
  challenge: string,
): Promise<string | null> {
  const [held] = await tx.rows<Held>(hold, [Buffer.from(credential.id, 'base64url')]);
  if (!held || !isHandleOf(response.userHandle, held.userId)) return null;
  const { id, origin } = siteOf(service);
  const { clientDataJSON, authenticatorData, signature } = response;
  const { verifyAuthenticationResponse } = await import('./webauthn.ts');
  const verified = await verifyAuthenticationResponse({
    response: {
      id: credential.id,
      rawId: credential.rawId,
      type: 'public-key',
      clientExtensionResults: {},
      response: { clientDataJSON, authenticatorData, signature },
    },
    expectedChallenge: challenge,
    expectedOrigin: origin,
    expectedRPID: id,
    requireUserVerification: true,
    credential: {
      id: credential.id,
      publicKey: Uint8Array.from(held.publicKey),
      counter: Number(held.signCount),
    },
  }).catch(() => null);
  if (!verified?.verified) return null;
  const { newCounter, credentialBackedUp } = verified.authenticationInfo;
  await tx.rows(used, [held.id, newCounter, credentialBackedUp]);
  return held.userId;
}
