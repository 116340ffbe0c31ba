import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto';
import { promisify } from 'node:util';

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt);
const cost = 17;
const atOnce = 2;

let running = 0;
const waiting: (() => void)[] = [];

/** Each derivation takes 128 MiB: only a few run at once, the others wait their turn. */
async function inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve));
  running++;
  try {
    return await work();
  } finally {
    running--;
    waiting.shift()?.();
  }
}

function hashOf(password: string, salt: Buffer, logN: number): Promise<Buffer> {
  const options = { N: 2 ** logN, r: 8, p: 1, maxmem: 2 ** (logN + 11) };
  return inTurn(() => derive(password.normalize('NFKC'), salt, 32, options));
}

/** scrypt with N = 2^17, r = 8, p = 1 (OWASP Password Storage Cheat Sheet), as `scrypt$17$8$1$salt$hash` in base64url. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16);
  const hash = await hashOf(password, salt, cost);
  return `scrypt$${cost}$8$1$${salt.toString('base64url')}$${hash.toString('base64url')}`;
}

/**
 * Whether `password` is the one that was hashed. Takes as long when there is no hash to compare with (null, or not one
 * of ours), so that the time tells nobody whether an account exists.
 */
export async function verifyPassword(password: string, stored: string | null): Promise<boolean> {
  const [, logN, salt, hash] = /^scrypt\$(\d\d)\$8\$1\$([\w-]+)\$([\w-]+)$/.exec(stored ?? '') ?? [];
  if (!logN || !salt || !hash) {
    await hashOf(password, randomBytes(16), cost);
    return false;
  }
  const expected = Buffer.from(hash, 'base64url');
  const derived = await hashOf(password, Buffer.from(salt, 'base64url'), Number(logN));
  return derived.length === expected.length && timingSafeEqual(derived, expected);
}
