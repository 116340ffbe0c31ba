import type { Db } from '../../db/client.ts';
import type { agents } from '../../db/schema/index.ts';
import { notFound } from '../errors.ts';
import type { Hours } from './hours-shapes.ts';
import type { AgentAnswer, AgentDetailAnswer } from './shapes.ts';
import { skillsOf } from './skill-rows.ts';
import { nextOpening } from './working-hours.ts';

/** The columns of an agent, from a relation `a` shaped like `agents`. */
export const agentColumns = `a.id, a.name, a.description, a.instructions, a.version,
  a.requires_approval as "requiresApproval", a.approval_guidance as "approvalGuidance",
  a.working_hours_enabled as "workingHoursEnabled", a.working_hours as "workingHours", a.is_default as "isDefault",
  a.archived_at is not null as "isArchived", a.created_at as "createdAt", a.updated_at as "updatedAt"`;

/** A row of `agentColumns`. */
export type AgentRow = Omit<typeof agents.$inferSelect, 'workspaceId' | 'archivedAt' | 'workingHours'> & {
  workingHours: Hours | null;
  isArchived: boolean;
};

/** The agent of a row, as lists show it. */
export function agentOf(row: AgentRow): AgentAnswer {
  return { object: 'agent', ...row, profilePhotoUrl: null };
}

const one = `select ${agentColumns} from agents a where a.workspace_id = $1 and a.id = $2`;

/** @throws Failure 404 when the workspace has no such agent. */
export async function findAgent(db: Db, workspaceId: string, agentId: string): Promise<AgentAnswer> {
  const [row] = await db.rows<AgentRow>(one, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return agentOf(row);
}

// Not FOR UPDATE: rows that refer to the agent (a new turn, an assignment) can be written meanwhile.
const locked = `${one} for no key update`;

/**
 * The agent with its row locked: serializes changes of the agent and of its skills. Lock it before any chat.
 * @throws Failure 404.
 */
export async function lockAgent(tx: Db, workspaceId: string, agentId: string): Promise<AgentAnswer> {
  const [row] = await tx.rows<AgentRow>(locked, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return agentOf(row);
}

/** An agent with its active skills. */
export async function withSkills(db: Db, workspaceId: string, agent: AgentAnswer): Promise<AgentDetailAnswer> {
  const skills = await skillsOf(db, workspaceId, { agentId: agent.id, includeArchived: false });
  return { ...agent, model: 'automatic', skills };
}

/** The fields of an agent that a turn needs. */
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
  /** Active ones, oldest first, without their instructions: `get_skill` returns those. */
  skills: { id: string; name: string; summary: string | null }[];
}

/** Selects a `WorkingAgent`: `$1` is the workspace, `$2` the agent. */
export const atWork = `select a.id, a.name, a.description, a.instructions, a.requires_approval as "requiresApproval",
    a.approval_guidance as "approvalGuidance", a.is_default as "isDefault", a.archived_at is not null as "isArchived",
    (select coalesce(json_agg(json_build_object('id', s.id, 'name', s.name, 'summary', s.summary)
        order by s.created_at, s.id), '[]')
      from agent_skills s where s.workspace_id = $1 and s.agent_id = a.id and s.archived_at is null) as skills
  from agents a where a.workspace_id = $1 and a.id = $2`;

/** The current state of an agent, for its next step: changes by a person hold from then on. @throws Failure 404. */
export async function agentAtWork(db: Db, workspaceId: string, agentId: string): Promise<WorkingAgent> {
  const [row] = await db.rows<WorkingAgent>(atWork, [workspaceId, agentId]);
  if (!row) throw notFound('agent', 'agentId');
  return row;
}

const hours = `select case when a.working_hours_enabled then a.working_hours end as hours from agents a
  where a.workspace_id = $1 and a.id = $2 for share`;

/**
 * When work of an agent may start by its working hours (RFC 3339): null for at once (the hours are open at `now`, or it
 * has none). In a transaction the hours cannot change until it commits. So a turn that is planned by them either exists
 * when they change, and is planned again, or is planned by the new ones.
 */
export async function openingOf(db: Db, workspaceId: string, agentId: string, now: Date): Promise<string | null> {
  const [row] = await db.rows<{ hours: Hours | null }>(hours, [workspaceId, agentId]);
  return row?.hours ? nextOpening(row.hours, now) : null;
}
