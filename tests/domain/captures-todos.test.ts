import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type SuggestedTodo, suggestTodos } from '../../domain/todos/suggest.ts';
import { newNote, newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { addMember, person, queryOf, refused, titlesOf, unknownId } from '../support/todo-fixtures.ts';

const test = suite('todos that come from captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

const plain = { content: null, dueDate: null, assigneeUserId: null };

/** Suggests todos as the work on a capture does. */
function suggest({ workspaceId }: TestWorkspace, captureId: string, todos: SuggestedTodo[]) {
  return tandem.db.transaction((tx) => suggestTodos({ db: tx }, { workspaceId, captureId, todos }));
}

test('a new todo is linked to its capture, alone and in a batch, and found by it', async () => {
  const workspace = await tandem.workspace();
  const { call, mint } = workspace;
  const captureId = await newNote(workspace, 'Buy milk');
  const key = await mint(['todos:write']);
  const made = await call('POST /todos', { title: 'Milk', captureId: captureId.toUpperCase() }, { key });
  assert.equal([made.status, made.body.captureId, made.body.source], [201, captureId, 'user_created'], made.text);
  assert.equal((await call(`GET /todos/${made.body.id}`)).body, made.body);
  const data = [{ title: 'Eggs', captureId }, { title: 'Bread' }];
  const batch = await call('POST /todos/batch', { data });
  assert.equal(
    batch.body.data.map((todo: { captureId: string | null }) => todo.captureId),
    [captureId, null],
  );
  assert.equal(titlesOf(await call(`GET /todos?order=asc&captureId=${captureId}`)), ['Milk', 'Eggs']);
  assert.is((await call(`GET /todos/summary?captureId=${captureId}`)).body.total, 2);
});

test('a capture that the workspace does not have is not found, after all that is invalid', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { call } = workspace;
  const foreign = await newNote(other, 'Theirs');
  const captureId = await newNote(workspace, 'Mine');
  for (const wrong of [unknownId, foreign]) {
    refused(await call('POST /todos', { title: 'a', captureId: wrong }), 404, 'captureId');
    const data = [
      { title: 'a', captureId },
      { title: 'b', captureId: wrong },
    ];
    refused(await call('POST /todos/batch', { data }), 404, 'data[1].captureId');
    refused(await call('POST /todos', { title: 'a', captureId: wrong, run: true }), 400, 'run');
  }
  assert.is((await call('GET /todos/summary')).body.total, 0);
});

test('todos are suggested: in the default list, searched, shown with their capture alone', async () => {
  const workspace = await tandem.workspace();
  const { call, userId, workspaceId } = workspace;
  const { id: captureId } = await newRecording(tandem, workspace, { transcript: 'Tess: I call Bob.' });
  const removed = await addMember(tandem, workspaceId, 'Gone', true);
  const made = await suggest(workspace, captureId, [
    { title: 'Call Bob', content: 'About the price', dueDate: '2026-03-03', assigneeUserId: userId },
    { ...plain, title: 'Write it down', assigneeUserId: removed },
    { ...plain, title: 'Ask again', assigneeUserId: crypto.randomUUID() },
  ]);
  assert.is(made.length, 3);
  const { data } = (await call(`GET /todos?order=asc&captureId=${captureId}`)).body;
  assert.equal(data, made);
  const lists = (await call('GET /todo-lists')).body.data;
  const [{ id, createdAt, updatedAt, position, ...first }] = data;
  assert.equal(first, {
    ...(await call('POST /todos', { title: 'x' }).then(
      ({ body: { id: _, createdAt: __, updatedAt: ___, position: ____, ...todo } }) => todo,
    )),
    title: 'Call Bob',
    content: 'About the price',
    dueDate: '2026-03-03',
    todoListId: lists.find((list: { isDefault: boolean }) => list.isDefault).id,
    assignees: [person(userId)],
    captureId,
    isSuggested: true,
    source: 'auto_suggested',
  });
  assert.equal([data[1].assignees, data[2].assignees], [[], []], 'nobody who is no member');
  assert.equal(titlesOf(await call(`GET /todos?${queryOf({ captureId, query: 'PRICE' })}`)), ['Call Bob']);
  assert.equal(titlesOf(await call('GET /todos')), ['x']);
  assert.is(lists[0].todoCount, 0);
});

test('accepting a suggestion makes it a todo like any other, archiving dismisses it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const captureId = await newNote(workspace, 'x');
  const titles = ['Keep', 'Drop', 'Leave'].map((title) => ({ ...plain, title }));
  const [keep, drop] = await suggest(workspace, captureId, titles);
  const accepted = await call(`PATCH /todos/${keep?.id}`, { isSuggested: false });
  assert.equal([accepted.status, accepted.body.isSuggested, accepted.body.captureId], [200, false, captureId]);
  refused(await call(`PATCH /todos/${keep?.id}`, { isSuggested: true }), 400, 'isSuggested');
  await call(`DELETE /todos/${drop?.id}`);
  assert.equal(titlesOf(await call('GET /todos')), ['Keep']);
  assert.equal(titlesOf(await call(`GET /todos?order=asc&captureId=${captureId}`)), ['Keep', 'Leave']);
  assert.equal(titlesOf(await call('GET /todos?includeArchived=true')), ['Drop']);
});

test('what a capture has already is not suggested again, whatever became of it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const [captureId, otherId] = [await newNote(workspace, 'x'), await newNote(workspace, 'y')];
  await call('POST /todos', { title: 'By hand', captureId });
  await call('POST /todos', { title: 'Unlinked' });
  const first = ['Dismissed', 'Accepted', 'Open', 'ÉMILE', 'Open', 'oPEN'].map((title) => ({ ...plain, title }));
  const made = await suggest(workspace, captureId, first);
  assert.equal(
    made.map(({ title }) => title),
    ['Dismissed', 'Accepted', 'Open', 'ÉMILE'],
  );
  await call(`DELETE /todos/${made[0]?.id}`);
  await call(`PATCH /todos/${made[1]?.id}`, { isSuggested: false, status: 'done' });
  const titles = ['dismissed', 'ACCEPTED', 'open', 'e\u0301mile', 'by HAND', 'Unlinked', 'New'];
  const again = titles.map((title) => ({ ...plain, title }));
  const added = await suggest(workspace, captureId, again);
  assert.equal(
    added.map(({ title }) => title),
    ['Unlinked', 'New'],
  );
  assert.equal(await suggest(workspace, captureId, again), []);
  assert.equal(await suggest(workspace, captureId, []), []);
  assert.is((await suggest(workspace, otherId, again)).length, 7, 'another capture has its own');
});

test.run();
