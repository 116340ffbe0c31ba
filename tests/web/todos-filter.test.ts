import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  cleared,
  curlOf,
  type Filter,
  filterIn,
  isNarrowed,
  listingOf,
  placeAt,
  searchOf,
} from '../../web/src/todos/filter.ts';

const test = suite('the filter of a list of todos');

const id = '019ca8a0-3e80-7602-8fae-580f5863abfb';
const today = '2026-11-23';

/** A filter without the names that say nothing. */
const given = (filter: Filter) => Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined));
const listingAt = (path: string) => {
  const { pathname, search } = new URL(path, 'http://tandem.example');
  return listingOf(placeAt(pathname, today), filterIn(search));
};

test('an address says what its filter is, and the filter gives the same address', () => {
  const searches = [
    '',
    '?status=active,done',
    '?status=ready&priority=urgent,high',
    `?todoListId=${id}&assigneeId=me,${id}`,
    `?labelId=${id}&query=bank`,
    '?unassigned=true&includeArchived=true&dueAfter=2026-01-01&dueBefore=2026-11-23',
    '?query=call+the+bank&sort=dueDate&order=asc&group=due',
    `?sort=priority&layout=board&peek=${id}`,
  ];
  for (const search of searches) assert.is(searchOf(filterIn(search)), search);
  assert.equal(given(filterIn('?priority=urgent,high&query=%20bank%20')), {
    priority: ['urgent', 'high'],
    query: 'bank',
  });
});

test('unknown names and values are dropped, and what is known beside them stays', () => {
  assert.equal(given(filterIn('?priority=urgent,loud&status=open&color=red')), { priority: ['urgent'] });
  const wrong = [
    '?sort=title&order=up&group=mood&layout=tree&peek=first',
    '?includeArchived=yes&unassigned=false&isSuggested=1',
    '?dueBefore=tomorrow&dueAfter=2026-13-01',
    `?todoListId=inbox&assigneeId=you&query=${'x'.repeat(201)}`,
    '?query=%20&priority=&status=,',
  ];
  for (const search of wrong) assert.equal(given(filterIn(search)), {}, search);
  assert.equal(given(filterIn('?priority=high,high,low')), { priority: ['high', 'low'] });
});

test('a place fixes its part of the filter, and the address the rest', () => {
  const newest = { sort: 'createdAt', order: 'desc' };
  assert.equal(listingAt('/todos'), { status: ['active'], ...newest });
  assert.equal(listingAt('/mine?status=done'), { status: ['done'], assigneeId: 'me', ...newest });
  assert.equal(listingAt(`/lists/${id}`), { status: ['active'], todoListId: id, ...newest });
  assert.equal(listingAt('/archive'), { includeArchived: true, ...newest });
  assert.equal(listingAt('/todos?includeArchived=true'), { includeArchived: true, ...newest });
  const due = { status: ['active'], assigneeId: 'me', dueBefore: today };
  assert.equal(listingAt('/today'), { ...due, sort: 'dueDate', order: 'asc' });
  assert.equal(listingAt('/today?sort=priority&dueBefore=2030-01-01'), { ...due, sort: 'priority', order: 'desc' });
  assert.equal(listingAt(`/todos?sort=dueDate&group=due&layout=board&peek=${id}`), {
    status: ['active'],
    sort: 'dueDate',
    order: 'asc',
  });
});

test('a cleared filter keeps the status, the order and the layout', () => {
  const shown = `sort=dueDate&group=due&layout=board&peek=${id}`;
  const filter = filterIn(`?status=done&priority=low&query=bank&${shown}&assigneeId=me`);
  assert.ok(isNarrowed(filter));
  assert.is(searchOf(cleared(filter)), `?status=done&${shown}`);
  assert.not(isNarrowed(cleared(filter)));
  assert.not(isNarrowed(filterIn('?status=done')));
});

test('the request for a shell has the filter, and nothing that a shell would read', () => {
  assert.is(
    curlOf('https://tandem.example', listingAt('/todos?priority=urgent,high')),
    `curl -fsS -H "Authorization: Bearer $TANDEM_API_KEY" "https://tandem.example/api/v1/todos?priority=urgent,high&status=active&sort=createdAt&order=desc"`,
  );
  const hostile = curlOf(
    'https://tandem.example',
    listingAt(`/todos?query=${encodeURIComponent('"; $(reboot) `x` \\')}`),
  );
  assert.not.match(hostile.slice(hostile.indexOf('?'), -1), /["$`\\ ;]/);
});

test.run();
