import { z } from 'zod';
import { Id, Instant, listOf, nonBlankText, text } from '../fields.ts';

const aName = 'Weekly digest';
const someInstructions = 'Collect what changed since Monday. At most ten lines, the most important first.';

export const AgentSkill = z
  .object({
    object: z.literal('agent_skill'),
    id: Id,
    agentId: Id,
    name: z.string().meta({ examples: [aName] }),
    instructions: z
      .string()
      .nullable()
      .meta({ description: 'What the agent reads when it needs the skill.', examples: [someInstructions] }),
    summary: z
      .string()
      .nullable()
      .meta({
        description: 'One line, generated from the instructions.',
        examples: ['Sums up the week in ten lines.'],
      }),
    isArchived: z.boolean(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({ id: 'AgentSkill' });

export type SkillAnswer = z.infer<typeof AgentSkill>;

/** A skill as a row of a list that a model reads. */
export const BriefSkill = AgentSkill.omit({ instructions: true, createdAt: true });

export const AgentSkillPage = listOf(AgentSkill, 'AgentSkillPage');

const SkillName = nonBlankText(80).meta({ examples: [aName] });
const Instructions = text(50_000).meta({ examples: [someInstructions] });

export const SkillCreate = z.strictObject({
  name: SkillName.describe('What the agent can do with it.'),
  instructions: Instructions.optional().describe('What the agent reads when it needs the skill.'),
});

export type NewSkill = z.infer<typeof SkillCreate>;

/** The fields of a change of a skill; omitted ones stay unchanged. */
export const SkillUpdate = z.strictObject({
  name: SkillName.optional().describe('Replaces it.'),
  instructions: Instructions.optional().describe('Replaces them.'),
  archived: z.boolean().optional().describe('True archives, false restores.'),
  clear: z
    .array(z.enum(['instructions']))
    .max(20)
    .optional()
    .describe('Fields to empty.'),
});

export type SkillChanges = z.infer<typeof SkillUpdate>;
