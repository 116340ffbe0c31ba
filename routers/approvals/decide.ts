import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Context, type Principal, principalOf, type ServiceSettings } from '../base.ts';
import { holdChat } from '../chats/rows.ts';
import { conflict, Failure, invalid, invalidInput } from '../errors.ts';
import { expireDue } from './expiry.ts';
import { type ApprovalRow, approvalOf, findApproval, noApproval } from './rows.ts';
import { settle } from './settle.ts';
import type { ApprovalAnswer, Decision } from './shapes.ts';

/** @throws Failure 403: an agent asks, and never answers itself or another agent. */
function requirePerson({ kind }: Principal): void {
  if (kind !== 'agent') return;
  const message = 'Agents cannot decide approvals. Wait for a person.';
  throw new Failure({ status: 403, code: 'missing_scope', message, reason: 'person_required' });
}

/**
 * Whether a credential with `scopes` may approve a call of the tool. What agents may do is changed only by who may change
 * agents: else a key that may only write in chats could have an agent do it, and approve it itself.
 */
export function reaches(service: ServiceSettings, toolName: string, { scopes }: Pick<Principal, 'scopes'>): boolean {
  const needed = service.tools?.get(toolName)?.scopes ?? [];
  return !needed.includes('agents:write') || scopes.has('agents:write');
}

/** @throws Failure 403. */
function requireReach(service: ServiceSettings, toolName: string, principal: Principal): void {
  if (reaches(service, toolName, principal)) return;
  const message =
    'Approving a change of an agent or a skill needs the scope agents:write. Use a credential that has it.';
  throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: ['agents:write'] });
}

/** Holds an edited input to the arguments of its tool. @throws Failure 400 with `param` below `input`; 409. */
export function checkToolInput(service: ServiceSettings, toolName: string, input: Record<string, unknown>): void {
  const tool = service.tools?.get(toolName);
  if (!tool) throw conflict('The tool of this call does not exist any more. Deny the call.');
  const { error } = tool.input.safeParse(input);
  if (!error) return;
  const issues = error.issues.map((issue) => ({ ...issue, path: ['input', ...issue.path] }));
  throw invalidInput(new z.ZodError(issues));
}

const settled: Record<ApprovalAnswer['status'], string> = {
  pending: 'This still waits for a decision. Decide again.',
  approved: 'This was approved already, and the agent went on. Write to it in the chat to correct it.',
  denied: 'This was denied already, and the agent went on. Write to it in the chat to have it done after all.',
  expired: 'Nobody decided this in time, and the agent went on without it. Write to it in the chat to have it done.',
  superseded: 'The agent does not wait for this any more: its turn ended. Write to it in the chat.',
};

/** Whether what was decided is what is asked for now. The same verdict on another input is another decision. */
function isSame(approval: ApprovalRow, { decision, input }: Decision): boolean {
  if (approval.status !== (decision === 'approve' ? 'approved' : 'denied')) return false;
  return input === undefined || isDeepStrictEqual(approval.input, input);
}

/**
 * Decides an approval for a person; the turn goes on once nothing of it is pending any more. The same decision again
 * changes nothing. One that comes too late carries out the expiry instead.
 * @throws Failure 400, 403 for an agent, 404, 409 decided otherwise, expired or superseded.
 */
export async function decideApproval(ctx: Context, approvalId: string, given: Decision): Promise<ApprovalAnswer> {
  const principal = principalOf(ctx);
  requirePerson(principal);
  const { decision, note = null, input } = given;
  if (decision === 'deny' && input !== undefined) {
    throw invalid('input', 'input goes with approve alone. Leave it out, and say in note what should be different.');
  }
  const { workspaceId, userId: decidedBy } = principal;
  const { chatId, toolName } = await findApproval(ctx.db, workspaceId, approvalId);
  if (decision === 'approve') requireReach(ctx.service, toolName, principal);
  if (input !== undefined) checkToolInput(ctx.service, toolName, input);
  const { approval, isNew } = await ctx.db.transaction(async (tx) => {
    const world = { ...ctx, db: tx };
    const chat = await holdChat(tx, workspaceId, chatId, noApproval);
    await expireDue(world, chat, ctx.clock());
    const found = await findApproval(tx, workspaceId, approvalId);
    if (found.status !== 'pending') return { approval: found, isNew: false };
    const status = decision === 'approve' ? ('approved' as const) : ('denied' as const);
    return { approval: await settle(world, chat, found, { status, decidedBy, note, input }), isNew: true };
  });
  if (isNew || isSame(approval, given)) return approvalOf(approval);
  throw conflict(settled[approval.status]);
}
