import type { Context } from '../context.ts';
import type { Scope } from '../scopes.ts';
import type { TodoAnswer } from './shapes.ts';

const taken: readonly Scope[] = ['captures:read', 'captures:write'];

const narrower = (scopes: string) => `array_remove(array_remove(${scopes}, $3::text), $4::text)`;
const overlaps = (scopes: string) => `${scopes} && array[$3::text, $4::text]`;
const ofSchedules = `update todo_schedules set scopes = ${narrower('scopes')}
  where workspace_id = $1 and todo_id = any($2::uuid[]) and ${overlaps('scopes')}`;
// A step of a turn locks its chat before the turn. No turn begins while the todo is locked.
const chatsOf = `select c.id from chats c where c.workspace_id = $1 and c.todo_id = any($2::uuid[])
  and exists (select from chat_turns t where t.workspace_id = $1 and t.chat_id = c.id and t.ended_at is null)
  order by c.id for update of c`;
const ofTurns = `update chat_turns set scopes = ${narrower('scopes')}
  where workspace_id = $1 and chat_id = any($2::uuid[]) and ended_at is null and ${overlaps('scopes')}`;

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

/** Takes the scopes for captures that the caller lacks from the open turns of locked chats. */
export async function narrowTurns(ctx: Pick<Context, 'db' | 'principal'>, chatIds: readonly string[]): Promise<void> {
  if (chatIds.length === 0 || !narrows(ctx)) return;
  await ctx.db.rows(ofTurns, [ctx.principal.workspaceId, chatIds, ...lackedOf(ctx)]);
}

/**
 * Takes the scopes for captures that the caller lacks from the schedules and the open turns of locked todos whose
 * title, content or assignees it changed: somebody who may not read captures would have them repeated by an agent that
 * works for somebody else (CONTRACT §10.9).
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
  const { workspaceId } = ctx.principal;
  await ctx.db.rows(ofSchedules, [workspaceId, ids, ...lackedOf(ctx)]);
  const chats = await ctx.db.rows<{ id: string }>(chatsOf, [workspaceId, ids]);
  await narrowTurns(
    ctx,
    chats.map(({ id }) => id),
  );
}
