import { z } from 'zod';
import { getSkill, listAgentSkills, listSkills } from '../domain/agents/read.ts';
import { AgentSkill, AgentSkillPage, SkillCreate, SkillUpdate } from '../domain/agents/skill-shapes.ts';
import { archiveSkill, createSkill, updateSkill } from '../domain/agents/skill-update.ts';
import { DeletedResource, Id } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';

const One = z.strictObject({ agentId: Id, skillId: Id });

export const skills = router({
  list: procedure
    .meta(
      op('GET /skills', {
        id: 'listSkills',
        scope: 'agents:read',
        summary: 'List the skills of all agents',
        description:
          'Lists the skills of all agents, or of one with `agentId`, in one page. Archived skills are left out unless `includeArchived` is true. listAgentSkills lists those of one agent only, and is 404 for an unknown agent.',
        heavy: 'inTurn',
      }),
    )
    .input(
      z.strictObject({
        agentId: Id.optional(),
        includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
      }),
    )
    .output(AgentSkillPage)
    .query(({ ctx, input }) => listSkills(ctx, input)),

  listOfAgent: procedure
    .meta(
      op('GET /agents/{agentId}/skills', {
        id: 'listAgentSkills',
        scope: 'agents:read',
        summary: 'List the skills of an agent, newest first',
        description:
          'Lists the skills of one agent that are not archived, in one page. Use listSkills for the skills of all agents, or to see archived ones too.',
        statuses: [404],
        heavy: 'inTurn',
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(AgentSkillPage)
    .query(({ ctx, input }) => listAgentSkills(ctx, input)),

  create: procedure
    .meta(
      op('POST /agents/{agentId}/skills', {
        id: 'createAgentSkill',
        scope: 'agents:write',
        summary: 'Give an agent a skill',
        description:
          'Gives an agent a skill: a name that it sees in every conversation, and instructions that it reads when it needs them. A one-line summary is generated shortly after. For instructions that apply to every conversation, use `instructions` of updateAgent instead. A workspace has at most 500 skills with 5 million characters, archived ones counted (409).',
        status: 201,
        keyed: true,
        etag: true,
        statuses: [404, 409],
        events: ['skill.created'],
      }),
    )
    .input(SkillCreate.extend({ agentId: Id }).meta({ id: 'AgentSkillCreateParams' }))
    .output(AgentSkill)
    .mutation(({ ctx, input }) => createSkill(ctx, input)),

  get: procedure
    .meta(
      op('GET /agents/{agentId}/skills/{skillId}', {
        id: 'getAgentSkill',
        scope: 'agents:read',
        summary: 'Get a skill',
        description:
          'Returns a skill with its instructions and its generated summary, also when it is archived. All skills of an agent are in listAgentSkills, and in getAgent.',
        etag: true,
        statuses: [404],
      }),
    )
    .input(One)
    .output(AgentSkill)
    .query(({ ctx, input }) => getSkill(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /agents/{agentId}/skills/{skillId}', {
        id: 'updateAgentSkill',
        scope: 'agents:write',
        summary: 'Change, archive or restore a skill',
        description:
          'Changes the name or the instructions of a skill; omitted fields keep their values. New instructions take effect at once and get a new summary. `archived: true` removes the skill from its agent, `archived: false` gives it back.',
        sample: { instructions: 'Ten lines at most, the most important first.' },
        etag: true,
        statuses: [404, 409],
        events: ['skill.updated', 'skill.archived', 'skill.restored'],
      }),
    )
    .input(SkillUpdate.extend({ agentId: Id, skillId: Id }).meta({ id: 'AgentSkillUpdateParams' }))
    .output(AgentSkill)
    .mutation(({ ctx, input }) => updateSkill(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /agents/{agentId}/skills/{skillId}', {
        id: 'deleteAgentSkill',
        scope: 'agents:write',
        summary: 'Archive a skill',
        description:
          'Archives a skill: its agent no longer has it, also in open conversations. Nothing is erased; updateAgentSkill with `archived: false` restores it.',
        etag: true,
        statuses: [404],
        events: ['skill.archived'],
      }),
    )
    .input(One)
    .output(DeletedResource)
    .mutation(({ ctx, input }) => archiveSkill(ctx, input)),
});
