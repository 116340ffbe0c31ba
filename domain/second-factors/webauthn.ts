import { decodeAttestationObject } from '@simplewebauthn/server/helpers';

/* The library of passkeys, imported at its first use only: it is half a megabyte, most of it about certificates. */

export {
  generateAuthenticationOptions,
  generateRegistrationOptions,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server';
export { decodeClientDataJSON } from '@simplewebauthn/server/helpers';

/**
 * Whether there is no attestation, or one by the passkey itself: no other was asked for. Certificates are not read,
 * because checking them sends requests to the addresses that they name.
 */
export function isPlainAttestation(attestationObject: string): boolean {
  const decoded = decodeAttestationObject(Uint8Array.from(Buffer.from(attestationObject, 'base64url')));
  const format = decoded.get('fmt');
  return format === 'none' || (format === 'packed' && decoded.get('attStmt').get('x5c') === undefined);
}
