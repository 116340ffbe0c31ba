import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { DeletedResource, Id, wholeList } from '../fields.ts';
import { findAgent } from './rows.ts';
import { findSkill, listSkills } from './skill-rows.ts';
import { AgentSkill, AgentSkillPage, SkillCreate, SkillUpdate } from './skill-shapes.ts';
import { archiveSkill, createSkill, updateSkill } from './skill-update.ts';

const One = z.strictObject({ agentId: Id, skillId: Id });

export const skills = router({
  list: procedure
    .meta(op('GET /skills', { id: 'listSkills', scope: 'agents:read', summary: 'List the skills of all agents' }))
    .input(
      z.strictObject({
        agentId: Id.optional(),
        includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
      }),
    )
    .output(AgentSkillPage)
    .query(async ({ ctx, input }) =>
      wholeList(await listSkills(ctx.db, principalOf(ctx).workspaceId, input.agentId, input.includeArchived)),
    ),

  listOfAgent: procedure
    .meta(
      op('GET /agents/{agentId}/skills', {
        id: 'listAgentSkills',
        scope: 'agents:read',
        summary: 'List the skills of an agent, newest first',
        description: 'Those that are not archived; listSkills shows the archived ones too.',
        statuses: [404],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(AgentSkillPage)
    .query(async ({ ctx, input }) => {
      const { workspaceId } = principalOf(ctx);
      const { id } = await findAgent(ctx.db, workspaceId, input.agentId);
      return wholeList(await listSkills(ctx.db, workspaceId, id, false));
    }),

  create: procedure
    .meta(
      op('POST /agents/{agentId}/skills', {
        id: 'createAgentSkill',
        scope: 'agents:write',
        summary: 'Give an agent a skill',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [404],
      }),
    )
    .input(SkillCreate.extend({ agentId: Id }).meta({ id: 'AgentSkillCreateParams' }))
    .output(AgentSkill)
    .mutation(({ ctx, input: { agentId, ...skill } }) =>
      createSkill(ctx, principalOf(ctx).workspaceId, agentId, skill),
    ),

  get: procedure
    .meta(
      op('GET /agents/{agentId}/skills/{skillId}', {
        id: 'getAgentSkill',
        scope: 'agents:read',
        summary: 'Get a skill',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(AgentSkill)
    .query(({ ctx, input }) => findSkill(ctx.db, principalOf(ctx).workspaceId, input.agentId, input.skillId)),

  update: procedure
    .meta(
      op('PATCH /agents/{agentId}/skills/{skillId}', {
        id: 'updateAgentSkill',
        scope: 'agents:write',
        summary: 'Change, archive or restore a skill',
        etag: true,
        statuses: [404],
      }),
    )
    .input(SkillUpdate.extend({ agentId: Id, skillId: Id }).meta({ id: 'AgentSkillUpdateParams' }))
    .output(AgentSkill)
    .mutation(({ ctx, input: { agentId, skillId, ...changes } }) =>
      updateSkill(ctx, principalOf(ctx).workspaceId, { agentId, skillId }, changes, ctx.ifMatch),
    ),

  delete: procedure
    .meta(
      op('DELETE /agents/{agentId}/skills/{skillId}', {
        id: 'deleteAgentSkill',
        scope: 'agents:write',
        summary: 'Archive a skill',
        description: 'Its agent no longer has it; updateAgentSkill brings it back.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(DeletedResource)
    .mutation(({ ctx, input }) => archiveSkill(ctx, principalOf(ctx).workspaceId, input, ctx.ifMatch)),
});
