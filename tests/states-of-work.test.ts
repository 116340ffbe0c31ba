import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../server/agents/engine.ts';
import { hours } from './agent-world.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { ScriptedEngine, say, settled, until, use } from './scripted-engine.ts';
import { refused } from './todo-world.ts';
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
  untilStatus,
} from './work-world.ts';

/* The tables of SPEC "States and transitions" and the rows of CONTRACT §5 and §6, each with agents that really work. */

const test = suite('states of work');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

const every = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
/** Working hours in which it is never now, nor within the next hours. */
const closed = () => {
  const inTwoDays = new Date(Date.now() + 48 * 3_600_000).getUTCDay();
  return hours('00:00', '24:00', 'UTC', [every[(inTwoDays + 6) % 7] as string]);
};

async function newTodo({ call }: TestWorkspace, more: object = {}) {
  return bodyOf(await call('POST /todos', { title: 'Water the plants', ...more }), 201);
}

/** A workspace with a todo and an agent that does what it is told. */
async function world(todo: object = {}, agent: Record<string, unknown> = {}) {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace, agent);
  return { workspace, call: workspace.call, agentId, todo: await newTodo(workspace, todo) };
}

const send = ({ call }: TestWorkspace, chatId: string, message: string) =>
  call(`POST /chats/${chatId}/messages`, { message, waitSeconds: 20 });

// Todo status

test('todo: any → updateTodo `done` → done; chats attached to it are closed, whatever they were doing', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('Too late.'));
  const careful = await agentOf(workspace, { requiresApproval: true });
  const chatOn = async (plan: string, agent: string) =>
    bodyOf(await call('POST /chats', { message: plan, todoId: todo.id, agentId: agent }), 201).id;
  const settledChat = await chatOn(engine.plan([say('Nothing to do.')]), agentId);
  await settled(workspace, settledChat);
  const waiting = await chatOn(engine.plan([use(['create_todo', { title: 'x' }]), say('Done.')]), careful);
  const { id: approvalId } = await approvalOf(workspace, waiting);
  const run = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();

  const began = Date.now();
  const done = bodyOf(await call(`PATCH /todos/${todo.id}`, { status: 'done' }));
  assert.equal([done.status, done.latestRun.status], ['done', 'cancelled']);
  const stopped = await busy.stopped();
  assert.ok(stopped - began < 1000, `${stopped - began} ms`);
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
  const plan = engine.plan([say('Watered.')]);
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
  const plan = engine.plan([use(['list_todos', {}]), say('Looked around.')]);
  const { workspace, call, todo, agentId } = await world({ title: `Water ${plan}` });
  const shown = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  const { status, trigger, statusReason } = shown.latestRun;
  assert.equal([shown.status, status, trigger, statusReason], ['ready', 'running', 'assignment', null]);
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.agentId, run.summary], ['completed', agentId, 'Looked around.']);
});

test('todo: createTodo with `run` → as created; an agent starts', async () => {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace);
  const busy = held(say('Done.'));
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
  const busy = held(say('Watered.'));
  await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  const listed = async (status: string) => bodyOf(await call(`GET /todos?status=${status}`)).data.length;
  assert.equal([await listed('ready'), await listed('in_progress'), await listed('active')], [0, 1, 1]);
  busy.release();
  await endOfRun(workspace, todo.id);
  assert.equal([await listed('in_progress'), await listed('active'), await listed('done')], [1, 1, 0]);
});

test('todo: an agent completes the one it works on → done; its own chat goes on to its end and is closed then', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('All watered.'));
  const other = held(say('Too late.'));
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
  const again = engine.plan([say('Again.')]);
  assert.is(bodyOf(await send(workspace, run.chatId, again), 202).status, 'completed');
  assert.is((await latestRun(workspace, todo.id)).id, run.id, 'a message is no run');
});

test('todo: what an agent completed gets an estimate of the minutes it saved, once its run is over', async () => {
  const { workspace, call, todo, agentId } = await world();
  const plan = engine.plan([
    use(['create_todo', { title: 'Buy a can' }]),
    use(['complete_todo', { todoId: todo.id }]),
    say('Watered.'),
  ]);
  await startRun(workspace, todo.id, plan, agentId);
  await endOfRun(workspace, todo.id);
  const { body } = await until(
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
    await startRun(workspace, todo.id, engine.plan([say('Done for today.')]), agentId);
    assert.is((await endOfRun(workspace, todo.id)).status, 'completed');
    assert.is((await todoNow(workspace, todo.id)).status, 'in_progress');
  }
});

// Todo archive

test('todo: active → deleteTodo → archived, also while an agent works on it, who goes on; again changes nothing', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('Watered.'));
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
  await startRun(workspace, todo.id, engine.plan([say('Again.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'Again.');
});

test('todo: active or archived → deleteTodo `permanent` → erased while an agent talks about it, who stops', async () => {
  for (const archivedFirst of [false, true]) {
    const { workspace, call, todo, agentId } = await world();
    const busy = held(say('Too late.'));
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
    const go = engine.plan([say('About something else.')]);
    assert.is(bodyOf(await send(workspace, chatId, go), 202).status, 'completed', 'the chat lives on');
  }
});

test('todo: active or archived → deleteTodo `permanent` of one that an agent runs or has run → refused, unchanged', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('Watered.'));
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

// Runs

test('run: (none) → runTodo → running → runTodo → refused, unchanged; a second one after its end', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('Watered.'));
  const run = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  assert.equal([run.status, run.finishedAt, run.statusReason], ['running', null, null]);
  await busy.asked();
  const again = await call(`POST /todos/${todo.id}/runs`, { agentId });
  refused(again, 409, null);
  assert.is(again.body.reason, 'already_running');
  assert.equal((await latestRun(workspace, todo.id)).id, run.id);
  busy.release();
  await endOfRun(workspace, todo.id);
  const second = await startRun(workspace, todo.id, engine.plan([say('Twice.')]), agentId);
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

interface Ending {
  plan(): string;
  /** What a person does while the agent works. */
  act?(workspace: TestWorkspace, chatId: string): Promise<unknown>;
  chat: string;
  errorMessage: RegExp | null;
  summary: string | null;
}

const endings: Record<'completed' | 'failed' | 'cancelled', Ending> = {
  completed: {
    plan: () => engine.plan([use(['list_todos', {}]), say('Watered.')]),
    chat: 'completed',
    errorMessage: null,
    summary: 'Watered.',
  },
  failed: {
    plan: () =>
      engine.plan(() => {
        throw new ModelFault('The model is not available. Try again in a minute.', { retryable: true });
      }),
    chat: 'failed',
    errorMessage: /The model is not available/,
    summary: null,
  },
  cancelled: {
    plan: () => engine.plan((request) => held(say('Too late.')).script(request)),
    act: async ({ call }, chatId) => {
      await new Promise((resolve) => setTimeout(resolve, 200));
      bodyOf(await call(`POST /chats/${chatId}/cancel`));
    },
    chat: 'cancelled',
    errorMessage: null,
    summary: null,
  },
};

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
    await startRun(workspace, todo.id, engine.plan([say('Better now.')]), agentId);
    assert.is((await endOfRun(workspace, todo.id)).summary, 'Better now.');
  });
}

test('run: running → waiting for a person: it stays running, as awaiting_input, until that is decided', async () => {
  const { workspace, call, todo, agentId } = await world({}, { requiresApproval: true });
  const plan = engine.plan([use(['create_todo', { title: 'Buy a can' }]), say('Watered.')]);
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

test('run: waiting for a person → sendMessage: the text is the answer, and the run goes on', async () => {
  const { workspace, call, todo, agentId } = await world({}, { requiresApproval: true });
  const plan = engine.plan([use(['create_todo', { title: 'Buy a can' }]), say('Watered without.')]);
  const { id: runId, chatId } = await startRun(workspace, todo.id, plan, agentId);
  const { id } = await approvalOf(workspace, chatId);
  assert.is(bodyOf(await send(workspace, chatId, 'Do without.'), 202).status, 'completed');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.id, run.status, run.summary], [runId, 'completed', 'Watered without.']);
  assert.is(bodyOf(await call(`GET /approvals/${id}`)).status, 'superseded');
});

test('run: assigned outside of working hours → queued, until the hours open; then running → completed', async () => {
  const plan = engine.plan([say('Good morning.')]);
  const { workspace, call, todo, agentId } = await world({ title: `Water ${plan}` }, { workingHours: closed() });
  const shown = bodyOf(await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agentId }] }));
  const { chatId, status, statusReason } = shown.latestRun;
  assert.equal([shown.status, status, statusReason], ['ready', 'running', 'queued']);
  assert.is((await chatNow(workspace, chatId)).status, 'queued');
  refused(await call(`POST /chats/${chatId}/messages`, { message: 'Hello?' }), 409, null);
  await new Promise((resolve) => setTimeout(resolve, 500));
  assert.is((await messagesOf(workspace, chatId)).length, 1, 'nobody worked');
  assert.is((await todoNow(workspace, todo.id)).status, 'ready', 'nor did it really start');
  bodyOf(await call(`PATCH /agents/${agentId}`, { workingHours: hours('00:00', '24:00', 'UTC', every) }));
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
    const todo = await newTodo(workspace, { title: engine.plan([say('On time.')]) });
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
  assert.is((await call(`POST /todos/${todo.id}/runs`)).body.reason, 'already_running');
  assert.is(bodyOf(await call(`POST /chats/${queued.chatId}/cancel`)).status, 'cancelled');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.status, run.statusReason, run.minutesUsed], ['cancelled', null, 0]);
  assert.is((await todoNow(workspace, todo.id)).status, 'ready', 'it never started');
  await startRun(workspace, todo.id, engine.plan([say('At night.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).summary, 'At night.');
});

test('run: deleteChat `permanent` of the chat where it works → cancelled and kept, and the agent stops', async () => {
  const { workspace, call, todo, agentId } = await world();
  const busy = held(say('Too late.'));
  const { id, chatId } = await startRun(workspace, todo.id, engine.plan(busy.script), agentId);
  await busy.asked();
  assert.is(bodyOf(await call(`DELETE /chats/${chatId}?permanent=true`)).recoverable, false);
  await busy.stopped();
  refused(await call(`GET /chats/${chatId}`), 404, 'chatId');
  refused(await call(`GET /chats/${chatId}/messages`), 404, 'chatId');
  const run = await endOfRun(workspace, todo.id);
  assert.equal([run.id, run.status], [id, 'cancelled']);
  await startRun(workspace, todo.id, engine.plan([say('Again.')]), agentId);
  assert.is((await endOfRun(workspace, todo.id)).status, 'completed');
});

// Chats

test('chat: (none) → createChat → running → completed; a wait ends with the turn', async () => {
  const { call } = await tandem.workspace();
  const message = engine.plan([use(['create_todo', { title: 'Buy milk' }]), say('Noted.')]);
  const made = bodyOf(await call('POST /chats', { message }), 201);
  assert.equal([made.status, made.completedAt, made.errorMessage], ['running', null, null]);
  const waited = bodyOf(await call('POST /chats', { message: engine.plan([say('Hello.')]), waitSeconds: 20 }), 201);
  assert.equal([waited.status, waited.messageCount], ['completed', 2]);
  assert.ok(waited.completedAt >= waited.lastMessageAt);
});

const settlings: Record<string, () => { plan: string; agent?: object; act?: Ending['act'] }> = {
  completed: () => ({ plan: endings.completed.plan() }),
  failed: () => ({ plan: endings.failed.plan() }),
  cancelled: () => ({ plan: endings.cancelled.plan(), act: endings.cancelled.act }),
  awaiting_input: () => ({
    plan: engine.plan([use(['create_todo', { title: 'Buy milk' }])]),
    agent: { requiresApproval: true },
  }),
};

for (const [status, settle] of Object.entries(settlings)) {
  test(`chat: ${status} → sendMessage → running → completed`, async () => {
    const { workspace, call, agentId } = await world({}, settle().agent as Record<string, unknown>);
    const { plan, act } = settle();
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId }), 201);
    await act?.(workspace, id);
    await untilStatus(workspace, id, status);
    const { messageCount } = await chatNow(workspace, id);
    const answered = bodyOf(await send(workspace, id, engine.plan([say('Here I am.')])), 202);
    assert.equal(
      [answered.status, answered.timedOut, answered.messageSequence, answered.replies.length],
      ['completed', false, messageCount + 1, 1],
    );
    assert.is(answered.replies[0].text, 'Here I am.');
    const chat = await chatNow(workspace, id);
    assert.equal([chat.status, chat.errorMessage, chat.messageCount], ['completed', null, messageCount + 2]);
  });
}

test('chat: working → sendMessage → refused, unchanged; the agent is not disturbed', async () => {
  const { workspace, call, agentId } = await world();
  const busy = held(say('Done.'));
  const { id } = bodyOf(await call('POST /chats', { message: engine.plan(busy.script), agentId }), 201);
  await busy.asked();
  const before = await chatNow(workspace, id);
  const answer = await call(`POST /chats/${id}/messages`, { message: 'And?' });
  refused(answer, 409, null);
  assert.is(answer.body.reason, 'agent_mid_turn');
  assert.equal(await chatNow(workspace, id), before);
  busy.release();
  const { body } = await settled(workspace, id);
  assert.equal([body.status, body.messageCount], ['completed', 2]);
});

test('chat: working → cancelChat → cancelled; work already done stays, and nothing follows', async () => {
  const { workspace, call, agentId } = await world();
  const busy = held(use(['create_todo', { title: 'Never' }]));
  const plan = engine.plan((request, asked) =>
    asked === 0 ? use(['create_todo', { title: 'Buy milk' }]) : busy.script(request),
  );
  const { id } = bodyOf(await call('POST /chats', { message: plan, agentId }), 201);
  await busy.asked();
  const cancelled = bodyOf(await call(`POST /chats/${id}/cancel`));
  assert.equal([cancelled.status, cancelled.messageCount], ['cancelled', 3]);
  await busy.stopped(1000);
  busy.release();
  await new Promise((resolve) => setTimeout(resolve, 300));
  assert.equal(await chatNow(workspace, id), cancelled);
  const titles = bodyOf(await call('GET /todos?order=asc')).data.map((each: { title: string }) => each.title);
  assert.equal(titles, ['Water the plants', 'Buy milk']);
});

test('chat: completed, failed or cancelled → cancelChat → unchanged, returned as is', async () => {
  for (const { plan, act } of [endings.completed, endings.failed, endings.cancelled]) {
    const { workspace, call, agentId } = await world();
    const { id } = bodyOf(await call('POST /chats', { message: plan(), agentId }), 201);
    await act?.(workspace, id);
    const { body: before } = await settled(workspace, id);
    // Titles are written beside the turn.
    const { title: _, subtitle: __, ...kept } = before;
    const { title: ___, subtitle: ____, ...after } = bodyOf(await call(`POST /chats/${id}/cancel`));
    assert.equal(after, kept);
  }
});

test('chat: active → deleteChat → archived, while its agent works on; archived → restoreChat → active', async () => {
  const { workspace, call, agentId } = await world();
  const busy = held(say('Done.'));
  const { id } = bodyOf(await call('POST /chats', { message: engine.plan(busy.script), agentId }), 201);
  await busy.asked();
  assert.is(bodyOf(await call(`DELETE /chats/${id}`)).recoverable, true);
  assert.equal(bodyOf(await call('GET /chats')).data, []);
  busy.release();
  const { body } = await settled(workspace, id);
  assert.equal([body.status, body.isArchived, body.messageCount], ['completed', true, 2]);
  refused(await call(`POST /chats/${id}/messages`, { message: 'And?' }), 409, null);
  assert.is(bodyOf(await call(`POST /chats/${id}/restore`)).isArchived, false);
  assert.is(bodyOf(await send(workspace, id, engine.plan([say('Back.')])), 202).status, 'completed');
});

test('chat: active or archived → deleteChat `permanent` → erased with all messages, in every status', async () => {
  for (const [status, settle] of Object.entries(settlings)) {
    const { plan, act, agent } = settle();
    const { workspace, call, agentId } = await world({}, agent as Record<string, unknown>);
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId }), 201);
    await act?.(workspace, id);
    await untilStatus(workspace, id, status);
    if (status === 'failed') bodyOf(await call(`DELETE /chats/${id}`));
    bodyOf(await call(`DELETE /chats/${id}?permanent=true`));
    refused(await call(`GET /chats/${id}`), 404, 'chatId');
    refused(await call(`POST /chats/${id}/restore`), 404, 'chatId');
    assert.equal(bodyOf(await call(`GET /approvals?chatId=${id}`)).data, []);
    const [left] = await tandem.db.rows<{ count: number }>(
      'select count(*)::int as count from messages where chat_id = $1',
      [id],
    );
    assert.is(left?.count, 0);
  }
});

test('chat: awaiting_input → decided → running → completed, whichever way; cancelChat → cancelled', async () => {
  for (const [decision, titles] of [
    ['approve', ['Water the plants', 'Buy milk']],
    ['deny', ['Water the plants']],
    [null, ['Water the plants']],
  ] as const) {
    const { workspace, call, agentId } = await world({}, { requiresApproval: true });
    const plan = engine.plan([use(['create_todo', { title: 'Buy milk' }]), say('So be it.')]);
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId }), 201);
    const approval = await approvalOf(workspace, id);
    if (decision) bodyOf(await call(`POST /approvals/${approval.id}/decide`, { decision }));
    else bodyOf(await call(`POST /chats/${id}/cancel`));
    const { body } = await settled(workspace, id);
    assert.is(body.status, decision ? 'completed' : 'cancelled');
    const left = bodyOf(await call('GET /todos?order=asc')).data.map((each: { title: string }) => each.title);
    assert.equal(left, titles);
  }
});

test.run();
