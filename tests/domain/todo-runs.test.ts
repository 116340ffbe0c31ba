import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TestWorkspace } from '../support/harness.ts';
import { recordedEvents } from '../support/recorded-events.ts';
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

const test = suite('runs of todos');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after(() => tandem.close());

const ended = (workspaceId: string, chatId: string) =>
  endWork(tandem, workspaceId, chatId, { outcome: 'completed', summary: 'All watered.' });

async function runOn({ call, workspaceId }: TestWorkspace, todoId: string) {
  const run = runIn(await call(`POST /todos/${todoId}/runs`));
  await ended(workspaceId, run.chatId);
  return run;
}

test('runTodo answers a running run at once, and the todo and its list of runs show the same', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const agentId = await addAgent(tandem, workspaceId, 'Gardener');
  const todo = await todoOf(workspace);
  const run = runIn(await call(`POST /todos/${todo.id}/runs`, { agentId, message: 'Only the ferns.' }));
  const { id, chatId, startedAt, ...rest } = run;
  assert.equal(rest, {
    object: 'todo_run',
    todoId: todo.id,
    agentId,
    status: 'running',
    trigger: 'manual',
    finishedAt: null,
    statusReason: null,
    errorMessage: null,
    summary: null,
    minutesUsed: 0,
  });
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7/);
  assert.match(startedAt, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  const { body: shown } = await call(`GET /todos/${todo.id}`);
  assert.equal(shown, { ...todo, latestRun: run, lastRunAt: startedAt, version: 2, updatedAt: shown.updatedAt });
  assert.ok(shown.updatedAt >= todo.updatedAt);
  assert.equal((await call('GET /todos')).body.data, [shown]);
  assert.equal((await call(`GET /todos/${todo.id}/runs`)).body, {
    object: 'list',
    data: [run],
    hasMore: false,
    nextCursor: null,
  });
  assert.ok((await tandem.turns()).some((turn) => turn.chatId === chatId && turn.after === null));
});

test('the chat of a run is named after the todo, begins with the message and refers to the todo', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const agentId = await assistantOf(tandem, workspaceId);
  const long = `${'é'.repeat(199)}🪴 and more`;
  const cases = [
    [{ title: 'Water the plants' }, 'Water the plants', 'Work on the todo “Water the plants”.'],
    [{ title: undefined, content: ' \r\n  Second line first  \nrest' }, 'Second line first', undefined],
    [{ title: long }, `${'é'.repeat(199)}…`, undefined],
  ] as const;
  for (const [fields, title, text] of cases) {
    const todo = await todoOf(workspace, fields);
    const { chatId, id } = runIn(await call(`POST /todos/${todo.id}/runs`));
    const { chat, messages, turns } = await chatOf(tandem, chatId);
    assert.equal(
      [chat?.title, chat?.search, chat?.status, chat?.agent_id, chat?.todo_id, chat?.message_count],
      [title, `${title.toLowerCase()}\n`, 'running', agentId, todo.id, 1],
    );
    const [first] = messages;
    assert.equal([first?.sequence, first?.role, first?.user_id, first?.agent_id], [1, 'user', userId, null]);
    if (text) assert.is(first?.text, text);
    assert.equal(first?.blocks, [
      { type: 'text', text: first?.text },
      { type: 'reference', resource: 'todo', resourceId: todo.id, title: todo.title },
    ]);
    const [turn] = turns;
    assert.equal(
      [turn?.run_id, turn?.trigger, turn?.agent_id, turn?.user_id, turn?.depth, turn?.ended_at],
      [id, 'manual', agentId, userId, 0, null],
    );
  }
  const todo = await todoOf(workspace);
  const { chatId } = runIn(await call(`POST /todos/${todo.id}/runs`, { message: 'Ferns **only**\n' }));
  const [message] = (await chatOf(tandem, chatId)).messages;
  assert.is(message?.text, 'Ferns **only**\n');
});

test('without an agent named the first agent assigned works, else the default one', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId, userId } = workspace;
  const [gardener, retired, cook] = [
    await addAgent(tandem, workspaceId, 'Gardener'),
    await addAgent(tandem, workspaceId, 'Retired'),
    await addAgent(tandem, workspaceId, 'Cook'),
  ];
  const agentOf = async (assignees: string[], archived?: string) => {
    const todo = await todoOf(workspace, { assignees: assignees.map((id) => ({ id })) });
    if (archived) await tandem.db.rows('update agents set archived_at = now() where id = $1', [archived]);
    return call(`POST /todos/${todo.id}/runs`);
  };
  assert.is(runIn(await agentOf([])).agentId, await assistantOf(tandem, workspaceId));
  assert.is(runIn(await agentOf([userId])).agentId, await assistantOf(tandem, workspaceId));
  assert.is(runIn(await agentOf([userId, gardener, cook])).agentId, gardener);
  assert.is(runIn(await agentOf([retired, cook], retired)).agentId, cook);
  await tandem.db.rows('update agents set archived_at = null where id = $1', [retired]);
  refused(await agentOf([userId, retired], retired), 409, null);
});

test('the runs of a todo come most recent first, by page and by status', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todo = await todoOf(workspace);
  const outcomes = ['completed', 'failed', 'cancelled', 'timed_out', 'completed', 'failed', 'completed'] as const;
  for (const outcome of outcomes) {
    const { chatId } = runIn(await call(`POST /todos/${todo.id}/runs`));
    await endWork(tandem, workspaceId, chatId, { outcome });
  }
  runIn(await call(`POST /todos/${todo.id}/runs`));
  // Runs of one millisecond are ordered by their ids.
  const second = new Date(Math.floor(Date.now() / 60_000) * 60_000 - 60_000).toISOString();
  await tandem.db.rows('update todo_runs set started_at = $2 where todo_id = $1', [todo.id, second]);
  const { body: whole } = await call(`GET /todos/${todo.id}/runs?limit=100`);
  const statuses = whole.data.map((run: { status: string }) => run.status);
  assert.equal(statuses, ['running', ...outcomes.toReversed()]);
  for (const limit of [1, 2, 3, 5, 7]) {
    const seen: unknown[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await call(`GET /todos/${todo.id}/runs?limit=${limit}${cursor}`);
      assert.is(status, 200);
      seen.push(...body.data);
      if (!body.hasMore) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    assert.equal(seen, whole.data);
  }
  for (const status of ['running', 'completed', 'failed', 'cancelled', 'timed_out']) {
    const { body } = await call(`GET /todos/${todo.id}/runs?status=${status}`);
    assert.equal(
      body.data,
      whole.data.filter((run: { status: string }) => run.status === status),
    );
  }
  const { body: first } = await call(`GET /todos/${todo.id}/runs?limit=1`);
  const other = await todoOf(workspace);
  for (const elsewhere of [`${other.id}/runs?limit=1`, `${todo.id}/runs?limit=1&status=failed`]) {
    refused(await call(`GET /todos/${elsewhere}&cursor=${first.nextCursor}`), 400, 'cursor', 'invalid_cursor');
  }
});

test('a run ends with its chat: completed, failed, cancelled or timed out, and the todo shows it', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  for (const [outcome, chatStatus] of [
    ['completed', 'completed'],
    ['failed', 'failed'],
    ['cancelled', 'cancelled'],
    ['timed_out', 'failed'],
  ] as const) {
    const todo = await todoOf(workspace);
    const run = runIn(await call(`POST /todos/${todo.id}/runs`));
    const errorMessage = chatStatus === 'failed' ? 'The model did not answer.' : null;
    const summary = outcome === 'completed' ? 'All watered.' : null;
    await endWork(tandem, workspaceId, run.chatId, { outcome, errorMessage, summary });
    const { body } = await call(`GET /todos/${todo.id}`);
    const { finishedAt } = body.latestRun;
    assert.equal(body.latestRun, { ...run, status: outcome, errorMessage, summary, finishedAt });
    assert.ok(finishedAt >= run.startedAt);
    assert.is((await chatOf(tandem, run.chatId)).chat?.status, chatStatus);
    assert.is(runIn(await call(`POST /todos/${todo.id}/runs`)).status, 'running');
  }
});

test('a field of the wrong kind and an unknown one name themselves', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  const faults: [unknown, string | null][] = [
    [{ agentId: 'Assistant' }, 'agentId'],
    [{ agentId: null }, 'agentId'],
    [{ message: '' }, 'message'],
    [{ message: ' \n' }, 'message'],
    [{ message: 'a\0' }, 'message'],
    [{ message: 'x'.repeat(32_001) }, 'message'],
    [{ agent: unknownId }, 'agent'],
    [{ todoId: id }, 'todoId'],
    [[], null],
  ];
  for (const [body, param] of faults) refused(await call(`POST /todos/${id}/runs`, body), 400, param);
  const query = { limit: ['0', '101', 'x'], status: ['done', ''], cursor: ['x'] };
  for (const [param, values] of Object.entries(query)) {
    for (const value of values) {
      const code = param === 'cursor' ? 'invalid_cursor' : 'validation_failed';
      refused(await call(`GET /todos/${id}/runs?${param}=${value}`), 400, param, code);
    }
  }
  assert.is(await count(tandem, 'chats', workspaceId), 0);
});

test('an archived agent is 400, before an unknown todo is 404 and an unknown agent is 404', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  const retired = await addAgent(tandem, workspaceId, 'Retired', true);
  const foreign = await assistantOf(tandem, other.workspaceId);
  refused(await call(`POST /todos/${id}/runs`, { agentId: retired }), 400, 'agentId');
  refused(await call(`POST /todos/${unknownId}/runs`, { agentId: retired }), 400, 'agentId');
  refused(await call(`POST /todos/${unknownId}/runs`, { agentId: unknownId }), 404, 'todoId');
  refused(await call(`POST /todos/${(await todoOf(other)).id}/runs`), 404, 'todoId');
  refused(await call(`GET /todos/${(await todoOf(other)).id}/runs`), 404, 'todoId');
  for (const agentId of [unknownId, foreign]) {
    refused(await call(`POST /todos/${id}/runs`, { agentId }), 404, 'agentId');
  }
  assert.is(await count(tandem, 'chats', workspaceId), 0);
});

test('a todo that is being run, is done or archived is not run, and says why', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  const first = runIn(await call(`POST /todos/${id}/runs`));
  const again = await call(`POST /todos/${id}/runs`);
  refused(again, 409, null);
  assert.is(again.body.reason, 'already_running');
  await ended(workspaceId, first.chatId);
  await call(`PATCH /todos/${id}`, { status: 'done' });
  const done = await call(`POST /todos/${id}/runs`);
  refused(done, 409, null);
  assert.match(done.body.message, /done/);
  await call(`PATCH /todos/${id}`, { status: 'ready' });
  await call(`DELETE /todos/${id}`);
  const archived = await call(`POST /todos/${id}/runs`);
  refused(archived, 409, null);
  assert.match(archived.body.message, /[Rr]estore/);
  assert.is(await count(tandem, 'todo_runs', workspaceId), 1);
  await call(`POST /todos/${id}/restore`);
  assert.is(runIn(await call(`POST /todos/${id}/runs`)).status, 'running');
});

test('without minutes nothing starts, and 404 and 409 are said before', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const [idle, busy] = [await todoOf(workspace), await todoOf(workspace)];
  runIn(await call(`POST /todos/${busy.id}/runs`));
  await spendAllMinutes(tandem, workspaceId);
  const before = (await call(`GET /todos/${idle.id}`)).body;
  const headers = { 'idempotency-key': 'water-1' };
  refused(await call(`POST /todos/${idle.id}/runs`, {}, { headers }), 402, null, 'insufficient_minutes');
  refused(await call(`POST /todos/${busy.id}/runs`), 409, null);
  refused(await call(`POST /todos/${unknownId}/runs`), 404, 'todoId');
  assert.equal((await call(`GET /todos/${idle.id}`)).body, before);
  assert.is(await count(tandem, 'chats', workspaceId), 1);
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspaceId]);
  assert.is(runIn(await call(`POST /todos/${idle.id}/runs`, {}, { headers })).status, 'running');
});

test('a retry with the same key answers the same run and starts none; another body is refused', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  const options = { headers: { 'idempotency-key': 'run-1' } };
  const first = await call(`POST /todos/${id}/runs`, { message: 'a' }, options);
  const retry = await call(`POST /todos/${id}/runs`, { message: 'a' }, options);
  assert.equal(retry.body, runIn(first));
  assert.is(retry.headers.get('idempotency-replayed'), 'true');
  const reused = await call(`POST /todos/${id}/runs`, { message: 'b' }, options);
  refused(reused, 409, 'Idempotency-Key', 'idempotency_key_reused');
  assert.equal([await count(tandem, 'todo_runs', workspaceId), await count(tandem, 'chats', workspaceId)], [1, 1]);
});

test('a todo that an agent has run is archived, never erased', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  await runOn(workspace, id);
  const kept = (await call(`GET /todos/${id}`)).body;
  const erasing = await call(`DELETE /todos/${id}?permanent=true`);
  refused(erasing, 409, null);
  assert.match(erasing.body.message, /[Aa]rchive/);
  assert.equal((await call(`GET /todos/${id}`)).body, kept);
  const archived = await call(`DELETE /todos/${id}`);
  assert.equal([archived.status, archived.body.recoverable], [200, true]);
  refused(await call(`DELETE /todos/${id}?permanent=true`), 409, null);
  assert.is(await count(tandem, 'todo_runs', workspaceId), 1);
});

test('an archived todo keeps the run at work on it', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { id } = await todoOf(workspace);
  const run = runIn(await call(`POST /todos/${id}/runs`));
  await call(`DELETE /todos/${id}`);
  assert.equal((await call(`GET /todos/${id}`)).body.latestRun, run);
});

test('a chat that is erased takes the summary of its run with it, which is a change of the todo', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const todo = await todoOf(workspace);
  const [first, second] = [await runOn(workspace, todo.id), await runOn(workspace, todo.id)];
  const events = async () => {
    const all = await recordedEvents(tandem, workspaceId);
    return all.flatMap(({ type, changedFields }) => (type === 'todo.updated' ? [changedFields] : []));
  };
  const { version } = (await call(`GET /todos/${todo.id}`)).body;
  const before = await events();
  for (const { chatId } of [first, second]) {
    assert.is((await call(`DELETE /chats/${chatId}?permanent=true`)).status, 200);
  }
  const { body: shown } = await call(`GET /todos/${todo.id}`);
  assert.equal([shown.latestRun.id, shown.latestRun.summary, shown.latestRun.status], [second.id, null, 'completed']);
  for (const path of [`/todos/${todo.id}/runs`, '/runs']) {
    const { data } = (await call(`GET ${path}`)).body;
    assert.equal(
      data.map(({ summary }: { summary: string | null }) => summary),
      [null, null],
    );
  }
  assert.is(shown.version, version + 1, 'the earlier run is not shown with the todo');
  assert.equal((await events()).slice(before.length), [['latestRun']]);
});

test.run();
