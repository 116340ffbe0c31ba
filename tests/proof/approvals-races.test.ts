import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireApprovals } from '../../domain/approvals/expiry.ts';
import type { ServiceContext } from '../../domain/context.ts';
import { dueTurns } from '../support/due-work.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { holdRow, releaseAll, untilAllBlocked } from '../support/locks.ts';
import { waitingChat, worldOf } from '../support/turn-world.ts';

const test = suite('approvals that several act on');
const longAgo = () => new Date('2020-01-01T09:00:00.000Z');
let tandem: TestService;
let other: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  other = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(releaseAll);
test.after(async () => {
  await other.close();
  await tandem.close();
});

type Waiting = Awaited<ReturnType<typeof waitingChat>>;

const waiting = (workspace: TestWorkspace, more: Parameters<typeof waitingChat>[2] = {}) =>
  waitingChat(tandem.db, workspace, more);

/** Decides on one of two services. */
async function decide({ key }: TestWorkspace, id: string | undefined, decision: string, service = tandem) {
  return (await service.call(`POST /approvals/${id}/decide`, { decision }, { key })).status;
}

const world = (clock?: () => Date): ServiceContext => worldOf(tandem.db, clock);

async function statusOf({ workspaceId }: TestWorkspace, chatId: string): Promise<string | undefined> {
  const text = 'select status from chats where workspace_id = $1 and id = $2';
  const [row] = await tandem.db.rows<{ status: string }>(text, [workspaceId, chatId]);
  return row?.status;
}

async function decisionsIn({ workspaceId }: TestWorkspace, chatId: string): Promise<string[]> {
  const text = `select b ->> 'decision' as decision from messages m, jsonb_array_elements(m.blocks) b
    where m.workspace_id = $1 and m.chat_id = $2 and b ->> 'type' = 'approval_decision' order by m.sequence`;
  const rows = await tandem.db.rows<{ decision: string }>(text, [workspaceId, chatId]);
  return rows.map(({ decision }) => decision);
}

async function openTurns({ workspaceId }: TestWorkspace, chatId: string): Promise<string[]> {
  const text = 'select id from chat_turns where workspace_id = $1 and chat_id = $2 and ended_at is null';
  return (await tandem.db.rows<{ id: string }>(text, [workspaceId, chatId])).map(({ id }) => id);
}

/** 1 when a worker may continue with the turn. */
const resumed = async (turnId: string) => (await dueTurns(tandem)).filter((ref) => ref.turnId === turnId).length;

/** Lets them begin one after the other while the chat is held: they get it in this order. */
async function together<Outcome>(chatId: string, acts: (() => Promise<Outcome>)[]): Promise<Outcome[]> {
  const held = await holdRow('chats', chatId);
  const running: Promise<Outcome>[] = [];
  for (const act of acts) {
    running.push(act());
    await untilAllBlocked(running.length, '%from chats c where%for update%');
  }
  await held.release();
  return Promise.all(running);
}

const shapes = [
  ['approve', 'approve'],
  ['deny', 'deny'],
  ['approve', 'deny'],
  ['deny', 'approve'],
] as const;

for (const [first, second] of shapes) {
  test(`of two who decide at once, ${first} and ${second}, one decides and the other is ${first === second ? 'told so' : 'refused'}`, async () => {
    const workspace = await tandem.workspace();
    const { chatId, turnId, approvalIds } = await waiting(workspace);
    const [id] = approvalIds;
    const statuses = await together(chatId, [
      () => decide(workspace, id, first),
      () => decide(workspace, id, second, other),
      () => decide(workspace, id, first, other),
    ]);
    const { status } = (await workspace.call(`GET /approvals/${id}`)).body;
    const won = status === 'approved' ? 'approve' : 'deny';
    assert.equal(
      statuses,
      [first, second, first].map((decision) => (decision === won ? 200 : 409)),
    );
    assert.equal(await decisionsIn(workspace, chatId), [won]);
    assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
  });
}

test('the last two approvals of a turn, decided at once, set it going once', async () => {
  const workspace = await tandem.workspace();
  for (let round = 0; round < 5; round++) {
    const { chatId, turnId, approvalIds } = await waiting(workspace, { calls: [{}, {}, {}, {}] });
    const services = [tandem, other];
    const acts = approvalIds.map((id, place) => () => decide(workspace, id, 'approve', services[place % 2]));
    assert.equal(await Promise.all(acts.map((act) => act())), [200, 200, 200, 200]);
    assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
  }
});

async function cancel({ call }: TestWorkspace, chatId: string): Promise<number> {
  return (await call(`POST /chats/${chatId}/cancel`)).status;
}

/** Writes into the chat, on the other service. */
async function write({ key }: TestWorkspace, chatId: string): Promise<number> {
  return (await other.call(`POST /chats/${chatId}/messages`, { message: 'Do something else.' }, { key })).status;
}

for (const decidesFirst of [true, false]) {
  test(`a decision ${decidesFirst ? 'before' : 'after'} a cancel: the turn ends either way, and nothing waits`, async () => {
    const workspace = await tandem.workspace();
    const { chatId, turnId, approvalIds } = await waiting(workspace, { calls: [{}, {}] });
    const acts = [() => decide(workspace, approvalIds[0], 'approve'), () => cancel(workspace, chatId)];
    const outcomes = await together(chatId, decidesFirst ? acts : acts.toReversed());
    assert.equal(outcomes, decidesFirst ? [200, 200] : [200, 409]);
    assert.is(await statusOf(workspace, chatId), 'cancelled');
    assert.equal(await openTurns(workspace, chatId), []);
    assert.is(await resumed(turnId), 0);
    const { data } = (await workspace.call(`GET /approvals?chatId=${chatId}`)).body;
    assert.equal(
      data.map(({ status, decidedBy }: { status: string; decidedBy: string | null }) => [status, decidedBy]),
      [
        ['superseded', null],
        ['superseded', decidesFirst ? workspace.userId : null],
      ],
    );
  });

  test(`a decision ${decidesFirst ? 'before' : 'after'} a new message: one of them is the answer, and the chat continues`, async () => {
    const workspace = await tandem.workspace();
    const chat = await waiting(workspace);
    const [id] = chat.approvalIds;
    const acts = [() => decide(workspace, id, 'approve'), () => write(workspace, chat.chatId)];
    const outcomes = await together(chat.chatId, decidesFirst ? acts : acts.toReversed());
    assert.equal(outcomes, decidesFirst ? [200, 409] : [202, 409]);
    assert.is(await statusOf(workspace, chat.chatId), 'running');
    const [turnId] = await openTurns(workspace, chat.chatId);
    assert.is(turnId === chat.turnId, decidesFirst);
    assert.is(await resumed(turnId ?? ''), 1, 'somebody works on it');
    assert.is((await workspace.call(`GET /approvals/${id}`)).body.status, decidesFirst ? 'approved' : 'superseded');
    const refusal = await workspace.call(`POST /approvals/${id}/decide`, { decision: 'deny' });
    assert.is(refusal.status, 409);
    assert.match(refusal.body.message, decidesFirst ? 'was already approved' : 'no longer waits for this decision');
  });
}

test('an approval that nobody decided in 7 days expires, and its turn continues as if it had been denied', async () => {
  const workspace = await tandem.workspace();
  const todo = (await workspace.call('POST /todos', { title: 'Shop' })).body;
  const { chatId, turnId, approvalIds } = await waiting(workspace, {
    clock: longAgo,
    todoId: todo.id,
    calls: [{}, {}],
  });
  const due = new Date('2020-01-08T09:00:00.000Z');
  await expireApprovals(world(() => new Date(due.getTime() - 1)));
  assert.is(await statusOf(workspace, chatId), 'awaiting_input');
  await expireApprovals(world(() => due));
  for (const id of approvalIds) {
    const { status, decidedAt, decidedBy, note } = (await workspace.call(`GET /approvals/${id}`)).body;
    assert.equal([status, decidedAt, decidedBy, note], ['expired', due.toISOString(), null, null]);
  }
  const text = `select role, text, user_id as "userId", blocks from messages where workspace_id = $1 and chat_id = $2 and sequence > 2`;
  const messages = await tandem.db.rows<object>(text, [workspace.workspaceId, chatId]);
  const expected = { role: 'system', text: 'Expired without a decision: Create a todo.', userId: null };
  const block = { type: 'approval_decision', decision: 'expired', note: null, decidedBy: null };
  assert.equal(
    [...messages],
    approvalIds.map((approvalId) => ({ ...expected, blocks: [{ ...block, approvalId }] })),
  );
  assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
  await expireApprovals(world(() => due));
  assert.equal(await decisionsIn(workspace, chatId), ['expired', 'expired']);
});

test('what is decided already stays so when the time has passed, and the rest expires', async () => {
  const workspace = await tandem.workspace();
  const { chatId, turnId, approvalIds } = await waiting(workspace, { calls: [{}, {}] });
  assert.is(await decide(workspace, approvalIds[0], 'approve'), 200);
  await expireApprovals(world(() => new Date(Date.now() + 8 * 86_400_000)));
  assert.equal(await decisionsIn(workspace, chatId), ['approve', 'expired']);
  assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
});

test('a decision that comes too late is refused and carries out the expiry', async () => {
  const workspace = await tandem.workspace();
  for (const decision of ['approve', 'deny']) {
    const { chatId, turnId, approvalIds } = await waiting(workspace, { clock: longAgo });
    const { status, body } = await workspace.call(`POST /approvals/${approvalIds[0]}/decide`, { decision });
    assert.is(status, 409);
    assert.match(body.message, 'This was not decided in time');
    assert.is((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body.status, 'expired');
    assert.equal(await decisionsIn(workspace, chatId), ['expired']);
    assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
  }
});

test('of a decision in the last moment and the expiry, exactly one holds', async () => {
  const workspace = await tandem.workspace();
  const later = new Date(Date.now() + 8 * 86_400_000);
  for (let round = 0; round < 8; round++) {
    const { chatId, turnId, approvalIds } = await waiting(workspace);
    const [decided] = await Promise.all([
      decide(workspace, approvalIds[0], 'approve'),
      expireApprovals(world(() => later)),
      expireApprovals(world(() => later)),
    ]);
    // An expiry leaves a chat that is being decided to the next one.
    const { status } = (await workspace.call(`GET /approvals/${approvalIds[0]}`)).body;
    assert.is(status, decided === 200 ? 'approved' : 'expired');
    assert.equal(await decisionsIn(workspace, chatId), [decided === 200 ? 'approve' : 'expired']);
    assert.equal([await statusOf(workspace, chatId), await resumed(turnId)], ['running', 1]);
  }
});

test('expiry waits for nobody: a chat or todo that is held is left to the next time', async () => {
  const workspace = await tandem.workspace();
  const todo = (await workspace.call('POST /todos', { title: 'Shop' })).body;
  const [chat, ofTodo, free] = [
    await waiting(workspace, { clock: longAgo }),
    await waiting(workspace, { clock: longAgo, todoId: todo.id }),
    await waiting(workspace, { clock: longAgo }),
  ];
  const held = [await holdRow('chats', chat.chatId), await holdRow('todos', todo.id)];
  await expireApprovals(world());
  const statuses = () => Promise.all([chat, ofTodo, free].map(({ chatId }) => statusOf(workspace, chatId)));
  assert.equal(await statuses(), ['awaiting_input', 'awaiting_input', 'running']);
  for (const each of held) await each.release();
  await expireApprovals(world());
  assert.equal(await statuses(), ['running', 'running', 'running']);
});

test('one chat whose approvals cannot be expired does not block the others, and its error is thrown', async () => {
  const workspace = await tandem.workspace();
  const [bad, good] = [await waiting(workspace, { clock: longAgo }), await waiting(workspace, { clock: longAgo })];
  const live = {
    subscribe: () => () => {},
    isFollowed: (chatId: string) => {
      if (chatId === bad.chatId) throw new Error('broken');
      return false;
    },
  };
  const thrown = await expireApprovals({ ...world(), live }).catch((error: unknown) => error);
  assert.instance(thrown, AggregateError);
  assert.equal(
    [await statusOf(workspace, bad.chatId), await statusOf(workspace, good.chatId)],
    ['awaiting_input', 'running'],
  );
  assert.equal(await decisionsIn(workspace, bad.chatId), [], 'nothing is left half done');
  assert.is(await expireApprovals(world()), 1);
});

test('more chats than one batch expire in one go, and several processes share them', async () => {
  const workspace = await tandem.workspace();
  const chats: Waiting[] = [];
  for (let made = 0; made < 130; made++) chats.push(await waiting(workspace, { clock: longAgo }));
  const counts = await Promise.all([expireApprovals(world()), expireApprovals(world())]);
  assert.is(counts[0] + counts[1], 130);
  const { data } = (await workspace.call('GET /approvals?status=pending')).body;
  assert.equal(data, []);
  assert.equal(new Set(await Promise.all(chats.map(({ turnId }) => resumed(turnId)))), new Set([1]));
});

test.run();
