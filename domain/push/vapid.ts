import { createECDH, createPrivateKey, hash, type KeyObject, sign } from 'node:crypto';

/*
 * How this service identifies itself to push services (RFC 8292): browsers accept messages of the key they subscribed
 * to.
 */

/** RFC 8292 allows a day. */
const validSeconds = 12 * 60 * 60;

/** A key pair of P-256. */
export interface VapidKey {
  /** An uncompressed point in base64url, as browsers take it. */
  publicKey: string;
  privateKey: KeyObject;
}

/** The key pair of a secret of 32 random bytes: the same for the same secret, in every process. */
export function vapidKeyOf(secret: Buffer): VapidKey {
  const pair = createECDH('prime256v1');
  let scalar = secret;
  for (;;) {
    try {
      pair.setPrivateKey(scalar);
      break;
    } catch {
      // One in four billion numbers of 256 bits is no key of the curve.
      scalar = hash('sha256', scalar, 'buffer');
    }
  }
  const point = pair.getPublicKey();
  const x = point.toString('base64url', 1, 33);
  const y = point.toString('base64url', 33);
  const key = { kty: 'EC', crv: 'P-256', d: scalar.toString('base64url'), x, y };
  return { publicKey: point.toString('base64url'), privateKey: createPrivateKey({ key, format: 'jwk' }) };
}

const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');

/**
 * The `Authorization` of a message to an endpoint. `contact`: the address of the service, left out unless it is https,
 * as push services refuse others. `now` is in milliseconds since 1970.
 */
export function vapidHeader(
  { publicKey, privateKey }: VapidKey,
  { endpoint, contact, now }: { endpoint: string; contact: string; now: number },
): string {
  const claims = {
    aud: new URL(endpoint).origin,
    exp: Math.floor(now / 1000) + validSeconds,
    ...(contact.startsWith('https:') && { sub: contact }),
  };
  const signed = `${encoded({ typ: 'JWT', alg: 'ES256' })}.${encoded(claims)}`;
  const signature = sign('sha256', Buffer.from(signed), { key: privateKey, dsaEncoding: 'ieee-p1363' });
  return `vapid t=${signed}.${signature.toString('base64url')}, k=${publicKey}`;
}
