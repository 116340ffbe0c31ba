import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { placeAfterStep, placed, reversed } from '../../web/src/todo-common/order.ts';

const test = suite('the manual order on a page');
const rows = ['a', 'b', 'c', 'd'].map((id) => ({ id }));
const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id).join('');

test('a row goes directly after or before another, down and up', () => {
  assert.is(idsOf(placed(rows, 'a', { after: 'c' })), 'bcad');
  assert.is(idsOf(placed(rows, 'd', { before: 'b' })), 'adbc');
  assert.is(idsOf(placed(rows, 'b', { after: 'a' })), 'abcd');
});

test('rows that are not there change nothing', () => {
  assert.is(placed(rows, 'x', { after: 'a' }), rows);
  assert.is(placed(rows, 'a', { after: 'x' }), rows);
  assert.is(placed(rows, 'a', { after: 'a' }), rows);
});

test('a step leads past the next row, and not past the ends', () => {
  const ids = ['a', 'b', 'c'];
  assert.equal(placeAfterStep(ids, 'a', 1), { after: 'b' });
  assert.equal(placeAfterStep(ids, 'c', -1), { before: 'b' });
  assert.is(placeAfterStep(ids, 'c', 1), null);
  assert.is(placeAfterStep(ids, 'a', -1), null);
  assert.is(placeAfterStep(ids, 'x', 1), null);
});

test('in a list that is shown from its end, after is before', () => {
  assert.equal(reversed({ after: 'a' }), { before: 'a' });
  assert.equal(reversed({ before: 'a' }), { after: 'a' });
});

test.run();
