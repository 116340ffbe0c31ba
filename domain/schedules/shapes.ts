import { z } from 'zod';
import { days, type Weekday } from '../agents/hours-shapes.ts';
import { CalendarDate, CursorText, Id, Instant, InstantInput, Limit, listOf, TimeZone } from '../fields.ts';

const ScheduleError = z
  .object({
    object: z.literal('schedule_error'),
    code: z.enum([
      'insufficient_minutes',
      'agent_archived',
      'no_assignee',
      'already_running',
      'run_failed',
      'internal_error',
    ]),
    message: z.string(),
    occurredAt: Instant,
    consecutiveFailures: z.int(),
    willRetry: z.boolean(),
  })
  .meta({ id: 'ScheduleError' });

export const scheduleStatuses = ['pending', 'queued', 'disabled', 'error', 'completed'] as const;

/** The fields of `Todo` that come from its schedule. */
export const ScheduleFacts = z.object({
  scheduleError: ScheduleError.nullable(),
  rrule: z.string().nullable().describe('RFC 5545 recurrence rule.'),
  timezone: z.string().nullable().describe('IANA time zone of the rule.'),
  nextRunAt: Instant.nullable(),
  upcomingRuns: z.array(Instant).describe('The next times of its schedule, up to 5; the first is `nextRunAt`.'),
  lastRunAt: Instant.nullable(),
  scheduleType: z.enum(['one_off', 'recurring']).nullable(),
  scheduleStatus: z.enum(scheduleStatuses).nullable(),
  lastNotificationStatus: z.enum(['sent', 'failed', 'partial', 'suppressed']).nullable(),
  lastNotificationSentAt: Instant.nullable(),
});

export type ScheduleFacts = z.infer<typeof ScheduleFacts>;

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

/** Faults between the fields of a schedule. */
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

/** An instant that is written with a year of four digits in UTC as well. */
const PlannedInstant = InstantInput.refine((value) => {
  const year = new Date(value).getUTCFullYear();
  return year >= 1 && year <= 9999;
}, 'must lie between the years 1 and 9999 in UTC');

/** When a todo is due, once or repeatedly. Exactly one of `rrule`, `runAt` and `every`. */
export const ScheduleParams = z
  .strictObject({
    rrule: z
      .string()
      .min(1)
      .max(600)
      .optional()
      .describe('Form rrule: RFC 5545 rule without DTSTART, such as FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0.'),
    startAt: PlannedInstant.optional().describe('With rrule: no time before this one. Omitted: now.'),
    runAt: PlannedInstant.optional().describe(
      'Form runAt: once, at this time with offset, such as 2026-03-06T17:00:00+01:00.',
    ),
    every: z
      .enum(units)
      .optional()
      .describe('Form every: repeats each hour, day, weekday (Monday to Friday), week, month or year.'),
    interval: z.int().min(1).max(1000).optional().describe('With every: 2 is every second one. Omitted: 1.'),
    on: z.array(z.enum(days)).min(1).max(7).optional().describe('With every week or hour: only on these days.'),
    dayOfMonth: z
      .int()
      .min(-1)
      .max(31)
      .refine((day) => day !== 0, 'must be 1 to 31, or -1 for the last day')
      .optional()
      .describe('With every month: 1 to 31 (in shorter months their last day), or -1 for the last day.'),
    at: z
      .string()
      .regex(/^([01]\d|2[0-3]):[0-5]\d$/, 'must be a time of day, written HH:MM')
      .optional()
      .describe('With every: time of day, HH:MM. Omitted: the current time.'),
    until: CalendarDate.optional().describe('With every: last day, YYYY-MM-DD.'),
    count: z.int().min(1).max(10_000).optional().describe('With every: how many times.'),
    timezone: TimeZone.optional().describe('IANA time zone of the times. Omitted: that of the workspace.'),
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
    firedAt: Instant.nullable().describe(
      'When an agent was started or people were notified; null when neither happened.',
    ),
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
    status: z
      .enum(['done', 'skipped'])
      .describe('`done` completes this time, `skipped` leaves it out; the schedule continues.'),
  })
  .meta({ id: 'TodoOccurrenceUpdateParams' });

export const PlannedTimes = z
  .object({
    object: z.literal('planned_times'),
    todoId: Id,
    times: z.array(Instant).describe('Its planned times in the range, ascending; without those skipped or done ahead.'),
    isCut: z.boolean().describe('It has more times in the range than are listed.'),
  })
  .meta({ id: 'PlannedTimes' });

export const PlannedTimesPage = listOf(PlannedTimes, 'PlannedTimesPage');

export const PlannedTimesListing = z.strictObject({
  from: PlannedInstant.describe('The beginning of the range, inclusive.'),
  to: PlannedInstant.describe('Its end, exclusive: at most 62 days later.'),
  limit: Limit,
  cursor: CursorText,
});
