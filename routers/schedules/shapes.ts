import { z } from 'zod';
import { TimeZone } from '../accounts/shapes.ts';
import { days, type Weekday } from '../agents/hours-shapes.ts';
import { CalendarDate, CursorText, Id, Instant, InstantInput, Limit, listOf } from '../fields.ts';

const units = ['hour', 'day', 'weekday', 'week', 'month', 'year'] as const;
type Unit = (typeof units)[number];

const forms = ['rrule', 'runAt', 'every'] as const;

/** Which fields go with which form. */
const companions: Record<(typeof forms)[number], readonly string[]> = {
  rrule: ['timezone', 'startAt'],
  runAt: ['timezone'],
  every: ['timezone', 'interval', 'on', 'dayOfMonth', 'at', 'until', 'count'],
};

/** Which units of `every` a field goes with. */
const fitting: Record<string, readonly Unit[]> = {
  interval: ['hour', 'day', 'week', 'month', 'year'],
  on: ['hour', 'week'],
  dayOfMonth: ['month'],
  at: ['day', 'weekday', 'week', 'month', 'year'],
};

interface Fault {
  path: (string | number)[];
  message: string;
}

interface Given {
  every?: Unit | undefined;
  on?: Weekday[] | undefined;
  until?: string | undefined;
  count?: number | undefined;
}

/** What the fields of a schedule say about each other. */
function faultsOf(given: Given & Record<string, unknown>): Fault[] {
  const has = (name: string) => given[name] !== undefined;
  const [form, second] = forms.filter(has);
  if (!form) return [{ path: [], message: 'must have one of rrule, runAt and every' }];
  if (second) return [{ path: [second], message: `does not go with ${form}: give one of rrule, runAt and every` }];
  const faults: Fault[] = Object.keys(given)
    .filter((name) => has(name) && name !== form && !companions[form].includes(name))
    .map((name) => ({ path: [name], message: `does not go with ${form}` }));
  for (const [name, fits] of Object.entries(fitting)) {
    if (!has(name) || given.every === undefined || fits.includes(given.every)) continue;
    faults.push({ path: [name], message: `does not go with every ${given.every}, only with ${fits.join(', ')}` });
  }
  for (const [place, day] of (given.on ?? []).entries()) {
    if (given.on?.indexOf(day) !== place) faults.push({ path: ['on', place], message: `names ${day} a second time` });
  }
  if (has('until') && has('count'))
    faults.push({ path: ['count'], message: 'does not go with until: give one of them' });
  return faults;
}

/** When a todo shall be due again and again, or once. Exactly one of `rrule`, `runAt` and `every`. */
export const ScheduleParams = z
  .strictObject({
    rrule: z.string().min(1).max(600).optional().describe('RFC 5545 rule, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9.'),
    startAt: InstantInput.optional().describe('With rrule: where it starts. Omitted: now.'),
    runAt: InstantInput.optional().describe('Once, at this time.'),
    every: z.enum(units).optional().describe('In words instead of a rule.'),
    interval: z.int().min(1).max(1000).optional().describe('Every so many.'),
    on: z.array(z.enum(days)).min(1).max(7).optional().describe('Days of every week or hour.'),
    dayOfMonth: z
      .int()
      .min(-1)
      .max(31)
      .refine((day) => day !== 0, 'must be 1 to 31, or -1 for the last day')
      .optional()
      .describe('1 to 31 (the last day where a month is shorter), or -1.'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, written HH:MM')
      .optional()
      .describe('HH:MM. Omitted: as now.'),
    until: CalendarDate.optional().describe('Last day.'),
    count: z.int().min(1).max(10_000).optional().describe('How many times.'),
    timezone: TimeZone.optional().describe('IANA. Omitted: that of the workspace.'),
  })
  .superRefine((given, ctx) => {
    for (const fault of faultsOf(given)) ctx.addIssue({ code: 'custom', ...fault });
  })
  .meta({ id: 'ScheduleParams', examples: [{ every: 'weekday', at: '09:00', timezone: 'Europe/Berlin' }] });

export type ScheduleRequest = z.infer<typeof ScheduleParams>;

export const SchedulePreview = z
  .object({
    object: z.literal('schedule_preview'),
    rrule: z
      .string()
      .nullable()
      .meta({
        description: 'Null for a single time.',
        examples: ['FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=0'],
      }),
    timezone: z.string().meta({ examples: ['Europe/Berlin'] }),
    description: z.string().meta({ examples: ['Every weekday at 09:00 (Europe/Berlin)'] }),
    upcomingRuns: z.array(Instant).describe('The next times, up to 5.'),
  })
  .meta({ id: 'SchedulePreview' });

export type SchedulePreviewAnswer = z.infer<typeof SchedulePreview>;

export const Occurrence = z
  .object({
    object: z.literal('todo_occurrence'),
    id: Id,
    todoId: Id,
    plannedAt: Instant,
    firedAt: Instant.nullable().describe('When an agent was started or people were told; null when neither happened.'),
    status: z.enum(['upcoming', 'fired', 'done', 'skipped', 'missed']).meta({
      description: '`missed`: its time passed while the service was down, or the agent could not start.',
      examples: ['fired'],
    }),
    runId: Id.nullable().describe('The agent run that it started.'),
  })
  .meta({ id: 'TodoOccurrence' });

export type OccurrenceAnswer = z.infer<typeof Occurrence>;

export const OccurrencePage = listOf(Occurrence, 'TodoOccurrencePage');

export const OccurrenceListing = z.strictObject({ todoId: Id, limit: Limit, cursor: CursorText });

export const OccurrenceUpdate = z
  .strictObject({
    todoId: Id,
    occurrenceId: Id,
    status: z.enum(['done', 'skipped']).describe('`done` ticks it off, `skipped` leaves it out; the rule goes on.'),
  })
  .meta({ id: 'TodoOccurrenceUpdateParams' });
