import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { saveSkillSummary } from '../../domain/agents/skill-update.ts';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { brief, doing, recordedEvents } from '../support/recorded-events.ts';

const test = suite('events of agents and skills');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

async function world() {
  const workspace = await tandem.workspace();
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, workspace, route, body, more);
  const { body: agent, events } = await act('POST /agents', { name: 'Scout' }, { status: 201 });
  assert.equal(events, [['agent.created', agent.id]]);
  return { ...workspace, act, agent, path: `/agents/${agent.id}` };
}

test('an update names the fields that changed, with the version', async () => {
  const { act, agent, path } = await world();
  const updated = ['agent.updated', agent.id];
  const change = { name: 'Ranger', instructions: 'Name your sources.', requiresApproval: true };
  assert.equal((await act(`PATCH ${path}`, change)).events, [[...updated, 'name', 'instructions', 'version']]);
  assert.equal((await act(`PATCH ${path}`, change)).events, [], 'nothing changed');
  assert.equal((await act(`POST ${path}/preview`, { name: 'Other' })).events, []);
  const cleared = await act(`PATCH ${path}`, { clear: ['instructions'] });
  assert.equal(cleared.events, [[...updated, 'instructions', 'version']]);
  assert.equal((await act(`PATCH ${path}`, { name: 'X', expectedVersion: 1 }, { status: 409 })).events, []);
  assert.equal((await act('POST /agents', { name: 'ranger' }, { status: 409 })).events, []);
});

test('archiving and restoring are events of their own, once, by either operation', async () => {
  const { act, agent, path } = await world();
  const changed = [agent.id, 'isArchived', 'version'];
  assert.equal((await act(`DELETE ${path}`)).events, [['agent.archived', ...changed]]);
  assert.equal((await act(`DELETE ${path}`)).events, []);
  assert.equal((await act(`POST ${path}/restore`)).events, [['agent.restored', ...changed]]);
  assert.equal((await act(`POST ${path}/restore`)).events, []);
  const both = await act(`PATCH ${path}`, { archived: true, description: 'Gone.' });
  assert.equal(both.events, [['agent.archived', agent.id, 'description', 'isArchived', 'version']]);
});

test('skills have events with their agent', async () => {
  const { act, agent, path, workspaceId } = await world();
  const input = { name: 'Digest', instructions: 'A' };
  const headers = { 'idempotency-key': 'one' };
  const made = await act(`POST ${path}/skills`, input, { status: 201, headers });
  const { id } = made.body;
  assert.equal(made.events, [['skill.created', id]]);
  assert.equal(made.recorded[0]?.parents, { agentId: agent.id });
  assert.equal((await act(`POST ${path}/skills`, input, { status: 201, headers })).events, [], 'a replay');
  const before = (await recordedEvents(tandem, workspaceId)).length;
  for (const _ of 'ab') await saveSkillSummary(tandem.db, workspaceId, id, { instructions: 'A', summary: 'Does A.' });
  const [summary, ...more] = (await recordedEvents(tandem, workspaceId)).slice(before);
  assert.equal([summary && brief(summary), more], [['skill.updated', id, 'summary'], []]);
  assert.equal([summary?.actorType, summary?.parents], ['service', { agentId: agent.id }]);
  const skill = `${path}/skills/${id}`;
  const changed = await act(`PATCH ${skill}`, { name: 'Daily digest', instructions: 'B' });
  assert.equal(changed.events, [['skill.updated', id, 'name', 'instructions', 'summary']]);
  assert.equal((await act(`PATCH ${skill}`, { name: 'Daily digest' })).events, []);
  assert.equal((await act(`DELETE ${skill}`)).events, [['skill.archived', id, 'isArchived']]);
  assert.equal((await act(`DELETE ${skill}`)).events, []);
  assert.equal((await act(`PATCH ${skill}`, { archived: false })).events, [['skill.restored', id, 'isArchived']]);
});

test('a change of working hours that are not enabled lets a chat that waits run', async () => {
  const { act, agent, path, workspaceId, userId } = await world();
  const chat = `insert into chats (workspace_id, id, agent_id, status) values ($1, $2, $3, 'queued')`;
  const turn = `insert into chat_turns (workspace_id, id, chat_id, agent_id, user_id, trigger, scopes, depth, not_before, lease_until)
    values ($1, gen_random_uuid(), $2, $3, $4, 'schedule', '{}', 0, now() + interval '1 day', now() + interval '1 day')`;
  const chatId = crypto.randomUUID();
  await tandem.db.rows(chat, [workspaceId, chatId, agent.id]);
  await tandem.db.rows(turn, [workspaceId, chatId, agent.id, userId]);
  const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];
  const given = await act(`PATCH ${path}`, {
    workingHours: { timezone: 'UTC', days: everyDay, start: '00:00', end: '00:01' },
  });
  assert.is(given.events[0]?.[0], 'agent.updated');
  assert.equal(given.events[1], ['chat.status_changed', chatId, 'status']);
  assert.equal(given.recorded[1]?.parents, { agentId: agent.id });
});

test.run();
