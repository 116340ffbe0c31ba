import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { holdChat } from '../chats/rows.ts';
import type { AuthenticatedContext, Principal, ServiceSettings } from '../context.ts';
import { conflict, Failure, invalid, invalidInput } from '../errors.ts';
import type { Scope } from '../scopes.ts';
import { narrowTurns } from '../todos/authority.ts';
import { dueSettlements } from './expiry.ts';
import { type ApprovalRow, approvalOf, findApproval, noApproval } from './rows.ts';
import { settle } from './settle.ts';
import type { ApprovalAnswer, Decision } from './shapes.ts';

/** Checks that a person decides: an agent never decides for itself or another agent. @throws Failure 403. */
function requirePerson({ kind }: Principal): void {
  if (kind !== 'agent') return;
  const message = 'Agents cannot decide approvals. Wait for a person.';
  throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'person_required' });
}

/**
 * Whether the credential may approve a call of the tool. A tool that changes agents needs the scope for agents.
 * Otherwise a key that may only write in chats could make an agent call the tool, and approve that call itself.
 */
export function canApprove({ service, principal }: AuthenticatedContext, toolName: string): boolean {
  const needed = service.tools?.get(toolName)?.scopes ?? [];
  return !needed.includes('agents:write') || principal.scopes.has('agents:write');
}

/** @throws Failure 403. */
function requireApprover(ctx: AuthenticatedContext, toolName: string): void {
  if (canApprove(ctx, toolName)) return;
  const message =
    'Approving a change of an agent or a skill needs the scope agents:write. Use a credential that has it.';
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: ['agents:write'] });
}

/**
 * The scopes for captures that a call with this input needs, of the tool itself or because it gives captures to an
 * agent.
 */
function captureScopes(needed: readonly Scope[], { captureId, captureIds }: Record<string, unknown>): Scope[] {
  const ofTool = needed.filter((scope) => scope.startsWith('captures:'));
  const given = [captureId, captureIds].flat().some((id) => typeof id === 'string');
  return ofTool.length === 0 && given ? ['captures:read'] : ofTool;
}

/**
 * Checks that the credential may change the input of a call to this one, or write a note for the agent. The call runs
 * with the scopes of the one who started the turn. Otherwise a key for chats alone could make an agent repeat captures,
 * or change them.
 * @throws Failure 403.
 */
function requireEditor({ service, principal }: AuthenticatedContext, toolName: string, input: Record<string, unknown>) {
  const needed = captureScopes(service.tools?.get(toolName)?.scopes ?? [], input);
  if (needed.every((scope) => principal.scopes.has(scope))) return;
  const message = `Approving this call with another input or a note needs ${needed.join(' and ')}. Approve it as it is, or use a credential that has the scope.`;
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: needed });
}

/** Checks an edited input against the arguments of its tool. @throws Failure 400 with `param` below `input`; 409. */
function checkToolInput(service: ServiceSettings, toolName: string, input: Record<string, unknown>): void {
  const tool = service.tools?.get(toolName);
  if (!tool) throw conflict('The tool of this call no longer exists. Deny the call.');
  const { error } = tool.input.safeParse(input);
  if (!error) return;
  const issues = error.issues.map((issue) => ({ ...issue, path: ['input', ...issue.path] }));
  throw invalidInput(new z.ZodError(issues));
}

const settled: Record<ApprovalAnswer['status'], string> = {
  pending: 'This approval is still pending. Decide again.',
  approved: 'This was already approved, and the agent continued. Send a message in the chat to correct it.',
  denied: 'This was already denied, and the agent continued. Send a message in the chat to have it done after all.',
  expired:
    'This was not decided in time, and the agent continued without it. Send a message in the chat to have it done.',
  superseded: 'The agent no longer waits for this decision, because its turn ended. Send a message in the chat.',
};

/** Whether the given decision is the stored one. The same verdict with another input is another decision. */
function isSame(approval: ApprovalRow, { decision, input }: Decision): boolean {
  if (approval.status !== (decision === 'approve' ? 'approved' : 'denied')) return false;
  return input === undefined || isDeepStrictEqual(approval.input, input);
}

/**
 * Decides an approval for a person; the turn continues once none of its approvals is pending. The same decision again
 * changes nothing. A late decision expires the approval instead.
 * @throws Failure 400, 403 for an agent and for an edited input that the credential's scopes for captures do not reach,
 * 404, 409 decided otherwise, expired or superseded.
 */
export async function decideApproval(
  ctx: AuthenticatedContext,
  { approvalId, ...given }: Decision & { approvalId: string },
): Promise<ApprovalAnswer> {
  const { principal } = ctx;
  requirePerson(principal);
  const { decision, note = null, input } = given;
  if (decision === 'deny' && input !== undefined) {
    throw invalid('input', 'input is allowed only with approve. Leave it out, and describe the change in note.');
  }
  const { workspaceId, userId: decidedBy } = principal;
  const { chatId, toolName, input: asked } = await findApproval(ctx.db, workspaceId, approvalId);
  if (decision === 'approve') requireApprover(ctx, toolName);
  // Both are orders to the agent, as a message is.
  const orders = note !== null || (input !== undefined && !isDeepStrictEqual(asked, input));
  if (decision === 'approve' && orders) requireEditor(ctx, toolName, input ?? (asked as Record<string, unknown>));
  if (input !== undefined) checkToolInput(ctx.service, toolName, input);
  const { approval, isNew } = await ctx.db.transaction(async (db) => {
    const tx = { ...ctx, db };
    const chat = await holdChat(db, workspaceId, chatId, noApproval);
    const found = await findApproval(db, workspaceId, approvalId);
    const due = await dueSettlements(tx, chat);
    const isNew = found.status === 'pending' && due.every(({ approval }) => approval.id !== found.id);
    const status = decision === 'approve' ? ('approved' as const) : ('denied' as const);
    const decided = { approval: found, status, decidedBy, note, input };
    if (isNew && orders) await narrowTurns(tx, [chatId]);
    const settled = await settle(tx, chat, isNew ? [...due, decided] : due);
    return { approval: settled.find(({ id }) => id === found.id) ?? found, isNew };
  });
  if (isNew || isSame(approval, given)) return approvalOf(approval);
  throw conflict(settled[approval.status]);
}
