import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { recordTodoUpdate } from '../../domain/events/changes.ts';
import type { TodoAnswer } from '../../domain/todos/shapes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { recordedEvents } from '../support/recorded-events.ts';
import { addMember, assistantOf } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('versions of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** Asserts that the events of every todo count from 1 without a gap, and that the todo has the version of the last. */
async function assertCounted({ call, workspaceId }: TestWorkspace): Promise<Map<string, number[]>> {
  const versions = new Map<string, number[]>();
  for (const { type, objectId, version } of await recordedEvents(tandem, workspaceId)) {
    if (!type.startsWith('todo.') || type === 'todo.deleted') {
      assert.is(version, null, type);
      continue;
    }
    versions.set(objectId, [...(versions.get(objectId) ?? []), version ?? Number.NaN]);
  }
  for (const [id, counted] of versions) {
    assert.equal(
      counted,
      counted.map((_, place) => place + 1),
      id,
    );
    const { status, body } = await call(`GET /todos/${id}`);
    if (status === 200) assert.is(body.version, counted.length);
  }
  return versions;
}

test('a todo begins with 1, each change adds one, and what changes nothing adds none', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const ann = await addMember(tandem, workspaceId, 'Ann');
  const { body: todo } = await call('POST /todos', { title: 'a' });
  assert.is(todo.version, 1);
  const steps: [route: string, body: object | undefined, version: number][] = [
    ['PATCH /todos/ID', { title: 'b' }, 2],
    ['PATCH /todos/ID', { title: 'b' }, 2],
    ['PATCH /todos/ID', {}, 2],
    ['PATCH /todos/ID', { status: 'done', priority: 'high' }, 3],
    ['PATCH /todos/ID', { status: 'ready' }, 4],
    ['PATCH /todos/ID', { assignees: [{ id: ann }] }, 5],
    ['PATCH /todos/ID', { assignees: [{ id: ann }] }, 5],
    ['PATCH /todos/ID', { schedule: { every: 'day', at: '09:00' }, title: 'c' }, 6],
    ['PATCH /todos/ID', { schedulePaused: true }, 7],
    ['PATCH /todos/ID', { schedulePaused: false }, 8],
    ['POST /todos/bulk', { ids: ['ID'], patch: { priority: 'low' }, dryRun: true }, 9],
    ['POST /todos/bulk', { ids: ['ID'], patch: { priority: 'low' } }, 9],
    ['POST /todos/bulk', { ids: ['ID'], archive: true }, 10],
    ['POST /todos/ID/restore', undefined, 11],
    ['POST /todos/ID/restore', undefined, 11],
  ];
  for (const [route, body, version] of steps) {
    const filled = body && JSON.parse(JSON.stringify(body).replace('ID', todo.id));
    const answer = await call(route.replace('ID', todo.id), filled);
    const hint = `${route} ${JSON.stringify(body)}`;
    assert.is(answer.status, 200, answer.text);
    assert.is((answer.body.data?.[0] ?? answer.body).version, version, hint);
    const isDry = JSON.stringify(body ?? {}).includes('dryRun');
    assert.is((await call(`GET /todos/${todo.id}`)).body.version, isDry ? version - 1 : version, hint);
  }
  await call(`DELETE /todos/${todo.id}`);
  await call(`DELETE /todos/${todo.id}`);
  assert.is((await assertCounted(workspace)).get(todo.id)?.length, 12);
});

test('what is counted is found by updatedSince, also a change of the run alone', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'a' });
  await tandem.db.transaction((tx) => recordTodoUpdate(tx, workspaceId, todo.id, ['latestRun']));
  const { body } = await call(`GET /todos/${todo.id}`);
  assert.is(body.version, 2);
  assert.ok(body.updatedAt > todo.updatedAt, `${body.updatedAt} after ${todo.updatedAt}`);
});

test('what an agent, a schedule and a capture change of a todo is counted too', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const agentId = await assistantOf(tandem, workspaceId);
  const assignees = [{ id: agentId }];
  const made = await call('POST /todos', { title: 'Water the plants', assignees, run: true });
  const { body: second } = await call('POST /todos', {
    title: 'Feed the cat',
    schedule: { every: 'day', at: '09:00' },
  });
  const { body: run } = await call(`POST /todos/${second.id}/runs`, {});
  const ended = async (id: string) => {
    const { body } = await call(`GET /todos/${id}`);
    return (body as TodoAnswer).latestRun?.status !== 'running';
  };
  await call(`POST /chats/${run.chatId}/cancel`);
  for (const id of [made.body.id, second.id]) await until(() => ended(id));
  const { body: occurrences } = await call(`GET /todos/${second.id}/occurrences`);
  await call(`PATCH /todos/${second.id}/occurrences/${occurrences.data[0].id}`, { status: 'skipped' });
  await call(`PATCH /todos/${made.body.id}`, { status: 'done' });
  const { body: capture } = await call('POST /captures', { type: 'note', content: 'Plants' });
  const { body: linked } = await call('POST /todos', { title: 'linked', captureId: capture.id });
  await call(`DELETE /captures/${capture.id}?permanent=true`);
  assert.is((await call(`GET /todos/${linked.id}`)).body.version, 2);
  await call(`DELETE /todos/${linked.id}?permanent=true`);
  const saved = async () => (await call(`GET /todos/${made.body.id}`)).body.minutesSaved !== null;
  await until(saved);
  const versions = await assertCounted(workspace);
  assert.ok((versions.get(made.body.id)?.length ?? 0) >= 4);
  assert.ok((versions.get(second.id)?.length ?? 0) >= 3);
});

test('writers at the same time get versions of their own', async () => {
  const workspace = await tandem.workspace();
  const { body: todo } = await workspace.call('POST /todos', { title: 'a' });
  const writers = Array.from({ length: 20 }, (_, place) =>
    place % 2
      ? workspace.call(`PATCH /todos/${todo.id}`, { title: `t${place}` })
      : workspace.call('POST /todos/bulk', { ids: [todo.id], patch: { content: `c${place}` } }),
  );
  for (const { status, text } of await Promise.all(writers)) assert.is(status, 200, text);
  assert.equal((await assertCounted(workspace)).get(todo.id)?.length, 21);
});

test('listEvents shows the version of a todo', async () => {
  const { call } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'a' });
  await call(`PATCH /todos/${todo.id}`, { title: 'b' });
  const { body } = await call('GET /events?types=todo.updated&waitSeconds=20');
  assert.equal([body.data[0].data.id, body.data[0].data.version], [todo.id, 2]);
});

test.run();
