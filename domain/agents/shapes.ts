import { z } from 'zod';
import { Id, Instant, listOf, nonBlankText, text } from '../fields.ts';
import { WorkingHours, WorkingHoursParams } from './hours-shapes.ts';
import { AgentSkill } from './skill-shapes.ts';

const aName = 'Scout';
const aDescription = 'Finds out what is new in our field. Never writes to customers.';
const someInstructions = 'Name your sources. Answer in the language of the question.';
const someGuidance = 'Ask before anything that a customer would see.';

/** An agent as in lists. */
export const Agent = z
  .object({
    object: z.literal('agent'),
    id: Id,
    name: z.string().meta({ description: 'Unique among active agents, ignoring case.', examples: [aName] }),
    description: z
      .string()
      .nullable()
      .meta({ description: 'Its role: purpose, scope, boundaries.', examples: [aDescription] }),
    instructions: z
      .string()
      .nullable()
      .meta({ description: 'Standing instructions for every conversation.', examples: [someInstructions] }),
    version: z.int().meta({ description: 'Incremented by every change; see `expectedVersion`.', examples: [3] }),
    requiresApproval: z.boolean().describe('Whether it pauses for a person before risky actions.'),
    approvalGuidance: z
      .string()
      .nullable()
      .meta({ description: 'What to ask a person about.', examples: [someGuidance] }),
    workingHoursEnabled: z.boolean(),
    workingHours: WorkingHours.nullable(),
    profilePhotoUrl: z.string().nullable().describe('A temporary link.'),
    isDefault: z.boolean().describe('Exactly one agent of a workspace is the default; it cannot be archived.'),
    isArchived: z.boolean(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'Agent' });

/** An agent with all fields. Its entity tag is that of every answer about the agent. */
export const AgentDetail = Agent.extend({
  model: z.literal('automatic').describe('The service chooses the model.'),
  skills: z.array(AgentSkill).describe('Those that are not archived, newest first.'),
}).meta({ id: 'AgentDetail' });

export type AgentAnswer = z.infer<typeof Agent>;
export type AgentDetailAnswer = z.infer<typeof AgentDetail>;

export const agentFields = [
  'name',
  'description',
  'instructions',
  'requiresApproval',
  'approvalGuidance',
  'workingHoursEnabled',
  'workingHours',
  'isArchived',
] as const;

const FieldValue = z.union([z.string(), z.boolean(), WorkingHours]).nullable();
const length = z.int().nullable();

export const AgentFieldChange = z
  .object({
    object: z.literal('agent_field_change'),
    field: z.enum(agentFields).meta({ examples: ['requiresApproval'] }),
    action: z.enum(['set', 'changed', 'cleared']).meta({ examples: ['changed'] }),
    before: FieldValue.meta({ description: 'Null when there was none, or it is redacted.', examples: [true] }),
    after: FieldValue.meta({ description: 'Null when there is none, or it is redacted.', examples: [false] }),
    redacted: z.boolean().describe('True for long texts: their lengths are returned instead.'),
    beforeLength: length.describe('Characters (Unicode code points) of the redacted text; null when there was none.'),
    afterLength: length.describe('Characters of the redacted text; null when there is none.'),
  })
  .meta({ id: 'AgentFieldChange' });

export type FieldChange = z.infer<typeof AgentFieldChange>;

export const AgentUpdated = Agent.extend({
  changes: z.array(AgentFieldChange).describe('Empty when nothing changed.'),
}).meta({
  id: 'AgentUpdated',
});

export const AgentUpdatePreview = z
  .object({
    object: z.literal('agent_update_preview'),
    agentId: Id,
    version: z.int().meta({ description: 'The version of the agent now.', examples: [3] }),
    noop: z.boolean().describe('True when the update would change nothing.'),
    changes: z.array(AgentFieldChange),
  })
  .meta({ id: 'AgentUpdatePreview' });

/** An agent as a row of a list that a model reads. */
export const BriefAgent = Agent.pick({
  object: true,
  id: true,
  name: true,
  description: true,
  requiresApproval: true,
  isDefault: true,
  isArchived: true,
  updatedAt: true,
});

export const AgentPage = listOf(Agent, 'AgentPage');

const AgentName = nonBlankText(80).meta({ examples: [aName] });
const Description = text(2000).meta({ examples: [aDescription] });
const Instructions = text(50_000).meta({ examples: [someInstructions] });
const Guidance = text(5000);

export const AgentCreate = z
  .strictObject({
    name: AgentName.describe('Unique among active agents, ignoring case.'),
    description: Description.optional().describe('Its role: purpose, scope, boundaries.'),
    instructions: Instructions.optional().describe('Standing instructions for every conversation.'),
    requiresApproval: z.boolean().default(true).describe('Pause for a person before risky actions.'),
    approvalGuidance: Guidance.optional().describe('What to ask a person about.'),
  })
  .meta({ id: 'AgentCreateParams' });

export type NewAgent = z.infer<typeof AgentCreate>;

export const clearable = ['description', 'instructions', 'approvalGuidance', 'workingHours'] as const;

/** The fields of a change of an agent, without archiving; omitted ones stay unchanged. */
export const AgentPatch = z.strictObject({
  name: AgentName.optional().describe('Replaces it.'),
  description: Description.optional().describe('Its role: purpose, scope, boundaries.'),
  instructions: Instructions.optional().describe('Takes effect at once, also in open conversations.'),
  requiresApproval: z.boolean().optional().describe('Pause for a person before risky actions.'),
  approvalGuidance: Guidance.optional().describe('What to ask a person about.'),
  workingHoursEnabled: z.boolean().optional().describe('True needs workingHours.'),
  workingHours: WorkingHoursParams.optional().describe('When scheduled or assigned work may start.'),
  clear: z.array(z.enum(clearable)).max(20).optional().describe('Fields to empty.'),
  expectedVersion: z.int().min(1).optional().describe('Refuse unless the agent is still at this version.'),
});

export const AgentUpdate = AgentPatch.extend({
  archived: z.boolean().optional().describe('True archives, false restores.'),
});

export type AgentChanges = z.infer<typeof AgentUpdate>;
