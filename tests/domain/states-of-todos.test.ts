import * as assert from 'uvu/assert';
import { freezeTimers } from '../support/frozen-timers.ts';
import { reply, settled, untilAnswer, use } from '../support/scripted-engine.ts';
import { engine, newTodo, send, states } from '../support/states-fixtures.ts';
import { refused } from '../support/todo-fixtures.ts';
import {
  agentOf,
  approvalOf,
  bodyOf,
  chatNow,
  endOfRun,
  held,
  latestRun,
  startRun,
  todoNow,
} from '../support/work-fixtures.ts';

const { test, service, world } = states('states of todos with agents at work');

test('todo: any → updateTodo `done` → done; chats attached to it are closed, whatever they were doing', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Too late.'));
  const careful = await agentOf(workspace, { requiresApproval: true });
  const chatOn = async (plan: string, agent: string) =>
    bodyOf(await call('POST /chats', { message: plan, todoId: todo.id, agentId: agent }), 201).id;
  const settledChat = await chatOn(engine.plan([reply('Nothing to do.')]), agentId);
  await settled(workspace, settledChat);
  const waiting = await chatOn(engine.plan([use(['create_todo', { title: 'x' }]), reply('Done.')]), careful);
  const { id: approvalId } = await approvalOf(workspace, waiting);
  // Without the renewals of its lease, which would notice it too.
  const thaw = freezeTimers();
  const run = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();

  const done = bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'done' }));
  assert.equal([done.status, done.latestRun.status], ['done', 'cancelled']);
  await busy.stopped();
  thaw();
  assert.is((await chatNow(workspace, run.chatId)).status, 'cancelled');
  assert.is((await chatNow(workspace, waiting)).status, 'cancelled');
  assert.is(bodyOf(await call(`GET /approvals/${approvalId}`)).status, 'superseded');
  assert.is((await chatNow(workspace, settledChat)).status, 'completed');
  for (const chatId of [settledChat, waiting, run.chatId])
    refused(await call(`POST /chats/${chatId}/messages`, { message: 'Go on.' }), 409, null);
  refused(await call(`POST /todos/${todo.id}/runs`), 409, null);
  refused(await call('POST /chats', { message: 'x', todoId: todo.id }), 409, null);
  assert.equal((await call('GET /todos?query=x')).body.data, [], 'what waited for a person never happened');
});

test('todo: done → updateTodo `ready` → ready: it is reopened, and so are its chats and runs', async () => {
  const { workspace, call, todo, agentId } = await world();
  const plan = engine.plan([reply('Watered.')]);
  const { chatId } = await startRun(workspace, todo.id, plan, agentId);
  await endOfRun(workspace, todo.id);
  bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'done' }));
  assert.is((await send(workspace, chatId, plan)).status, 409);
  assert.is(bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'ready' })).status, 'ready');
  assert.is(bodyOf(await send(workspace, chatId, plan), 202).status, 'completed');
  assert.is((await todoNow(workspace, todo.id)).status, 'ready', 'a message is no run');
  await startRun(workspace, todo.id, plan, agentId);
  await endOfRun(workspace, todo.id);
  assert.is((await todoNow(workspace, todo.id)).status, 'in_progress');
});

test('todo: any → updateTodo adding an agent → the agent starts working', async () => {
  const plan = engine.plan([use(['list_todos', {}]), reply('Looked around.')]);
  const { workspace, call, todo, agentId } = await world({ title: `Water ${plan}` });
  const shown = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  const { status, trigger, statusReason } = shown.latestRun;
  assert.equal([shown.status, status, trigger, statusReason], ['ready', 'running', 'assignment', null]);
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.agentId, run.summary], ['completed', agentId, 'Looked around.']);
});

test('todo: createTodo with `run` → as created; an agent starts', async () => {
  const workspace = await service().workspace();
  const agentId = await agentOf(workspace);
  const busy = held(reply('Done.'));
  const title = `Weed ${engine.plan(busy.script)}`;
  const todo = await newTodo(workspace, { title, assignees: [{ id: agentId }], run: true });
  assert.equal([todo.status, todo.latestRun.status, todo.latestRun.trigger], ['ready', 'running', 'create']);
  await busy.asked();
  assert.is((await todoNow(workspace, todo.id)).status, 'in_progress', 'it really started');
  busy.release();
  assert.is((await endOfRun(workspace, todo.id)).status, 'completed');
});

test('todo: ready → a run really starts → in_progress, which is active; it stays so when the run has ended', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Watered.'));
  await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  const listed = async (status: string) => bodyOf(await call(`GET /todos?status=${status}`)).data.length;
  assert.equal([await listed('ready'), await listed('in_progress'), await listed('active')], [0, 1, 1]);
  busy.release();
  await endOfRun(workspace, todo.id);
  assert.equal([await listed('in_progress'), await listed('active'), await listed('done')], [1, 1, 0]);
});

test('todo: an agent completes the one it works on → done; its own chat continues to its end and is closed then', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('All watered.'));
  const other = held(reply('Too late.'));
  const plan = engine.plan((request, asked) =>
    asked === 0 ? use(['complete_todo', { todoId: todo.id }]) : busy.script(request),
  );
  const beside = bodyOf(await call('POST /chats', { message: engine.plan(other.script), todoId: todo.id }), 201).id;
  await other.asked();
  const run = await startRun(workspace, todo.id, plan, agentId);
  await busy.asked();
  const done = await todoNow(workspace, todo.id);
  assert.equal([done.status, done.latestRun.status], ['done', 'running']);
  await other.stopped();
  assert.is((await chatNow(workspace, beside)).status, 'cancelled');
  busy.release();
  const ended = await endOfRun(workspace, todo.id);
  assert.equal([ended.status, ended.summary], ['completed', 'All watered.']);
  assert.is((await chatNow(workspace, run.chatId)).status, 'completed');
  assert.is((await todoNow(workspace, todo.id)).status, 'done');
  refused(await call(`POST /chats/${run.chatId}/messages`, { message: 'Again.' }), 409, null);
  bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'ready' }));
  const again = engine.plan([reply('Again.')]);
  assert.is(bodyOf(await send(workspace, run.chatId, again), 202).status, 'completed');
  assert.is((await latestRun(workspace, todo.id)).id, run.id, 'a message is no run');
});

test('todo: what an agent completed gets an estimate of the minutes it saved, once its run is over', async () => {
  const { workspace, call, todo, agentId } = await world();
  const plan = engine.plan([
    use(['create_todo', { title: 'Buy a can' }]),
    use(['complete_todo', { todoId: todo.id }]),
    reply('Watered.'),
  ]);
  await startRun(workspace, todo.id, plan, agentId);
  await endOfRun(workspace, todo.id);
  const { body } = await untilAnswer(
    () => call(`GET /todos/${todo.id}`),
    (answer) => answer.body.minutesSaved !== null,
  );
  assert.ok(Number.isInteger(body.minutesSaved) && body.minutesSaved > 0, String(body.minutesSaved));
  assert.ok(body.minutesSavedReason.length > 0);
  assert.is(body.minutesSavedConfidence, 'low');
  assert.is(bodyOf(await call('GET /todos/summary')).minutesSaved, body.minutesSaved);
});

test('todo: a responsibility is never completed by the service, whatever becomes of its runs', async () => {
  const { workspace, todo, agentId } = await world({ type: 'responsibility' });
  for (let round = 0; round < 2; round++) {
    await startRun(workspace, todo.id, engine.plan([reply('Done for today.')]), agentId);
    assert.is((await endOfRun(workspace, todo.id)).status, 'completed');
    assert.is((await todoNow(workspace, todo.id)).status, 'in_progress');
  }
});

test('todo: active → deleteTodo → archived, also while an agent works on it, who continues; again changes nothing', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Watered.'));
  await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  const gone = bodyOf(await call(`DELETE /todos/${todo.id}`));
  const deleted = { object: 'deleted', id: todo.id, deleted: true, recoverable: true };
  assert.equal(gone, { ...deleted, alreadyArchived: false });
  assert.equal(bodyOf(await call(`DELETE /todos/${todo.id}`)), { ...deleted, alreadyArchived: true });
  assert.equal(bodyOf(await call('GET /todos')).data, []);
  assert.is((await todoNow(workspace, todo.id)).isArchived, true);
  busy.release();
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.summary], ['completed', 'Watered.']);
  refused(await call(`POST /todos/${todo.id}/runs`), 409, null);
  assert.is(bodyOf(await call(`POST /todos/${todo.id}/restore`)).isArchived, false);
  await startRun(workspace, todo.id, engine.plan([reply('Again.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'Again.');
});

test('todo: active or archived → deleteTodo `permanent` → erased while an agent talks about it, who stops', async () => {
  for (const archivedFirst of [false, true]) {
    const { workspace, call, todo, agentId } = await world();
    const busy = held(reply('Too late.'));
    const message = engine.plan(busy.script);
    const { id: chatId } = bodyOf(await call('POST /chats', { message, todoId: todo.id, agentId }), 201);
    await busy.asked();
    if (archivedFirst) bodyOf(await call(`DELETE /todos/${todo.id}`));
    const erased = bodyOf(await call(`DELETE /todos/${todo.id}?permanent=true`));
    assert.equal(erased, { object: 'deleted', id: todo.id, deleted: true, recoverable: false });
    await busy.stopped();
    refused(await call(`GET /todos/${todo.id}`), 404, 'todoId');
    refused(await call(`POST /todos/${todo.id}/restore`), 404, 'todoId');
    const chat = await chatNow(workspace, chatId);
    assert.equal([chat.status, chat.todoId], ['cancelled', null]);
    const go = engine.plan([reply('About something else.')]);
    assert.is(bodyOf(await send(workspace, chatId, go), 202).status, 'completed', 'the chat lives on');
  }
});

test('todo: active or archived → deleteTodo `permanent` of one that an agent runs or has run → refused, unchanged', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(reply('Watered.'));
  await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  refused(await call(`DELETE /todos/${todo.id}?permanent=true`), 409, null);
  busy.release();
  assert.is((await endOfRun(workspace, todo.id)).status, 'completed', 'the agent was not disturbed');
  const before = await todoNow(workspace, todo.id);
  refused(await call(`DELETE /todos/${todo.id}?permanent=true`), 409, null);
  assert.equal(await todoNow(workspace, todo.id), before);
  bodyOf(await call(`DELETE /todos/${todo.id}`));
  refused(await call(`DELETE /todos/${todo.id}?permanent=true`), 409, null);
});

test.run();
