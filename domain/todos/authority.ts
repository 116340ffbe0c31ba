import type { Context } from '../context.ts';
import type { Scope } from '../scopes.ts';
import type { TodoAnswer } from './shapes.ts';

const taken: readonly Scope[] = ['captures:read', 'captures:write'];

const narrower = (scopes: string) => `array_remove(array_remove(${scopes}, $3::text), $4::text)`;
const overlaps = (scopes: string) => `${scopes} && array[$3::text, $4::text]`;
const ofSchedules = `update todo_schedules set scopes = ${narrower('scopes')}
  where workspace_id = $1 and todo_id = any($2::uuid[]) and ${overlaps('scopes')}`;
const ofTurns = `update chat_turns u set scopes = ${narrower('u.scopes')} from chats c
  where c.workspace_id = $1 and c.todo_id = any($2::uuid[])
    and u.workspace_id = $1 and u.chat_id = c.id and u.ended_at is null and ${overlaps('u.scopes')}`;

/** The scopes for captures that whoever asks lacks, null for those that are there. */
function lackedOf({ principal }: Pick<Context, 'principal'>): (Scope | null)[] {
  return taken.map((scope) => (principal.scopes.has(scope) ? null : scope));
}

/** Whether a change by this credential may take scopes from agents: it lacks one that they may have. */
export function narrows(ctx: Pick<Context, 'principal'>): boolean {
  return lackedOf(ctx).some((scope) => scope !== null);
}

/** What an agent is to do, and which one: as its todo says. */
function orders({ title, content, assignees }: TodoAnswer): string {
  return JSON.stringify([title, content, assignees.map(({ id }) => id)]);
}

/**
 * Takes the scopes for captures that the caller lacks from the schedules and the open turns of locked todos whose title,
 * content or assignees it changed: somebody who may not read captures would have them repeated by an agent that works for
 * somebody else (CONTRACT §10.9).
 */
export async function narrowAuthority(
  ctx: Pick<Context, 'db' | 'principal'>,
  before: readonly TodoAnswer[],
  after: readonly TodoAnswer[],
): Promise<void> {
  if (!narrows(ctx)) return;
  const old = new Map(before.map((todo) => [todo.id, orders(todo)]));
  const ids = after.filter((todo) => old.get(todo.id) !== orders(todo)).map(({ id }) => id);
  if (ids.length === 0) return;
  const values = [ctx.principal.workspaceId, ids, ...lackedOf(ctx)];
  await ctx.db.rows(ofSchedules, values);
  await ctx.db.rows(ofTurns, values);
}
