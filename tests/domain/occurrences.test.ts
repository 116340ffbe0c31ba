import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { occurrenceId } from '../../domain/occurrences/rows.ts';
import type { TestWorkspace } from '../support/harness.ts';
import { todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';

const test = suite('occurrences of todos');
const start = '2031-07-01T08:30:00.000Z';
let tandem: ScheduledService;

test.before(async () => {
  tandem = await startScheduled(start);
});
test.before.each(() => tandem.clock.set(start));
test.after(() => tandem.close());

const daily = { every: 'day', at: '09:00', timezone: 'UTC' };
const at = (day: number) => `2031-07-${String(day).padStart(2, '0')}T09:00:00.000Z`;

interface Occurrence {
  id: string;
  plannedAt: string;
  status: string;
}

async function list({ call }: TestWorkspace, id: string, query = ''): Promise<Occurrence[]> {
  const answer = await call(`GET /todos/${id}/occurrences?${query}`);
  assert.is(answer.status, 200, answer.text);
  return answer.body.data;
}

async function tick({ call }: TestWorkspace, id: string, occurrence: string, status: string) {
  return call(`PATCH /todos/${id}/occurrences/${occurrence}`, { status });
}

const timesAndStatuses = (occurrences: Occurrence[]) => occurrences.map(({ plannedAt, status }) => [plannedAt, status]);

async function firedUntil(workspace: TestWorkspace, day: number) {
  const todo = await todoOf(workspace, { schedule: daily });
  for (let each = 1; each <= day; each++) {
    tandem.clock.set(at(each));
    await tandem.fire();
  }
  return todo;
}

test('the coming one has an id before it comes, and keeps it', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const [coming] = await list(workspace, todo.id);
  assert.equal(coming, {
    object: 'todo_occurrence',
    id: coming?.id,
    todoId: todo.id,
    plannedAt: at(1),
    firedAt: null,
    status: 'upcoming',
    runId: null,
  });
  assert.match(coming?.id ?? '', /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  tandem.clock.set(at(1));
  await tandem.fire();
  const fired = (await list(workspace, todo.id)).find(({ plannedAt }) => plannedAt === at(1));
  assert.equal([fired?.id, fired?.status], [coming?.id, 'fired']);
});

test('pages of every size hold every occurrence once, the latest first', async () => {
  const workspace = await tandem.workspace();
  const todo = await firedUntil(workspace, 6);
  const all = await list(workspace, todo.id, 'limit=100');
  assert.equal(timesAndStatuses(all), [[at(7), 'upcoming'], ...[6, 5, 4, 3, 2, 1].map((day) => [at(day), 'fired'])]);
  for (const limit of [1, 2, 3, 5, 7]) {
    const found: Occurrence[] = [];
    let cursor = '';
    do {
      const { body } = await workspace.call(`GET /todos/${todo.id}/occurrences?limit=${limit}${cursor}`);
      found.push(...body.data);
      cursor = body.nextCursor === null ? '' : `&cursor=${body.nextCursor}`;
    } while (cursor !== '');
    assert.equal(found, all, `limit ${limit}`);
  }
});

test('one that fired is ticked off, and the rule continues', async () => {
  const workspace = await tandem.workspace();
  const todo = await firedUntil(workspace, 2);
  const before = (await workspace.call(`GET /todos/${todo.id}`)).body;
  const [, second] = await list(workspace, todo.id);
  const { status, body } = await tick(workspace, todo.id, second?.id ?? '', 'done');
  assert.equal([status, body], [200, { ...second, status: 'done' }]);
  assert.is((await tick(workspace, todo.id, second?.id ?? '', 'done')).status, 200, 'again');
  assert.equal((await workspace.call(`GET /todos/${todo.id}`)).body, before);
});

test('skipping the coming one leaves it out: the todo shows the one after, and it does not fire', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const [coming] = await list(workspace, todo.id);
  const { status, body } = await tick(workspace, todo.id, coming?.id ?? '', 'skipped');
  assert.equal([status, body], [200, { ...coming, status: 'skipped' }]);
  const after = (await workspace.call(`GET /todos/${todo.id}`)).body;
  assert.equal([after.nextRunAt, after.scheduleStatus, after.upcomingRuns[0]], [at(2), 'pending', at(2)]);
  tandem.clock.set(at(1));
  await tandem.fire();
  assert.equal(timesAndStatuses(await list(workspace, todo.id)), [
    [at(2), 'upcoming'],
    [at(1), 'skipped'],
  ]);
});

test('what was skipped ahead stays skipped over a pause, and is forgotten with a new schedule', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const todo = await todoOf(workspace, { schedule: daily });
  const [coming] = await list(workspace, todo.id);
  await tick(workspace, todo.id, coming?.id ?? '', 'skipped');
  await call(`PATCH /todos/${todo.id}`, { schedulePaused: true });
  assert.is((await call(`PATCH /todos/${todo.id}`, { schedulePaused: false })).body.nextRunAt, at(2));
  assert.is((await call(`PATCH /todos/${todo.id}`, { schedule: daily })).body.nextRunAt, at(1));
  tandem.clock.set(at(1));
  await tandem.fire();
  assert.equal(timesAndStatuses(await list(workspace, todo.id)).at(-1), [at(1), 'fired']);
});

test('the coming one ticked off before its time does not fire either; the last one ends the schedule', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: { ...daily, count: 2 } });
  for (const day of [1, 2]) {
    const [coming] = await list(workspace, todo.id);
    assert.equal(timesAndStatuses([coming as Occurrence]), [[at(day), 'upcoming']]);
    assert.is((await tick(workspace, todo.id, coming?.id ?? '', 'done')).status, 200);
  }
  const after = (await workspace.call(`GET /todos/${todo.id}`)).body;
  assert.equal([after.scheduleStatus, after.nextRunAt], ['completed', null]);
  tandem.clock.set(at(5));
  await tandem.fire();
  assert.equal(timesAndStatuses(await list(workspace, todo.id)), [
    [at(2), 'done'],
    [at(1), 'done'],
  ]);
});

test('a paused schedule has none to come, and a todo without a schedule has none', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  await workspace.call(`PATCH /todos/${todo.id}`, { schedulePaused: true });
  assert.equal(await list(workspace, todo.id), []);
  assert.equal(await list(workspace, (await todoOf(workspace)).id), []);
});

test('past occurrences stay when the schedule ends', async () => {
  const workspace = await tandem.workspace();
  const todo = await firedUntil(workspace, 2);
  await workspace.call(`PATCH /todos/${todo.id}`, { schedule: null });
  assert.equal(timesAndStatuses(await list(workspace, todo.id)), [
    [at(2), 'fired'],
    [at(1), 'fired'],
  ]);
});

test('If-Match protects it from a change that came first', async () => {
  const workspace = await tandem.workspace();
  const todo = await firedUntil(workspace, 1);
  const [, fired] = await list(workspace, todo.id);
  const path = `PATCH /todos/${todo.id}/occurrences/${fired?.id}`;
  const done = await workspace.call(path, { status: 'done' });
  const etag = done.headers.get('etag') ?? '';
  assert.is((await workspace.call(path, { status: 'skipped' }, { headers: { 'if-match': etag } })).status, 200);
  assert.is((await workspace.call(path, { status: 'done' }, { headers: { 'if-match': etag } })).status, 412);
});

test('an unknown status or occurrence, that of another todo, and one that is not the next are refused', async () => {
  const workspace = await tandem.workspace();
  const [todo, other] = [await todoOf(workspace, { schedule: daily }), await todoOf(workspace, { schedule: daily })];
  const [coming] = await list(workspace, todo.id);
  refused(await tick(workspace, todo.id, coming?.id ?? '', 'fired'), 400, 'status');
  refused(await tick(workspace, todo.id, unknownId, 'done'), 404, 'occurrenceId');
  refused(await tick(workspace, other.id, coming?.id ?? '', 'done'), 404, 'occurrenceId');
  refused(await tick(workspace, unknownId, coming?.id ?? '', 'done'), 404, 'todoId');
  refused(await workspace.call(`GET /todos/${unknownId}/occurrences`), 404, 'todoId');
  refused(await workspace.call(`GET /todos/${todo.id}/occurrences?cursor=x`), 400, 'cursor', 'invalid_cursor');
});

test('of many who skip the coming one at once each skips the same one', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const [coming] = await list(workspace, todo.id);
  const answers = await Promise.all([1, 2, 3, 4, 5].map(() => tick(workspace, todo.id, coming?.id ?? '', 'skipped')));
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  assert.equal(timesAndStatuses(await list(workspace, todo.id)), [
    [at(2), 'upcoming'],
    [at(1), 'skipped'],
  ]);
});

test('at most 400 times are skipped ahead', async () => {
  const workspace = await tandem.workspace();
  const todo = await todoOf(workspace, { schedule: daily });
  const ahead = `insert into todo_occurrences (workspace_id, id, todo_id, planned_at, status)
    select $1, gen_random_uuid(), $2, $3::timestamptz + n * interval '1 day', 'skipped' from generate_series(1, 399) n`;
  await tandem.db.rows(ahead, [workspace.workspaceId, todo.id, at(1)]);
  assert.is((await tick(workspace, todo.id, occurrenceId(todo.id, at(1)), 'skipped')).status, 200);
  const [next] = await list(workspace, todo.id);
  assert.equal([next?.status, next?.plannedAt], ['upcoming', '2032-08-04T09:00:00.000Z']);
  refused(await tick(workspace, todo.id, next?.id ?? '', 'skipped'), 409, null);
});

test.run();
