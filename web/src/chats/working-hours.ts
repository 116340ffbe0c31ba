import type { Agent } from '../todo-common/queries.ts';

type Hours = NonNullable<Agent['workingHours']>;

const week = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
const dayNames = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday'];

/** The next opening of working hours, in their zone, such as “tomorrow at 09:00”; null while they are open. */
export function nextOpening({ timezone, days, start, end }: Hours, now: Date): string | null {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const today = dayNames.indexOf(parts.weekday ?? '');
  const time = `${parts.hour}:${parts.minute}`;
  const opens = (inDays: number) => days.some((day) => day === week[(today + inDays) % week.length]);
  if (opens(0) && time >= start && time < end) return null;
  if (opens(0) && time < start) return `today at ${start}`;
  const inDays = [1, 2, 3, 4, 5, 6, 7].find(opens) ?? 1;
  return `${inDays === 1 ? 'tomorrow' : `on ${dayNames[(today + inDays) % week.length]}`} at ${start}`;
}

/** Why a turn has not begun, and when it will. */
export function queuedReason(agent: Agent | undefined, now: Date): string {
  const hours = agent?.workingHoursEnabled ? agent.workingHours : null;
  const opening = hours && nextOpening(hours, now);
  if (!agent || !hours || !opening) return 'The turn starts as soon as a worker of the service is free.';
  return `It is outside the working hours of ${agent.name}: the turn starts ${opening} (${hours.timezone}).`;
}
