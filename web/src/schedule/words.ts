import type { Schedule } from '../quick-add/every.ts';
import { timeLabel } from '../quick-add/labels.ts';

/* A schedule in words without asking the service, for where two of them are compared. */

type Given = Partial<Record<keyof Schedule, unknown>>;

const endings = [
  ['on', 'on'],
  ['dayOfMonth', 'on day'],
  ['at', 'at'],
  ['until', 'until'],
] as const;

function everyInWords({ every, interval = 1, count, ...given }: Given): string {
  const unit = interval === 1 ? `every ${every}` : `every ${interval} ${every}s`;
  const parts = endings.flatMap(([name, word]) => (given[name] === undefined ? [] : [`${word} ${given[name]}`]));
  return [unit, ...parts, ...(count === undefined ? [] : [`${count} times`])].join(' ');
}

/** A request for a schedule, or what a todo has of one: `every 2 weeks on mon at 09:00 (Europe/Berlin)`. */
export function scheduleInWords(schedule: Given): string {
  const { rrule, runAt, every } = schedule;
  const timezone = typeof schedule.timezone === 'string' ? schedule.timezone : 'UTC';
  if (typeof runAt === 'string') return `once, on ${timeLabel(runAt, timezone)} (${timezone})`;
  if (typeof rrule === 'string') return `${rrule} (${timezone})`;
  return every === undefined ? 'once, in the past' : `${everyInWords(schedule)} (${timezone})`;
}
