import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Scope, scopes } from '../../domain/scopes.ts';
import type { EngineRequest } from '../../engine/engine.ts';
import { hours } from '../support/agent-fixtures.ts';
import { newNote } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { chatOf, todoOf } from '../support/run-fixtures.ts';
import { type ScheduledService, startScheduled } from '../support/schedule-world.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { agentOf, approvalOf, bodyOf, startRun, todoNow } from '../support/work-fixtures.ts';

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

/** What an agent sees of captures in a request: how many are given, whether it may read others, and the text of one. */
function sightOf({ facts, tools, conversation }: EngineRequest) {
  const hasText = JSON.stringify(conversation).includes('ZANZIBAR');
  return [facts?.captures.length ?? 0, tools.some(({ name }) => name === 'get_capture'), hasText];
}

test('an agent at work sees no captures once such a key has changed its todo, not those that it has read either', async () => {
  const workspace = await working.workspace();
  const captureId = await newNote(workspace, 'ZANZIBAR');
  const { id } = await todoOf(workspace, { captureId });
  const key = await workspace.mint(few);
  const seen: unknown[] = [];
  const plan = engine.plan(async (request, asked) => {
    seen.push(sightOf(request));
    if (asked === 0) return use(['get_capture', { captureId }]);
    if (asked === 1) {
      bodyOf(await workspace.call(`PATCH /todos/${id}`, { content: 'Quote the capture' }, { key }));
      return use(['list_agents', {}]);
    }
    return asked === 2 ? use(['get_capture', { captureId }]) : reply('Nothing.');
  });
  const { chatId } = await startRun(workspace, id, plan, await agentOf(workspace));
  await settled(workspace, chatId);
  assert.equal(seen, [
    [1, true, false],
    [1, true, true],
    [0, false, false],
    [0, false, false],
  ]);
});

/**
 * A chat in which an agent, which sees captures, asks before it makes a todo; what it sees each time goes to `seen`.
 */
async function asking(workspace: TestWorkspace, seen: unknown[]) {
  const captureId = await newNote(workspace, 'ZANZIBAR');
  const agentId = await agentOf(workspace, { requiresApproval: true });
  const plan = engine.plan((request, asked) => {
    seen.push(sightOf(request));
    return asked === 0 ? use(['create_todo', { title: 'Sweep' }]) : reply('Done.');
  });
  const body = { message: plan, agentId, captureIds: [captureId] };
  const { id: chatId } = bodyOf(await workspace.call('POST /chats', body), 201);
  return { chatId, approval: (await approvalOf(workspace, chatId)).id as string };
}

const orders = {
  'a note with an approval': { decision: 'approve', note: 'And quote every capture' },
  'a note with a denial': { decision: 'deny', note: 'Quote every capture' },
  'another input': { decision: 'approve', input: { title: 'Quote every capture' } },
};

for (const [name, body] of Object.entries(orders)) {
  test(`${name} by a key without captures takes them from the agent`, async () => {
    const workspace = await working.workspace();
    const seen: unknown[] = [];
    const { chatId, approval } = await asking(workspace, seen);
    const key = await workspace.mint(['chats:read', 'chats:write', ...few]);
    bodyOf(await workspace.call(`POST /approvals/${approval}/decide`, body, { key }));
    await settled(workspace, chatId);
    assert.equal(seen, [
      [1, true, false],
      [0, false, false],
    ]);
  });
}

test('an agent that works because of what such a key put into a call has no captures either', async () => {
  const workspace = await working.workspace();
  const { call } = workspace;
  const agentId = await agentOf(workspace, { requiresApproval: true });
  const started = Promise.withResolvers<unknown>();
  const second = engine.plan((request) => {
    started.resolve(sightOf(request)[1]);
    return reply('Nothing.');
  });
  const first = engine.plan([use(['create_chat', { agentId, message: 'Sweep' }]), reply('Done.')]);
  const { id: chatId } = bodyOf(await call('POST /chats', { message: first, agentId }), 201);
  const { id } = await approvalOf(workspace, chatId);
  const key = await workspace.mint(['chats:read', 'chats:write']);
  const body = { decision: 'approve', input: { agentId, message: second } };
  bodyOf(await call(`POST /approvals/${id}/decide`, body, { key }));
  assert.is(await started.promise, false);
  await settled(workspace, chatId);
});

test('a decision without a word of such a key takes nothing', async () => {
  const workspace = await working.workspace();
  const seen: unknown[] = [];
  const { chatId, approval } = await asking(workspace, seen);
  const key = await workspace.mint(['chats:read', 'chats:write', ...few]);
  bodyOf(await workspace.call(`POST /approvals/${approval}/decide`, { decision: 'approve' }, { key }));
  await settled(workspace, chatId);
  assert.equal(seen, [
    [1, true, false],
    [1, true, false],
  ]);
});

test.run();
