import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventsOf, followedWorkspace, numbered } from '../support/event-log.ts';
import type { TestService } from '../support/harness.ts';
import { startIdleService } from '../support/run-fixtures.ts';
import { addMember, unknownId } from '../support/todo-fixtures.ts';

const test = suite('events of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

const world = () => followedWorkspace(tandem);

test('a new todo is one event that names its list and its capture; a batch is one for each, in its order', async () => {
  const { does, makes } = await world();
  const capture = await makes('POST /captures', { type: 'note', content: 'Water' });
  const one = await does('POST /todos', { title: 'a', captureId: capture.id });
  assert.equal(one.events, [['todo.created', one.body.id]]);
  assert.equal(one.stored[0]?.parents, { todoListId: one.body.todoListId, captureId: capture.id });
  const schedule = { every: 'day', at: '09:00' };
  const data = Array.from({ length: 50 }, (_, place) => ({ title: `${place}`, ...(place === 7 && { schedule }) }));
  const batch = await does('POST /todos/batch', { data });
  assert.equal(
    batch.events,
    batch.body.data.map(({ id }: { id: string }) => ['todo.created', id]),
  );
  assert.equal(batch.stored[0]?.parents, { todoListId: one.body.todoListId });
});

test('an update is one event with the fields that changed, none where all values are equal', async () => {
  const { does, makes } = await world();
  const { id } = await makes('POST /todos', { title: 'a', priority: 'low' });
  const list = await makes('POST /todo-lists', { name: 'Garden' });
  const patch = { title: 'b', content: 'c', priority: 'high', type: 'responsibility', todoListId: list.id };
  const changed = await does(`PATCH /todos/${id}`, { ...patch, dueDate: '2026-03-01' });
  assert.equal(changed.events, [['todo.updated', id, 'title', 'content', 'priority', 'type', 'todoListId', 'dueDate']]);
  assert.equal(changed.stored[0]?.parents, { todoListId: list.id });
  const partly = await does(`PATCH /todos/${id}`, { title: 'b', priority: null });
  assert.equal(partly.events, [['todo.updated', id, 'priority']]);
  const equal = await does(`PATCH /todos/${id}`, { ...patch, priority: null, dueDate: '2026-03-01' });
  assert.equal([equal.events, equal.body], [[], partly.body]);
  const matched = await does(`PATCH /todos/${id}`, { title: 'b' }, { headers: { 'if-match': '*' } });
  assert.equal([matched.events, matched.body], [[], partly.body]);
  assert.equal((await does(`PATCH /todos/${unknownId}`, { title: 'b' })).events, []);
  assert.equal((await does(`PATCH /todos/${id}`, {})).events, []);
});

test('a status of done completes, another one after it reopens, with all else that changed in the same event', async () => {
  const { does, makes } = await world();
  const { id } = await makes('POST /todos', { title: 'a' });
  const steps: [patch: object, type: string, ...fields: string[]][] = [
    [{ status: 'in_progress' }, 'todo.updated', 'status'],
    [{ status: 'done', title: 'b' }, 'todo.completed', 'title', 'status'],
    [{ status: 'done', title: 'c' }, 'todo.updated', 'title'],
    [{ status: 'in_progress' }, 'todo.reopened', 'status'],
    [{ status: 'done' }, 'todo.completed', 'status'],
    [{ status: 'ready' }, 'todo.reopened', 'status'],
  ];
  for (const [patch, type, ...fields] of steps) {
    const { events } = await does(`PATCH /todos/${id}`, patch);
    assert.equal(events, [[type, id, ...fields]]);
    assert.equal((await does(`PATCH /todos/${id}`, patch)).events, [], 'the same again');
    const headers = { 'if-match': '*' };
    assert.equal((await does(`PATCH /todos/${id}`, patch, { headers })).events, [], 'the same under a condition');
  }
});

test('other assignees are a change, the same ones are none', async () => {
  const { does, makes, userId, workspaceId } = await world();
  const [ann, bob] = [await addMember(tandem, workspaceId, 'Ann'), await addMember(tandem, workspaceId, 'Bob')];
  const { id } = await makes('POST /todos', { title: 'a' });
  const assign = (...ids: string[]) => does(`PATCH /todos/${id}`, { assignees: ids.map((each) => ({ id: each })) });
  assert.equal((await assign(userId)).events, []);
  assert.equal((await assign(ann, bob)).events, [['todo.updated', id, 'assignees']]);
  const same = await assign(ann, bob);
  assert.equal([same.events, same.body], [[], (await makes(`GET /todos/${id}`)) as unknown]);
  assert.equal((await assign(bob, ann)).events, [['todo.updated', id, 'assignees']], 'in another order');
  const both = await does(`PATCH /todos/${id}`, { assignees: [], title: 'b' });
  assert.equal(both.events, [['todo.updated', id, 'title', 'assignees']]);
});

test('a bulk change is one event for each todo that changed, in the order of the ids', async () => {
  const { does, makes } = await world();
  const { data } = await makes('POST /todos/batch', { data: [{ title: 'a' }, { title: 'b' }, { title: 'c' }] });
  const [a, b, c] = data.map(({ id }: { id: string }) => id);
  await makes(`PATCH /todos/${b}`, { status: 'done', priority: 'low' });
  const ids = [c, b, a];
  const patch = { status: 'done', priority: 'low' };
  const events = [c, a].map((id) => ['todo.completed', id, 'status', 'priority']);
  assert.equal((await does('POST /todos/bulk', { ids, patch, dryRun: true })).events, []);
  assert.equal((await does('POST /todos/bulk', { ids, patch })).events, events);
  assert.equal((await does('POST /todos/bulk', { ids, patch })).events, []);
  await makes(`DELETE /todos/${a}`);
  assert.equal((await does('POST /todos/bulk', { ids, archive: true, dryRun: true })).events, []);
  assert.equal((await does('POST /todos/bulk', { ids, archive: true })).events, [
    ['todo.archived', c, 'isArchived'],
    ['todo.archived', b, 'isArchived'],
  ]);
});

test('what fails records nothing, and a replay nothing more', async () => {
  const { does, makes, workspaceId } = await world();
  const { id } = await makes('POST /todos', { title: 'a' });
  const before = await eventsOf(tandem, workspaceId);
  const refused: [route: string, body: object, status: number][] = [
    ['POST /todos/batch', { data: [{ title: 'a' }, { title: 'b', todoListId: unknownId }] }, 404],
    ['POST /todos/bulk', { ids: [id, unknownId], patch: { title: 'b' } }, 404],
    [`PATCH /todos/${id}`, { status: 'done', schedulePaused: true }, 400],
    ['POST /todos/bulk', { ids: [id], patch: { title: 'b', schedulePaused: true } }, 400],
  ];
  for (const [route, body, status] of refused) assert.is((await does(route, body)).status, status);
  assert.equal(await eventsOf(tandem, workspaceId), before);
  const headers = { 'idempotency-key': 'once' };
  const first = await does('POST /todos', { title: 'b' }, { headers });
  assert.equal(first.events, [['todo.created', first.body.id]]);
  const second = await does('POST /todos', { title: 'b' }, { headers });
  assert.equal([second.body, second.events], [first.body, []]);
  assert.is((await eventsOf(tandem, workspaceId)).length, before.length + 1);
});

test('archiving and restoring are one event each, and none when nothing changes', async () => {
  const { does, makes } = await world();
  const { id } = await makes('POST /todos', { title: 'a' });
  assert.equal((await does(`POST /todos/${id}/restore`)).events, []);
  assert.equal((await does(`DELETE /todos/${id}`)).events, [['todo.archived', id, 'isArchived']]);
  assert.equal((await does(`DELETE /todos/${id}`)).events, []);
  assert.equal((await does(`POST /todos/${id}/restore`)).events, [['todo.restored', id, 'isArchived']]);
});

test('an erased todo leaves a tombstone, and its earlier events keep nothing but ids, numbered or not', async () => {
  const { does, makes, workspaceId } = await world();
  const schedule = { every: 'day', at: '09:00' };
  const { id, todoListId } = await makes('POST /todos', { title: 'a', schedule });
  const other = await makes('POST /todos', { title: 'b' });
  const [{ id: occurrenceId }] = (await makes(`GET /todos/${id}/occurrences`)).data;
  await makes(`PATCH /todos/${id}/occurrences/${occurrenceId}`, { status: 'skipped' });
  await makes(`PATCH /todos/${other.id}`, { title: 'c' });
  await numbered(tandem, workspaceId);
  await makes(`PATCH /todos/${id}`, { title: 'c' });
  const before = await eventsOf(tandem, workspaceId);
  const gone = await does(`DELETE /todos/${id}?permanent=true`);
  assert.equal(gone.events, [
    ['todo_occurrence.deleted', occurrenceId],
    ['todo.deleted', id],
  ]);
  assert.equal(
    gone.stored.map(({ parents }) => parents),
    [{ todoId: id }, { todoListId }],
  );
  const erased = new Set([id, occurrenceId]);
  const after = (await eventsOf(tandem, workspaceId)).filter((event) =>
    gone.stored.every(({ id: own }) => own !== event.id),
  );
  assert.equal(
    after,
    before.map((event) => (erased.has(event.objectId) ? { ...event, changedFields: [] } : event)),
  );
  const named = before.filter((event) => erased.has(event.objectId) && event.changedFields.length > 0);
  assert.equal(
    named.map(({ type }) => type),
    ['todo_occurrence.updated', 'todo.updated', 'todo.updated'],
  );
});

test('lists: one event for each change, none for equal values, a tombstone at the end', async () => {
  const { does, makes, workspaceId } = await world();
  const made = await does('POST /todo-lists', { name: 'Garden' });
  const { id } = made.body;
  assert.equal(made.events, [['todo_list.created', id]]);
  const change = (body: object) => does(`PATCH /todo-lists/${id}`, body);
  assert.equal((await change({ name: 'Garden', color: null })).events, []);
  assert.equal((await change({ name: 'Yard', color: 'green' })).events, [['todo_list.updated', id, 'name', 'color']]);
  assert.equal((await change({ archived: true, emoji: '🌱' })).events, [
    ['todo_list.archived', id, 'emoji', 'isArchived'],
  ]);
  assert.equal((await change({ archived: false })).events, [['todo_list.restored', id, 'isArchived']]);
  const todo = await makes('POST /todos', { title: 'a', todoListId: id });
  assert.equal((await does(`DELETE /todo-lists/${id}`)).events, [], 'it holds a todo');
  await makes(`DELETE /todos/${todo.id}?permanent=true`);
  await numbered(tandem, workspaceId);
  assert.equal((await does(`DELETE /todo-lists/${id}`)).events, [['todo_list.deleted', id]]);
  const ofList = (await eventsOf(tandem, workspaceId)).filter(({ objectId }) => objectId === id);
  assert.equal([ofList.length, ofList.flatMap(({ changedFields }) => changedFields)], [5, []]);
});

test.run();
