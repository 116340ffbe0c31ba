import type { NewTodoInput, Token } from './parse.ts';

const day = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  year: 'numeric',
  timeZone: 'UTC',
});

/** An instant as the clocks of a zone show it, `Wed, Nov 25, 2026, 09:00`. */
export function timeLabel(instant: string, timeZone: string): string {
  const parts = { weekday: 'short', day: 'numeric', month: 'short', year: 'numeric' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  return new Intl.DateTimeFormat('en', { ...parts, ...clock, timeZone }).format(new Date(instant));
}

/** A day `YYYY-MM-DD` in words. */
function dayLabel(date: string): string {
  return day.format(new Date(`${date}T12:00:00Z`));
}

/** What a token means: its text, or the day and time that it stands for. */
export function labelOf(
  { kind, text }: Token,
  { dueDate, schedule, ...input }: NewTodoInput,
  timeZone: string,
): string {
  if (kind === 'date' && schedule?.runAt !== undefined) return timeLabel(schedule.runAt, timeZone);
  if (kind === 'date') return dueDate === undefined ? text : `Due ${dayLabel(dueDate)}`;
  if (kind === 'priority') return `Priority: ${input.priority}`;
  return kind === 'run' ? 'Starts the agent' : text;
}
