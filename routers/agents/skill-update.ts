import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import type { Context } from '../base.ts';
import { requireMatch } from '../etag.ts';
import { requireOneWay } from './changes.ts';
import { lockAgent } from './rows.ts';
import { findSkill, type SkillRow, skillColumns, skillOf } from './skill-rows.ts';
import { AgentSkill, type NewSkill, type SkillAnswer, type SkillChanges } from './skill-shapes.ts';

/** What a write of skills needs. `db` is its transaction, where there is one. */
type World = Pick<Context, 'db' | 'jobs'>;

/** Asks for a summary of the instructions, where they say anything. */
async function askForSummary({ db, jobs }: World, workspaceId: string, { id, instructions }: SkillAnswer) {
  if (instructions?.trim()) await jobs.digest(db, { kind: 'skill_summary', workspaceId, id });
}

const insert = `insert into agent_skills as s (workspace_id, id, agent_id, name, instructions)
  values ($1, $2, $3, $4, $5) returning ${skillColumns}`;

/** Gives an agent a skill. Names of skills need not differ. @throws Failure 404. */
export function createSkill(
  world: World,
  workspaceId: string,
  agentId: string,
  { name, instructions }: NewSkill,
): Promise<SkillAnswer> {
  return world.db.transaction(async (tx) => {
    const agent = await lockAgent(tx, workspaceId, agentId);
    const [row] = await tx.rows<SkillRow>(insert, [workspaceId, newId(), agent.id, name, instructions ?? null]);
    if (!row) throw new Error('A skill that was not made');
    const skill = skillOf(row);
    await askForSummary({ ...world, db: tx }, workspaceId, skill);
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

/** Writes what differs of a skill whose agent is locked. New instructions have no summary until one is made. */
async function write(world: World, workspaceId: string, skill: SkillAnswer, after: Settings): Promise<SkillAnswer> {
  const { name, instructions, isArchived } = after;
  const rewritten = instructions !== skill.instructions;
  if (!rewritten && name === skill.name && isArchived === skill.isArchived) return skill;
  const summary = rewritten ? null : skill.summary;
  const values = [workspaceId, skill.id, name, instructions, summary, isArchived];
  const [row] = await world.db.rows<SkillRow>(update, values);
  if (!row) throw new Error('A locked skill that is gone');
  const written = skillOf(row);
  if (rewritten) await askForSummary(world, workspaceId, written);
  return written;
}

/** Changes a skill; what `changes` omits stays. @throws Failure 400, 404, 412. */
export async function updateSkill(
  world: World,
  workspaceId: string,
  { agentId, skillId }: { agentId: string; skillId: string },
  changes: SkillChanges,
  ifMatch?: readonly string[],
): Promise<SkillAnswer> {
  requireOneWay(changes);
  return world.db.transaction(async (tx) => {
    await lockAgent(tx, workspaceId, agentId);
    const skill = await findSkill(tx, workspaceId, agentId, skillId);
    requireMatch(ifMatch, AgentSkill, skill);
    const { name = skill.name, instructions = skill.instructions, archived = skill.isArchived, clear = [] } = changes;
    const cleared = clear.includes('instructions');
    const after = { name, instructions: cleared ? null : instructions, isArchived: archived };
    return write({ ...world, db: tx }, workspaceId, skill, after);
  });
}

/** Takes a skill from its agent; it can be restored. @throws Failure 404, 412. */
export function archiveSkill(
  world: World,
  workspaceId: string,
  { agentId, skillId }: { agentId: string; skillId: string },
  ifMatch?: readonly string[],
) {
  return world.db.transaction(async (tx) => {
    await lockAgent(tx, workspaceId, agentId);
    const skill = await findSkill(tx, workspaceId, agentId, skillId);
    requireMatch(ifMatch, AgentSkill, skill);
    const { id, isArchived: alreadyArchived } = skill;
    await write({ ...world, db: tx }, workspaceId, skill, { ...skill, isArchived: true });
    return { object: 'deleted' as const, id, deleted: true as const, alreadyArchived, recoverable: true };
  });
}

const summarise = `update agent_skills s set summary = $4
  where workspace_id = $1 and id = $2 and instructions = $3 and summary is distinct from $4`;

/**
 * Keeps a summary that was made of these instructions. Those that were changed meanwhile keep theirs: another summary
 * was asked for.
 */
export async function saveSkillSummary(
  db: Db,
  workspaceId: string,
  skillId: string,
  { instructions, summary }: { instructions: string; summary: string },
): Promise<void> {
  await db.rows(summarise, [workspaceId, skillId, instructions, summary]);
}
