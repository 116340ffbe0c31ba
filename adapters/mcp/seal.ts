import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Context, type Principal, principalOf } from '../../routers/base.ts';

/** How long what a client keeps for us is good: a person may think, but not for ever. */
const lifetimeMs = 60 * 60 * 1000;

/** The credential that a seal is for. An app goes on with another token when its own ran out meanwhile. */
function holderOf({ kind, credentialId, credentialName, userId }: Principal): string[] {
  return kind === 'oauth' ? [kind, userId, credentialName] : [kind, userId, credentialId];
}

function mac(ctx: Context, purpose: string, payload: Buffer): Buffer {
  const principal = principalOf(ctx);
  const context = JSON.stringify(['mcp', purpose, principal.workspaceId, ...holderOf(principal)]);
  return createHmac('sha256', ctx.service.cursorKey).update(context).update(payload).digest();
}

/**
 * A value that the client keeps and sends back, readable but not to be changed: it opens for `purpose` and the
 * credential of `ctx` alone, within an hour, on every process.
 */
export function seal(ctx: Context, purpose: string, value: unknown): string {
  const payload = Buffer.from(JSON.stringify([ctx.clock().getTime() + lifetimeMs, value]));
  return Buffer.concat([mac(ctx, purpose, payload), payload]).toString('base64url');
}

/** What `seal` sealed; undefined when it was changed, has run out, or is for something or somebody else. */
export function unseal<Value>(ctx: Context, purpose: string, sealed: string): Value | undefined {
  const bytes = Buffer.from(sealed, 'base64url');
  const payload = bytes.subarray(32);
  if (bytes.length <= 32 || bytes.toString('base64url') !== sealed) return undefined;
  if (!timingSafeEqual(mac(ctx, purpose, payload), bytes.subarray(0, 32))) return undefined;
  const [until, value] = JSON.parse(payload.toString()) as [number, Value];
  return ctx.clock().getTime() <= until ? value : undefined;
}
