import { z } from 'zod';
import { TimeZone } from '../fields.ts';

export const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof days)[number];

const workdays = days.slice(0, 5);

/** Working hours in an answer: `days` from Monday on, each once. */
export const WorkingHours = z
  .object({
    timezone: z.string().meta({ description: 'IANA time zone.', examples: ['Europe/Berlin'] }),
    days: z.array(z.enum(days)).meta({ examples: [workdays] }),
    start: z.string().meta({ description: 'HH:MM in the time zone.', examples: ['09:00'] }),
    end: z.string().meta({ description: 'HH:MM, on the same day; 24:00 is midnight.', examples: ['17:00'] }),
  })
  .meta({ id: 'WorkingHours' });

export type Hours = z.infer<typeof WorkingHours>;

/** Working hours in a request. */
export const WorkingHoursParams = z
  .strictObject({
    timezone: TimeZone.describe('IANA time zone.'),
    days: z.array(z.enum(days)).min(1).max(7).describe('Days of the week.'),
    start: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, written HH:MM')
      .describe('HH:MM in the time zone.'),
    end: z
      .string()
      .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day, written HH:MM, or 24:00')
      .describe('HH:MM, later on the same day; 24:00 is midnight.'),
  })
  .refine(({ start, end }) => start < end, {
    path: ['end'],
    error: 'must be later than start, on the same day. Use 24:00 to work until midnight',
  })
  .meta({
    id: 'WorkingHoursParams',
    examples: [{ timezone: 'Europe/Berlin', days: workdays, start: '09:00', end: '17:00' }],
  });

/** The hours as they are stored: every day once, in the order of the week. */
export function tidyHours(hours: Hours): Hours {
  const { timezone, start, end } = hours;
  return { timezone, days: days.filter((day) => hours.days.includes(day)), start, end };
}
