import { QueueFull } from '../../db/fair-queue.ts';
import { hashPassword, verifyPassword } from '../../db/passwords.ts';
import type { RequestContext } from '../context.ts';
import { Failure } from '../errors.ts';
import type { Attempts } from './attempts.ts';

/** By then all that waited is hashed. */
const retryAfterSeconds = 10;

type HashingContext = Pick<RequestContext, 'client' | 'service'>;

const hashingOf = ({ client, service }: HashingContext) => ({
  cost: service.passwordCost,
  client: client.addressHash.toString('base64'),
});

/** Turns a refusal of the queue into a 429. An attempt that was refused so is not counted. */
async function refusable<Result>(work: Promise<Result>, attempts?: Attempts): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error;
    await attempts?.withdraw();
    const message = `Too many passwords are being checked. Try again in ${retryAfterSeconds} s.`;
    const reason = 'sign_in_queue';
    throw new Failure({ status: 429, code: 'rate_limit_exceeded', message, reason, retryAfterSeconds }, error);
  }
}

/** The hash of a new password, in the turn of the client's address. @throws Failure 429. */
export function newPasswordHash(ctx: HashingContext, password: string, attempts?: Attempts): Promise<string> {
  return refusable(hashPassword(password, hashingOf(ctx)), attempts);
}

/** Whether a password is the stored one, in the turn of the client's address. @throws Failure 429. */
export function isPassword(
  ctx: HashingContext,
  password: string,
  stored: string | null,
  attempts: Attempts,
): Promise<boolean> {
  return refusable(verifyPassword(password, stored, hashingOf(ctx)), attempts);
}
