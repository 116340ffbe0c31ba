import { z } from 'zod';
import { getAgent, listBriefAgents } from '../../domain/agents/read.ts';
import {
  Agent,
  AgentCreate,
  AgentDetail,
  AgentFieldChange,
  AgentUpdate,
  BriefAgent,
} from '../../domain/agents/shapes.ts';
import { createAgent, updateAgent } from '../../domain/agents/update.ts';
import { CursorText, Id } from '../../domain/fields.ts';
import { IdOrName, idOf } from '../../domain/names.ts';
import { ToolLimit, textFrom, tool, toolProcedure } from './tool.ts';

const agentId = IdOrName.describe('Id or name of the agent.');
const rest =
  'Call get_agent with instructionsOffset (or guidanceOffset) = the number of characters of that text you already have.';
const maxSkills = 20;

export const agentTools = {
  list_agents: toolProcedure
    .meta(
      tool('list_agents', {
        title: 'List agents',
        description:
          'List the agents as brief rows, newest first. Use it to see who can do a job; get_agent shows one with its instructions. Example: {"limit":50}.',
        scopes: ['agents:read'],
        readOnly: true,
        maxText: 200,
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
    .query(({ ctx, input }) => listBriefAgents(ctx, input)),

  get_agent: toolProcedure
    .meta(
      tool('get_agent', {
        title: 'Get an agent',
        description:
          'Show one agent with its instructions, its working hours, its version and the names of its skills; get_skill shows the text of a skill. Example: {"agentId":"Scout"}.',
        scopes: ['agents:read'],
        readOnly: true,
        rest,
      }),
    )
    .input(
      z.strictObject({
        agentId,
        instructionsOffset: z.int().min(0).default(0).describe('Show instructions from this character on. Omitted: 0.'),
        guidanceOffset: z.int().min(0).default(0).describe('Show approvalGuidance from this character on. Omitted: 0.'),
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
      const id = await idOf(ctx.db, ctx.principal.workspaceId, 'agent', input.agentId, 'agentId');
      const { skills, ...agent } = await getAgent(ctx, { agentId: id });
      const instructions = textFrom(agent.instructions, input.instructionsOffset);
      const approvalGuidance = textFrom(agent.approvalGuidance, input.guidanceOffset);
      const more = skills.length - maxSkills;
      return {
        agent: { ...agent, instructions, approvalGuidance },
        skills: skills.slice(0, maxSkills),
        moreSkills: more > 0 ? more : null,
      };
    }),

  create_agent: toolProcedure
    .meta(
      tool('create_agent', {
        title: 'Create an agent',
        description:
          'Create an agent: a worker to whom todos are assigned and with whom people chat. It starts nothing by itself: assign it with create_todo or update_todo. Example: {"name":"Scout","instructions":"Find news on our field. Name sources."}.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(
      AgentCreate.extend({
        requiresApproval: AgentCreate.shape.requiresApproval.describe(
          'Ask a person before every write. Omitted: true.',
        ),
      }),
    )
    .output(z.object({ agent: Agent }))
    .mutation(async ({ ctx, input }) => ({ agent: await createAgent(ctx, input) })),

  update_agent: toolProcedure
    .meta(
      tool('update_agent', {
        title: 'Change an agent',
        description:
          'Change the given fields of an agent and show what changed; omitted fields are unchanged, clear empties fields, archived archives or restores it. New instructions apply at once, also in open chats. For what it can do in one area, use create_skill. Example: {"agentId":"Scout","requiresApproval":false,"expectedVersion":3}.',
        scopes: ['agents:write'],
        rest,
      }),
    )
    .input(
      AgentUpdate.extend({
        agentId,
        requiresApproval: AgentUpdate.shape.requiresApproval.describe('Ask a person before every write.'),
      }),
    )
    .output(z.object({ agent: Agent, changes: z.array(AgentFieldChange) }))
    .mutation(async ({ ctx, input: { agentId: named, ...patch } }) => {
      const id = await idOf(ctx.db, ctx.principal.workspaceId, 'agent', named, 'agentId');
      const { changes, ...agent } = await updateAgent(ctx, { ...patch, agentId: id });
      return { agent, changes };
    }),
};
