import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithoutDigests } from '../support/capture-fixtures.ts';
import { eventsOf, followedWorkspace, numbered, type Outline } from '../support/event-log.ts';
import type { TestService } from '../support/harness.ts';

const test = suite('events of captures');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

const note = (more: object = {}) => ({ type: 'note', content: '# Plants\n\nWater them.', ...more });
const types = (events: readonly Outline[]) => events.map(([type]) => type);

test('a new capture is one event, with one for each tag that no capture had', async () => {
  const { does } = await followedWorkspace(tandem);
  const first = await does('POST /captures', note({ tags: ['Garden', 'home'] }));
  assert.equal(types(first.events), ['tag.created', 'tag.created', 'capture.created']);
  assert.equal(first.stored[0]?.parents, { captureId: first.body.id });
  assert.is(first.events[2]?.[1], first.body.id);
  const second = await does('POST /captures', note({ tags: ['garden'] }));
  assert.equal(second.events, [['capture.created', second.body.id]]);
});

test('a changed capture is one event with its fields; a tag is gone with the last capture that has it', async () => {
  const { does, makes } = await followedWorkspace(tandem);
  const made = await does('POST /captures', note({ tags: ['garden'] }));
  const { id } = made.body;
  const tag = made.events[0]?.[1];
  const change = async (patch: object) => (await does(`PATCH /captures/${id}`, patch)).events;
  assert.equal(await change({ notes: 'Twice.' }), [['capture.updated', id, 'notes']]);
  assert.equal(await change({ notes: 'Twice.', tags: ['GARDEN'] }), []);
  assert.equal(await change({ title: 'b', content: 'c' }), [['capture.updated', id, 'title', 'content']]);
  const other = await makes('POST /captures', note({ tags: ['garden'] }));
  assert.equal(await change({ tags: [] }), [['capture.updated', id, 'tags']]);
  const last = await does(`PATCH /captures/${other.id}`, { tags: [] });
  assert.equal(last.events, [
    ['tag.deleted', tag],
    ['capture.updated', other.id, 'tags'],
  ]);
  assert.equal(await change({ tags: ['Garden'] }), [
    ['tag.created', tag],
    ['capture.updated', id, 'tags'],
  ]);
});

test('archiving and restoring are one event each, and none when nothing changes', async () => {
  const { does, makes } = await followedWorkspace(tandem);
  const { id } = await makes('POST /captures', note());
  assert.equal((await does(`POST /captures/${id}/restore`)).events, []);
  assert.equal((await does(`DELETE /captures/${id}`)).events, [['capture.archived', id, 'isArchived']]);
  assert.equal((await does(`DELETE /captures/${id}`)).events, []);
  assert.equal((await does(`POST /captures/${id}/restore`)).events, [['capture.restored', id, 'isArchived']]);
});

test('an erased capture leaves tombstones of itself, its tags and its suggestions; its todos lose their link', async () => {
  const { does, makes, workspaceId } = await followedWorkspace(tandem);
  const { id } = await makes('POST /captures', note({ tags: ['garden'] }));
  const { id: parentTodoId } = await makes('POST /todos', { title: 'Whole' });
  const mine = await makes('POST /todos', { title: 'Mine', captureId: id, parentTodoId });
  const suggested = await makes('POST /todos', { title: 'Theirs', captureId: id });
  await tandem.db.rows('update todos set is_suggested = true where id = $1', [suggested.id]);
  const chat = await makes('POST /chats', { message: 'a', todoId: suggested.id });
  await makes(`PATCH /captures/${id}`, { notes: 'Twice.' });
  await makes(`PATCH /todos/${suggested.id}`, { title: 'b' });
  await numbered(tandem, workspaceId);
  const { events, stored } = await does(`DELETE /captures/${id}?permanent=true`);
  const tag = events[0]?.[1];
  assert.equal(events, [
    ['tag.deleted', tag],
    ['todo.updated', mine.id, 'captureId'],
    ['todo.deleted', suggested.id],
    ['capture.deleted', id],
  ]);
  const { todoListId } = mine;
  assert.equal(
    stored.map(({ parents }) => parents),
    [{ captureId: id }, { todoListId, parentTodoId }, { todoListId, captureId: id }, {}],
  );
  const all = await eventsOf(tandem, workspaceId);
  const erased = all.filter(({ objectId }) => [id, suggested.id].includes(objectId));
  assert.equal([erased.length, erased.flatMap(({ changedFields }) => changedFields)], [6, []]);
  const ofChat = all.filter(({ objectId, type }) => objectId === chat.id && type === 'chat.updated');
  assert.equal(
    ofChat.map(({ changedFields }) => changedFields),
    [['todoId']],
  );
});

test.run();
