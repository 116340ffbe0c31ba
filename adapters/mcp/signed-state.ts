import { createHmac, timingSafeEqual } from 'node:crypto';
import type { AuthenticatedContext, Principal } from '../../domain/context.ts';

/** How long a client may return a state: a person needs time to decide. */
const lifetimeMs = 60 * 60 * 1000;

/** The credential that a state is for. An app may continue with another token when its own has expired. */
function holderOf({ kind, credentialId, credentialName, userId }: Principal): string[] {
  return kind === 'oauth' ? [kind, userId, credentialName] : [kind, userId, credentialId];
}

function mac(ctx: AuthenticatedContext, purpose: string, payload: Buffer): Buffer {
  const principal = ctx.principal;
  const context = JSON.stringify(['mcp', purpose, principal.workspaceId, ...holderOf(principal)]);
  return createHmac('sha256', ctx.service.cursorKey).update(context).update(payload).digest();
}

/**
 * A value that the client stores and sends back. The client can read it but not change it. It is valid for `purpose`
 * and the credential of `ctx` only, on every process, for an hour or until another time in milliseconds.
 */
export function signState(
  ctx: AuthenticatedContext,
  purpose: string,
  value: unknown,
  until = ctx.clock().getTime() + lifetimeMs,
): string {
  const payload = Buffer.from(JSON.stringify([until, value]));
  return Buffer.concat([mac(ctx, purpose, payload), payload]).toString('base64url');
}

/**
 * The value that `signState` signed; undefined when it was changed, has expired, or has another purpose or credential.
 */
export function verifyState<Value>(ctx: AuthenticatedContext, purpose: string, signed: string): Value | undefined {
  const bytes = Buffer.from(signed, 'base64url');
  const payload = bytes.subarray(32);
  if (bytes.length <= 32 || bytes.toString('base64url') !== signed) return undefined;
  if (!timingSafeEqual(mac(ctx, purpose, payload), bytes.subarray(0, 32))) return undefined;
  const [until, value] = JSON.parse(payload.toString()) as [number, Value];
  return ctx.clock().getTime() <= until ? value : undefined;
}
