import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { listingOf } from '../../web/src/todos/filter.ts';
import { addressOf, filterAt, filterOfView, fixedOf, isSameFilter, queryOf } from '../../web/src/todos/saved-filter.ts';

const test = suite('saved views on the pages');

const id = '019ca8a0-3e80-7602-8fae-580f5863abfb';
const query = { priority: ['urgent' as const, 'high' as const], labelId: id, sort: 'dueDate' as const, hasRun: true };
const saved = filterOfView({ query });

test('the page of a view has its filter, and reads what it has no control for', () => {
  const filter = filterAt('', saved);
  assert.equal(filterAt(`?peek=${id}`, saved), { ...filter, peek: id });
  const place = { name: 'view' as const, viewId: id, fixed: fixedOf({ query }) };
  assert.equal(listingOf(place, filter), {
    hasRun: true,
    priority: ['urgent', 'high'],
    labelId: [id],
    status: ['active'],
    sort: 'dueDate',
    order: 'asc',
  });
  assert.equal(queryOf(place, filter), { hasRun: true, priority: ['urgent', 'high'], labelId: [id], sort: 'dueDate' });
});

test('another filter is in the address as a whole, and the saved one in any form is that of the view', () => {
  assert.is(addressOf({ ...saved, priority: ['high', 'urgent'] }, saved), '');
  assert.is(addressOf({ ...saved, peek: id }, saved), `?peek=${id}`);
  const other = { ...saved, priority: undefined };
  const address = addressOf(other, saved);
  assert.is(address, `?labelId=${id}&sort=dueDate`);
  assert.ok(isSameFilter(filterAt(address, saved), other));
  assert.is(addressOf({}, saved), '?status=active', 'nothing at all would be the filter of the view');
  assert.is(addressOf({}, {}), '');
});

test('a list is saved with what its place means; today is not, because it moves', () => {
  const filter = { priority: ['low' as const], peek: id, layout: 'board' as const };
  assert.equal(queryOf({ name: 'todos' }, filter), { priority: ['low'], layout: 'board' });
  assert.equal(queryOf({ name: 'mine' }, filter), { priority: ['low'], layout: 'board', assigneeId: ['me'] });
  assert.equal(queryOf({ name: 'list', todoListId: id }, {}), { todoListId: [id] });
  assert.equal(queryOf({ name: 'archive' }, {}), { includeArchived: true });
  assert.is(queryOf({ name: 'today', today: '2026-11-23' }, filter), undefined);
});

test.run();
