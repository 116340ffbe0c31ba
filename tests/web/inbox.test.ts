import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Notification } from '../../web/src/api/queries.ts';
import { type Item, newestFirst, withoutListed } from '../../web/src/inbox/items.ts';
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
