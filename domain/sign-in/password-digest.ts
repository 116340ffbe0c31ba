import { createHash } from 'node:crypto';

/** Length of a digest in the list of common passwords. */
export const hashBytes = 5;

/** How the list of common passwords names one: the start of the SHA-256 of its folded text (NFKC, lower case). */
export function passwordDigest(password: string): Buffer {
  return createHash('sha256').update(password.normalize('NFKC').toLowerCase()).digest().subarray(0, hashBytes);
}
