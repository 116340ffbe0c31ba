import { v4 as newKey } from 'uuid';
import operations from './operations.json' with { type: 'json' };

const keyedPaths: ReadonlySet<string> = new Set(operations.keyed);

interface Call {
  path: string;
  context: Record<string, unknown>;
}

/**
 * Options of a call that must take effect once, however often it is made within 24 hours:
 * `tandem.todos.create.mutate({ title }, keyed('import-42'))`. A repetition returns the response of the first call.
 * @throws RangeError unless the key is 1–255 printable ASCII characters, not all of them spaces.
 */
export function keyed(idempotencyKey: string): { context: { idempotencyKey: string } } {
  const isKey = /^[\x20-\x7e]{1,255}$/.test(idempotencyKey) && idempotencyKey.trim() !== '';
  if (isKey) return { context: { idempotencyKey } };
  throw new RangeError('An idempotency key is 1 to 255 printable ASCII characters. Choose another, such as a UUID.');
}

/** The idempotency key of a call; undefined without one. */
export function keyOf({ context }: Call): string | undefined {
  return context.idempotencyKey as string | undefined;
}

/** The call with a generated key, where the operation takes one and none is given, so that repeating it is safe. */
export function withKey<Given extends Call>(call: Given): Given {
  if (!keyedPaths.has(call.path) || keyOf(call) !== undefined) return call;
  return { ...call, context: { ...call.context, idempotencyKey: newKey() } };
}

/**
 * The header of a call's key: a quoted string, so that every printable character is preserved.
 * @throws RangeError when the operation would ignore the key.
 */
export function keyHeader(call: Call): Record<string, string> {
  const key = keyOf(call);
  if (key === undefined) return {};
  if (!keyedPaths.has(call.path))
    throw new RangeError(`${call.path} takes no idempotency key. Call it without keyed().`);
  return { 'Idempotency-Key': `"${key.replace(/["\\]/g, '\\$&')}"` };
}
