import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Answer, TestWorkspace } from '../support/harness.ts';
import { hold, holdRow, releaseAll, untilAllBlocked, untilBlocked } from '../support/locks.ts';
import { chatOn, count, type IdleService, startIdleService, todoOf } from '../support/run-fixtures.ts';
import { addAgent, assistantOf } from '../support/todo-fixtures.ts';
import { answered } from '../support/until.ts';

const test = suite('runs of todos under concurrent requests');
let tandem: IdleService;

test.before(async () => {
  tandem = await startIdleService();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const rounds = 12;
const statusesOf = (answers: Answer[]) => answers.map(({ status }) => status).sort();

/** What holds whenever nobody is writing: who is at work, on what, and what the todos say of it. */
async function assertConsistent({ workspaceId }: TestWorkspace): Promise<void> {
  const broken = {
    'a todo is done and an agent is at work on it': `select t.id from todos t join chats c
      on c.workspace_id = t.workspace_id and c.todo_id = t.id join chat_turns w
      on w.workspace_id = c.workspace_id and w.chat_id = c.id
      where t.workspace_id = $1 and t.status = 'done' and w.ended_at is null`,
    'a run is running without an open turn, or the other way round': `select r.id from todo_runs r join chat_turns w
      on w.workspace_id = r.workspace_id and w.run_id = r.id
      where r.workspace_id = $1 and (r.status = 'running') <> (w.ended_at is null)`,
    'a todo names another run than its latest': `select t.id from todos t where t.workspace_id = $1
      and t.latest_run_id is distinct from (select r.id from todo_runs r where r.workspace_id = t.workspace_id
        and r.todo_id = t.id order by r.started_at desc, r.id desc limit 1)`,
    'a chat is of no todo but has a run': `select r.id from todo_runs r join chats c
      on c.workspace_id = r.workspace_id and c.id = r.chat_id where r.workspace_id = $1 and c.todo_id is null`,
  };
  for (const [fault, text] of Object.entries(broken)) {
    assert.equal([...(await tandem.db.rows(text, [workspaceId]))], [], fault);
  }
}

test('of several runs asked for at once exactly one starts', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  for (let round = 1; round <= rounds; round++) {
    const { id } = await todoOf(workspace);
    const answers = await Promise.all(Array.from({ length: 5 }, () => answered(() => call(`POST /todos/${id}/runs`))));
    assert.equal(statusesOf(answers), [202, 409, 409, 409, 409]);
    for (const { status, body } of answers) if (status === 409) assert.is(body.reason, 'already_running');
    assert.is(await count(tandem, 'todo_runs', workspaceId), round);
    assert.is(await count(tandem, 'chats', workspaceId), round);
  }
  await assertConsistent(workspace);
});

test('twins with one key start one run and get the same answer', async () => {
  const workspace = await tandem.workspace();
  const { id } = await todoOf(workspace);
  const headers = { 'idempotency-key': 'twins' };
  const twin = () => workspace.call(`POST /todos/${id}/runs`, {}, { headers });
  const answers = await Promise.all([twin(), twin(), twin(), twin()]);
  assert.equal(statusesOf(answers), [202, 202, 202, 202]);
  assert.is(new Set(answers.map(({ text }) => text)).size, 1);
  assert.is(await count(tandem, 'todo_runs', workspace.workspaceId), 1);
});

test('a todo that becomes done while a run starts ends with nobody at work on it', async () => {
  const workspace = await tandem.workspace();
  const { call, userId } = workspace;
  for (let round = 0; round < rounds; round++) {
    const { id } = await todoOf(workspace);
    const patch = { status: 'done', ...(round % 3 === 1 && { assignees: [{ id: userId }] }) };
    const finish = () =>
      round % 3 === 2 ? call('POST /todos/bulk', { ids: [id], patch }) : call(`PATCH /todos/${id}`, patch);
    const both = round % 2 ? [finish(), call(`POST /todos/${id}/runs`)] : [call(`POST /todos/${id}/runs`), finish()];
    const statuses = statusesOf(await Promise.all(both));
    assert.ok(['200,202', '200,409'].includes(statuses.join()), statuses.join());
    const { body } = await call(`GET /todos/${id}`);
    assert.equal([body.status, body.latestRun?.status ?? 'cancelled'], ['done', 'cancelled']);
    await assertConsistent(workspace);
  }
});

test('a completion that waited for a starting run cancels it, and a run that waited for a completion is refused', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (const order of ['run first', 'done first'] as const) {
    const { id } = await todoOf(workspace);
    const row = await holdRow('todos', id);
    const run = () => call(`POST /todos/${id}/runs`);
    const done = () => call(`PATCH /todos/${id}`, { status: 'done' });
    const first = order === 'run first' ? run() : done();
    await untilBlocked(order === 'run first' ? 'select id from todos%for update' : '%update todos set status%');
    const second = order === 'run first' ? done() : run();
    await untilBlocked(order === 'run first' ? '%update todos set status%' : 'select id from todos%for update');
    await row.release();
    const statuses = [await first, await second].map(({ status }) => status);
    assert.equal(statuses, order === 'run first' ? [202, 200] : [200, 409]);
    const { body } = await call(`GET /todos/${id}`);
    assert.equal([body.status, body.latestRun?.status], ['done', order === 'run first' ? 'cancelled' : undefined]);
  }
  await assertConsistent(workspace);
});

test('a chat that is attached to a todo while its completion waits is cancelled with the others', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id: todoId } = await todoOf(workspace);
  const agent = await hold('select 1 from agents where workspace_id = $1 for update', [workspaceId]);
  const started = call('POST /chats', { message: 'Begin', todoId });
  await untilBlocked('%insert into chat%');
  const done = call(`PATCH /todos/${todoId}`, { status: 'done' });
  await untilBlocked('%update todos set status%');
  await agent.release();
  const [chat, todo] = [await started, await done];
  assert.equal([chat.status, todo.status, todo.body.status], [201, 200, 'done']);
  assert.is((await call(`GET /chats/${chat.body.id}`)).body.status, 'cancelled');
  await assertConsistent(workspace);
});

test('a run that waited for another to start and end is the later one', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { id } = await todoOf(workspace);
  const agentId = await assistantOf(tandem, workspaceId);
  let second: Promise<Answer> | undefined;
  await tandem.db.transaction(async (tx) => {
    await tx.rows('select 1 from todos where workspace_id = $1 and id = $2 for update', [workspaceId, id]);
    second = call(`POST /todos/${id}/runs`);
    await untilBlocked('select id from todos%for update');
    const first = `with r as (insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, started_at, finished_at)
        values ($1, gen_random_uuid(), $2, gen_random_uuid(), $3, 'manual', 'failed', clock_timestamp(), clock_timestamp()) returning id)
      update todos set latest_run_id = r.id from r where workspace_id = $1 and todos.id = $2`;
    await tx.rows(first, [workspaceId, id, agentId]);
  });
  assert.is((await second)?.status, 202);
  const { body } = await call(`GET /todos/${id}/runs`);
  assert.equal(
    body.data.map(({ status }: { status: string }) => status),
    ['running', 'failed'],
  );
  await assertConsistent(workspace);
});

test('a todo is either run or erased, never both', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const seen = new Set<string>();
  const lock = 'select id from todos%for update';
  for (let round = 0; round < rounds + 2; round++) {
    const { id } = await todoOf(workspace);
    const agentId = await assistantOf(tandem, workspaceId);
    if (round % 4 === 3) await chatOn(tandem, workspace, id, agentId);
    const erase = () => call(`DELETE /todos/${id}?permanent=true`);
    const run = () => call(`POST /todos/${id}/runs`);
    // However this machine ends the races, the last two rounds end one way each: the todo goes to who asked first.
    const row = round < rounds ? undefined : await holdRow('todos', id);
    const first = round % 2 ? erase() : run();
    if (row) await untilAllBlocked(1, lock);
    const second = round % 2 ? run() : erase();
    if (row) await untilAllBlocked(2, lock);
    await row?.release();
    const [a, b] = await Promise.all([first, second]);
    const [erased, started] = round % 2 ? [a, b] : [b, a];
    const outcome = `${erased.status} ${started.status}`;
    assert.ok(['200 404', '409 202'].includes(outcome), outcome);
    assert.is((await call(`GET /todos/${id}`)).status, erased.status === 200 ? 404 : 200);
    seen.add(outcome);
  }
  assert.is(seen.size, 2, 'both ends of the race were seen');
  await assertConsistent(workspace);
});

test('an agent assigned several times at once starts once, also beside a run asked for', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const agents = [await addAgent(tandem, workspaceId, 'Gardener'), await addAgent(tandem, workspaceId, 'Cook')];
  for (let round = 1; round <= rounds; round++) {
    const { id } = await todoOf(workspace);
    const assign = (agent: number) => call(`PATCH /todos/${id}`, { assignees: [{ id: agents[agent] }] });
    const answers = await Promise.all([
      assign(0),
      assign(0),
      call('POST /todos/bulk', { ids: [id], patch: { assignees: [{ id: agents[0] }] } }),
      assign(1),
      call(`POST /todos/${id}/runs`),
    ]);
    for (const { status, text } of answers.slice(0, 4)) assert.is(status, 200, text);
    assert.ok([202, 409].includes(answers[4]?.status ?? 0));
    assert.is(await count(tandem, 'todo_runs', workspaceId), round);
  }
  await assertConsistent(workspace);
});

test('runs, completions and bulk changes of the same todos in all orders never deadlock', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const gardener = await addAgent(tandem, workspaceId, 'Gardener');
  const { body } = await call('POST /todos/batch', { data: Array.from({ length: 12 }, () => ({ title: 'a' })) });
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  for (let round = 0; round < 4; round++) {
    const answers = await Promise.all([
      call('POST /todos/bulk', { ids, patch: { status: 'done' } }),
      call('POST /todos/bulk', { ids: ids.toReversed(), patch: { status: 'ready', assignees: [{ id: gardener }] } }),
      call('POST /todos/bulk', { ids: ids.toReversed(), patch: { status: 'ready', assignees: [] } }),
      call('POST /todos/bulk', { ids, patch: { status: 'done' }, dryRun: true }),
      ...ids.slice(0, 6).map((id) => call(`POST /todos/${id}/runs`)),
      ...ids.slice(3, 9).map((id) => call(`PATCH /todos/${id}`, { status: 'done' })),
    ]);
    for (const { status, text } of answers) assert.ok([200, 202, 409].includes(status), text);
    await assertConsistent(workspace);
  }
});

test.run();
