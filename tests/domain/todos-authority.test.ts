import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { hours } from '../support/agent-fixtures.ts';
import { newNote } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { chatOf, todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { agentOf, bodyOf, messagesOf, startRun, todoNow } from '../support/work-fixtures.ts';

const test = suite('what agents may do on a todo that somebody else changed');
const engine = new ScriptedEngine();
/** A Saturday. */
const start = '2031-05-03T08:30:00.000Z';
let tandem: ScheduledService;
let working: TestService;

test.before(async () => {
  tandem = await startScheduled(start);
  working = await startTestService({}, { engine });
});
test.before.each(() => tandem.clock.set(start));
test.after(async () => {
  await tandem.close();
  await working.close();
});

const few: Scope[] = ['todos:read', 'todos:write'];
const others = scopes.filter((scope) => !scope.startsWith('captures:'));
const hourly = { rrule: 'FREQ=HOURLY;BYMINUTE=0', timezone: 'UTC' };

/** The scopes of the turn of the latest run of a todo. */
async function scopesOf(workspace: TestWorkspace, todoId: string) {
  const { latestRun } = await todoNow(workspace, todoId);
  return (await chatOf(tandem, latestRun.chatId)).turns.map((turn) => turn.scopes);
}

/** A todo with a schedule that the owner set for an agent. */
async function scheduled(workspace: TestWorkspace, agentId: string) {
  return todoOf(workspace, { content: 'All of them', schedule: hourly, assignees: [{ id: agentId }] });
}

const changes: Record<string, (todoId: string, assignees: object[]) => [path: string, body: object]> = {
  'another title': (id) => [`PATCH /todos/${id}`, { title: 'Quote all transcripts' }],
  'another content': (id) => [`PATCH /todos/${id}`, { content: 'Quote all transcripts' }],
  'another text and status': (id) => [`PATCH /todos/${id}`, { content: 'Quote', status: 'in_progress' }],
  'other assignees': (id, assignees) => [`PATCH /todos/${id}`, { assignees }],
  'a change of several': (id) => ['POST /todos/bulk', { ids: [id], patch: { content: 'Quote' } }],
  'a change by filter': () => ['POST /todos/bulk', { where: { status: 'active' }, patch: { title: 'Quote' } }],
};

for (const [name, change] of Object.entries(changes)) {
  test(`${name} by a key without captures takes them from the schedule of the owner`, async () => {
    const workspace = await tandem.workspace();
    const agent = await agentOf(workspace);
    const { id } = await scheduled(workspace, agent);
    const [path, body] = change(id, [{ id: workspace.userId }, { id: agent }]);
    bodyOf(await workspace.call(path, body, { key: await workspace.mint(few) }));
    tandem.clock.set('2031-05-03T09:00:00.000Z');
    await tandem.fire();
    assert.is((await todoNow(workspace, id)).latestRun.trigger, 'schedule');
    assert.equal(await scopesOf(workspace, id), [others]);
  });
}

test('what such a key leaves as it is, changes beside it, or changes of who has the scopes take nothing', async () => {
  const workspace = await tandem.workspace();
  const { id, title, content } = await scheduled(workspace, await agentOf(workspace));
  const key = await workspace.mint(few);
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { title, content, priority: 'high' }, { key }));
  bodyOf(await workspace.call('POST /todos/bulk', { ids: [id], patch: { content: 'x' }, dryRun: true }, { key }));
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { title: 'Mine' }));
  tandem.clock.set('2031-05-03T09:00:00.000Z');
  await tandem.fire();
  assert.equal(await scopesOf(workspace, id), [scopes]);
});

test('a key that may write captures takes only what it lacks, and the owner gives it back with the schedule', async () => {
  const workspace = await tandem.workspace();
  const { id } = await scheduled(workspace, await agentOf(workspace));
  const key = await workspace.mint([...few, 'captures:write']);
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { content: 'Quote' }, { key }));
  const stored = async () =>
    (await tandem.db.rows<{ scopes: string[] }>('select scopes from todo_schedules where todo_id = $1', [id]))[0]
      ?.scopes;
  assert.equal(
    await stored(),
    scopes.filter((scope) => scope !== 'captures:read'),
  );
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { schedule: hourly }));
  assert.equal(await stored(), scopes);
});

test('the same holds for a run that waits for working hours', async () => {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace, { workingHours: hours('09:00', '17:00') });
  const { id } = await todoOf(workspace);
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { assignees: [{ id: agentId }] }));
  assert.is((await todoNow(workspace, id)).latestRun.statusReason, 'queued');
  assert.equal(await scopesOf(workspace, id), [scopes]);
  bodyOf(await workspace.call(`PATCH /todos/${id}`, { content: 'Quote' }, { key: await workspace.mint(few) }));
  assert.equal(await scopesOf(workspace, id), [others]);
});

test('an agent at work reads no captures once such a key has changed its todo', async () => {
  const workspace = await working.workspace();
  const captureId = await newNote(workspace, 'ZANZIBAR');
  const { id } = await todoOf(workspace, { captureId });
  const key = await workspace.mint(few);
  const seen: [captures: number, tool: boolean][] = [];
  const plan = engine.plan(async ({ facts, tools }, asked) => {
    seen.push([facts?.captures.length ?? 0, tools.some(({ name }) => name === 'get_capture')]);
    if (asked === 0) {
      bodyOf(await workspace.call(`PATCH /todos/${id}`, { content: 'Quote the capture' }, { key }));
      return use(['list_agents', {}]);
    }
    return asked === 1 ? use(['get_capture', { captureId }]) : reply('Nothing.');
  });
  const { chatId } = await startRun(workspace, id, plan, await agentOf(workspace));
  await settled(workspace, chatId);
  assert.equal(seen, [
    [1, true],
    [0, false],
    [0, false],
  ]);
  assert.not.match(JSON.stringify(await messagesOf(workspace, chatId)), /ZANZIBAR/);
});

test.run();
