import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';
import { FairQueue } from './fair-queue.ts';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);

/** The derivations of this process, by client. Each takes 128 MiB and some tenths of a second. */
export const passwordQueue = new FairQueue({ maxRunning: 2, maxWaiting: 32, maxWaitingPerKey: 4 });

/** What a derivation costs and for whom it is made. */
export interface Hashing {
  /** log2 of scrypt's N. */
  cost: number;
  /** Clients take turns in the queue: the hash of an address, or the name of a program. */
  client: string;
}

function hashOf(password: string, salt: Buffer, { cost, client }: Hashing): Promise<Buffer> {
  const options = { N: 2 ** cost, r: 8, p: 1, maxmem: 2 ** (cost + 11) };
  return passwordQueue.run(client, () => derive(password.normalize('NFKC'), salt, 32, options));
}

/**
 * scrypt with N = 2^cost, r = 8, p = 1, as `scrypt$17$8$1$salt$hash` in base64url. OWASP's Password Storage Cheat Sheet
 * asks for a cost of 17 at least; the cost has two digits. @throws QueueFull
 */
export async function hashPassword(password: string, hashing: Hashing): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashOf(password, salt, hashing);
  return `scrypt$${hashing.cost}$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Whether `password` is the one that was hashed, at whatever cost. Without a hash to compare with (null, or not one of
 * ours) it takes as long as a hash of `cost` does, so that the time does not show whether an account exists.
 * @throws QueueFull
 */
export async function verifyPassword(password: string, stored: string | null, hashing: Hashing): Promise<boolean> {
  const [, logN, salt, hash] = /^scrypt\$(\d\d)\$8\$1\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '') ?? [];
  if (!logN || !salt || !hash) {
    await hashOf(password, randomBytes(16), hashing);
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const derived = await hashOf(password, Buffer.from(salt, 'base64url'), { ...hashing, cost: Number(logN) });
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}

/** The cost at which a password was hashed; infinite for what is no hash of ours. */
export function costOf(stored: string): number {
  return Number(/^scrypt\$(\d\d)\$/.exec(stored)?.[1] ?? Number.POSITIVE_INFINITY);
}
