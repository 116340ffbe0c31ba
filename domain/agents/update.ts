import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { agentNameTaken, conflict } from '../errors.ts';
import { requireMatch, tagOf } from '../etag.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import { type AgentSettings, changesBetween, requireOneWay, requireVersion, settingsAfter } from './changes.ts';
import { replan } from './replan.ts';
import { charactersOf, requireRoom } from './room.ts';
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

/** The characters of the texts of an agent. */
function sizeOf({ description, instructions, approvalGuidance }: AgentSettings): number {
  return charactersOf(description, instructions, approvalGuidance);
}

/**
 * Creates an agent. @throws Failure 409 when an active agent has the name (index `agents_name`), or there is no room.
 */
export function createAgent({ db, principal }: Context, agent: NewAgent): Promise<AgentDetailAnswer> {
  const { name, description = null, instructions = null, requiresApproval, approvalGuidance = null } = agent;
  const texts = [name, description, instructions, requiresApproval, approvalGuidance];
  const { workspaceId } = principal;
  const id = newId();
  const more = { count: 1, characters: charactersOf(description, instructions, approvalGuidance) };
  return db.transaction(async (tx) => {
    await requireRoom(tx, workspaceId, 'agents', more);
    const [row] = await tx.rows<AgentRow>(insert, [workspaceId, id, ...texts]);
    if (!row) throw new Error('the insert of an agent returned no row');
    await recordEvent(tx, workspaceId, { type: 'agent.created', objectId: id });
    return { ...agentOf(row), model: 'automatic', skills: [] };
  });
}

const update = `update agents a set name = $3, description = $4, instructions = $5, requires_approval = $6,
    approval_guidance = $7, working_hours_enabled = $8, working_hours = $9::jsonb,
    archived_at = case when $10 then coalesce(archived_at, now()) end,
    version = version + 1, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning ${agentColumns}`;

function eventOf(agent: AgentAnswer, settings: AgentSettings): NewEvent {
  const changedFields = [...changesBetween(agent, settings).map(({ field }) => field), 'version'];
  const change = { objectId: agent.id, changedFields };
  if (agent.isArchived === settings.isArchived) return { ...change, type: 'agent.updated' };
  return { ...change, type: settings.isArchived ? 'agent.archived' : 'agent.restored' };
}

/**
 * Writes the settings of a locked agent, of which some change, and increments its version. @throws Failure 409 when an
 * active agent has the name, or there is no room for its texts.
 */
async function write(tx: Db, workspaceId: string, agent: AgentAnswer, settings: AgentSettings): Promise<AgentAnswer> {
  const { name, description, instructions, requiresApproval, approvalGuidance } = settings;
  const { workingHoursEnabled, workingHours, isArchived } = settings;
  const hours = workingHours && JSON.stringify(workingHours);
  const texts = [name, description, instructions, requiresApproval, approvalGuidance];
  const values = [workspaceId, agent.id, ...texts, workingHoursEnabled, hours, isArchived];
  await requireRoom(tx, workspaceId, 'agents', { count: 0, characters: sizeOf(settings) - sizeOf(agent) });
  const [row] = await tx.rows<AgentRow>(update, values);
  if (!row) throw new Error('the update of a locked agent returned no row');
  await recordEvent(tx, workspaceId, eventOf(agent, settings));
  return agentOf(row);
}

// Two agents that swap their names would wait for each other: renames in a workspace are serialized.
const holdNames = 'select pg_advisory_xact_lock(hashtextextended($1, 0))';

function requireArchivable({ isDefault }: AgentAnswer): void {
  if (!isDefault) return;
  throw conflict('The default agent cannot be archived: chats that name no agent use it. Change it instead.');
}

/** The settings of an agent after a patch, and what that changes. @throws Failure 400. */
function plan(agent: AgentAnswer, patch: AgentChanges) {
  const after = settingsAfter(agent, patch);
  return { after, changes: changesBetween(agent, after) };
}

interface UpdatedAgent extends AgentDetailAnswer {
  changes: FieldChange[];
}

/**
 * Changes an agent; omitted fields stay unchanged, and a patch that changes nothing keeps the version. Turns that are
 * scheduled for its working hours are planned again in the same transaction.
 * @throws Failure 400, 404, 409 on a taken name, another version, no room for its texts or archiving the default agent,
 * 412.
 */
export async function updateAgent(
  ctx: Context,
  { agentId, ...patch }: AgentChanges & { agentId: string },
): Promise<UpdatedAgent> {
  requireOneWay(patch);
  const { workspaceId } = ctx.principal;
  const updated = await ctx.db.transaction(async (tx) => {
    if (patch.name !== undefined) await tx.rows(holdNames, [`agent names ${workspaceId}`]);
    const agent = await lockAgent(tx, workspaceId, agentId);
    const { after, changes } = plan(agent, patch);
    await requireAgentMatch({ ...ctx, db: tx }, agent);
    requireVersion(agent, patch.expectedVersion);
    if (after.isArchived) requireArchivable(agent);
    const changed = changes.length > 0 ? await write(tx, workspaceId, agent, after) : agent;
    const isOfHours = ({ field }: FieldChange) => field === 'workingHours' || field === 'workingHoursEnabled';
    if (changes.some(isOfHours)) await replan({ ...ctx, db: tx }, workspaceId, changed);
    return { ...(await withSkills(tx, workspaceId, changed)), changes };
  });
  ctx.reply.etag = tagOf(AgentDetail, updated);
  return updated;
}

/** Checks `If-Match` of a locked agent; its skills are read only when there is one. @throws Failure 412. */
async function requireAgentMatch({ db, principal, ifMatch }: Context, agent: AgentAnswer): Promise<void> {
  if (ifMatch) requireMatch(ifMatch, AgentDetail, await withSkills(db, principal.workspaceId, agent));
}

const nameTaken = `select 1 from agents
  where workspace_id = $1 and lower(name) = lower($2) and archived_at is null and id <> $3`;

/** What an update would change, without making it. @throws Failure 400, 404, 409 where the update would. */
export async function previewAgentUpdate(
  { db, principal }: Context,
  { agentId, ...patch }: AgentChanges & { agentId: string },
) {
  requireOneWay(patch);
  const { workspaceId } = principal;
  const agent = await findAgent(db, workspaceId, agentId);
  const { after, changes } = plan(agent, patch);
  requireVersion(agent, patch.expectedVersion);
  if (after.name !== agent.name && !after.isArchived) {
    const taken = await db.rows(nameTaken, [workspaceId, after.name, agent.id]);
    if (taken.length > 0) throw agentNameTaken();
  }
  await requireRoom(db, workspaceId, 'agents', { count: 0, characters: sizeOf(after) - sizeOf(agent) });
  const { id, version } = agent;
  return { object: 'agent_update_preview' as const, agentId: id, version, noop: changes.length === 0, changes };
}

/** Archives an agent; its running turns continue. @throws Failure 404, 409 for the default agent, 412. */
export function archiveAgent(ctx: Context, { agentId }: { agentId: string }) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    await requireAgentMatch({ ...ctx, db: tx }, agent);
    requireArchivable(agent);
    const alreadyArchived = agent.isArchived;
    if (!alreadyArchived) await write(tx, workspaceId, agent, { ...agent, isArchived: true });
    return { object: 'deleted' as const, id: agent.id, deleted: true as const, alreadyArchived, recoverable: true };
  });
}

/** Restores an archived agent; an active one stays unchanged. @throws Failure 404, 409 on a taken name. */
export async function restoreAgent(ctx: Context, { agentId }: { agentId: string }): Promise<AgentDetailAnswer> {
  const { workspaceId } = ctx.principal;
  const restored = await ctx.db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    const active = agent.isArchived ? await write(tx, workspaceId, agent, { ...agent, isArchived: false }) : agent;
    return withSkills(tx, workspaceId, active);
  });
  ctx.reply.etag = tagOf(AgentDetail, restored);
  return restored;
}
