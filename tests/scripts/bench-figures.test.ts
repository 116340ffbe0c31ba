import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  fine,
  median,
  notMeasured,
  quantile,
  quotient,
  range,
  tenths,
  times,
  whole,
} from '../../bench/harness/figures.ts';

const test = suite('figures of the bench');

test('are printed with their decimals', () => {
  assert.equal([whole(1234.5), tenths(0.25), fine(0.755), times(1, 2.25)], ['1,235', '0.3', '0.76', '1.0 / 2.3']);
  assert.is(whole(-0), '0');
  assert.equal([tenths(-0.04), tenths(-0.3), fine(-0.004)], ['0.0', '-0.3', '0.00']);
});

test('of a window in which nothing was measured are printed as such', () => {
  const none = [quotient(0, 0), quotient(0, 0.1), quotient(3, 0), median([]), quantile([], 0.5), Math.max(...[])];
  for (const value of none)
    for (const print of [whole, tenths, fine]) assert.is(print(value), notMeasured, `${print.name} of ${value}`);
  assert.is(times(Number.NaN, Number.NaN), notMeasured);
  assert.is(range([]), notMeasured);
});

test('are taken over the rounds in which something was measured', () => {
  assert.is(median([3, Number.NaN, 1, 2]), 2);
  assert.is(median([1, 2]), 1.5);
  assert.is(range([Number.NaN, 0.5, 1.25]), '0.50–1.25');
  assert.is(quantile([4, 1, 3, 2], 0.5), 3);
});

test.run();
