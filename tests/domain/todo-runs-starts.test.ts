import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { beginRun } from '../../domain/todos/runs.ts';
import type { TestWorkspace } from '../support/harness.ts';
import {
  chatOf,
  count,
  endWork,
  type IdleService,
  runIn,
  spendAllMinutes,
  startIdleService,
  todoOf,
} from '../support/run-fixtures.ts';
import { addAgent, assistantOf, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('what starts an agent on a todo');
let tandem: IdleService;
let now = new Date();

test.before(async () => {
  tandem = await startIdleService(() => now);
});
test.before.each(() => {
  now = new Date();
});
test.after(() => tandem.close());

/** A workspace with two agents and a way to assign. */
async function world() {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const gardener = await addAgent(tandem, workspaceId, 'Gardener');
  const cook = await addAgent(tandem, workspaceId, 'Cook');
  const assign = (id: string, ...ids: string[]) =>
    call(`PATCH /todos/${id}`, { assignees: ids.map((each) => ({ id: each })) });
  const runs = () => count(tandem, 'todo_runs', workspaceId);
  return { ...workspace, workspace, gardener, cook, assign, runs };
}

const ids = (...all: string[]) => all.map((id) => ({ id }));
const latest = (todo: { latestRun: { agentId: string; trigger: string; status: string } | null }) =>
  todo.latestRun && [todo.latestRun.agentId, todo.latestRun.trigger, todo.latestRun.status];

async function get({ call }: Pick<TestWorkspace, 'call'>, id: string) {
  return (await call(`GET /todos/${id}`)).body;
}

test('run at creation starts the first agent among the assignees', async () => {
  const { call, userId, gardener, cook, runs } = await world();
  const body = { title: 'a', assignees: ids(userId, cook, gardener), run: true };
  const made = await call('POST /todos', body);
  assert.is(made.status, 201, made.text);
  assert.equal(latest(made.body), [cook, 'create', 'running']);
  assert.is(made.body.status, 'ready');
  assert.equal(await get({ call }, made.body.id), made.body);
  assert.is((await call('POST /todos', { ...body, run: false })).body.latestRun, null);
  assert.is(await runs(), 1);
  assert.is((await call(`GET /todos/${made.body.id}`)).headers.get('etag'), made.headers.get('etag'));
});

test('run at creation needs an agent among the assignees', async () => {
  const { call, userId, gardener, workspaceId, runs } = await world();
  const retired = await addAgent(tandem, workspaceId, 'Retired', true);
  const faults: [object, number, string][] = [
    [{}, 400, 'run'],
    [{ assignees: [] }, 400, 'run'],
    [{ assignees: ids(userId, userId.toUpperCase()) }, 400, 'run'],
    [{ assignees: ids(retired) }, 400, 'assignees[0].id'],
    [{ assignees: ids(userId, unknownId) }, 404, 'assignees[1].id'],
    [{ assignees: ids(gardener), todoListId: unknownId }, 404, 'todoListId'],
  ];
  for (const [more, status, param] of faults) {
    const fault = { title: 'a', run: true, ...more };
    refused(await call('POST /todos', fault), status, param);
    const data = [{ title: 'b', assignees: ids(gardener), run: true }, fault];
    refused(await call('POST /todos/batch', { data }), status, `data[1].${param}`);
  }
  refused(await call('POST /todos', { title: 'a', run: 'yes', assignees: ids(gardener) }), 400, 'run');
  assert.equal([await runs(), (await call('GET /todos/summary')).body.total], [0, 0]);
});

test('a batch starts the agents of those that ask for it, and of no other', async () => {
  const { call, gardener, cook, runs } = await world();
  const data = [
    { title: 'a', assignees: ids(gardener), run: true },
    { title: 'b', assignees: ids(gardener) },
    { title: 'c', assignees: ids(cook, gardener), run: true },
    { title: 'd' },
  ];
  const { status, body } = await call('POST /todos/batch', { data });
  assert.is(status, 200);
  assert.equal(body.data.map(latest), [[gardener, 'create', 'running'], null, [cook, 'create', 'running'], null]);
  for (const todo of body.data) assert.equal(await get({ call }, todo.id), todo);
  assert.is(await runs(), 2);
});

test('without minutes nothing is created: not the todo, not the batch around it', async () => {
  const { call, gardener, workspaceId } = await world();
  await spendAllMinutes(tandem, workspaceId);
  const running = { title: 'a', assignees: ids(gardener), run: true };
  const headers = { 'idempotency-key': 'k' };
  refused(await call('POST /todos', running, { headers }), 402, null, 'insufficient_minutes');
  const data = [{ title: 'b' }, running];
  refused(await call('POST /todos/batch', { data }), 402, null, 'insufficient_minutes');
  refused(await call('POST /todos/batch', { data: [running, {}] }), 400, 'data[1].title');
  assert.is((await call('GET /todos/summary')).body.total, 0);
  assert.is((await call('POST /todos', { ...running, run: false })).status, 201);
  await tandem.db.rows('update workspaces set agent_minutes = 1 where id = $1', [workspaceId]);
  assert.is((await call('POST /todos', running, { headers })).body.latestRun.status, 'running');
});

test('a retried creation with a run answers the same todo and run', async () => {
  const { call, gardener, runs } = await world();
  const todo = { title: 'a', assignees: ids(gardener), run: true };
  for (const [route, body] of [
    ['POST /todos', todo],
    ['POST /todos/batch', { data: [todo, todo] }],
  ] as const) {
    const headers = { 'idempotency-key': 'same' };
    const first = await call(route, body, { headers });
    const [retry, twin] = await Promise.all([call(route, body, { headers }), call(route, body, { headers })]);
    assert.equal([retry.body, twin.body], [first.body, first.body]);
  }
  assert.is(await runs(), 3);
});

test('assigning an agent starts it, and the answer shows the run', async () => {
  const { call, workspace, userId, gardener, cook, assign, runs } = await world();
  const todo = await todoOf(workspace);
  const { status, body, headers } = await assign(todo.id, userId, gardener, cook);
  assert.is(status, 200);
  assert.equal(latest(body), [gardener, 'assignment', 'running']);
  assert.is(body.status, 'ready');
  const read = await call(`GET /todos/${todo.id}`);
  assert.equal(read.body, body);
  assert.is(read.headers.get('etag'), headers.get('etag'));
  assert.is(await runs(), 1);
});

test('who was assigned before, a person, and an agent beside a running one start nothing', async () => {
  const { workspace, workspaceId, userId, gardener, cook, assign, runs } = await world();
  const todo = await todoOf(workspace, { assignees: ids(gardener) });
  assert.is((await assign(todo.id, gardener)).body.latestRun, null);
  assert.is((await assign(todo.id, userId, gardener)).body.latestRun, null);
  assert.is((await assign(todo.id, userId)).body.latestRun, null);
  assert.is((await assign(todo.id)).body.latestRun, null);
  const started = (await assign(todo.id, gardener)).body;
  assert.equal(latest(started), [gardener, 'assignment', 'running']);
  assert.equal((await assign(todo.id, cook, gardener)).body.latestRun, started.latestRun);
  await endWork(tandem, workspaceId, started.latestRun.chatId, { outcome: 'completed' });
  assert.is((await assign(todo.id, gardener, cook)).body.latestRun.id, started.latestRun.id);
  assert.is(await runs(), 1);
  await assign(todo.id);
  assert.equal(latest((await assign(todo.id, cook)).body), [cook, 'assignment', 'running']);
  assert.is(await runs(), 2);
});

test('an agent is not started on a todo that is done, becomes done or is archived, but on one that is reopened', async () => {
  const { call, workspace, gardener, runs } = await world();
  const patch = { assignees: ids(gardener) };
  const [done, finishing, archived] = [await todoOf(workspace), await todoOf(workspace), await todoOf(workspace)];
  await call(`PATCH /todos/${done.id}`, { status: 'done' });
  await call(`DELETE /todos/${archived.id}`);
  assert.is((await call(`PATCH /todos/${done.id}`, patch)).body.latestRun, null);
  assert.is((await call(`PATCH /todos/${finishing.id}`, { ...patch, status: 'done' })).body.latestRun, null);
  assert.is((await call(`PATCH /todos/${archived.id}`, patch)).body.latestRun, null);
  assert.is(await runs(), 0);
  await call(`PATCH /todos/${done.id}`, { assignees: [] });
  const reopened = await call(`PATCH /todos/${done.id}`, { ...patch, status: 'ready' });
  assert.equal(latest(reopened.body), [gardener, 'assignment', 'running']);
});

test('a bulk assignment starts an agent on each todo that it is new to', async () => {
  const { call, workspace, gardener, cook, runs } = await world();
  const [fresh, had, running, done] = [
    await todoOf(workspace),
    await todoOf(workspace, { assignees: ids(gardener) }),
    await todoOf(workspace),
    await todoOf(workspace),
  ];
  const run = runIn(await call(`POST /todos/${running.id}/runs`, { agentId: cook }));
  await call(`PATCH /todos/${done.id}`, { status: 'done' });
  const all = [done.id, running.id, had.id, fresh.id];
  const { status, body } = await call('POST /todos/bulk', { ids: all, patch: { assignees: ids(gardener) } });
  assert.is(status, 200);
  assert.equal(body.data.map(latest), [null, [cook, 'manual', 'running'], null, [gardener, 'assignment', 'running']]);
  assert.is(body.data[1].latestRun.id, run.id);
  for (const todo of body.data) assert.equal(await get({ call }, todo.id), todo);
  assert.is(await runs(), 2);
});

test('an assignment without minutes changes nothing, alone, in bulk and dry; one that starts nothing is made', async () => {
  const { call, workspace, workspaceId, userId, gardener } = await world();
  const [todo, had] = [await todoOf(workspace), await todoOf(workspace, { assignees: ids(gardener) })];
  await spendAllMinutes(tandem, workspaceId);
  const patch = { title: 'changed', assignees: ids(userId, gardener) };
  const refusals = [
    await call(`PATCH /todos/${todo.id}`, patch),
    await call('POST /todos/bulk', { ids: [had.id, todo.id], patch }),
    await call('POST /todos/bulk', { ids: [had.id, todo.id], patch, dryRun: true }),
  ];
  for (const answer of refusals) refused(answer, 402, null, 'insufficient_minutes');
  for (const each of [todo, had]) assert.equal(await get({ call }, each.id), each);
  assert.equal((await call('GET /todos?query=changed')).body.data, []);
  assert.is((await call(`PATCH /todos/${had.id}`, patch)).status, 200);
  assert.is((await call(`PATCH /todos/${todo.id}`, { ...patch, status: 'done' })).status, 200);
});

test('a dry run shows the assignment and starts nobody', async () => {
  const { call, workspace, workspaceId, gardener, runs } = await world();
  const todo = await todoOf(workspace);
  const before = (await tandem.turns()).length;
  const dry = { ids: [todo.id], patch: { assignees: ids(gardener) }, dryRun: true };
  const { body } = await call('POST /todos/bulk', dry);
  assert.equal([body.data[0].assignees[0].id, body.data[0].latestRun], [gardener, null]);
  assert.equal(await get({ call }, todo.id), todo);
  assert.equal([await runs(), await count(tandem, 'chats', workspaceId)], [0, 0]);
  assert.is((await tandem.turns()).length, before);
});

test('outside its working hours an assigned agent waits for them; an explicit start does not', async () => {
  const { call, workspace, gardener, assign } = await world();
  now = new Date('2027-03-06T10:00:00Z'); // a Saturday
  const hours = { timezone: 'Europe/Berlin', days: ['mon', 'tue'], start: '09:00', end: '17:00' };
  const set = 'update agents set working_hours_enabled = $2, working_hours = $3 where id = $1';
  await tandem.db.rows(set, [gardener, true, JSON.stringify(hours)]);
  const opening = '2027-03-08T08:00:00.000Z';

  const [first, second] = [await todoOf(workspace), await todoOf(workspace)];
  const { body } = await assign(first.id, gardener);
  assert.equal(latest(body), [gardener, 'assignment', 'running']);
  assert.is(body.latestRun.statusReason, 'queued');
  const { chat, turns } = await chatOf(tandem, body.latestRun.chatId);
  assert.equal([chat?.status, turns[0]?.not_before], ['queued', opening]);
  assert.is((await tandem.turns()).at(-1)?.after, opening);
  const bulk = await call('POST /todos/bulk', { ids: [first.id, second.id], patch: { assignees: ids(gardener) } });
  assert.equal(
    bulk.body.data.map((todo: { latestRun: { statusReason: string } }) => todo.latestRun.statusReason),
    ['queued', 'queued'],
  );

  const explicit = runIn(await call(`POST /todos/${first.id}/runs`));
  assert.equal([explicit.agentId, explicit.statusReason], [gardener, null]);
  assert.is((await chatOf(tandem, explicit.chatId)).chat?.status, 'running');
  const { data } = (await call(`GET /todos/${first.id}/runs`)).body;
  const statuses = data.map(({ trigger, status }: Record<string, unknown>) => [trigger, status]);
  assert.equal(statuses, [
    ['manual', 'running'],
    ['assignment', 'cancelled'],
  ]);
  assert.is((await chatOf(tandem, body.latestRun.chatId)).chat?.status, 'cancelled');
  refused(await call(`POST /todos/${first.id}/runs`, { agentId: gardener }), 409, null);
  const created = await call('POST /todos', { title: 'b', assignees: ids(gardener), run: true });
  assert.is(created.body.latestRun.statusReason, null);

  now = new Date('2027-03-08T09:00:00Z');
  assert.is((await assign((await todoOf(workspace)).id, gardener)).body.latestRun.statusReason, null);
  now = new Date('2027-03-06T10:00:00Z');
  await tandem.db.rows(set, [gardener, false, JSON.stringify(hours)]);
  assert.is((await assign((await todoOf(workspace)).id, gardener)).body.latestRun.statusReason, null);
});

test('a ready todo is in progress when its run really starts, and any other stays as it is', async () => {
  const { call, workspace, workspaceId } = await world();
  for (const [status, then] of [
    ['ready', 'in_progress'],
    ['in_progress', 'in_progress'],
  ]) {
    const todo = await todoOf(workspace);
    await call(`PATCH /todos/${todo.id}`, { status });
    const run = runIn(await call(`POST /todos/${todo.id}/runs`));
    assert.is((await get({ call }, todo.id)).status, status);
    await beginRun(tandem.db, workspaceId, run.id);
    assert.is((await get({ call }, todo.id)).status, then);
    await call(`PATCH /todos/${todo.id}`, { status: 'done' });
    await beginRun(tandem.db, workspaceId, run.id);
    assert.is((await get({ call }, todo.id)).status, 'done');
  }
});

test('a run started by the default agent is not different from one of another', async () => {
  const { workspace, workspaceId, assign } = await world();
  const assistant = await assistantOf(tandem, workspaceId);
  const { body } = await assign((await todoOf(workspace)).id, assistant);
  assert.equal(latest(body), [assistant, 'assignment', 'running']);
  assert.is((await chatOf(tandem, body.latestRun.chatId)).chat?.agent_id, assistant);
});

test.run();
