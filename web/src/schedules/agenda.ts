import type { Todo } from '../todo-common/queries.ts';
import { dayAfter, dayAt } from '../usage/period.ts';

/* What is planned, by day. Instants are RFC 3339. */

/** Days that the agenda shows, from today on. */
export const agendaDays = 14;

/** The next times of a schedule that the service returns at most. */
const maxKnown = 5;

/** One planned time of a todo. */
export interface Planned {
  todo: Todo;
  at: string;
  /** Only the next time can be skipped or marked as done. */
  isNext: boolean;
  /** It is the last one that is known: others follow it. */
  hasMore: boolean;
}

/** The planned times of one day, the earliest first. */
export interface AgendaDay {
  day: string;
  planned: Planned[];
}

/** The todos with a schedule, by what is to be done about them. */
export interface Agenda {
  /** Whose schedule failed. */
  failed: Todo[];
  /** Which a person has paused. */
  paused: Todo[];
  /** The days with anything planned. */
  days: AgendaDay[];
  /** The first day after which the agenda is not complete; null when it is. */
  knownUntil: string | null;
  /** Active ones that are only due after the days of the agenda. */
  later: Todo[];
}

function plannedOf(todo: Todo): Planned[] {
  const { upcomingRuns, nextRunAt, scheduleType } = todo;
  const isCut = scheduleType === 'recurring' && upcomingRuns.length === maxKnown;
  return upcomingRuns.map((at, place) => ({
    todo,
    at,
    isNext: at === nextRunAt,
    hasMore: isCut && place === upcomingRuns.length - 1,
  }));
}

/** Whether a schedule was switched off by a person, and not by its failures. */
function isPaused({ scheduleStatus, scheduleError }: Todo): boolean {
  return scheduleStatus === 'disabled' && scheduleError === null;
}

/** The agenda of todos with a schedule, from the day of `now` (milliseconds since 1970) in a time zone on. */
export function agendaOf(todos: readonly Todo[], now: number, timeZone: string): Agenda {
  const today = dayAt(now, timeZone);
  const end = dayAfter(today, agendaDays);
  const dayOf = (at: string) => dayAt(Date.parse(at), timeZone);
  const planned = todos
    .flatMap(plannedOf)
    .filter(({ at }) => dayOf(at) < end)
    .sort((one, other) => Date.parse(one.at) - Date.parse(other.at));
  const days: AgendaDay[] = [];
  for (const each of planned) {
    const day = dayOf(each.at);
    const last = days.at(-1);
    if (last?.day === day) last.planned.push(each);
    else days.push({ day, planned: [each] });
  }
  return {
    failed: todos.filter(({ scheduleError }) => scheduleError !== null),
    paused: todos.filter(isPaused),
    days,
    knownUntil: days.find((each) => each.planned.some(({ hasMore }) => hasMore))?.day ?? null,
    later: todos.filter(({ nextRunAt }) => nextRunAt !== null && dayOf(nextRunAt) >= end),
  };
}

/** What a person can do about a failed schedule, and where. */
export function remedyOf({ id, scheduleError, latestRun }: Todo): { text: string; to: string } {
  const todo = `/todos/${id}`;
  switch (scheduleError?.code) {
    case 'agent_archived':
      return { text: 'Assign another agent', to: todo };
    case 'no_assignee':
      return { text: 'Assign somebody', to: todo };
    case 'insufficient_minutes':
      return { text: 'See the agent minutes', to: '/usage' };
    case 'run_failed':
    case 'already_running':
      return latestRun === null
        ? { text: 'Open the todo', to: todo }
        : { text: 'Open the chat of the run', to: `/chats/${latestRun.chatId}` };
    default:
      return { text: 'Open the todo', to: todo };
  }
}
