import { z } from 'zod';
import { CalendarDate, Day, Id } from '../fields.ts';
import { triggers } from './minutes.ts';

/** What minutes are used for: turns by what started them, and the processing of captures. */
export const usageTriggers = [...triggers, 'capture'] as const;
export type UsageTrigger = (typeof usageTriggers)[number];

const minutes = z.number().meta({ description: 'Agent minutes, to a tenth.', examples: [12.3] });
const turns = z.int().meta({ description: 'Turns of agents that were charged.', examples: [4] });

export const Usage = z
  .object({
    object: z.literal('usage'),
    from: Day,
    to: Day.describe('The last day, included.'),
    timezone: z
      .string()
      .meta({ description: 'The time zone of the workspace, in which days are counted.', examples: ['Europe/Berlin'] }),
    minutesGranted: z.number().meta({ description: 'Granted to the workspace in these days.', examples: [600] }),
    minutesUsed: z.number().meta({ description: 'Used by agents in these days.', examples: [12.3] }),
    minutesRemaining: z
      .number()
      .meta({ description: 'Left now, independent of the days of the query.', examples: [587.7] }),
    turns,
    byDay: z
      .array(z.object({ day: Day, minutes, turns }))
      .describe('Every day, oldest first. A turn that works past midnight counts on both days.'),
    byAgent: z
      .array(z.object({ agentId: Id, name: z.string().meta({ examples: ['Assistant'] }), minutes, turns }))
      .describe('The agents that worked, most minutes first.'),
    byTrigger: z.array(z.object({ trigger: z.enum(usageTriggers), minutes, turns })).describe('What started the work.'),
  })
  .meta({ id: 'Usage' });

export type UsageAnswer = z.infer<typeof Usage>;

export const UsageQuery = z.strictObject({
  from: CalendarDate.optional().describe('The first day. Omitted: 30 days up to `to`.'),
  to: CalendarDate.optional().describe('The last day, included; at most 366 from the first. Omitted: today.'),
});

export type UsageRange = z.infer<typeof UsageQuery>;
