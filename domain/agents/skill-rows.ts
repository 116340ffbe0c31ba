import type { Db } from '../../db/client.ts';
import type { agentSkills } from '../../db/schema/index.ts';
import { notFound } from '../errors.ts';
import type { SkillAnswer } from './skill-shapes.ts';

/** The columns of a skill, from a relation `s` shaped like `agent_skills`. */
export const skillColumns = `s.id, s.agent_id as "agentId", s.name, s.instructions, s.summary,
  s.archived_at is not null as "isArchived", s.created_at as "createdAt", s.updated_at as "updatedAt"`;

/** A row of `skillColumns`. */
export type SkillRow = Omit<typeof agentSkills.$inferSelect, 'workspaceId' | 'archivedAt'> & { isArchived: boolean };

/** The skill of a row. */
export function skillOf(row: SkillRow): SkillAnswer {
  return { object: 'agent_skill', ...row };
}

function select(where: string): string {
  return `select ${skillColumns} from agent_skills s where s.workspace_id = $1 and ($2 or s.archived_at is null)
    ${where} order by s.created_at desc, s.id desc`;
}

const ofAll = select('');
const ofOne = select('and s.agent_id = $3');

/** The skills of an agent, or of all agents of the workspace; newest first. */
export async function skillsOf(
  db: Db,
  workspaceId: string,
  { agentId, includeArchived }: { agentId?: string | undefined; includeArchived: boolean },
): Promise<SkillAnswer[]> {
  const values = [workspaceId, includeArchived];
  const rows =
    agentId === undefined ? db.rows<SkillRow>(ofAll, values) : db.rows<SkillRow>(ofOne, [...values, agentId]);
  return (await rows).map(skillOf);
}

const one = `select ${skillColumns} from agents a
    left join agent_skills s on s.workspace_id = a.workspace_id and s.agent_id = a.id and s.id = $3
  where a.workspace_id = $1 and a.id = $2`;

/** @throws Failure 404 naming the agent, or the skill that it does not have. */
export async function findSkill(db: Db, workspaceId: string, agentId: string, skillId: string): Promise<SkillAnswer> {
  const [row] = await db.rows<SkillRow | { id: null }>(one, [workspaceId, agentId, skillId]);
  if (!row) throw notFound('agent', 'agentId');
  if (row.id === null) throw notFound('skill', 'skillId');
  return skillOf(row);
}

const owner = 'select agent_id as "agentId" from agent_skills where workspace_id = $1 and id = $2';

/**
 * The id of the agent that has the skill; it never changes. @throws Failure 404 when the workspace has no such skill.
 */
export async function agentOfSkill(db: Db, workspaceId: string, skillId: string): Promise<string> {
  const [row] = await db.rows<{ agentId: string }>(owner, [workspaceId, skillId]);
  if (!row) throw notFound('skill', 'skillId');
  return row.agentId;
}
