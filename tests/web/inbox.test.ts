import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notification } from '../../web/src/api/queries.ts';
import { broughtBack, type Item, newestFirst, snoozedOf, withoutListed } from '../../web/src/inbox/items.ts';
import type { Snooze } from '../../web/src/inbox/queries.ts';
import { namedTime, usualTimes } from '../../web/src/inbox/snooze-times.ts';
import { findDates } from '../../web/src/quick-add/dates.ts';
import { durationWords, minutesWords, runFilterIn, runListingOf, searchOfRuns } from '../../web/src/runs/filter.ts';

const test = suite('the inbox and the runs');

const each = (id: string, at: string) => ({ id, at });
const idsOf = (items: readonly { id: string }[]) => items.map(({ id }) => id).join('');

test('items of several kinds are listed newest first', () => {
  const sources = [
    { items: [each('a', '5'), each('b', '1')], isMore: false },
    { items: [each('c', '4'), each('d', '1')], isMore: false },
  ];
  assert.is(idsOf(newestFirst(sources)), 'acdb');
  assert.equal(newestFirst([]), []);
});

test('an item that may have unloaded ones before it is not listed yet', () => {
  const sources = [
    { items: [each('a', '9'), each('b', '1')], isMore: false },
    { items: [each('c', '8'), each('d', '5')], isMore: true },
    { items: [each('e', '6'), each('f', '4')], isMore: true },
  ];
  assert.is(idsOf(newestFirst(sources)), 'aced');
});

test('a notification about what is listed by itself is left out, unless it was read', () => {
  const notifications = [
    { id: 'a', kind: 'approval_requested', chatId: '1', isRead: false },
    { id: 'b', kind: 'approval_requested', chatId: '1', isRead: true },
    { id: 'c', kind: 'approval_requested', chatId: '3', isRead: false },
    { id: 'd', kind: 'run_failed', chatId: '2', isRead: false },
    { id: 'e', kind: 'todo_due', chatId: null, isRead: false },
  ] as unknown as Notification[];
  const items = [
    { kind: 'approval', approval: { approval: { chatId: '1' } } },
    { kind: 'run', run: { run: { chatId: '2' } } },
  ] as unknown as Item[];
  assert.is(idsOf(withoutListed(notifications, items)), 'bce');
  assert.is(idsOf(withoutListed(notifications, [])), 'abcde');
});

test('what was put off is first once it is back, and listed by itself before', () => {
  const approval = (id: string, at: string, isPending = true) =>
    ({ id, at, kind: 'approval', approval: { isPending } }) as unknown as Item;
  const items = [approval('c', '2026-03-03'), approval('b', '2026-03-02'), approval('a', '2026-03-01')];
  assert.is(idsOf(broughtBack(items, new Map([['a', '2026-03-04']]))), 'acb');
  assert.is(idsOf(broughtBack(items, new Map([['a', '2026-02-01']]))), 'cba');
  const ahead = new Map(['d', 'a', 'x', 'n'].map((id) => [id, { id: `s${id}`, subjectId: id } as Snooze]));
  const listed = [{ id: 'n', title: 'News' }] as unknown as Notification[];
  const rows = snoozedOf(ahead, [...items, approval('x', '2026-03-01', false)], listed, (item) => `Ask ${item.id}`);
  assert.equal(
    rows.map(({ snooze, name }) => [snooze.id, name]),
    [
      ['sa', 'Ask a'],
      ['sn', 'News'],
    ],
  );
});

const zone = 'Europe/Berlin';
const named = (text: string, now: string) => {
  const time = namedTime(findDates(text, Date.parse(now), zone)[0], Date.parse(now), zone);
  return time && [new Date(time.at).toISOString(), time.name];
};

test('the usual times to put something off are those of the clocks of the person', () => {
  const times = (now: string) =>
    usualTimes(Date.parse(now), zone).map(({ at, name }) => `${new Date(at).toISOString()} ${name}`);
  assert.equal(times('2026-03-26T09:00:30Z'), [
    '2026-03-26T12:01:00.000Z In 3 hours: Thursday, March 26, 13:01',
    '2026-03-26T17:00:00.000Z This evening: Thursday, March 26, 18:00',
    '2026-03-27T08:00:00.000Z Tomorrow: Friday, March 27, 09:00',
    // The clocks change on the day before.
    '2026-03-30T07:00:00.000Z Next week: Monday, March 30, 09:00',
    '2026-04-25T07:00:00.000Z In 30 days: Saturday, April 25, 09:00',
  ]);
  const sunday = times('2026-03-29T20:00:00Z').join('\n');
  assert.not.match(sunday, /This evening|Next week/);
  assert.match(times('2026-03-30T05:00:00Z').join('\n'), /Next week: Monday, April 6, 09:00/);
});

test('a time in words is the next one: of a day its morning, of a time today or tomorrow', () => {
  const now = '2026-03-26T09:00:00Z';
  assert.equal(named('fri', now), ['2026-03-27T08:00:00.000Z', 'Friday, March 27, 09:00']);
  assert.equal(named('tomorrow 14:00', now), ['2026-03-27T13:00:00.000Z', 'Friday, March 27, 14:00']);
  assert.equal(named('at 8am', now), ['2026-03-27T07:00:00.000Z', 'Friday, March 27, 08:00']);
  assert.equal(named('at 11am', now), ['2026-03-26T10:00:00.000Z', 'Thursday, March 26, 11:00']);
  assert.equal(named('in 2 hours', now), ['2026-03-26T11:00:00.000Z', 'Thursday, March 26, 12:00']);
  assert.is(named('today 8am', now), undefined);
  assert.is(named('soon', now), undefined);
});

test('the filter of runs is its address, under the names of REST, and drops what it does not know', () => {
  const agentId = '01900000-0000-7000-8000-000000000000';
  const search = `?status=failed,timed_out&agentId=${agentId}&trigger=manual&since=2026-03-01`;
  assert.is(searchOfRuns(runFilterIn(search)), search);
  assert.equal(runFilterIn('?status=odd&agentId=1&trigger=&since=yesterday&more=1'), {});
  assert.is(searchOfRuns({ status: [], agentId: '', since: '' }), '');
  assert.equal(runListingOf({}), { status: ['completed', 'failed', 'timed_out', 'cancelled'] });
  assert.is(runListingOf({ since: '2026-03-01T00:00:00Z' }).since, '2026-03-01T00:00:00.000Z');
  assert.is(runListingOf({ since: '2026-03-01' }).since, new Date('2026-03-01T00:00:00').toISOString());
});

test('durations and minutes are words', () => {
  const start = '2026-03-01T09:00:00Z';
  const after = (seconds: number) => durationWords(start, Date.parse(start) + seconds * 1000);
  assert.equal([-5, 59, 60, 3599, 3600, 5460].map(after), [
    'less than a minute',
    'less than a minute',
    '1 min',
    '59 min',
    '1 h',
    '1 h 31 min',
  ]);
  assert.equal([0, 1, 1.04, 2.25].map(minutesWords), [
    '0 agent minutes',
    '1 agent minute',
    '1 agent minute',
    '2.3 agent minutes',
  ]);
});

test.run();
