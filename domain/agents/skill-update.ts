import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context } from '../context.ts';
import { requireMatch } from '../etag.ts';
import { type NewEvent, recordEvent } from '../events/record.ts';
import { addDigest } from '../jobs.ts';
import { requireOneWay } from './changes.ts';
import { charactersOf, requireRoom } from './room.ts';
import { lockAgent } from './rows.ts';
import { findSkill, type SkillRow, skillColumns, skillOf } from './skill-rows.ts';
import { AgentSkill, type NewSkill, type SkillAnswer, type SkillChanges } from './skill-shapes.ts';

/** Queues a summary of the instructions, unless they are blank. `ctx.db` is the transaction of the write. */
async function queueSummary({ db, principal }: Context, { id, instructions }: SkillAnswer) {
  const { workspaceId } = principal;
  if (instructions?.trim()) await addDigest(db, { kind: 'skill_summary', workspaceId, id });
}

/** A skill and its agent, as events name them. */
function skillRef({ id, agentId }: Pick<SkillAnswer, 'id' | 'agentId'>) {
  return { objectId: id, parents: { agentId } };
}

const insert = `insert into agent_skills as s (workspace_id, id, agent_id, name, instructions)
  values ($1, $2, $3, $4, $5) returning ${skillColumns}`;

/** Gives an agent a skill. Two skills may have the same name. @throws Failure 404, 409 without room. */
export function createSkill(
  ctx: Context,
  { agentId, name, instructions }: NewSkill & { agentId: string },
): Promise<SkillAnswer> {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    await requireRoom(tx, workspaceId, 'skills', { count: 1, characters: charactersOf(instructions ?? null) });
    const [row] = await tx.rows<SkillRow>(insert, [workspaceId, newId(), agent.id, name, instructions ?? null]);
    if (!row) throw new Error('the insert of a skill returned no row');
    const skill = skillOf(row);
    await recordEvent(tx, workspaceId, { ...skillRef(skill), type: 'skill.created' });
    await queueSummary({ ...ctx, db: tx }, skill);
    return skill;
  });
}

const update = `update agent_skills s set name = $3, instructions = $4, summary = $5,
    archived_at = case when $6 then coalesce(archived_at, now()) end, updated_at = greatest(now(), updated_at)
  where workspace_id = $1 and id = $2 returning ${skillColumns}`;

interface Settings {
  name: string;
  instructions: string | null;
  isArchived: boolean;
}

const writable = ['name', 'instructions', 'summary', 'isArchived'] as const;

function eventOf(before: SkillAnswer, after: SkillAnswer): NewEvent {
  const changedFields = writable.filter((field) => before[field] !== after[field]);
  const change = { ...skillRef(after), changedFields };
  if (before.isArchived === after.isArchived) return { ...change, type: 'skill.updated' };
  return { ...change, type: after.isArchived ? 'skill.archived' : 'skill.restored' };
}

/**
 * Writes the changed columns of a skill whose agent is locked. New instructions have no summary until one is written.
 */
async function write(ctx: Context, skill: SkillAnswer, after: Settings): Promise<SkillAnswer> {
  const { name, instructions, isArchived } = after;
  const rewritten = instructions !== skill.instructions;
  if (!rewritten && name === skill.name && isArchived === skill.isArchived) return skill;
  const summary = rewritten ? null : skill.summary;
  const characters = charactersOf(instructions) - charactersOf(skill.instructions);
  await requireRoom(ctx.db, ctx.principal.workspaceId, 'skills', { count: 0, characters });
  const values = [ctx.principal.workspaceId, skill.id, name, instructions, summary, isArchived];
  const [row] = await ctx.db.rows<SkillRow>(update, values);
  if (!row) throw new Error('the update of a locked skill returned no row');
  const written = skillOf(row);
  await recordEvent(ctx.db, ctx.principal.workspaceId, eventOf(skill, written));
  if (rewritten) await queueSummary(ctx, written);
  return written;
}

/** The key of a skill. */
interface SkillRef {
  agentId: string;
  skillId: string;
}

/** Changes a skill; omitted fields stay unchanged. @throws Failure 400, 404, 409 without room, 412. */
export async function updateSkill(
  ctx: Context,
  { agentId, skillId, ...changes }: SkillChanges & SkillRef,
): Promise<SkillAnswer> {
  requireOneWay(changes);
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    await lockAgent(tx, workspaceId, agentId);
    const skill = await findSkill(tx, workspaceId, agentId, skillId);
    requireMatch(ctx.ifMatch, AgentSkill, skill);
    const { name = skill.name, instructions = skill.instructions, archived = skill.isArchived, clear = [] } = changes;
    const cleared = clear.includes('instructions');
    const after = { name, instructions: cleared ? null : instructions, isArchived: archived };
    return write({ ...ctx, db: tx }, skill, after);
  });
}

/** Archives a skill: its agent no longer has it, and it can be restored. @throws Failure 404, 412. */
export function archiveSkill(ctx: Context, { agentId, skillId }: SkillRef) {
  const { workspaceId } = ctx.principal;
  return ctx.db.transaction(async (tx) => {
    await lockAgent(tx, workspaceId, agentId);
    const skill = await findSkill(tx, workspaceId, agentId, skillId);
    requireMatch(ctx.ifMatch, AgentSkill, skill);
    const { id, isArchived: alreadyArchived } = skill;
    await write({ ...ctx, db: tx }, skill, { ...skill, isArchived: true });
    return { object: 'deleted' as const, id, deleted: true as const, alreadyArchived, recoverable: true };
  });
}

const summarise = `update agent_skills s set summary = $4
  where workspace_id = $1 and id = $2 and instructions = $3 and summary is distinct from $4
  returning id, agent_id as "agentId"`;

/**
 * Stores a summary of these instructions, in a transaction. No change when they were edited meanwhile: another summary
 * is queued then.
 */
export async function saveSkillSummary(
  tx: Db,
  workspaceId: string,
  skillId: string,
  { instructions, summary }: { instructions: string; summary: string },
): Promise<void> {
  const values = [workspaceId, skillId, instructions, summary];
  const [row] = await tx.rows<Pick<SkillAnswer, 'id' | 'agentId'>>(summarise, values);
  if (!row) return;
  await recordEvent(tx, workspaceId, { ...skillRef(row), type: 'skill.updated', changedFields: ['summary'] });
}
