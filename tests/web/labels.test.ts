import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeOf, pressed, stateOf } from '../../web/src/labels/choices.ts';
import { fieldOf } from '../../web/src/outbox/merge.ts';
import { offersAt } from '../../web/src/quick-add/completion.ts';
import { parseLine } from '../../web/src/quick-add/parse.ts';
import type { Label } from '../../web/src/quick-add/queries.ts';

const test = suite('labels on the pages');

const at = '2026-03-01T09:00:00.000Z';
const label = (id: string, name: string): Label => ({
  object: 'label',
  id,
  name,
  color: 'gray',
  createdAt: at,
  updatedAt: at,
});
const labels = [label('h', 'Home'), label('w', 'Waiting'), label('wa', 'Waiting for Ada')];
const todoWith = (...ids: string[]) => ({
  labels: ids.map((id) => ({ object: 'todo_label' as const, id, name: id, color: 'gray' as const })),
});

const read = (text: string) => parseLine(text, { now: Date.now(), timeZone: 'UTC', lists: [], people: [], labels });

test('a label of the line is the longest name after *, ignoring case, each once', () => {
  const line = read('call *waiting FOR ada back *home *HOME');
  assert.equal([line.title, line.input.labelIds], ['call back', ['wa', 'h']]);
  assert.equal(
    line.tokens.map(({ kind, text }) => [kind, text]),
    [
      ['label', '*waiting FOR ada'],
      ['label', '*home'],
      ['label', '*HOME'],
    ],
  );
});

test('emphasis, a bullet, an unknown name, a product and what is quoted are text', () => {
  for (const text of ['paint the *home*', '* home', 'read *garden', '2*home', '"*home" sweet', '*homes']) {
    assert.equal([read(text).title, read(text).input.labelIds], [text, undefined], text);
  }
});

test('* offers the labels that begin so, then to create one of that word', () => {
  const names = { lists: [], people: [], labels };
  const offered = (text: string) => offersAt(text, text.length, names).map((offer) => offer.label);
  assert.equal(offered('call *wait'), ['*Waiting', '*Waiting for Ada', 'Create label “wait”']);
  assert.equal(offered('call *'), ['*Home', '*Waiting', '*Waiting for Ada']);
  assert.equal(offered('2*'), []);
});

test('a word that no label has is created by choosing so; what cannot be meant as a label is not offered', () => {
  const names = { lists: [], people: [], labels };
  const created = (text: string) => offersAt(text, text.length, names).flatMap(({ creates }) => creates ?? []);
  assert.equal(created('call *garden'), ['garden']);
  assert.equal(created('call *HOME'), [], 'it exists');
  assert.equal(created('call *garden tomorrow'), []);
  assert.equal(created('call *garden*'), []);
  assert.equal(created('2*garden'), []);
});

test('a press puts a label on all todos, or takes it off where all have it; the change says only what differs', () => {
  const todos = [todoWith('h', 'w'), todoWith('h')];
  const none = new Map<string, boolean>();
  assert.equal(
    labels.map(({ id }) => stateOf(id, todos, none)),
    ['all', 'some', 'none'],
  );
  const once = pressed('w', todos, pressed('h', todos, none));
  assert.equal(changeOf(labels, todos, once), {
    change: { addLabelIds: ['w'], removeLabelIds: ['h'] },
    outcome: 'labelled “Waiting” and no longer labelled “Home”',
  });
  const twice = pressed('h', todos, pressed('wa', todos, pressed('wa', todos, once)));
  assert.equal(changeOf(labels, todos, twice)?.change, { addLabelIds: ['w'] });
  assert.is(changeOf(labels, todos, none), null);
  assert.is(changeOf(labels, [todoWith('h')], new Map([['h', true]])), null);
});

test('labels are compared as a set with what another client left', () => {
  assert.equal(fieldOf(todoWith('w', 'h'), 'labelIds'), ['h', 'w']);
  assert.equal(fieldOf({ ...todoWith('w'), labelIds: ['h'] }, 'labelIds'), ['h']);
});

test.run();
