import { hash, randomBytes } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import type { ServiceSettings } from '../context.ts';

const validMinutes = 5;
export const timeoutMs = validMinutes * 60_000;

/** What a challenge is issued for. `binding` is the secret or id of whoever may answer it; empty for anybody. */
export interface Purpose {
  purpose: 'sign_in' | 'second_factor' | 'reauthentication' | 'registration';
  binding: string;
}

const insert = `insert into webauthn_challenges (challenge_hash, expires_at)
  values ($1, now() + interval '${validMinutes} minutes') returning expires_at as "expiresAt"`;
const take = `delete from webauthn_challenges where challenge_hash = $1 returning expires_at > now() as "isValid"`;

function hashOf(challenge: string, { purpose, binding }: Purpose): Buffer {
  return hash('sha256', JSON.stringify([purpose, binding, challenge]), 'buffer');
}

/** Stores a new challenge of 256 random bits. */
export async function issueChallenge(db: Db, purpose: Purpose) {
  const challenge = Uint8Array.from(randomBytes(32));
  const text = Buffer.from(challenge).toString('base64url');
  const [row] = await db.rows<{ expiresAt: string }>(insert, [hashOf(text, purpose)]);
  if (!row) throw new Error('no challenge was inserted');
  return { challenge, expiresAt: row.expiresAt };
}

/**
 * Takes the challenge that a credential answers, if it was issued for this purpose and is valid. It can be taken only
 * once, whether or not the answer is right; so call this outside of a transaction, which could be rolled back.
 */
export async function takeChallenge(db: Db, clientDataJSON: string, purpose: Purpose): Promise<string | null> {
  let challenge: unknown;
  try {
    const { decodeClientDataJSON } = await import('./webauthn.ts');
    challenge = decodeClientDataJSON(clientDataJSON).challenge;
  } catch {
    return null;
  }
  if (typeof challenge !== 'string') return null;
  const [taken] = await db.rows<{ isValid: boolean }>(take, [hashOf(challenge, purpose)]);
  return taken?.isValid ? challenge : null;
}

/** What passkeys are bound to (WebAuthn calls it the relying party): the host of the public address, and its origin. */
export function siteOf({ publicUrl }: ServiceSettings): { id: string; origin: string } {
  const { hostname, origin } = new URL(publicUrl);
  return { id: hostname, origin };
}
