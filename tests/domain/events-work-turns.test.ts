import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireApprovals } from '../../domain/approvals/expiry.ts';
import { chargeCapture } from '../../domain/captures/processing/charge.ts';
import { charge } from '../../domain/usage/minutes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { doing, type RecordedEvent, recordedEvents } from '../support/recorded-events.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { waitingChat, worldOf } from '../support/turn-world.ts';

const test = suite('events of agents at work');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

const title = 'Plans';
const day = 86_400_000;

async function world() {
  const workspace = await tandem.workspace();
  const act = (route: string, body?: unknown, more?: Parameters<typeof doing>[4]) =>
    doing(tandem, workspace, route, body, more);
  return { ...workspace, act, all: () => recordedEvents(tandem, workspace.workspaceId) };
}

/** What was recorded of a chat, by type and actor; its subtitle is written beside the work. */
function ofChat(events: readonly RecordedEvent[], chatId: string): string[] {
  const here = events.filter(({ objectId, parents }) => objectId === chatId || parents.chatId === chatId);
  const work = here.filter(({ changedFields }) => !changedFields.includes('subtitle'));
  return work.map(({ type, changedFields, actorType }) => [actorType, type, ...changedFields].join(' '));
}

const got = 'chat.updated messageCount lastMessageAt';

test('each step of a turn is recorded with its message, by the agent', async () => {
  const { call, all, workspaceId } = await world();
  const plan = engine.plan([use(['create_todo', { title: 'Buy milk' }]), reply('Made it.')]);
  const { body: agent } = await call('POST /agents', { name: 'Bold', requiresApproval: false });
  const { body: chat } = await call('POST /chats', { message: plan, title, agentId: agent.id });
  assert.is((await settled({ call }, chat.id)).body.status, 'completed');
  const events = await all();
  assert.equal(ofChat(events, chat.id), [
    'user chat.created',
    'user message.created',
    `agent ${got}`,
    'agent message.created',
    `agent ${got}`,
    'agent message.created',
    'agent message.created',
    'agent chat.status_changed status completedAt messageCount lastMessageAt',
  ]);
  const ends = events.find(({ type }) => type === 'chat.status_changed');
  assert.equal(
    [ends?.actorId, ends?.via, ends?.credentialId, ends?.parents],
    [agent.id, 'agent', null, { agentId: agent.id }],
  );
  const messages = events.filter(({ type, actorType }) => type === 'message.created' && actorType === 'agent');
  assert.equal(
    messages.map(({ parents }) => parents),
    [{ chatId: chat.id, agentId: agent.id }, { chatId: chat.id }, { chatId: chat.id, agentId: agent.id }],
  );
  assert.is((await tandem.db.rows('select 1 from chats where workspace_id = $1', [workspaceId])).length, 1);
});

test('an approval is requested by the agent and decided by the person, who gets a notification alone', async () => {
  const { call, all, act, userId } = await world();
  const plan = engine.plan([use(['create_todo', { title: 'Order desks' }]), reply('Ordered.')]);
  const { body: agent } = await call('POST /agents', { name: 'Careful' });
  const { body: chat } = await call('POST /chats', { message: plan, title, agentId: agent.id });
  assert.is((await settled({ call }, chat.id)).body.status, 'awaiting_input');
  const before = await all();
  const asked = before.find(({ type }) => type === 'approval.requested');
  const noticed = before.find(({ type }) => type === 'notification.created');
  assert.equal(
    [asked?.actorType, asked?.actorId, asked?.parents],
    ['agent', agent.id, { chatId: chat.id, agentId: agent.id }],
  );
  assert.equal([noticed?.readerId, noticed?.parents, noticed?.actorId], [userId, { chatId: chat.id }, agent.id]);
  assert.is(ofChat(before, chat.id).at(-1), 'agent chat.status_changed status');
  const route = `POST /approvals/${asked?.objectId}/decide`;
  const decision = { decision: 'approve', note: 'Fine.', input: { title: 'Order two desks' } };
  const { events } = await act(route, decision);
  const { body: page } = await call(`GET /chats/${chat.id}/messages?afterSequence=2&limit=1`);
  assert.equal(events, [
    ['approval.decided', asked?.objectId, 'input', 'status', 'decidedAt', 'decidedBy', 'note'],
    ['message.created', page.data[0].id],
    ['notification.updated', noticed?.objectId, 'isRead', 'readAt'],
    ['chat.status_changed', chat.id, 'status', 'messageCount', 'lastMessageAt'],
  ]);
  assert.equal((await act(route, decision)).events, [], 'the same decision again');
  assert.equal((await act(route, { decision: 'deny' }, { status: 409 })).events, []);
  await settled({ call }, chat.id);
});

test('one of two decisions changes the chat without its status', async () => {
  const { act, workspaceId, userId } = await world();
  const { chatId, approvalIds } = await waitingChat(tandem.db, { workspaceId, userId }, { calls: [{}, {}] });
  const { events } = await act(`POST /approvals/${approvalIds[0]}/decide`, { decision: 'deny' });
  assert.equal(
    events.map(([type]) => type),
    ['approval.decided', 'chat.updated', 'message.created'],
  );
  assert.equal(events[0], ['approval.decided', approvalIds[0], 'status', 'decidedAt', 'decidedBy']);
  const { events: written } = await act(`POST /chats/${chatId}/messages`, { message: 'Stop.' }, { status: 202 });
  assert.equal(written.slice(0, 2), [
    ['approval.superseded', approvalIds[1], 'status', 'decidedAt'],
    ['chat.status_changed', chatId, 'status', 'messageCount', 'lastMessageAt'],
  ]);
});

test('approvals that nobody decided expire together, by the service', async () => {
  const { all, workspaceId, userId } = await world();
  const clock = () => new Date(Date.now() - 30 * day);
  const { chatId, approvalIds } = await waitingChat(tandem.db, { workspaceId, userId }, { calls: [{}, {}], clock });
  const before = (await all()).length;
  await expireApprovals(worldOf(tandem.db));
  const events = (await all()).slice(before).filter(({ actorType }) => actorType === 'service');
  const expired = events.filter(({ type }) => type === 'approval.expired');
  assert.equal(expired.map(({ objectId }) => objectId).sort(), [...approvalIds].sort());
  assert.equal(ofChat(events, chatId).slice(2), [
    'service message.created',
    'service message.created',
    'service chat.status_changed status messageCount lastMessageAt',
  ]);
});

test('a turn that fails is ended by the service', async () => {
  const { call, all } = await world();
  const plan = engine.plan(() => {
    throw new Error('broken');
  });
  const { body: chat } = await call('POST /chats', { message: plan, title });
  assert.is((await settled({ call }, chat.id)).body.status, 'failed');
  assert.equal(ofChat(await all(), chat.id).slice(2), [
    'service message.created',
    'service chat.status_changed status errorMessage messageCount lastMessageAt',
  ]);
});

test('the charge that takes the last minutes says so, once', async () => {
  const { all, workspaceId, userId } = await world();
  await tandem.db.rows('update workspaces set agent_minutes = 1 where id = $1', [workspaceId]);
  const { chatId, turnId, agentId } = await waitingChat(tandem.db, { workspaceId, userId });
  const turn = { workspaceId, chatId, turnId, agentId, todoId: null, runId: null, trigger: 'chat' as const };
  for (const [activeMs, minutes] of [
    [30_000, 0],
    [90_000, 0.5],
    [120_000, 1],
  ] as const) {
    await tandem.db.transaction((db) => charge({ ...worldOf(tandem.db), db }, { ...turn, activeMs, minutes }));
  }
  const events = (await all()).filter(({ type }) => type === 'minutes.exhausted');
  assert.equal(
    events.map(({ objectId }) => objectId),
    [workspaceId],
  );
  const noticed = (await all()).filter(({ type }) => type === 'notification.created');
  assert.equal(
    noticed.map(({ readerId }) => readerId),
    [userId],
  );
});

test('so does a capture that takes them', async () => {
  const { all, workspaceId, failedCapture } = await world();
  const captureId = await failedCapture();
  await tandem.db.rows('update workspaces set agent_minutes = 0.1 where id = $1', [workspaceId]);
  for (const ms of [60_000, 60_000]) {
    const capture = { workspaceId, captureId };
    await tandem.db.transaction((db) => chargeCapture({ ...worldOf(tandem.db), db }, capture, ms));
  }
  const objects = (await all()).filter(({ type }) => type === 'minutes.exhausted').map(({ objectId }) => objectId);
  assert.equal(objects, [workspaceId]);
});

test.run();
