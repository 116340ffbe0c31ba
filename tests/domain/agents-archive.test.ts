import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { assistantOf, refused, worker } from '../support/todo-fixtures.ts';

const test = suite('archived agents');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const { body: agent } = await workspace.call('POST /agents', { name: 'Scout' });
  const path = `/agents/${agent.id}`;
  const read = async () => (await workspace.call(`GET ${path}`)).body;
  return { ...workspace, agent, path, read };
}

test('an agent is archived once, stays readable, and comes back as it was', async () => {
  const { call, agent, path, read } = await world();
  const deleted = { object: 'deleted', id: agent.id, deleted: true, recoverable: true };
  assert.equal((await call(`DELETE ${path}`)).body, { ...deleted, alreadyArchived: false });
  const archived = await read();
  assert.equal(archived, { ...agent, isArchived: true, version: 2, updatedAt: archived.updatedAt });
  assert.equal((await call(`DELETE ${path}`)).body, { ...deleted, alreadyArchived: true });
  assert.equal(await read(), archived, 'archiving it again changes nothing');
  const { body: restored } = await call(`POST ${path}/restore`);
  const { model, skills, ...base } = agent;
  assert.equal(restored, { ...base, version: 3, updatedAt: restored.updatedAt });
  assert.equal((await call(`POST ${path}/restore`)).body, restored, 'restoring it again changes nothing');
});

test('an update archives and restores too, and says so', async () => {
  const { call, path } = await world();
  const change = (before: boolean, after: boolean) => ({
    object: 'agent_field_change',
    field: 'isArchived',
    action: 'changed',
    before,
    after,
    redacted: false,
    beforeLength: null,
    afterLength: null,
  });
  const { body: archived } = await call(`PATCH ${path}`, { archived: true });
  assert.equal([archived.isArchived, archived.changes], [true, [change(false, true)]]);
  assert.is((await call('GET /agents')).body.data.length, 1);
  const { body: restored } = await call(`PATCH ${path}`, { archived: false });
  assert.equal([restored.isArchived, restored.changes], [false, [change(true, false)]]);
});

test('the default agent cannot be archived, and can be changed', async () => {
  const { call, workspaceId } = await world();
  const path = `/agents/${await assistantOf(tandem, workspaceId)}`;
  for (const answer of [
    await call(`DELETE ${path}`),
    await call(`PATCH ${path}`, { archived: true }),
    await call(`PATCH ${path}`, { archived: true, name: 'Helper' }),
  ]) {
    refused(answer, 409, null);
    assert.match(answer.body.message, /default agent cannot be archived/);
  }
  const { status, body } = await call(`PATCH ${path}`, { name: 'Helper', archived: false, instructions: 'Be kind.' });
  assert.equal([status, body.name, body.isDefault, body.isArchived], [200, 'Helper', true, false]);
});

test('an archived agent whose name was taken meanwhile comes back only under another one', async () => {
  const { call, path, read } = await world();
  await call(`DELETE ${path}`);
  await call('POST /agents', { name: 'SCOUT' });
  const before = await read();
  refused(await call(`POST ${path}/restore`), 409, 'name');
  refused(await call(`PATCH ${path}`, { archived: false }), 409, 'name');
  refused(await call(`PATCH ${path}`, { archived: false, name: 'scout' }), 409, 'name');
  assert.equal(await read(), before);
  const { status, body } = await call(`PATCH ${path}`, { archived: false, name: 'Second scout' });
  assert.equal([status, body.isArchived, body.name, body.version], [200, false, 'Second scout', 3]);
  const renamed = await call(`PATCH ${path}`, { name: 'Scout', archived: true });
  assert.is(renamed.status, 200, 'a name that it does not need is no conflict');
});

test('an archived agent keeps its assignments, shown as archived, and gets no new ones', async () => {
  const { call, agent, path } = await world();
  const assignees = [{ id: agent.id }];
  const { body: todo } = await call('POST /todos', { title: 'a', assignees });
  await call(`DELETE ${path}`);
  assert.equal((await call(`GET /todos/${todo.id}`)).body.assignees, [worker(agent.id, 'Scout', true)]);
  refused(await call('POST /todos', { title: 'b', assignees }), 400, 'assignees[0].id');
  await call(`POST ${path}/restore`);
  assert.equal((await call(`GET /todos/${todo.id}`)).body.assignees, [worker(agent.id, 'Scout')]);
  assert.is((await call('POST /todos', { title: 'b', assignees })).status, 201);
});

test('an archived agent can be changed, and its skills read', async () => {
  const { call, path, read } = await world();
  const { body: skill } = await call(`POST ${path}/skills`, { name: 'Digest' });
  await call(`DELETE ${path}`);
  assert.is((await call(`PATCH ${path}`, { description: 'Gone.' })).body.isArchived, true);
  assert.equal((await read()).skills, [skill]);
  assert.equal((await call(`GET ${path}/skills`)).body.data, [skill]);
});

test.run();
