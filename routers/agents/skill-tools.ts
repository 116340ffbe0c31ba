import { z } from 'zod';
import type { Db } from '../../db/client.ts';
import { principalOf } from '../base.ts';
import { CursorText, Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from '../tool.ts';
import { agentOfSkill, findSkill } from './skill-rows.ts';
import { AgentSkill, SkillCreate, SkillUpdate } from './skill-shapes.ts';
import { createSkill, updateSkill } from './skill-update.ts';
import { newestFirst } from './tool-pages.ts';

const agentId = IdOrName.describe('Id or name of the agent.');
const One = z.strictObject({
  skillId: Id.describe('Id of the skill.'),
  agentId: IdOrName.optional().describe('Id or name of its agent; not needed.'),
});
const rest = 'Call get_skill with instructionsOffset = the number of characters you already have.';

const BriefSkill = AgentSkill.omit({ instructions: true, createdAt: true });

const brief = `select 'agent_skill' as object, s.id, s.agent_id as "agentId", s.name, s.summary,
    s.archived_at is not null as "isArchived", s.updated_at as "updatedAt", s.created_at as "createdAt"
  from agent_skills s where s.workspace_id = $1 and ($2 or s.archived_at is null)`;

/** A skill by its id, and by its agent where that is named. @throws Failure 400, 404. */
async function keyOf(db: Db, workspaceId: string, named: z.infer<typeof One>) {
  const { skillId } = named;
  if (named.agentId === undefined) return { agentId: await agentOfSkill(db, workspaceId, skillId), skillId };
  return { agentId: await idOf(db, workspaceId, 'agent', named.agentId, 'agentId'), skillId };
}

export const skillTools = {
  list_skills: toolProcedure
    .meta(
      tool('list_skills', {
        title: 'List skills',
        description: 'Lists the skills of one agent or of all as brief rows, newest first. get_skill shows one whole.',
        scopes: ['agents:read'],
        readOnly: true,
        longestText: 200,
        rest: 'Call get_skill with the id of the row.',
      }),
    )
    .input(
      z.strictObject({
        agentId: agentId.optional(),
        includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
        limit: ToolLimit,
        cursor: CursorText,
      }),
    )
    .output(z.object({ data: z.array(BriefSkill), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(async ({ ctx, input: { agentId: named, includeArchived, limit, cursor } }) => {
      const { workspaceId } = principalOf(ctx);
      const agent = named === undefined ? undefined : await idOf(ctx.db, workspaceId, 'agent', named, 'agentId');
      const order = { operation: 'list_skills', sort: 'createdAt', order: 'desc' };
      const filters = { agentId: agent, includeArchived };
      const scope = { key: ctx.service.cursorKey, workspaceId, ...order, filters };
      const select = agent === undefined ? brief : `${brief} and s.agent_id = $3`;
      const values = agent === undefined ? [includeArchived] : [includeArchived, agent];
      const listing = { db: ctx.db, scope, limit, cursor, values };
      return newestFirst<z.infer<typeof BriefSkill> & { createdAt: string }>(select, 's', listing);
    }),

  get_skill: toolProcedure
    .meta(
      tool('get_skill', {
        title: 'Get a skill',
        description: 'Shows one skill whole, with its instructions.',
        scopes: ['agents:read'],
        readOnly: true,
        rest,
      }),
    )
    .input(
      One.extend({
        instructionsOffset: z.int().min(0).default(0).describe('Show instructions from this character on.'),
      }),
    )
    .output(z.object({ skill: AgentSkill }))
    .query(async ({ ctx, input: { instructionsOffset, ...named } }) => {
      const { workspaceId } = principalOf(ctx);
      const key = await keyOf(ctx.db, workspaceId, named);
      const skill = await findSkill(ctx.db, workspaceId, key.agentId, key.skillId);
      return { skill: { ...skill, instructions: textFrom(skill.instructions, instructionsOffset) } };
    }),

  create_skill: toolProcedure
    .meta(
      tool('create_skill', {
        title: 'Create a skill',
        description: 'Gives an agent a skill: instructions that it reads when it needs them.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(SkillCreate.extend({ agentId }))
    .output(z.object({ skill: AgentSkill }))
    .mutation(async ({ ctx, input: { agentId: named, ...skill } }) => {
      const { workspaceId } = principalOf(ctx);
      const id = await idOf(ctx.db, workspaceId, 'agent', named, 'agentId');
      return { skill: await createSkill(ctx, workspaceId, id, skill) };
    }),

  update_skill: toolProcedure
    .meta(
      tool('update_skill', {
        title: 'Change a skill',
        description: 'Changes only the fields that are given; also archives or restores.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(SkillUpdate.extend(One.shape))
    .output(z.object({ skill: AgentSkill }))
    .mutation(async ({ ctx, input: { skillId, agentId: named, ...changes } }) => {
      const { workspaceId } = principalOf(ctx);
      const key = await keyOf(ctx.db, workspaceId, { skillId, agentId: named });
      return { skill: await updateSkill(ctx, workspaceId, key, changes) };
    }),
};
