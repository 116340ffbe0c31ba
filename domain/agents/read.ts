import type { z } from 'zod';
import type { Context } from '../context.ts';
import { wholeList } from '../fields.ts';
import { type CursorScope, pageOf, positionOf } from '../page.ts';
import { type AgentRow, agentColumns, agentOf, findAgent, withSkills } from './rows.ts';
import type { AgentDetailAnswer, BriefAgent } from './shapes.ts';
import { findSkill, skillsOf } from './skill-rows.ts';
import type { BriefSkill, SkillAnswer } from './skill-shapes.ts';

const all = `select ${agentColumns} from agents a where a.workspace_id = $1 and ($2 or a.archived_at is null)
  order by a.created_at desc, a.id desc`;

/** The agents of the workspace, newest first. */
export async function listAgents({ db, principal }: Context, { includeArchived }: { includeArchived: boolean }) {
  return wholeList((await db.rows<AgentRow>(all, [principal.workspaceId, includeArchived])).map(agentOf));
}

/** An agent with its active skills. @throws Failure 404. */
export async function getAgent(
  { db, principal }: Context,
  { agentId }: { agentId: string },
): Promise<AgentDetailAnswer> {
  const { workspaceId } = principal;
  return withSkills(db, workspaceId, await findAgent(db, workspaceId, agentId));
}

/** The skills of all agents, or of one; newest first. */
export async function listSkills(
  { db, principal }: Context,
  filter: { agentId?: string | undefined; includeArchived: boolean },
) {
  return wholeList(await skillsOf(db, principal.workspaceId, filter));
}

/** The active skills of an agent, newest first. @throws Failure 404. */
export async function listAgentSkills({ db, principal }: Context, { agentId }: { agentId: string }) {
  const { workspaceId } = principal;
  const { id } = await findAgent(db, workspaceId, agentId);
  return wholeList(await skillsOf(db, workspaceId, { agentId: id, includeArchived: false }));
}

/** @throws Failure 404 naming the agent, or the skill that it does not have. */
export function getSkill(
  { db, principal }: Context,
  { agentId, skillId }: { agentId: string; skillId: string },
): Promise<SkillAnswer> {
  return findSkill(db, principal.workspaceId, agentId, skillId);
}

interface PageQuery {
  includeArchived: boolean;
  limit: number;
  cursor?: string | undefined;
}

/**
 * A page of rows, newest first. `select` is the statement up to its conditions, on a relation `alias` with `created_at`
 * and `id`; its rows have `id` and `createdAt`. `filters` are its values from `$2` on, in their order; undefined ones
 * are left out. @throws Failure 400 `invalid_cursor`.
 */
async function newestFirst<Row>(
  { db, principal, operation, service }: Context,
  { limit, cursor }: PageQuery,
  { select, alias, filters }: { select: string; alias: string; filters: Record<string, unknown> },
) {
  type Created = Row & { id: string; createdAt: string };
  const { workspaceId } = principal;
  const order = { sort: 'createdAt', order: 'desc' };
  const scope: CursorScope = { key: service.cursorKey, operation, workspaceId, ...order, filters };
  const values: unknown[] = [workspaceId, ...Object.values(filters).filter((value) => value !== undefined)];
  const after = cursor === undefined ? [] : positionOf(scope, cursor);
  const [at, id] = after.map((value) => `$${values.push(value)}`);
  const older = at && id ? `and (${alias}.created_at, ${alias}.id) < (${at}::timestamptz, ${id}::uuid)` : '';
  const text = `${select} ${older} order by ${alias}.created_at desc, ${alias}.id desc limit $${values.push(limit + 1)}`;
  return pageOf(await db.rows<Created>(text, values), limit, scope, (row) => [row.createdAt, row.id]);
}

const briefAgents = `select 'agent' as object, a.id, a.name, a.description, a.requires_approval as "requiresApproval",
    a.is_default as "isDefault", a.archived_at is not null as "isArchived", a.updated_at as "updatedAt",
    a.created_at as "createdAt"
  from agents a where a.workspace_id = $1 and ($2 or a.archived_at is null)`;

/** A page of agents without their long texts, newest first. @throws Failure 400 `invalid_cursor`. */
export function listBriefAgents(ctx: Context, query: PageQuery) {
  const { includeArchived } = query;
  const list = { select: briefAgents, alias: 'a', filters: { includeArchived } };
  return newestFirst<z.infer<typeof BriefAgent>>(ctx, query, list);
}

const briefSkills = `select 'agent_skill' as object, s.id, s.agent_id as "agentId", s.name, s.summary,
    s.archived_at is not null as "isArchived", s.updated_at as "updatedAt", s.created_at as "createdAt"
  from agent_skills s where s.workspace_id = $1 and ($2 or s.archived_at is null)`;

/** A page of skills without their instructions, newest first; of one agent or of all. @throws Failure 400. */
export function listBriefSkills(ctx: Context, query: PageQuery & { agentId?: string | undefined }) {
  const { includeArchived, agentId } = query;
  const select = agentId === undefined ? briefSkills : `${briefSkills} and s.agent_id = $3`;
  return newestFirst<z.infer<typeof BriefSkill>>(ctx, query, {
    select,
    alias: 's',
    filters: { includeArchived, agentId },
  });
}
