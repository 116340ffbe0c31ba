import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { World } from '../chats/turns.ts';
import { agentNameTaken, conflict } from '../errors.ts';
import { requireMatch } from '../etag.ts';
import { type AgentSettings, changesBetween, requireOneWay, requireVersion, settingsAfter } from './changes.ts';
import { replan } from './replan.ts';
import { type AgentRow, agentColumns, agentOf, findAgent, lockAgent, withSkills } from './rows.ts';
import {
  type AgentAnswer,
  type AgentChanges,
  AgentDetail,
  type AgentDetailAnswer,
  type FieldChange,
  type NewAgent,
} from './shapes.ts';

const insert = `insert into agents as a
    (workspace_id, id, name, description, instructions, requires_approval, approval_guidance)
  values ($1, $2, $3, $4, $5, $6, $7) returning ${agentColumns}`;

/** Makes an agent. @throws Failure 409 when an active agent has the name: the index `agents_name` holds it. */
export async function createAgent(db: Db, workspaceId: string, agent: NewAgent): Promise<AgentDetailAnswer> {
  const { name, description = null, instructions = null, requiresApproval, approvalGuidance = null } = agent;
  const values = [workspaceId, newId(), name, description, instructions, requiresApproval, approvalGuidance];
  const [row] = await db.rows<AgentRow>(insert, values);
  if (!row) throw new Error('An agent that was not made');
  return { ...agentOf(row), model: 'automatic', skills: [] };
}

const update = `update agents a set name = $3, description = $4, instructions = $5, requires_approval = $6,
    approval_guidance = $7, working_hours_enabled = $8, working_hours = $9::jsonb,
    archived_at = case when $10 then coalesce(archived_at, now()) end,
    version = version + 1, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning ${agentColumns}`;

/** Writes the settings of a locked agent: one version more. @throws Failure 409 when an active agent has the name. */
async function write(tx: Db, workspaceId: string, agentId: string, settings: AgentSettings): Promise<AgentAnswer> {
  const { name, description, instructions, requiresApproval, approvalGuidance } = settings;
  const { workingHoursEnabled, workingHours, isArchived } = settings;
  const hours = workingHours && JSON.stringify(workingHours);
  const texts = [name, description, instructions, requiresApproval, approvalGuidance];
  const values = [workspaceId, agentId, ...texts, workingHoursEnabled, hours, isArchived];
  const [row] = await tx.rows<AgentRow>(update, values);
  if (!row) throw new Error('A locked agent that is gone');
  return agentOf(row);
}

// Two that swap their names would each wait for the other's: names are changed one after the other.
const holdNames = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

function requireArchivable({ isDefault }: AgentAnswer): void {
  if (!isDefault) return;
  throw conflict('The default agent cannot be archived: it answers whatever names no agent. Change it instead.');
}

/** What a patch makes of an agent, and what that changes. @throws Failure 400. */
function plan(agent: AgentAnswer, patch: AgentChanges) {
  const after = settingsAfter(agent, patch);
  return { after, changes: changesBetween(agent, after) };
}

export interface UpdatedAgent extends AgentDetailAnswer {
  changes: FieldChange[];
}

/**
 * Changes an agent; what the patch omits stays, and a patch that changes nothing leaves the version. Turns that wait for
 * its working hours follow them in the same transaction.
 * @throws Failure 400, 404, 409 on a taken name, another version or archiving the default agent, 412.
 */
export async function updateAgent(
  world: World,
  workspaceId: string,
  agentId: string,
  patch: AgentChanges,
  ifMatch?: readonly string[],
): Promise<UpdatedAgent> {
  requireOneWay(patch);
  return world.db.transaction(async (tx) => {
    if (patch.name !== undefined) await tx.rows(holdNames, [`agent names ${workspaceId}`]);
    const agent = await lockAgent(tx, workspaceId, agentId);
    const { after, changes } = plan(agent, patch);
    if (ifMatch) requireMatch(ifMatch, AgentDetail, await withSkills(tx, workspaceId, agent));
    requireVersion(agent, patch.expectedVersion);
    if (after.isArchived) requireArchivable(agent);
    const changed = changes.length > 0 ? await write(tx, workspaceId, agent.id, after) : agent;
    const isOfHours = ({ field }: FieldChange) => field === 'workingHours' || field === 'workingHoursEnabled';
    if (changes.some(isOfHours)) await replan({ ...world, db: tx }, workspaceId, changed);
    return { ...(await withSkills(tx, workspaceId, changed)), changes };
  });
}

const nameTaken = `select 1 from agents
  where workspace_id = $1 and lower(name) = lower($2) and archived_at is null and id <> $3`;

/** What an update would change and whether it would be refused, without making it. @throws Failure 400, 404, 409. */
export async function previewAgentUpdate(db: Db, workspaceId: string, agentId: string, patch: AgentChanges) {
  requireOneWay(patch);
  const agent = await findAgent(db, workspaceId, agentId);
  const { after, changes } = plan(agent, patch);
  requireVersion(agent, patch.expectedVersion);
  if (after.name !== agent.name && !after.isArchived) {
    const taken = await db.rows(nameTaken, [workspaceId, after.name, agent.id]);
    if (taken.length > 0) throw agentNameTaken();
  }
  const { id, version } = agent;
  return { object: 'agent_update_preview' as const, agentId: id, version, noop: changes.length === 0, changes };
}

/** Archives an agent: it finishes what it has begun. @throws Failure 404, 409 for the default agent, 412. */
export function archiveAgent(db: Db, workspaceId: string, agentId: string, ifMatch?: readonly string[]) {
  return db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    if (ifMatch) requireMatch(ifMatch, AgentDetail, await withSkills(tx, workspaceId, agent));
    requireArchivable(agent);
    const alreadyArchived = agent.isArchived;
    if (!alreadyArchived) await write(tx, workspaceId, agent.id, { ...agent, isArchived: true });
    return { object: 'deleted' as const, id: agent.id, deleted: true as const, alreadyArchived, recoverable: true };
  });
}

/** Brings an archived agent back; one that is active stays as it is. @throws Failure 404, 409 on a taken name. */
export function restoreAgent(db: Db, workspaceId: string, agentId: string): Promise<AgentDetailAnswer> {
  return db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    const restored = agent.isArchived ? await write(tx, workspaceId, agent.id, { ...agent, isArchived: false }) : agent;
    return withSkills(tx, workspaceId, restored);
  });
}
