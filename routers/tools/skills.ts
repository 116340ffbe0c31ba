import { z } from 'zod';
import { getSkill, listBriefSkills } from '../../domain/agents/read.ts';
import { agentOfSkill } from '../../domain/agents/skill-rows.ts';
import { AgentSkill, BriefSkill, SkillCreate, SkillUpdate } from '../../domain/agents/skill-shapes.ts';
import { createSkill, updateSkill } from '../../domain/agents/skill-update.ts';
import type { Context } from '../../domain/context.ts';
import { CursorText, Id } from '../../domain/fields.ts';
import { IdOrName, idOf } from '../../domain/names.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from './tool.ts';

const agentId = IdOrName.describe('Id or name of the agent.');
const One = z.strictObject({
  skillId: Id.describe('Id of the skill.'),
  agentId: IdOrName.optional().describe('Id or name of its agent; may be left out.'),
});
const rest = 'Call get_skill with instructionsOffset = the number of characters you already have.';

/** The key of a skill: its agent is looked up where it is not named. @throws Failure 400, 404. */
async function keyOf({ db, principal }: Context, { skillId, agentId: named }: z.infer<typeof One>) {
  const { workspaceId } = principal;
  if (named === undefined) return { agentId: await agentOfSkill(db, workspaceId, skillId), skillId };
  return { agentId: await idOf(db, workspaceId, 'agent', named, 'agentId'), skillId };
}

export const skillTools = {
  list_skills: toolProcedure
    .meta(
      tool('list_skills', {
        title: 'List skills',
        description:
          'List the skills of one agent, or of all agents, as brief rows, newest first; get_skill shows the text of one. Example: {"agentId":"Scout"}.',
        scopes: ['agents:read'],
        readOnly: true,
        maxText: 200,
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
    .query(async ({ ctx, input }) => {
      const { workspaceId } = ctx.principal;
      const agentId = input.agentId && (await idOf(ctx.db, workspaceId, 'agent', input.agentId, 'agentId'));
      return listBriefSkills(ctx, { ...input, agentId });
    }),

  get_skill: toolProcedure
    .meta(
      tool('get_skill', {
        title: 'Get a skill',
        description: 'Show one skill with its instructions. Find its id with list_skills. Example: {"skillId":"…"}.',
        scopes: ['agents:read'],
        readOnly: true,
        rest,
      }),
    )
    .input(
      One.extend({
        instructionsOffset: z.int().min(0).default(0).describe('Show instructions from this character on. Omitted: 0.'),
      }),
    )
    .output(z.object({ skill: AgentSkill }))
    .query(async ({ ctx, input: { instructionsOffset, ...named } }) => {
      const skill = await getSkill(ctx, await keyOf(ctx, named));
      return { skill: { ...skill, instructions: textFrom(skill.instructions, instructionsOffset) } };
    }),

  create_skill: toolProcedure
    .meta(
      tool('create_skill', {
        title: 'Create a skill',
        description:
          'Give an agent a skill: instructions for one kind of task, which it reads only when it needs them. Put what always applies into the instructions of the agent (update_agent). Example: {"agentId":"Scout","name":"Weekly digest","instructions":"At most ten lines."}.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(SkillCreate.extend({ agentId }))
    .output(z.object({ skill: AgentSkill }))
    .mutation(async ({ ctx, input: { agentId: named, ...skill } }) => {
      const id = await idOf(ctx.db, ctx.principal.workspaceId, 'agent', named, 'agentId');
      return { skill: await createSkill(ctx, { ...skill, agentId: id }) };
    }),

  update_skill: toolProcedure
    .meta(
      tool('update_skill', {
        title: 'Change a skill',
        description:
          'Change the given fields of a skill; omitted fields are unchanged, clear empties fields, archived archives or restores it. Example: {"skillId":"…","archived":true}.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(SkillUpdate.extend(One.shape))
    .output(z.object({ skill: AgentSkill }))
    .mutation(async ({ ctx, input: { skillId, agentId: named, ...changes } }) => {
      const key = await keyOf(ctx, { skillId, agentId: named });
      return { skill: await updateSkill(ctx, { ...changes, ...key }) };
    }),
};
