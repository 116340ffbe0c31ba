import { invalid } from '../errors.ts';
import { describe, describeOnce } from '../recurrence/describe.ts';
import { next, type Recurrence, upcoming } from '../recurrence/occurrences.ts';
import { parseRule, tidyRule } from '../recurrence/rule.ts';
import { isTooDense, minMinutesApart } from '../recurrence/spacing.ts';
import { ruleOf } from './every.ts';
import type { SchedulePreviewAnswer, ScheduleRequest } from './shapes.ts';

/**
 * When a todo is due: by a rule from `startsAt` on, or once, at `startsAt`. Instants are RFC 3339, UTC, milliseconds.
 */
export interface Timing {
  kind: 'one_off' | 'recurring';
  rrule: string | null;
  timezone: string;
  startsAt: string;
}

/** A schedule to store, with its first time. */
export interface Plan extends Timing {
  nextRunAt: string;
}

/** Next times that a schedule shows. */
const maxUpcoming = 5;

function instantText(at: number): string {
  return new Date(at).toISOString();
}

function recurrenceOf({ rrule, startsAt, timezone }: Timing): Recurrence {
  if (rrule === null) throw new Error('A recurring schedule has no rule');
  return { rule: parseRule(rrule), start: Date.parse(startsAt), timezone };
}

/** The next `count` times after the instant `after` (milliseconds since 1970), ascending. */
export function timesAfter(timing: Timing, after: number, count: number): string[] {
  if (timing.kind === 'one_off') return Date.parse(timing.startsAt) > after ? [timing.startsAt].slice(0, count) : [];
  return upcoming(recurrenceOf(timing), after, count).map(instantText);
}

/** The next times of a schedule, up to five; `nextRunAt` is the first. */
export function upcomingRuns(timing: Timing, nextRunAt: string | null): string[] {
  return nextRunAt === null ? [] : [nextRunAt, ...timesAfter(timing, Date.parse(nextRunAt), maxUpcoming - 1)];
}

/** The first time of a rule. @throws Failure 400 when its times are too close, or there is none. */
function requireTimes(recurrence: Recurrence, now: number, param: string, untilParam: string): number {
  if (isTooDense(recurrence)) {
    throw invalid(param, `Times must be at least ${minMinutesApart} minutes apart. Choose fewer of them.`);
  }
  const first = next(recurrence, now);
  if (first !== null) return first;
  const { rule } = recurrence;
  if (rule.until !== null && next({ ...recurrence, rule: { ...rule, until: null } }, now) !== null) {
    throw invalid(untilParam, 'The rule ends before its next time. Choose a later end, or leave it out.');
  }
  if (rule.count !== null && next({ ...recurrence, rule: { ...rule, count: null } }, now) !== null) {
    throw invalid(param, 'All times of this rule are past. Choose a later start, or more times.');
  }
  throw invalid(
    param,
    'This rule never fires: no date of the next hundred years fits all its parts. Change one of them.',
  );
}

/**
 * The plan of a request for a schedule. `timezoneOfWorkspace` applies where it names none; `at` is the path of the
 * schedule in the request. @throws Failure 400 with the `param` at fault.
 */
export function planOf(request: ScheduleRequest, timezoneOfWorkspace: string, now: Date, at = 'schedule'): Plan {
  const timezone = request.timezone ?? timezoneOfWorkspace;
  if (request.runAt !== undefined) {
    const runAt = new Date(request.runAt);
    if (runAt <= now) throw invalid(`${at}.runAt`, 'This time is past. Choose one in the future.');
    const startsAt = runAt.toISOString();
    return { kind: 'one_off', rrule: null, timezone, startsAt, nextRunAt: startsAt };
  }
  const param = `${at}.${request.rrule === undefined ? 'every' : 'rrule'}`;
  const rrule = request.rrule === undefined ? ruleOf(request, timezone, now.getTime()) : tidyRule(request.rrule, param);
  const start = request.startAt === undefined ? now : new Date(request.startAt);
  const recurrence = { rule: parseRule(rrule, param), start: start.getTime(), timezone };
  const first = requireTimes(recurrence, now.getTime(), param, request.rrule === undefined ? `${at}.until` : param);
  return { kind: 'recurring', rrule, timezone, startsAt: start.toISOString(), nextRunAt: instantText(first) };
}

/** The preview of a plan: its rule, in words, and its next times. */
export function previewOf(plan: Plan): SchedulePreviewAnswer {
  const { rrule, timezone, startsAt, nextRunAt } = plan;
  const description = rrule === null ? describeOnce(Date.parse(startsAt), timezone) : describe(recurrenceOf(plan));
  return {
    object: 'schedule_preview',
    rrule,
    timezone,
    description,
    upcomingRuns: upcomingRuns(plan, nextRunAt),
  };
}
