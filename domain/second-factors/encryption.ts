import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';

const algorithm = 'aes-256-gcm';
const nonceBytes = 12;
const tagBytes = 16;

/**
 * Encrypts with AES-256-GCM, as nonce, ciphertext and tag. `owner` is authenticated too: the result can be decrypted
 * for that owner only, so a row that is copied to another person is of no use.
 */
export function encrypt(plain: Uint8Array, key: KeyObject, owner: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv(algorithm, key, nonce).setAAD(Buffer.from(owner));
  return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()]);
}

/** Decrypts what `encrypt` returned; null for another key, as after it was replaced, another owner or changed bytes. */
export function decrypt(stored: Buffer, key: KeyObject, owner: string): Buffer | null {
  const nonce = stored.subarray(0, nonceBytes);
  const ciphertext = stored.subarray(nonceBytes, stored.length - tagBytes);
  try {
    const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
      .setAAD(Buffer.from(owner))
      .setAuthTag(stored.subarray(stored.length - tagBytes));
    return Buffer.concat([decipher.update(ciphertext), decipher.final()]);
  } catch {
    return null;
  }
}
