import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from 'tandem';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { changeAndRecord } from '../../domain/events/record.ts';
import { eventsOf, followedWorkspace, ofWork } from '../support/event-log.ts';
import { newGrant } from '../support/grants.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { assistantOf } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('who is named in events');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

/** The last event of work, and who made it. */
async function latest(workspaceId: string) {
  const event = ofWork(await eventsOf(tandem, workspaceId)).at(-1);
  if (!event) throw new Error('nothing was recorded');
  const { type, actorType, actorId, via, requestId } = event;
  return { who: [type, actorType, actorId, via], credentialId: event.credentialId, requestId };
}

test('a request names the person, the credential, the way in and its id', async () => {
  const { call, key, userId, workspaceId } = await tandem.workspace();
  const credential = (await call('GET /me')).body.credential.id;
  const rest = await call('POST /todos', { title: 'a' });
  const byRest = await latest(workspaceId);
  assert.equal(byRest.who, ['todo.created', 'user', userId, 'rest']);
  assert.equal([byRest.credentialId, byRest.requestId], [credential, rest.headers.get('x-request-id')]);
  await call('POST /todos', { title: 'a' }, { headers: { 'user-agent': 'Tandem-CLI/1.0' } });
  assert.equal((await latest(workspaceId)).who, ['todo.created', 'user', userId, 'cli']);
  await callTool(tandem.url, key, 'create_todo', { title: 'b' });
  const byMcp = await latest(workspaceId);
  assert.equal(byMcp.who, ['todo.created', 'user', userId, 'mcp']);
  assert.is(byMcp.credentialId, credential);
  assert.ok(byMcp.requestId);
  const headers = { authorization: `Bearer ${key}` };
  const client = createTRPCClient<AppRouter>({ links: [httpBatchLink({ url: `${tandem.url}/trpc`, headers })] });
  await client.todos.update.mutate({ todoId: rest.body.id, title: 'c' });
  const byTrpc = await latest(workspaceId);
  assert.equal(byTrpc.who, ['todo.updated', 'user', userId, 'trpc']);
  assert.is(byTrpc.credentialId, credential);
});

test('an app is named by its connection, whichever access token it has', async () => {
  const workspace = await tandem.workspace();
  const { grantId, token } = await newGrant(tandem, workspace, ['todos:read', 'todos:write']);
  for (const key of [await token(), await token()]) {
    await callTool(tandem.url, key, 'create_todo', { title: 'a' });
    const { who, credentialId } = await latest(workspace.workspaceId);
    assert.equal(who, ['todo.created', 'user', workspace.userId, 'mcp']);
    assert.is(credentialId, grantId);
    assert.is((await tandem.call('GET /me', undefined, { key })).body.credential.id, grantId);
  }
});

test('what an agent does at work names the agent, and so does the end of its run', async () => {
  const workspace = await followedWorkspace(tandem);
  const { makes, workspaceId } = workspace;
  const agentId = await assistantOf(tandem, workspaceId);
  const plan = engine.plan([use(['create_todo', { title: 'Theirs' }]), reply('Done.')]);
  const { id } = await makes('POST /todos', { title: 'a', content: plan });
  const run = await makes(`POST /todos/${id}/runs`, { message: plan });
  await settled(workspace, run.chatId);
  const events = ofWork(await eventsOf(tandem, workspaceId)).filter(({ via }) => via !== 'rest');
  const whoMade = (type: string) =>
    events.filter((event) => event.type === type).map(({ actorType, actorId: by, via }) => [actorType, by, via]);
  assert.equal(whoMade('todo.created'), [['agent', agentId, 'agent']]);
  assert.equal(whoMade('todo_run.finished'), [['agent', agentId, 'agent']]);
  assert.equal(events[0]?.changedFields, ['status'], 'it began');
  const fields = events.filter(({ type }) => type === 'todo.updated').map(({ changedFields }) => changedFields);
  assert.ok(
    fields.slice(1).every((each) => each.join() === 'latestRun'),
    'its minutes, and its end',
  );
});

test('a run that waits for a person, and continues after the decision, changes its todo each time', async () => {
  const workspace = await followedWorkspace(tandem);
  const { makes, does, recent } = workspace;
  const plan = engine.plan([use(['create_todo', { title: 'Theirs' }]), reply('Done.')]);
  const agent = await makes('POST /agents', { name: 'Scout', requiresApproval: true });
  const { id } = await makes('POST /todos', { title: 'a', assignees: [{ id: agent.id }] });
  const run = await makes(`POST /todos/${id}/runs`, { message: plan });
  const { body: chat } = await settled(workspace, run.chatId);
  assert.is(chat.status, 'awaiting_input');
  const waiting = (await recent()).filter(([type]) => type === 'todo.updated');
  assert.equal(waiting.at(-1), ['todo.updated', id, 'latestRun']);
  const [approval] = (await makes('GET /approvals?status=pending')).data;
  const decided = await does(`POST /approvals/${approval.id}/decide`, { decision: 'approve' });
  assert.equal(decided.events, [['todo.updated', id, 'latestRun']]);
  const found: string[] = [];
  await until(async () => {
    for (const [type] of await recent()) found.push(type);
    return found.includes('todo_run.finished');
  });
  assert.ok(found.includes('todo.created'), String(found));
});

test('what names a request is stored as it is, whatever characters it has', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { id } = (await call('POST /todos', { title: 'a' })).body;
  const touch = 'update todos set revision = revision where workspace_id = $1 and id = $2 returning id';
  for (const requestId of ['{"a\\b",NULL}', 'NULL', '', null]) {
    const db = tandem.db.as({ actorType: 'service', actorId: null, credentialId: null, via: 'schedule', requestId });
    await changeAndRecord(
      db,
      touch,
      [workspaceId, id],
      [{ type: 'todo.updated', objectId: id, changedFields: ['title'] }],
    );
    assert.equal(await latest(workspaceId), {
      who: ['todo.updated', 'service', null, 'schedule'],
      credentialId: null,
      requestId,
    });
  }
});

test.run();
