import { z } from 'zod';
import { op, principalOf, procedure, router } from '../base.ts';
import { tagOf } from '../etag.ts';
import { DeletedResource, Id, wholeList } from '../fields.ts';
import { findAgentDetail, listAgents } from './rows.ts';
import {
  Agent,
  AgentCreate,
  AgentDetail,
  AgentPage,
  AgentPatch,
  AgentUpdate,
  AgentUpdated,
  AgentUpdatePreview,
} from './shapes.ts';
import { archiveAgent, createAgent, previewAgentUpdate, restoreAgent, updateAgent } from './update.ts';

export const agents = router({
  list: procedure
    .meta(op('GET /agents', { id: 'listAgents', scope: 'agents:read', summary: 'List the agents, newest first' }))
    .input(z.strictObject({ includeArchived: z.boolean().default(false).describe('Also list archived ones.') }))
    .output(AgentPage)
    .query(async ({ ctx, input }) =>
      wholeList(await listAgents(ctx.db, principalOf(ctx).workspaceId, input.includeArchived)),
    ),

  create: procedure
    .meta(
      op('POST /agents', {
        id: 'createAgent',
        scope: 'agents:write',
        summary: 'Create an agent',
        description: 'It pauses for a person before risky actions unless `requiresApproval` is false.',
        status: 201,
        keyed: true,
        etag: true,
      }),
    )
    .input(AgentCreate)
    .output(AgentDetail)
    .mutation(({ ctx, input }) => createAgent(ctx.db, principalOf(ctx).workspaceId, input)),

  get: procedure
    .meta(
      op('GET /agents/{agentId}', {
        id: 'getAgent',
        scope: 'agents:read',
        summary: 'Get an agent with its skills',
        etag: true,
        statuses: [404],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(AgentDetail)
    .query(({ ctx, input }) => findAgentDetail(ctx.db, principalOf(ctx).workspaceId, input.agentId)),

  update: procedure
    .meta(
      op('PATCH /agents/{agentId}', {
        id: 'updateAgent',
        scope: 'agents:write',
        summary: 'Change, archive or restore an agent',
        description:
          'Answers what changed. New instructions hold from the next step of every conversation on. With `expectedVersion` the change is refused (409, `version_mismatch`) when another one came first.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(AgentUpdate.extend({ agentId: Id }).meta({ id: 'AgentUpdateParams' }))
    .output(AgentUpdated)
    .mutation(async ({ ctx, input: { agentId, ...patch } }) => {
      const agent = await updateAgent(ctx, principalOf(ctx).workspaceId, agentId, patch, ctx.ifMatch);
      ctx.reply.etag = tagOf(AgentDetail, agent);
      return agent;
    }),

  delete: procedure
    .meta(
      op('DELETE /agents/{agentId}', {
        id: 'deleteAgent',
        scope: 'agents:write',
        summary: 'Archive an agent',
        description: 'It finishes what it has begun, and nothing new can be given to it. The default agent stays: 409.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(DeletedResource)
    .mutation(({ ctx, input }) => archiveAgent(ctx.db, principalOf(ctx).workspaceId, input.agentId, ctx.ifMatch)),

  preview: procedure
    .meta(
      op('POST /agents/{agentId}/preview', {
        id: 'previewAgentUpdate',
        scope: 'agents:write',
        summary: 'Tell what an update would change, without making it',
        description: 'Refuses what updateAgent would refuse. Long texts are told by their lengths.',
        statuses: [404, 409],
      }),
    )
    .input(AgentPatch.extend({ agentId: Id }).meta({ id: 'AgentUpdatePreviewParams' }))
    .output(AgentUpdatePreview)
    .mutation(({ ctx, input: { agentId, ...patch } }) =>
      previewAgentUpdate(ctx.db, principalOf(ctx).workspaceId, agentId, patch),
    ),

  restore: procedure
    .meta(
      op('POST /agents/{agentId}/restore', {
        id: 'restoreAgent',
        scope: 'agents:write',
        summary: 'Bring an archived agent back',
        description: 'Refused with 409 when an active agent has its name: updateAgent restores and renames at once.',
        etag: true,
        statuses: [404, 409],
      }),
    )
    .input(z.strictObject({ agentId: Id }))
    .output(Agent)
    .mutation(async ({ ctx, input }) => {
      const agent = await restoreAgent(ctx.db, principalOf(ctx).workspaceId, input.agentId);
      ctx.reply.etag = tagOf(AgentDetail, agent);
      return agent;
    }),
});
