import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { useDraft } from '../../web/src/agents/draft.ts';
import { useLineDraft } from '../../web/src/quick-add/draft.ts';
import { storeDraft, storedDraft, useStoredText } from '../../web/src/session/stored-drafts.ts';
import { useTextDraft } from '../../web/src/todo/text-draft.ts';
import type { Todo } from '../../web/src/todo-common/queries.ts';

/* Drafts of forms that have left the page: what they began ends later, and React runs no updater of theirs. */

const test = suite('drafts of forms that are gone');

const storage = new Map<string, string>();
const realStorage = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
const sessionStorage = {
  getItem: (key: string) => storage.get(key) ?? null,
  setItem: (key: string, value: string) => void storage.set(key, value),
  removeItem: (key: string) => void storage.delete(key),
};
test.before(() => {
  Object.defineProperty(globalThis, 'sessionStorage', { value: sessionStorage, configurable: true });
});
test.before.each(() => storage.clear());
test.after(() => {
  if (realStorage) Object.defineProperty(globalThis, 'sessionStorage', realStorage);
});

/** What a hook returned to a form that is not on the page. */
function gone<Returned>(use: () => Returned): Returned {
  const returned: Returned[] = [];
  const Form = () => {
    returned.push(use());
    return null;
  };
  renderToStaticMarkup(createElement(Form));
  const [first] = returned;
  if (first === undefined) throw new Error('The hook returned nothing.');
  return first;
}

const lineIn = () => storedDraft<{ text: string; pasted: string }>('quickAdd.w');

test('a line that was sent is no draft any more', () => {
  storeDraft('quickAdd.w', { text: 'Book a train @Assistant /run' });
  const { draft, change } = gone(() => useLineDraft('w'));
  change((now) => (now.text === draft.text ? { text: '' } : {}));
  assert.is(lineIn(), undefined);
});

test('the line that another form has meanwhile stays', () => {
  storeDraft('quickAdd.w', { text: 'Book a train' });
  const { draft, change } = gone(() => useLineDraft('w'));
  storeDraft('quickAdd.w', { text: 'Water the ferns' });
  change((now) => (now.text === draft.text ? { text: '' } : {}));
  assert.is(lineIn()?.text, 'Water the ferns');
});

test('of pasted lines those are offered that were not added, and none that were cancelled', () => {
  storeDraft('quickAdd.w', { pasted: 'one\ntwo\nthree' });
  const { change } = gone(() => useLineDraft('w'));
  const write = (lines: string, before: string) => change((now) => (now.pasted === before ? { pasted: lines } : {}));
  write('two\nthree', 'one\ntwo\nthree');
  assert.is(lineIn()?.pasted, 'two\nthree');
  write('', 'two\nthree');
  assert.is(lineIn(), undefined);
  write('three', 'two\nthree');
  assert.is(lineIn(), undefined);
});

test('the id that a line was sent with outlives the form, so that it makes one todo', () => {
  storeDraft('quickAdd.w', { text: 'Book a train' });
  gone(() => useLineDraft('w')).change({ made: { text: 'Book a train', id: 'one' } });
  assert.is(gone(() => useLineDraft('w')).draft.made.id, 'one');
});

test('a text of a todo or of an agent that was saved is no draft any more', () => {
  const todo = { title: 'Fern', content: null } as Todo;
  gone(() => useTextDraft('t', 'title')).write('Ferns', todo);
  assert.is(storedDraft<{ text: string }>('todo.t.title')?.text, 'Ferns');
  gone(() => useTextDraft('t', 'title')).saved('Ferns');
  assert.is(storedDraft('todo.t.title'), undefined);

  gone(() => useDraft<string>('skill.s.name')).write('Digest', 'Summary');
  assert.is(storedDraft<{ value: string }>('skill.s.name')?.value, 'Digest');
  gone(() => useDraft<string>('skill.s.name')).saved('Digest');
  assert.is(storedDraft('skill.s.name'), undefined);
});

test('a message that was sent is no draft any more, and a newer one stays', () => {
  storeDraft('chats.w.new', 'What is due?');
  const [text, write] = gone(() => useStoredText('chats.w.new'));
  storeDraft('chats.w.new', 'What is late?');
  write('', text);
  assert.is(storedDraft('chats.w.new'), 'What is late?');
  write('', 'What is late?');
  assert.is(storedDraft('chats.w.new'), undefined);
});

test.run();
