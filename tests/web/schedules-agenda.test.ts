import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { agendaOf, remedyOf } from '../../web/src/schedules/agenda.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';

const test = suite('the agenda of schedules');

const now = Date.parse('2026-11-23T12:00:00Z');

/** A todo of this name with these next times. */
function todoOf(title: string, upcomingRuns: string[], more: object = {}): Todo {
  return {
    id: title,
    title,
    upcomingRuns,
    nextRunAt: upcomingRuns[0] ?? null,
    scheduleType: 'recurring',
    scheduleStatus: 'pending',
    scheduleError: null,
    latestRun: null,
    ...more,
  } as unknown as Todo;
}

const at = (day: number, time = '09:00') => `2026-11-${day}T${time}:00.000Z`;
const errorOf = (code: string) => ({ scheduleError: { code, message: 'It failed.' } });

test('planned times are in days, the earliest first, and only the next of a todo can be settled', () => {
  const todos = [todoOf('daily', [at(24), at(25)]), todoOf('early', [at(25, '06:00')])];
  const { days } = agendaOf(todos, now, 'UTC');
  assert.equal(
    days.map(({ day, planned }) => [day, planned.map(({ todo, isNext }) => [todo.id, isNext])]),
    [
      ['2026-11-24', [['daily', true]]],
      [
        '2026-11-25',
        [
          ['early', true],
          ['daily', false],
        ],
      ],
    ],
  );
});

test('days are those of the time zone, and the agenda ends after fourteen of them', () => {
  const late = todoOf('late', [at(23, '23:30')]);
  assert.is(agendaOf([late], now, 'Europe/Berlin').days[0]?.day, '2026-11-24');
  const [last, after] = ['2026-12-06T23:59:00.000Z', '2026-12-07T00:00:00.000Z'];
  const { days, later } = agendaOf([todoOf('in', [last]), todoOf('out', [after])], now, 'UTC');
  assert.equal([days.length, days[0]?.day, later.map(({ id }) => id)], [1, '2026-12-06', ['out']]);
});

test('the last time that is known of a todo that continues has a mark that others follow', () => {
  const times = [24, 25, 26, 27, 28].map((day) => at(day));
  const more = (todo: Todo) => agendaOf([todo], now, 'UTC').days.map(({ planned }) => planned[0]?.hasMore);
  assert.equal(more(todoOf('daily', times)), [false, false, false, false, true]);
  const until = (...todos: Todo[]) => agendaOf(todos, now, 'UTC').knownUntil;
  assert.is(until(todoOf('daily', times), todoOf('other', [at(29)])), '2026-11-28');
  assert.is(until(todoOf('few', times.slice(0, 4))), null);
  assert.equal(more(todoOf('few', times.slice(0, 4))), [false, false, false, false]);
  assert.equal(more(todoOf('once', times.slice(0, 1), { scheduleType: 'one_off' })), [false]);
});

test('what failed and what a person paused are apart', () => {
  const failed = todoOf('failed', [at(24)], { scheduleStatus: 'error', ...errorOf('no_assignee') });
  const stopped = todoOf('stopped', [], { scheduleStatus: 'disabled', ...errorOf('run_failed') });
  const paused = todoOf('paused', [], { scheduleStatus: 'disabled' });
  const agenda = agendaOf([failed, stopped, paused], now, 'UTC');
  const ids = (todos: readonly Todo[]) => todos.map(({ id }) => id);
  assert.equal([ids(agenda.failed), ids(agenda.paused)], [['failed', 'stopped'], ['paused']]);
  assert.is(agenda.days.length, 1, 'a schedule that goes on after a failure stays planned');
});

test('each failure leads to its remedy', () => {
  const leadsTo = (code: string, more: object = {}) => remedyOf(todoOf('t', [], { ...errorOf(code), ...more })).to;
  assert.is(leadsTo('agent_archived'), '/todos/t');
  assert.is(leadsTo('no_assignee'), '/todos/t');
  assert.is(leadsTo('insufficient_minutes'), '/usage');
  assert.is(leadsTo('run_failed', { latestRun: { chatId: 'c' } }), '/chats/c');
  assert.is(leadsTo('run_failed'), '/todos/t');
  assert.is(leadsTo('internal_error'), '/todos/t');
});

test.run();
