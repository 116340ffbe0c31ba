import { hash, randomInt } from 'node:crypto';
import { crc32 } from 'node:zlib';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const shape = /^tandem_(sk|st|at|rt)_([0-9A-Za-z]{40})([0-9A-Za-z]{6})$/;

/** What a secret opens: an API key, a session, an OAuth access token, an OAuth refresh token. */
type SecretKind = 'sk' | 'st' | 'at' | 'rt';

/** CRC-32 (ISO-HDLC) of `body` in base62, most significant digit first, padded with `0` to 6 characters. */
function checksum(body: string): string {
  let rest = crc32(body);
  let digits = '';
  while (digits.length < 6) {
    digits = alphabet.charAt(rest % 62) + digits;
    rest = Math.floor(rest / 62);
  }
  return digits;
}

/** A new secret: `tandem_<kind>_`, 40 random base62 characters, 6 characters of checksum (offline secret scanning). */
export function mintSecret(kind: SecretKind): string {
  let body = '';
  for (let length = 0; length < 40; length++) body += alphabet.charAt(randomInt(62));
  return `tandem_${kind}_${body}${checksum(body)}`;
}

/** The kind of a well-formed secret with a right checksum; null for anything else. No query is made. */
export function secretKind(secret: string): SecretKind | null {
  const [, kind, body, sum] = shape.exec(secret) ?? [];
  return body !== undefined && checksum(body) === sum ? (kind as SecretKind) : null;
}

/** SHA-256 of a secret, under which the database stores and finds it. */
export function hashSecret(secret: string): Buffer {
  return hash('sha256', secret, 'buffer');
}
