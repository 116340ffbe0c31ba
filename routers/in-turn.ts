import { invalid } from '../domain/errors.ts';

/** Characters of the answers of a request, as JSON, beyond which no other heavy call of it is made. */
const maxHeld = 8 * 2 ** 20;

interface Turns {
  last: Promise<unknown>;
  held: number;
}

/** The heavy calls of requests, by an object that the calls of one have in common. */
const turns = new WeakMap<object, Turns>();

/** The characters of what a call returned: they stay in memory until the last call of the request is done. */
function lengthOf(outcome: unknown): number {
  const { data } = outcome as { data?: unknown };
  return data === undefined ? 0 : JSON.stringify(data).length;
}

/**
 * Makes a call that may read megabytes after the others of its request that do, and none where those have returned too
 * much already. @throws Failure 400.
 */
export function inTurn<Result>(request: object, call: () => Promise<Result>): Promise<Result> {
  const before = turns.get(request);
  if (!before) {
    const first = call();
    turns.set(request, { last: first, held: 0 });
    return first;
  }
  const next = before.last
    .then(lengthOf, () => 0)
    .then((length) => {
      before.held += length;
      if (before.held <= maxHeld) return call();
      const message = 'The answers to this batch are too long together. Send this call in a request of its own.';
      throw invalid(null, message, { reason: 'batch_too_long' });
    });
  before.last = next;
  return next;
}
