import { createHmac, type KeyObject, randomBytes } from 'node:crypto';
import { decrypt, encrypt } from '../second-factors/encryption.ts';

/** Standard Webhooks allows 24 to 64 bytes. */
const secretBytes = 32;
const prefix = 'whsec_';

/** Whose secret it is: what is encrypted for one endpoint can be decrypted for no other. */
export interface SecretOwner {
  workspaceId: string;
  endpointId: string;
}

const ownerOf = ({ workspaceId, endpointId }: SecretOwner) => `webhook_endpoint ${workspaceId} ${endpointId}`;

/** A new secret: as it is shown once, and encrypted as it is stored. */
export function newEndpointSecret(key: KeyObject, owner: SecretOwner): { secret: string; stored: Buffer } {
  const bytes = randomBytes(secretBytes);
  return { secret: `${prefix}${bytes.toString('base64')}`, stored: storedSecret(key, owner, bytes) };
}

/** A secret that a client chose, encrypted as it is stored. */
export function storedSecret(key: KeyObject, owner: SecretOwner, bytes: Uint8Array): Buffer {
  return encrypt(bytes, key, ownerOf(owner));
}

/**
 * The stored secrets of a column with one or several of this length. Those that a client chose are one, of any length.
 */
export function secretsIn(stored: Buffer, length: number): Buffer[] {
  if (stored.length % length > 0) return [stored];
  return Array.from({ length: stored.length / length }, (_, at) => stored.subarray(at * length, (at + 1) * length));
}

/** Whether the stored secret is this one. */
export function isSecret(stored: Buffer, key: KeyObject, owner: SecretOwner, bytes: Uint8Array): boolean {
  return decrypt(stored, key, ownerOf(owner))?.equals(bytes) ?? false;
}

/**
 * The headers of a message (Standard Webhooks 1.0): `body` is signed as the UTF-8 bytes that are sent, once with each
 * of the stored secrets that can be decrypted; null when none can. `at` is in seconds.
 */
export function signedHeaders(
  { id, at, body }: { id: string; at: number; body: string },
  stored: readonly Buffer[],
  key: KeyObject,
  owner: SecretOwner,
): Record<string, string> | null {
  const secrets = stored.map((each) => decrypt(each, key, ownerOf(owner))).filter((secret) => secret !== null);
  if (secrets.length === 0) return null;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', secret).update(`${id}.${at}.${body}`).digest('base64')}`,
  );
  return { 'webhook-id': id, 'webhook-timestamp': String(at), 'webhook-signature': signatures.join(' ') };
}
