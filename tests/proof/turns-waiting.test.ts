import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { hours } from '../support/agent-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';

const test = suite('runs that waited for working hours');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  // A Saturday, so far ahead that Monday is ahead of the clock of the database too.
  tandem = await startTestService({}, { engine, clock: () => new Date('2048-11-21T12:00:00.000Z') });
});
test.after(() => tandem.close());

interface Waiting {
  workspace: TestWorkspace;
  agentId: string;
  todoId: string;
  chatId: string;
}

/** A todo that was assigned to an agent on the weekend. */
async function waiting(): Promise<Waiting> {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { body: agent } = await call('POST /agents', { name: 'Scout' });
  await call(`PATCH /agents/${agent.id}`, { workingHours: hours('09:00', '17:00'), workingHoursEnabled: true });
  const { body: todo } = await call('POST /todos', { title: engine.plan([reply('Done.')]) });
  const { body: assigned } = await call(`PATCH /todos/${todo.id}`, { assignees: [{ id: agent.id }] });
  const { chatId, statusReason } = assigned.latestRun;
  assert.is(statusReason, 'queued');
  return { workspace, agentId: agent.id, todoId: todo.id, chatId };
}

const comeDue = `update chat_turns set not_before = now() - interval '1 second', lease_until = now() - interval '1 second'
  where workspace_id = $1 and chat_id = $2`;

/** What the chat and the todo are like some time after Monday at nine. */
async function onMonday({ workspace, todoId, chatId }: Waiting) {
  await tandem.db.rows(comeDue, [workspace.workspaceId, chatId]);
  const { body: chat } = await settled(workspace, chatId);
  const { body: todo } = await workspace.call(`GET /todos/${todoId}`);
  const { body: page } = await workspace.call(`GET /chats/${chatId}/messages`);
  return { chat: chat.status, run: todo.latestRun.status, todo: todo.status, last: page.data.at(-1).text };
}

test('they begin then', async () => {
  const { last: _, ...found } = await onMonday(await waiting());
  assert.equal(found, { chat: 'completed', run: 'completed', todo: 'in_progress' });
});

const changes: Record<string, (of: Waiting) => [route: string, body?: object]> = {
  'the agent was archived': ({ agentId }) => [`DELETE /agents/${agentId}`],
  'the todo was archived': ({ todoId }) => [`DELETE /todos/${todoId}`],
  'the agent was unassigned': ({ todoId }) => [`PATCH /todos/${todoId}`, { assignees: [] }],
};

for (const [name, change] of Object.entries(changes)) {
  test(`they do not begin when ${name} meanwhile, and say why`, async () => {
    const its = await waiting();
    const answer = await its.workspace.call(...change(its));
    assert.is(answer.status, 200, answer.text);
    const { last, ...found } = await onMonday(its);
    assert.equal(found, { chat: 'cancelled', run: 'cancelled', todo: 'ready' });
    assert.match(last, new RegExp(name, 'i'));
  });

  test(`nor when the hours end then, and ${name} before`, async () => {
    const its = await waiting();
    await its.workspace.call(...change(its));
    await its.workspace.call(`PATCH /agents/${its.agentId}`, { workingHoursEnabled: false });
    const { body: chat } = await settled(its.workspace, its.chatId);
    assert.is(chat.status, 'cancelled');
  });
}

test.run();
