import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Identity } from '../../web/src/api/queries.ts';
import type { Draft, Sent } from '../../web/src/outbox/draft.ts';
import type { Outcome } from '../../web/src/outbox/write.ts';
import { createTodo } from '../../web/src/shell/create-todo.ts';
import type { TodoList } from '../../web/src/todo-common/queries.ts';

const test = suite('a todo that the palette makes');

const identity = { user: { id: 'ada', name: 'Ada' }, workspace: { id: 'one' } } as Identity;
const lists = [{ id: 'inbox', name: 'Inbox', isDefault: true }] as TodoList[];

/** Makes one whose write comes to `outcome`, and what is said of it. */
async function made(outcome: Outcome): Promise<{ drafts: Draft[]; words: string | null }> {
  const drafts: Draft[] = [];
  const add = async (draft: Draft) => {
    drafts.push(draft);
    return { outcome: Promise.resolve(outcome) } as Sent;
  };
  const { words } = await createTodo('Water the ferns', { add }, identity, lists);
  return { drafts, words: await words };
}

test('it is kept in this browser with an id of its own, so that it is made once however often it is sent', async () => {
  const { drafts, words } = await made({ state: 'waits' });
  assert.is(words, '“Water the ferns” is kept in this browser. It is sent once the service can be reached.');
  const [draft] = drafts;
  if (draft?.action.operation !== 'create') throw new Error('nothing is created');
  const { id } = draft.action.input;
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.equal(draft.action.input, { id, title: 'Water the ferns' });
  const shown = draft.todos.map((todo) => [todo.id, todo.title, todo.todoListId]);
  assert.equal(shown, [[id, 'Water the ferns', 'inbox']]);
});

test('what became of it is said', async () => {
  assert.is((await made({ state: 'stored', todos: [], tagged: null })).words, '“Water the ferns” is on the list.');
  const problem = { status: 422, code: 'validation_failed', message: 'It is full.', retryable: false, errors: [] };
  assert.is((await made({ state: 'refused', problem })).words, '“Water the ferns” is not created. It is full.');
  assert.is((await made({ state: 'withdrawn' })).words, null);
});

test.run();
