import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { narrowChange, noteChange, takeChange } from '../../web/src/edits/undo-stack.ts';
import type { Write } from '../../web/src/outbox/write.ts';

const test = suite('changes that can be undone');

const change = (...ids: string[]) => ids.map((id) => ({ id }) as Write);

test('the last twenty changes are taken back, the latest first, each once', () => {
  const all = Array.from({ length: 25 }, (_, place) => change(`${place}`));
  for (const each of all) noteChange('ada', each);
  const taken = Array.from({ length: 22 }, () => takeChange('ada')[0]?.id);
  assert.equal(taken, [...Array.from({ length: 20 }, (_, place) => String(24 - place)), undefined, undefined]);
});

test('of a change that was stored in part, that part is taken back, and none of one that was refused', () => {
  const [first, second] = [change('1', '2'), change('3')];
  noteChange('ada', first);
  noteChange('ada', second);
  const part = first.slice(1);
  assert.is(narrowChange(first, part), part);
  assert.equal(narrowChange(second, []), []);
  assert.is(takeChange('ada'), part);
  assert.equal(takeChange('ada'), []);
  assert.equal(narrowChange(first, part), [], 'it was undone meanwhile');
});

test('a change can be named, and those of another person or workspace are never taken', () => {
  const [first, second] = [change('1'), change('2')];
  noteChange('ada', first);
  noteChange('ada', second);
  assert.is(takeChange('ada', first), first);
  assert.equal(takeChange('bob'), []);
  noteChange('bob', change('3'));
  assert.equal(takeChange('ada'), []);
  assert.is(takeChange('bob')[0]?.id, '3');
});

test.run();
