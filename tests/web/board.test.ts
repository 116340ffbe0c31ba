import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stepFrom } from '../../web/src/board/steps.ts';

const test = suite('the board');

test('arrow keys lead to the next card, and past columns without cards', () => {
  const cards = [['a', 'b', 'c'], [], ['d', 'e']];
  for (const [from, key, to] of [
    ['a', 'ArrowDown', 'b'],
    ['b', 'ArrowUp', 'a'],
    ['a', 'ArrowUp', undefined],
    ['c', 'ArrowDown', undefined],
    ['a', 'ArrowRight', 'd'],
    ['c', 'ArrowRight', 'e'],
    ['e', 'ArrowLeft', 'b'],
    ['a', 'ArrowLeft', undefined],
    ['d', 'ArrowRight', undefined],
    ['b', 'Home', 'a'],
    ['b', 'End', 'c'],
    ['b', 'x', undefined],
    ['gone', 'ArrowDown', undefined],
  ] as const)
    assert.is(stepFrom(cards, from, key), to, `${from} ${key}`);
});

test.run();
