import type { RequestContext } from '../domain/context.ts';
import { translate } from '../domain/errors.ts';
import type { Access } from '../domain/operations.ts';

/*
 * What is recorded of the calls on which security depends. Ordinary work is not: its events are those of the workspace.
 */

interface Called {
  id: string;
  access: Access;
}

/** Changes of these operations are recorded: accounts, credentials, members, settings of a workspace. */
const recordedAccess: readonly Access[] = ['public', 'session', 'key_management'];

/** Failures by which a caller may not do it, or not any more for a while. */
const refusals = [401, 403, 429];

/** The person whom an operation signed in. */
function signedIn(data: unknown): string | null {
  const id = (data as { user?: { id?: unknown } } | null)?.user?.id;
  return typeof id === 'string' ? id : null;
}

/** Records a call that changed accounts, credentials, members or settings. `data` is its answer. */
export function recordSuccess(ctx: RequestContext, { id, access }: Called, isChange: boolean, data: unknown): void {
  if (!isChange || !recordedAccess.includes(access)) return;
  // The person whom the request itself identified, as by the link of an email, comes before the one of a credential
  // beside it.
  const userId = ctx.db.origin.personId ?? signedIn(data) ?? ctx.principal?.userId ?? null;
  ctx.recordSecurityEvent({ operation: id, outcome: 'done', userId });
}

/** Records a failed call when a credential was refused, or when its success would have been recorded. */
export function recordFailure(ctx: RequestContext, { id, access }: Called, isChange: boolean, error: unknown): void {
  const { status, code, reason } = translate(error).problem;
  if (code === 'missing_credentials') return;
  if (!refusals.includes(status) && !(isChange && recordedAccess.includes(access))) return;
  const userId = ctx.principal?.userId ?? null;
  ctx.recordSecurityEvent({ operation: id, outcome: 'refused', status, code, ...(reason && { reason }), userId });
}

/** The result of `check` before a call of the tool; what it throws is recorded. */
export function recordRefusal<Result>(ctx: RequestContext, tool: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    recordFailure(ctx, { id: tool, access: 'any' }, false, error);
    throw error;
  }
}
