import * as assert from 'uvu/assert';
import { hours } from '../support/agent-fixtures.ts';
import { startTestService } from '../support/harness.ts';
import { reply, settled, use } from '../support/scripted-engine.ts';
import { closed, endings, engine, everyDay, newTodo, send, states } from '../support/states-fixtures.ts';
import { refused } from '../support/todo-fixtures.ts';
import {
  agentOf,
  approvalOf,
  bodyOf,
  chatNow,
  endOfRun,
  held,
  latestRun,
  messagesOf,
  startRun,
  todoNow,
} from '../support/work-fixtures.ts';

const { test, world } = states('states of runs');

test('run: (none) → runTodo → running → runTodo → refused, unchanged; a second one after its end', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Watered.'));
  const run = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  assert.equal([run.status, run.finishedAt, run.statusReason], ['running', null, null]);
  await busy.asked();
  const again = await call(`POST /todos/${todo.id}/runs`, { agentId });
  refused(again, 409, null);
  assert.is(again.body.reason, 'already_running');
  assert.equal((await latestRun(workspace, todo.id)).id, run.id);
  busy.release();
  await endOfRun(workspace, todo.id);
  const second = await startRun(workspace, todo.id, engine.plan([reply('Twice.')]), agentId);
  assert.is.not(second.chatId, run.chatId);
  await endOfRun(workspace, todo.id);
  const runs = bodyOf(await call(`GET /todos/${todo.id}/runs`)).data;
  assert.equal(
    runs.map((each: { id: string; status: string; summary: string }) => [each.id, each.status, each.summary]),
    [
      [second.id, 'completed', 'Twice.'],
      [run.id, 'completed', 'Watered.'],
    ],
  );
});

for (const [status, ending] of Object.entries(endings)) {
  test(`run: running → ${status} with its chat turn; the todo stays in progress and can be run again`, async () => {
    const { workspace, todo, agentId } = await world();
    const { chatId, startedAt } = await startRun(workspace, todo.id, ending.plan(), agentId);
    await ending.act?.(workspace, chatId);
    const run = await endOfRun(workspace, todo.id);
    assert.equal([run.status, run.statusReason, run.summary], [status, null, ending.summary]);
    assert.ok(run.finishedAt >= startedAt, run.finishedAt);
    if (ending.errorMessage) assert.match(run.errorMessage, ending.errorMessage);
    else assert.is(run.errorMessage, null);
    const chat = await chatNow(workspace, chatId);
    assert.equal([chat.status, chat.errorMessage], [ending.chat, run.errorMessage]);
    assert.is(chat.completedAt !== null, status === 'completed');
    const shown = await todoNow(workspace, todo.id);
    assert.equal([shown.status, shown.lastRunAt], ['in_progress', startedAt]);
    const { agentMinutesRemaining } = bodyOf(await workspace.call('GET /me')).workspace;
    assert.is(Math.round((600 - agentMinutesRemaining) * 10), Math.round(run.minutesUsed * 10), 'what was charged');
    if (status === 'completed') assert.is(run.minutesUsed, 0.1);
    await startRun(workspace, todo.id, engine.plan([reply('Better now.')]), agentId);
    assert.is((await endOfRun(workspace, todo.id)).summary, 'Better now.');
  });
}

test('run: running → waiting for a person: it stays running, as awaiting_input, until that is decided', async () => {
  const { workspace, call, todo, agentId } = await world({}, { requiresApproval: true });
  const plan = engine.plan([use(['create_todo', { title: 'Buy a can' }]), reply('Watered.')]);
  const { chatId } = await startRun(workspace, todo.id, plan, agentId);
  const { id } = await approvalOf(workspace, chatId);
  const waiting = await latestRun(workspace, todo.id);
  assert.equal([waiting.status, waiting.statusReason, waiting.finishedAt], ['running', 'awaiting_input', null]);
  assert.is((await call(`POST /todos/${todo.id}/runs`)).body.reason, 'already_running');
  bodyOf(await call(`POST /approvals/${id}/decide`, { decision: 'approve' }));
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.statusReason, run.summary], ['completed', null, 'Watered.']);
  assert.is((await call('GET /todos?query=can')).body.data.length, 1);
});

test('run: waiting for a person → sendMessage: the text is the answer, and the run continues', async () => {
  const { workspace, call, todo, agentId } = await world({}, { requiresApproval: true });
  const plan = engine.plan([use(['create_todo', { title: 'Buy a can' }]), reply('Watered without.')]);
  const { id: runId, chatId } = await startRun(workspace, todo.id, plan, agentId);
  const { id } = await approvalOf(workspace, chatId);
  assert.is(bodyOf(await send(workspace, chatId, 'Do without.'), 202).status, 'completed');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.id, run.status, run.summary], [runId, 'completed', 'Watered without.']);
  assert.is(bodyOf(await call(`GET /approvals/${id}`)).status, 'superseded');
});

test('run: assigned outside of working hours → queued, until the hours open; then running → completed', async () => {
  const plan = engine.plan([reply('Good morning.')]);
  const { workspace, call, todo, agentId } = await world({ title: `Water ${plan}` }, { workingHours: closed() });
  const shown = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  const { chatId, status, statusReason } = shown.latestRun;
  assert.equal([shown.status, status, statusReason], ['ready', 'running', 'queued']);
  assert.is((await chatNow(workspace, chatId)).status, 'queued');
  refused(await call(`POST /chats/${chatId}/messages`, { message: 'Hello?' }), 409, null);
  const other = bodyOf(await call('POST /chats', { message: engine.plan([reply('At work.')]) }), 201);
  assert.is((await settled(workspace, other.id)).body.status, 'completed', 'others do work');
  assert.is((await messagesOf(workspace, chatId)).length, 1, 'nobody worked');
  assert.is((await todoNow(workspace, todo.id)).status, 'ready', 'nor did it really start');
  bodyOf(await call(`PATCH /agents/${agentId}`, { workingHours: hours('00:00', '24:00', 'UTC', everyDay) }));
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.statusReason, run.summary], ['completed', null, 'Good morning.']);
  assert.equal(
    [(await chatNow(workspace, chatId)).status, (await todoNow(workspace, todo.id)).status],
    ['completed', 'in_progress'],
  );
});

test('run: queued → its time comes by itself → running → completed', async () => {
  // By this clock it is early in the morning of a day long past: the hours that come next are past as well.
  const early = await startTestService({}, { engine, clock: () => new Date('2026-01-05T06:00:00Z') });
  try {
    const workspace = await early.workspace();
    const agentId = await agentOf(workspace, { workingHours: hours('09:00', '17:00') });
    const todo = await newTodo(workspace, { title: engine.plan([reply('On time.')]) });
    const shown = bodyOf(await workspace.call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
    assert.equal([shown.latestRun.status, shown.latestRun.statusReason], ['running', 'queued']);
    const run = await endOfRun(workspace, todo.id);
    assert.equal([run.status, run.summary], ['completed', 'On time.']);
  } finally {
    await early.close();
  }
});

test('run: queued → cancelChat → cancelled; an explicit start runs at once, also outside of working hours', async () => {
  const { workspace, call, todo, agentId } = await world({}, { workingHours: closed() });
  const { latestRun: queued } = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  assert.is(queued.statusReason, 'queued');
  assert.is(bodyOf(await call(`POST /chats/${queued.chatId}/cancel`)).status, 'cancelled');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.statusReason, run.minutesUsed], ['cancelled', null, 0]);
  assert.is((await todoNow(workspace, todo.id)).status, 'ready', 'it never started');
  await startRun(workspace, todo.id, engine.plan([reply('At night.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'At night.');
});

test('run: queued → runTodo → cancelled, and the new one runs', async () => {
  const { workspace, call, todo, agentId } = await world({}, { workingHours: closed() });
  const { latestRun: queued } = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  await startRun(workspace, todo.id, engine.plan([reply('At night.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'At night.');
  const { data } = bodyOf(await call(`GET /todos/${todo.id}/runs`));
  const { id, status, statusReason } = data[1];
  assert.equal([data.length, id, status, statusReason], [2, queued.id, 'cancelled', null]);
  assert.is((await chatNow(workspace, queued.chatId)).status, 'cancelled');
});

const callOffs: Record<string, (ids: { todoId: string; agentId: string }) => [route: string, body?: object]> = {
  'its agent is archived': ({ agentId }) => [`DELETE /agents/${agentId}`],
  'its todo is archived': ({ todoId }) => [`DELETE /todos/${todoId}`],
  'its agent is taken off the todo': ({ todoId }) => [`PATCH /todos/${todoId}`, { assignees: [] }],
};

for (const [what, change] of Object.entries(callOffs)) {
  test(`run: queued → ${what} before its time comes → cancelled then, without having started`, async () => {
    const { workspace, call, todo, agentId } = await world({}, { workingHours: closed() });
    const { latestRun: queued } = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
    bodyOf(await call(...change({ todoId: todo.id, agentId })));
    assert.is((await latestRun(workspace, todo.id)).statusReason, 'queued', 'it could be undone in time');
    bodyOf(await call(`PATCH /agents/${agentId}`, { workingHoursEnabled: false }));
    const run = await endOfRun(workspace, todo.id);
    assert.equal([run.id, run.status, run.minutesUsed], [queued.id, 'cancelled', 0]);
    const chat = await chatNow(workspace, queued.chatId);
    assert.equal([chat.status, chat.messageCount], ['cancelled', 2]);
    assert.match((await messagesOf(workspace, chat.id))[1].text, /before (its|the) working hours/);
    assert.is((await todoNow(workspace, todo.id)).status, 'ready');
  });
}

test('run: queued → another agent takes the place of its agent → cancelled, and the other one works', async () => {
  const plan = engine.plan([reply('Done by another.')]);
  const { workspace, call, todo, agentId } = await world({ title: `Water ${plan}` }, { workingHours: closed() });
  const { latestRun: queued } = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  const other = await agentOf(workspace, { name: 'Other' });
  const { latestRun: run } = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: other }] }));
  assert.equal([run.agentId, run.status, run.statusReason], [other, 'running', null]);
  assert.is((await chatNow(workspace, queued.chatId)).status, 'cancelled');
  await endOfRun(workspace, todo.id);
  const { data } = bodyOf(await call(`GET /todos/${todo.id}/runs`));
  assert.equal(
    data.map((each: { id: string; status: string }) => [each.id, each.status]),
    [
      [run.id, 'completed'],
      [queued.id, 'cancelled'],
    ],
  );
});

test('run: createTodo with `run` outside of working hours is an explicit start: it runs at once', async () => {
  const { workspace, agentId } = await world({}, { workingHours: closed() });
  const title = engine.plan([reply('At once.')]);
  const todo = await newTodo(workspace, { title, assignees: [{ id: agentId }], run: true });
  assert.is(todo.latestRun.statusReason, null);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'At once.');
});

test('run: deleteChat `permanent` of the chat where it works → cancelled and kept, and the agent stops', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Too late.'));
  const { id, chatId } = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  assert.is(bodyOf(await call(`DELETE /chats/${chatId}?permanent=true`)).recoverable, false);
  await busy.stopped();
  refused(await call(`GET /chats/${chatId}`), 404, 'chatId');
  refused(await call(`GET /chats/${chatId}/messages`), 404, 'chatId');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.id, run.status], [id, 'cancelled']);
  await startRun(workspace, todo.id, engine.plan([reply('Again.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).status, 'completed');
});

test.run();
