import * as assert from 'uvu/assert';
import { freezeTimers } from '../support/frozen-timers.ts';
import { reply, settled, use } from '../support/scripted-engine.ts';
import { endings, engine, send, settlings, states } from '../support/states-fixtures.ts';
import { refused } from '../support/todo-fixtures.ts';
import { approvalOf, bodyOf, chatNow, held, untilStatus } from '../support/work-fixtures.ts';

const { test, service, world } = states('states of chats with agents at work');

test('chat: (none) → createChat → running → completed; a wait ends with the turn', async () => {
  const { call } = await service().workspace();
  const message = engine.plan([use(['create_todo', { title: 'Buy milk' }]), reply('Noted.')]);
  const made = bodyOf(await call('POST /chats', { message }), 201);
  assert.equal([made.status, made.completedAt, made.errorMessage], ['running', null, null]);
  const waited = bodyOf(await call('POST /chats', { message: engine.plan([reply('Hello.')]), waitSeconds: 100 }), 201);
  assert.equal([waited.status, waited.messageCount], ['completed', 2]);
  assert.ok(waited.completedAt >= waited.lastMessageAt);
});

for (const [status, settle] of Object.entries(settlings)) {
  test(`chat: ${status} → sendMessage → running → completed`, async () => {
    const { workspace, call, agentId } = await world({}, settle().agent as Record<string, unknown>);
    const { plan, act } = settle();
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId, title: 'Work' }), 201);
    await act?.(workspace, id);
    await untilStatus(workspace, id, status);
    const { messageCount } = await chatNow(workspace, id);
    const answered = bodyOf(await send(workspace, id, engine.plan([reply('Here I am.')])), 202);
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
  const busy = held(reply('Done.'));
  const { id } = bodyOf(await call('POST /chats', { message: engine.plan(busy.script), agentId, title: 'Work' }), 201);
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
  // Without the renewals of its lease, which would notice it too.
  const thaw = freezeTimers();
  const { id } = bodyOf(await call('POST /chats', { message: plan, agentId, title: 'Work' }), 201);
  await busy.asked();
  const cancelled = bodyOf(await call(`POST /chats/${id}/cancel`));
  assert.equal([cancelled.status, cancelled.messageCount], ['cancelled', 3]);
  await busy.stopped();
  thaw();
  busy.release();
  const other = bodyOf(await call('POST /chats', { message: engine.plan([reply('Hello.')]) }), 201);
  await settled(workspace, other.id);
  assert.equal(await chatNow(workspace, id), cancelled);
  const titles = bodyOf(await call('GET /todos?order=asc')).data.map((each: { title: string }) => each.title);
  assert.equal(titles, ['Water the plants', 'Buy milk']);
});

test('chat: completed, failed or cancelled → cancelChat → unchanged, returned as is', async () => {
  for (const { plan, act } of [endings.completed, endings.failed, endings.cancelled]) {
    const { workspace, call, agentId } = await world();
    const { id } = bodyOf(await call('POST /chats', { message: plan(), agentId, title: 'Work' }), 201);
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
  const busy = held(reply('Done.'));
  const { id } = bodyOf(await call('POST /chats', { message: engine.plan(busy.script), agentId, title: 'Work' }), 201);
  await busy.asked();
  assert.is(bodyOf(await call(`DELETE /chats/${id}`)).recoverable, true);
  assert.equal(bodyOf(await call('GET /chats')).data, []);
  busy.release();
  const { body } = await settled(workspace, id);
  assert.equal([body.status, body.isArchived, body.messageCount], ['completed', true, 2]);
  refused(await call(`POST /chats/${id}/messages`, { message: 'And?' }), 409, null);
  assert.is(bodyOf(await call(`POST /chats/${id}/restore`)).isArchived, false);
  assert.is(bodyOf(await send(workspace, id, engine.plan([reply('Back.')])), 202).status, 'completed');
});

test('chat: active or archived → deleteChat `permanent` → erased with all messages, in every status', async () => {
  for (const [status, settle] of Object.entries(settlings)) {
    const { plan, act, agent } = settle();
    const { workspace, call, agentId } = await world({}, agent as Record<string, unknown>);
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId, title: 'Work' }), 201);
    await act?.(workspace, id);
    await untilStatus(workspace, id, status);
    if (status === 'failed') bodyOf(await call(`DELETE /chats/${id}`));
    bodyOf(await call(`DELETE /chats/${id}?permanent=true`));
    refused(await call(`GET /chats/${id}`), 404, 'chatId');
    refused(await call(`POST /chats/${id}/restore`), 404, 'chatId');
    assert.equal(bodyOf(await call(`GET /approvals?chatId=${id}`)).data, []);
    const [left] = await service().db.rows<{ count: number }>(
      'select count(*)::int as count from messages where chat_id = $1',
      [id],
    );
    assert.is(left?.count, 0);
  }
});

test('chat: awaiting_input → decided (either way) → running → completed; cancelChat → cancelled', async () => {
  for (const [decision, titles] of [
    ['approve', ['Water the plants', 'Buy milk']],
    ['deny', ['Water the plants']],
    [null, ['Water the plants']],
  ] as const) {
    const { workspace, call, agentId } = await world({}, { requiresApproval: true });
    const plan = engine.plan([use(['create_todo', { title: 'Buy milk' }]), reply('So be it.')]);
    const { id } = bodyOf(await call('POST /chats', { message: plan, agentId, title: 'Work' }), 201);
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
