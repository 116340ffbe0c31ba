import type { Db } from '../../db/client.ts';
import { notFound } from '../errors.ts';
import type { Hours } from './hours-shapes.ts';
import type { AgentAnswer, AgentDetailAnswer } from './shapes.ts';
import { listSkills } from './skill-rows.ts';
import { nextOpening } from './working-hours.ts';

/** The columns of an agent, from a relation `a` shaped like `agents`. */
export const agentColumns = `a.id, a.name, a.description, a.instructions, a.version,
  a.requires_approval as "requiresApproval", a.approval_guidance as "approvalGuidance",
  a.working_hours_enabled as "workingHoursEnabled", a.working_hours as "workingHours", a.is_default as "isDefault",
  a.archived_at is not null as "isArchived", a.created_at as "createdAt", a.updated_at as "updatedAt"`;

export type AgentRow = Omit<AgentAnswer, 'object' | 'profilePhotoUrl'>;

export function agentOf(row: AgentRow): AgentAnswer {
  return { object: 'agent', ...row, profilePhotoUrl: null };
}

const one = `select ${agentColumns} from agents a where a.workspace_id = $1 and a.id = $2`;
const all = `select ${agentColumns} from agents a where a.workspace_id = $1 and ($2 or a.archived_at is null)
  order by a.created_at desc, a.id desc`;

/** The agents of a workspace, newest first. */
export async function listAgents(db: Db, workspaceId: string, includeArchived: boolean): Promise<AgentAnswer[]> {
  return (await db.rows<AgentRow>(all, [workspaceId, includeArchived])).map(agentOf);
}

/** @throws Failure 404 when the workspace has no such agent. */
export async function findAgent(db: Db, workspaceId: string, agentId: string): Promise<AgentAnswer> {
  const [row] = await db.rows<AgentRow>(one, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return agentOf(row);
}

// Not FOR UPDATE: whatever refers to the agent (a turn that starts, an assignment) need not wait.
const locked = `${one} for no key update`;

/**
 * The agent with its row locked: changes of an agent and of its skills come one after the other. Lock it before any chat.
 * @throws Failure 404.
 */
export async function lockAgent(tx: Db, workspaceId: string, agentId: string): Promise<AgentAnswer> {
  const [row] = await tx.rows<AgentRow>(locked, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return agentOf(row);
}

/** An agent with its active skills. */
export async function withSkills(db: Db, workspaceId: string, agent: AgentAnswer): Promise<AgentDetailAnswer> {
  return { ...agent, model: 'automatic', skills: await listSkills(db, workspaceId, agent.id, false) };
}

/** @throws Failure 404. */
export async function findAgentDetail(db: Db, workspaceId: string, agentId: string): Promise<AgentDetailAnswer> {
  return withSkills(db, workspaceId, await findAgent(db, workspaceId, agentId));
}

/** What the work of an agent needs to know of it. */
export interface WorkingAgent
  extends Pick<
    AgentAnswer,
    | 'id'
    | 'name'
    | 'description'
    | 'instructions'
    | 'requiresApproval'
    | 'approvalGuidance'
    | 'isDefault'
    | 'isArchived'
  > {
  /** Active ones, oldest first; their instructions are read when they are needed. */
  skills: { id: string; name: string; summary: string | null }[];
}

const atWork = `select a.id, a.name, a.description, a.instructions, a.requires_approval as "requiresApproval",
    a.approval_guidance as "approvalGuidance", a.is_default as "isDefault", a.archived_at is not null as "isArchived",
    (select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'summary', s.summary)
        order by s.created_at, s.id), '[]')
      from agent_skills s where s.workspace_id = a.workspace_id and s.agent_id = a.id and s.archived_at is null) as skills
  from agents a where a.workspace_id = $1 and a.id = $2`;

/** An agent as it is now, for its work: what a person changes holds from the next step on. @throws Failure 404. */
export async function agentAtWork(db: Db, workspaceId: string, agentId: string): Promise<WorkingAgent> {
  const [row] = await db.rows<WorkingAgent>(atWork, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return row;
}

const hours = `select case when a.working_hours_enabled then a.working_hours end as hours from agents a
  where a.workspace_id = $1 and a.id = $2 for share`;

/**
 * When work that waits for an agent's working hours may start: null when at once (it is open at the instant `at`, or
 * keeps to no hours). In a transaction the hours cannot change until it commits: a turn planned by them is either there
 * when they change, and planned again, or planned by the new ones.
 */
export async function openingOf(db: Db, workspaceId: string, agentId: string, at: Date): Promise<string | null> {
  const [row] = await db.rows<{ hours: Hours | null }>(hours, [workspaceId, agentId]);
  return row?.hours ? nextOpening(row.hours, at) : null;
}
