import { z } from 'zod';
import { principalOf } from '../base.ts';
import { CursorText, Id } from '../fields.ts';
import { IdOrName, idOf } from '../names.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from '../tool.ts';
import { findAgentDetail } from './rows.ts';
import { Agent, AgentCreate, AgentDetail, AgentFieldChange, AgentUpdate } from './shapes.ts';
import { newestFirst } from './tool-pages.ts';
import { createAgent, updateAgent } from './update.ts';

const agentId = IdOrName.describe('Id or name of the agent.');
const rest =
  'Call get_agent with instructionsOffset (or guidanceOffset) = the number of characters of that text you already have.';
const mostSkills = 20;

const BriefAgent = Agent.pick({
  object: true,
  id: true,
  name: true,
  description: true,
  requiresApproval: true,
  isDefault: true,
  isArchived: true,
  updatedAt: true,
});

const brief = `select 'agent' as object, a.id, a.name, a.description, a.requires_approval as "requiresApproval",
    a.is_default as "isDefault", a.archived_at is not null as "isArchived", a.updated_at as "updatedAt",
    a.created_at as "createdAt"
  from agents a where a.workspace_id = $1 and ($2 or a.archived_at is null)`;

export const agentTools = {
  list_agents: toolProcedure
    .meta(
      tool('list_agents', {
        title: 'List agents',
        description: 'Lists the agents as brief rows, newest first. get_agent shows one whole.',
        scopes: ['agents:read'],
        readOnly: true,
        longestText: 200,
        rest: 'Call get_agent with the id of the row.',
      }),
    )
    .input(
      z.strictObject({
        includeArchived: z.boolean().default(false).describe('Also list archived ones.'),
        limit: ToolLimit,
        cursor: CursorText,
      }),
    )
    .output(z.object({ data: z.array(BriefAgent), hasMore: z.boolean(), nextCursor: z.string().nullable() }))
    .query(({ ctx, input: { includeArchived, limit, cursor } }) => {
      const { workspaceId } = principalOf(ctx);
      const order = { operation: 'list_agents', sort: 'createdAt', order: 'desc' };
      const scope = { key: ctx.service.cursorKey, workspaceId, ...order, filters: { includeArchived } };
      const listing = { db: ctx.db, scope, limit, cursor, values: [includeArchived] };
      return newestFirst<z.infer<typeof BriefAgent> & { createdAt: string }>(brief, 'a', listing);
    }),

  get_agent: toolProcedure
    .meta(
      tool('get_agent', {
        title: 'Get an agent',
        description:
          'Shows one agent whole, with its instructions and its skills by name; get_skill shows a skill whole.',
        scopes: ['agents:read'],
        readOnly: true,
        rest,
      }),
    )
    .input(
      z.strictObject({
        agentId,
        instructionsOffset: z.int().min(0).default(0).describe('Show instructions from this character on.'),
        guidanceOffset: z.int().min(0).default(0).describe('Show approvalGuidance from this character on.'),
      }),
    )
    .output(
      z.object({
        agent: AgentDetail.omit({ skills: true }),
        skills: z.array(z.object({ id: Id, name: z.string(), summary: z.string().nullable() })),
        moreSkills: z.int().nullable().describe('How many are left out; list_skills shows them.'),
      }),
    )
    .query(async ({ ctx, input }) => {
      const { workspaceId } = principalOf(ctx);
      const id = await idOf(ctx.db, workspaceId, 'agent', input.agentId, 'agentId');
      const { skills, ...agent } = await findAgentDetail(ctx.db, workspaceId, id);
      const instructions = textFrom(agent.instructions, input.instructionsOffset);
      const approvalGuidance = textFrom(agent.approvalGuidance, input.guidanceOffset);
      const more = skills.length - mostSkills;
      return {
        agent: { ...agent, instructions, approvalGuidance },
        skills: skills.slice(0, mostSkills),
        moreSkills: more > 0 ? more : null,
      };
    }),

  create_agent: toolProcedure
    .meta(
      tool('create_agent', {
        title: 'Create an agent',
        description: 'Creates an agent. It pauses for a person before risky actions unless told otherwise.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(AgentCreate)
    .output(z.object({ agent: Agent }))
    .mutation(async ({ ctx, input }) => ({ agent: await createAgent(ctx.db, principalOf(ctx).workspaceId, input) })),

  update_agent: toolProcedure
    .meta(
      tool('update_agent', {
        title: 'Change an agent',
        description: 'Changes only the fields that are given and says what changed; also archives or restores.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(AgentUpdate.extend({ agentId }))
    .output(z.object({ agent: Agent, changes: z.array(AgentFieldChange) }))
    .mutation(async ({ ctx, input: { agentId: named, ...patch } }) => {
      const { workspaceId } = principalOf(ctx);
      const id = await idOf(ctx.db, workspaceId, 'agent', named, 'agentId');
      const { changes, ...agent } = await updateAgent(ctx, workspaceId, id, patch);
      return { agent, changes };
    }),
};
