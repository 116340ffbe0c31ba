import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addAgent, assistantOf, queryOf, refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('runs of all todos');
let tandem: TestService;

test.before(async () => {
  // No worker: minutes would be charged to a run after it has ended, between two readings of it.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

interface Made {
  id: string;
  status: string;
  trigger: string;
  agentId: string;
  startedAt: string;
}

const statuses = ['running', 'completed', 'failed', 'cancelled', 'timed_out'];
const triggers = ['manual', 'create', 'assignment', 'schedule'];
const instants = ['2026-03-01T09:00:00.000Z', '2026-03-01T09:00:00.001Z', '2026-03-02T00:00:00.000Z'];

/** 60 runs in every state, of two agents and by every trigger, many of which started at the same time. */
async function history({ call, workspaceId }: TestWorkspace): Promise<Made[]> {
  const agents = [await assistantOf(tandem, workspaceId), await addAgent(tandem, workspaceId, 'Scout')];
  const { body } = await call('POST /todos/batch', { data: Array(30).fill({ title: 'a' }) });
  const rows = Array.from({ length: 60 }, (_, place) => ({
    todo: body.data[place % 30].id,
    status: place < 30 ? statuses[place % 5] : statuses[1 + (place % 4)],
    trigger: triggers[(place >> 1) % 4],
    agent: agents[place % 2],
    started: instants[place % 3],
  }));
  const text = `insert into todo_runs (workspace_id, id, todo_id, chat_id, agent_id, trigger, status, started_at, finished_at)
    select $1, gen_random_uuid(), todo, gen_random_uuid(), agent, trigger, status, started,
      case when status <> 'running' then now() end
    from jsonb_to_recordset($2::jsonb) as r(todo uuid, agent uuid, trigger text, status text, started timestamptz)
    returning id, status, trigger, agent_id as "agentId", started_at as "startedAt"`;
  return tandem.db.rows<Made>(text, [workspaceId, JSON.stringify(rows)]);
}

const latestFirst = (a: Made, b: Made) =>
  a.startedAt === b.startedAt ? (a.id < b.id ? 1 : -1) : a.startedAt < b.startedAt ? 1 : -1;

async function walk({ call }: TestWorkspace, query: Record<string, unknown>): Promise<string[]> {
  const found: string[] = [];
  for (let cursor: string | undefined; ; ) {
    const { status, body, text } = await call(`GET /runs?${queryOf({ ...query, cursor })}`);
    assert.is(status, 200, text);
    found.push(...body.data.map(({ id }: Made) => id));
    if (body.nextCursor === null) return found;
    cursor = body.nextCursor;
  }
}

test('lists the runs of all todos, the latest first, by every filter and at every page size', async () => {
  const workspace = await tandem.workspace();
  const made = (await history(workspace)).sort(latestFirst);
  const [first] = made;
  const filters: [Record<string, unknown>, (run: Made) => boolean][] = [
    [{}, () => true],
    [{ status: 'running' }, ({ status }) => status === 'running'],
    [{ status: 'failed,timed_out' }, ({ status }) => ['failed', 'timed_out'].includes(status)],
    [{ trigger: 'schedule' }, ({ trigger }) => trigger === 'schedule'],
    [
      { trigger: 'manual,create', status: 'completed' },
      (run) => /manual|create/.test(run.trigger) && run.status === 'completed',
    ],
    [{ agentId: first?.agentId.toUpperCase() }, ({ agentId }) => agentId === first?.agentId],
    [{ since: '2026-03-01T10:00:00.001+01:00' }, ({ startedAt }) => startedAt >= '2026-03-01T09:00:00.001Z'],
    [{ agentId: unknownId }, () => false],
  ];
  for (const [query, holds] of filters) {
    const expected = made.filter(holds).map(({ id }) => id);
    for (const limit of [1, 7, 100]) {
      assert.equal(await walk(workspace, { ...query, limit }), expected, `${JSON.stringify(query)} by ${limit}`);
    }
  }
});

test('shows a run as the todo does, and none of another workspace', async () => {
  const [workspace, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: todo } = await workspace.call('POST /todos', { title: 'a' });
  const { body: run } = await workspace.call(`POST /todos/${todo.id}/runs`, {});
  await workspace.call(`POST /chats/${run.chatId}/cancel`);
  const { body: ofTodo } = await workspace.call(`GET /todos/${todo.id}/runs`);
  const { body } = await workspace.call('GET /runs');
  assert.equal(body, { object: 'list', data: ofTodo.data, hasMore: false, nextCursor: null });
  assert.is(body.data[0].id, run.id);
  assert.equal((await other.call('GET /runs')).body.data, []);
  assert.equal((await other.call(`GET /runs?agentId=${run.agentId}`)).body.data, []);
});

test('refuses what is no filter, no state, and a cursor of another list', async () => {
  const workspace = await tandem.workspace();
  await history(workspace);
  const { call } = workspace;
  const states = await call('GET /runs?status=running,stopped');
  refused(states, 400, 'status[1]');
  assert.equal(states.body.allowedValues, statuses);
  refused(await call('GET /runs?trigger=x'), 400, 'trigger');
  assert.is((await call('GET /runs?surprise=1')).status, 200, 'unknown parameters are ignored');
  refused(await call('GET /runs?agentId=x'), 400, 'agentId');
  refused(await call('GET /runs?since=yesterday'), 400, 'since');
  const { body } = await call('GET /runs?limit=1&status=failed,running');
  assert.is((await call(`GET /runs?limit=1&status=running,failed&cursor=${body.nextCursor}`)).status, 200);
  refused(await call(`GET /runs?limit=1&cursor=${body.nextCursor}`), 400, 'cursor', 'invalid_cursor');
  const key = await workspace.mint(['chats:read']);
  assert.is((await call('GET /runs', undefined, { key })).status, 403);
});

test.run();
