import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  faultOf,
  type Hours,
  hoursInWords,
  isOpenAt,
  minutesOf,
  shareOf,
  standardHours,
  withDay,
  withRange,
} from '../../web/src/agents/hours.ts';
import type { Agent } from '../../web/src/agents/merge.ts';
import { firstLineOf, type OpenChat, stateOf } from '../../web/src/agents/state.ts';

const test = suite('the working hours and the state of agents');

const hours: Hours = { timezone: 'Europe/Berlin', days: ['mon', 'wed'], start: '09:30', end: '24:00' };

test('an hour of a day is within the hours as a whole, in part or not', () => {
  assert.is(shareOf(hours, 'mon', 9), 'some');
  assert.is(shareOf(hours, 'mon', 10), 'all');
  assert.is(shareOf(hours, 'mon', 23), 'all');
  assert.is(shareOf(hours, 'mon', 8), 'none');
  assert.is(shareOf(hours, 'tue', 10), 'none');
  assert.is(shareOf({ ...hours, start: '09:10', end: '09:20' }, 'wed', 9), 'some');
  assert.is(shareOf({ ...hours, start: '09:00', end: '10:00' }, 'wed', 10), 'none');
});

test('days are switched in the order of the week, and a range has whole hours in either direction', () => {
  assert.equal(withDay(hours, 'tue').days, ['mon', 'tue', 'wed']);
  assert.equal(withDay(hours, 'wed').days, ['mon']);
  assert.equal(withDay(hours, 'mon', true).days, ['mon', 'wed']);
  const range = ({ start, end }: Hours) => [start, end];
  assert.equal(range(withRange(hours, 8, 16)), ['08:00', '17:00']);
  assert.equal(range(withRange(hours, 23, 20)), ['20:00', '24:00']);
  assert.equal(range(withRange(hours, 0, 0)), ['00:00', '01:00']);
});

test('hours without days, without times or with an end before the start have a fault', () => {
  assert.is(faultOf(hours), null);
  assert.match(faultOf({ ...hours, days: [] }) ?? '', /at least one day/);
  assert.match(faultOf({ ...hours, start: '' }) ?? '', /Enter when/);
  assert.match(faultOf({ ...hours, start: '17:00', end: '09:00' }) ?? '', /later than the start/);
  assert.match(faultOf({ ...hours, start: '09:00', end: '09:00' }) ?? '', /later than the start/);
  assert.is(minutesOf('24:00'), 1440);
});

test('hours are said in words', () => {
  assert.is(hoursInWords(standardHours('Asia/Ho_Chi_Minh')), 'Monday to Friday, 09:00–17:00 (Asia/Ho Chi Minh)');
  assert.is(hoursInWords(hours), 'Monday, Wednesday, 09:30–24:00 (Europe/Berlin)');
  const days = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
  assert.match(hoursInWords({ ...hours, days: [...days] }), /^Every day, /);
  assert.match(hoursInWords({ ...hours, days: ['sat', 'sun'] }), /^Saturday, Sunday, /);
});

test('an instant is within the hours by the clocks of their zone, also where they change', () => {
  const at = (instant: string) =>
    isOpenAt({ ...hours, days: ['sun'], start: '02:00', end: '04:00' }, Date.parse(instant));
  // Sunday, 25 October 2026: the clocks in Berlin go from 03:00 back to 02:00, so 02:30 is there twice.
  assert.equal(
    ['2026-10-24T23:59:00Z', '2026-10-25T00:00:00Z', '2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'].map(at),
    [false, true, true, true],
  );
  assert.equal([at('2026-10-25T02:59:00Z'), at('2026-10-25T03:00:00Z')], [true, false]);
  const monday = Date.parse('2026-11-23T22:59:00Z');
  assert.equal([isOpenAt(hours, monday), isOpenAt(hours, monday + 60_000)], [true, false]);
});

const agent = {
  id: 'scout',
  isArchived: false,
  isDefault: false,
  workingHoursEnabled: true,
  workingHours: { timezone: 'UTC', days: ['mon'], start: '09:00', end: '17:00' },
} as unknown as Agent;
const [open, closed] = [Date.parse('2026-11-23T12:00:00Z'), Date.parse('2026-11-24T12:00:00Z')];
const chat = (id: string, status: OpenChat['status'], agentId: string | null = 'scout') => ({ id, status, agentId });

test('what needs a person comes first, then work, then the hours', () => {
  const kind = (chats: OpenChat[], now = open, of = agent) => stateOf(of, chats, now).kind;
  assert.is(kind([]), 'idle');
  assert.is(kind([], closed), 'off-hours');
  assert.is(kind([], closed, { ...agent, workingHoursEnabled: false }), 'idle');
  assert.is(kind([chat('a', 'queued')], closed), 'queued');
  assert.is(kind([chat('a', 'queued'), chat('b', 'running')], closed), 'working');
  assert.is(kind([chat('b', 'running'), chat('c', 'awaiting_input')]), 'needs-you');
  assert.is(kind([chat('b', 'running')], open, { ...agent, isArchived: true }), 'archived');
});

test('a chat that names no agent is of the default one', () => {
  const chats = [chat('a', 'running', null), chat('b', 'running', 'other')];
  assert.is(stateOf(agent, chats, open).kind, 'idle');
  assert.equal(stateOf({ ...agent, isDefault: true }, chats, open), {
    kind: 'working',
    text: 'At work',
    tone: 'good',
    chatId: 'a',
  });
  assert.is(stateOf(agent, [chat('a', 'running'), chat('b', 'running')], open).text, 'At work (2)');
});

test('the first line with anything stands for a text', () => {
  assert.is(firstLineOf('\n  \n  Name your sources. \nMore'), 'Name your sources.');
  assert.is(firstLineOf(' \n'), null);
  assert.is(firstLineOf(null), null);
});

test.run();
