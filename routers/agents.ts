import { z } from 'zod';
import { getAgent, listAgents } from '../domain/agents/read.ts';
import {
  Agent,
  AgentCreate,
  AgentDetail,
  AgentPage,
  AgentPatch,
  AgentUpdate,
  AgentUpdated,
  AgentUpdatePreview,
} from '../domain/agents/shapes.ts';
import { archiveAgent, createAgent, previewAgentUpdate, restoreAgent, updateAgent } from '../domain/agents/update.ts';
import { DeletedResource, Id } from '../domain/fields.ts';
import { op, procedure, router } from './base.ts';

export const agents = router({
  list: procedure
    .meta(
      op('GET /agents', {
        id: 'listAgents',
        scope: 'agents:read',
        summary: 'List the agents, newest first',
        description:
          'Returns all agents in one page, newest first, without their skills. Archived agents are left out unless `includeArchived` is true. getAgent has the skills of one.',
        heavy: 'inTurn',
      }),
    )
    .input(z.strictObject({ includeArchived: z.boolean().default(false).describe('Also list archived ones.') }))
    .output(AgentPage)
    .query(({ ctx, input }) => listAgents(ctx, input)),

  create: procedure
    .meta(
      op('POST /agents', {
        id: 'createAgent',
        scope: 'agents:write',
        summary: 'Create an agent',
        description:
          'Creates an agent that todos can be assigned to and that chats can name. It pauses for a person before risky actions unless `requiresApproval` is false. Creating it starts no work: assign it a todo, or call createChat with its id. If an active agent has the name, the request is refused with 409, as beyond 500 agents or 5 million characters of their texts, archived ones counted.',
        status: 201,
        keyed: true,
        etag: true,
        events: ['agent.created'],
      }),
    )
    .input(AgentCreate)
    .output(AgentDetail)
    .mutation(({ ctx, input }) => createAgent(ctx, input)),

  get: procedure
    .meta(
      op('GET /agents/{agentId}', {
        id: 'getAgent',
        scope: 'agents:read',
        summary: 'Get an agent with its skills',
        description:
          'Returns an agent with its instructions, working hours, skills and `version`. Pass that version as `expectedVersion` to updateAgent, so that you do not overwrite the change of another person. An archived agent can be read too.',
        etag: true,
        statuses: [404],
        heavy: 'inTurn',
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(AgentDetail)
    .query(({ ctx, input }) => getAgent(ctx, input)),

  update: procedure
    .meta(
      op('PATCH /agents/{agentId}', {
        id: 'updateAgent',
        scope: 'agents:write',
        summary: 'Change, archive or restore an agent',
        description:
          'Returns what changed. New instructions take effect at the next step of every conversation. With `expectedVersion` the change is refused (409, `version_mismatch`) if the agent was changed meanwhile.',
        sample: { instructions: 'Name your sources. Answer in the language of the question.' },
        etag: true,
        statuses: [404, 409],
        events: ['agent.updated', 'agent.archived', 'agent.restored', 'chat.status_changed', 'todo.updated'],
      }),
    )
    .input(AgentUpdate.extend({ agentId: Id }).meta({ id: 'AgentUpdateParams' }))
    .output(AgentUpdated)
    .mutation(({ ctx, input }) => updateAgent(ctx, input)),

  delete: procedure
    .meta(
      op('DELETE /agents/{agentId}', {
        id: 'deleteAgent',
        scope: 'agents:write',
        summary: 'Archive an agent',
        description:
          'Archives an agent: its running turns continue, it accepts no new work, and its todos keep it as assignee. Nothing is erased, and restoreAgent brings it back. The default agent cannot be archived: 409.',
        etag: true,
        statuses: [404, 409],
        events: ['agent.archived'],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => archiveAgent(ctx, input)),

  preview: procedure
    .meta(
      op('POST /agents/{agentId}/preview', {
        id: 'previewAgentUpdate',
        scope: 'agents:write',
        summary: 'Preview what an update would change',
        description:
          'Changes nothing, and refuses what updateAgent would refuse. Long texts are shown by their lengths.',
        sample: { instructions: 'Name your sources. Answer in the language of the question.' },
        statuses: [404, 409],
        events: [],
      }),
    )
    .input(AgentPatch.extend({ agentId: Id }).meta({ id: 'AgentUpdatePreviewParams' }))
    .output(AgentUpdatePreview)
    .mutation(({ ctx, input }) => previewAgentUpdate(ctx, input)),

  restore: procedure
    .meta(
      op('POST /agents/{agentId}/restore', {
        id: 'restoreAgent',
        scope: 'agents:write',
        summary: 'Restore an archived agent',
        description:
          'Makes an archived agent available for new work again; an active one is returned unchanged. Refused with 409 when an active agent has its name: updateAgent restores and renames at once.',
        etag: true,
        statuses: [404, 409],
        events: ['agent.restored'],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(Agent)
    .mutation(({ ctx, input }) => restoreAgent(ctx, input)),
});
