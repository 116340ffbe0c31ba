import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { eventsOf, type FollowedWorkspace, followedWorkspace, type Outline } from '../support/event-log.ts';
import { audioDirectory, type RecordingWorld, startIntake } from '../support/recording-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('events of captures at work');
let directory: Awaited<ReturnType<typeof audioDirectory>>;
let tandem: RecordingWorld;

test.before(async () => {
  directory = await audioDirectory();
  tandem = await startIntake(directory.store, {});
});
test.after(async () => {
  await tandem.close();
  await directory.remove();
});

/** The events since the last look, once one of this type is among them. */
async function recentWith({ recent }: FollowedWorkspace, wanted: string): Promise<Outline[]> {
  const found: Outline[] = [];
  await until(
    async () => {
      found.push(...(await recent()));
      return found.some(([type]) => type === wanted);
    },
    () => JSON.stringify(found),
  );
  return found;
}

test('a note that was written about is updated, and each suggested todo is created, by the service', async () => {
  const workspace = await followedWorkspace(tandem);
  const { makes, workspaceId } = workspace;
  const { id } = await makes('POST /captures', {
    type: 'note',
    content: 'I will send the report to Grace by 2026-12-04.',
  });
  const found = await recentWith(workspace, 'capture.updated');
  const todos = (await makes(`GET /todos?captureId=${id}`)).data;
  assert.is(todos.length, 1);
  const capture = await makes(`GET /captures/${id}`);
  const written = ['subtitle', 'summary'].filter((field) => capture[field] !== null);
  assert.equal(found, [
    ['capture.created', id],
    ['todo.created', todos[0].id],
    ['capture.updated', id, ...written],
  ]);
  const { actorType, actorId, requestId } = (await eventsOf(tandem, workspaceId)).at(-1) ?? {};
  assert.equal([actorType, actorId, requestId], ['service', null, null]);
});

test('an imported transcript is completed once all is written about it', async () => {
  const workspace = await followedWorkspace(tandem);
  const transcript = { format: 'text', body: 'Ann: The roses need water. Bob: They do.' };
  const { id } = await workspace.makes('POST /captures', { type: 'recording', transcript });
  const found = await recentWith(workspace, 'capture.completed');
  const completed = found.filter(([type]) => type === 'capture.completed');
  const capture = await workspace.makes(`GET /captures/${id}`);
  const written = ['title', 'subtitle', 'summary'].filter((field) => capture[field] !== null);
  assert.equal(completed, [['capture.completed', id, 'status', ...written]]);
});

test('a recording is created, stopped and failed, and retried', async () => {
  const workspace = await followedWorkspace(tandem);
  const { makes, does } = workspace;
  const { captureId: id } = await makes('POST /captures/recordings', {}, { key: await workspace.session() });
  const stopped = await does(`POST /captures/${id}/stop`);
  assert.equal(stopped.events, [['capture.updated', id, 'status']]);
  assert.equal(await recentWith(workspace, 'capture.failed'), [
    ['capture.created', id],
    ['capture.updated', id, 'status'],
    ['capture.failed', id, 'status', 'failure'],
  ]);
  const failed = await workspace.failedCapture();
  const retried = await does(`POST /captures/${failed}/retry`);
  assert.equal(retried.events, [['capture.updated', failed, 'status', 'failure']]);
});

test.run();
