import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operationsOf, toolsOf } from '../../adapters/operations.ts';
import type { Principal, RequestContext } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import { scopes } from '../../domain/scopes.ts';
import { appRouter } from '../../routers/index.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { dueTurns } from '../support/due-work.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { refused, unknownId } from '../support/todo-fixtures.ts';
import { waitingChat } from '../support/turn-world.ts';

const test = suite('deciding approvals');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const waiting = (workspace: TestWorkspace, more: Parameters<typeof waitingChat>[2] = {}) =>
  waitingChat(tandem.db, workspace, more);

const decide = ({ call }: TestWorkspace, id: string | undefined, body: object, key?: string): Promise<Answer> =>
  call(`POST /approvals/${id}/decide`, body, key === undefined ? {} : { key });

interface ChatState {
  status: string;
  count: number;
  workerId: string | null;
  ended: boolean;
  runReason: string | null;
}

async function stateOf({ workspaceId }: TestWorkspace, chatId: string): Promise<ChatState> {
  const text = `select c.status, c.message_count as count, t.worker_id as "workerId", t.ended_at is not null as ended,
      r.status_reason as "runReason"
    from chats c join chat_turns t on t.workspace_id = c.workspace_id and t.chat_id = c.id
    left join todo_runs r on r.workspace_id = c.workspace_id and r.chat_id = c.id
    where c.workspace_id = $1 and c.id = $2`;
  const [row] = await tandem.db.rows<ChatState>(text, [workspaceId, chatId]);
  assert.ok(row);
  return row;
}

interface MessageRow {
  sequence: number;
  role: string;
  text: string;
  blocks: { decision: string }[];
  userId: string | null;
  agentId: string | null;
}

async function lastMessage({ workspaceId }: TestWorkspace, chatId: string): Promise<MessageRow> {
  const text = `select sequence, role, text, blocks, user_id as "userId", agent_id as "agentId" from messages
    where workspace_id = $1 and chat_id = $2 order by sequence desc limit 1`;
  const [row] = await tandem.db.rows<MessageRow>(text, [workspaceId, chatId]);
  assert.ok(row);
  return row;
}

/** 1 when a worker may continue with the turn. */
const resumed = async (turnId: string) => (await dueTurns(tandem)).filter((ref) => ref.turnId === turnId).length;

test('approving adds a message to the chat, and the turn resumes', async () => {
  const workspace = await tandem.workspace();
  const todo = (await workspace.call('POST /todos', { title: 'Shop' })).body;
  const { chatId, turnId, approvalIds } = await waiting(workspace, { todoId: todo.id });
  const [approvalId] = approvalIds;
  const before = (await workspace.call(`GET /approvals/${approvalId}`)).body;
  assert.equal(await stateOf(workspace, chatId), {
    status: 'awaiting_input',
    count: 2,
    workerId: null,
    ended: false,
    runReason: 'awaiting_input',
  });
  const { status, body, headers } = await decide(workspace, approvalId, { decision: 'approve' });
  assert.is(status, 200);
  const { decidedAt, ...rest } = body;
  assert.equal({ ...rest, decidedAt: null }, { ...before, status: 'approved', decidedBy: workspace.userId });
  assert.ok(Math.abs(Date.parse(decidedAt) - Date.now()) < 60_000);
  const read = await workspace.call(`GET /approvals/${approvalId}`);
  assert.equal(read.body, body);
  assert.is(read.headers.get('etag'), headers.get('etag'));
  assert.equal(await lastMessage(workspace, chatId), {
    sequence: 3,
    role: 'user',
    text: 'Approved: Create a todo.',
    blocks: [{ type: 'approval_decision', approvalId, decision: 'approve', note: null, decidedBy: workspace.userId }],
    userId: workspace.userId,
    agentId: null,
  });
  assert.equal(await stateOf(workspace, chatId), {
    status: 'running',
    count: 3,
    workerId: null,
    ended: false,
    runReason: null,
  });
  assert.is(await resumed(turnId), 1);
});

test('a denial carries its note to the agent, and the turn continues as well', async () => {
  const workspace = await tandem.workspace();
  const { chatId, turnId, approvalIds } = await waiting(workspace);
  const note = 'Not today. Ask Ada.';
  const { body } = await decide(workspace, approvalIds[0], { decision: 'deny', note });
  assert.equal([body.status, body.note, body.input], ['denied', note, { title: 'Buy milk' }]);
  const message = await lastMessage(workspace, chatId);
  assert.is(message.text, 'Denied: Create a todo. Not today. Ask Ada.');
  assert.equal(message.blocks[0]?.decision, 'deny');
  assert.is((await stateOf(workspace, chatId)).status, 'running');
  assert.is(await resumed(turnId), 1);
});

test('the decision is the person’s behind the credential, whichever it is', async () => {
  const workspace = await tandem.workspace();
  for (const key of [await workspace.session(), await workspace.mint(['chats:write'])]) {
    const { approvalIds } = await waiting(workspace);
    const { status, body } = await decide(workspace, approvalIds[0], { decision: 'approve' }, key);
    assert.equal([status, body.decidedBy], [200, workspace.userId]);
  }
});

test('the turn waits until all that it asked for is decided, in any order and mix', async () => {
  const workspace = await tandem.workspace();
  const { chatId, turnId, approvalIds } = await waiting(workspace, { calls: [{}, {}, {}] });
  const decisions = ['deny', 'approve', 'deny'];
  for (const [place, id] of [approvalIds[2], approvalIds[0], approvalIds[1]].entries()) {
    assert.equal([(await stateOf(workspace, chatId)).status, await resumed(turnId)], ['awaiting_input', 0]);
    assert.is((await decide(workspace, id, { decision: decisions[place] })).status, 200);
  }
  const { status, count } = await stateOf(workspace, chatId);
  assert.equal([status, count, await resumed(turnId)], ['running', 5, 1]);
});

test('an edited input is what the tool will be called with', async () => {
  const workspace = await tandem.workspace();
  const { chatId, approvalIds } = await waiting(workspace);
  const input = { title: 'Buy oat milk', priority: 'high', assignees: [] };
  const { status, body } = await decide(workspace, approvalIds[0], { decision: 'approve', input, note: 'Vegan.' });
  assert.is(status, 200);
  assert.equal(body.input, input);
  assert.equal((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body.input, input);
  assert.is((await lastMessage(workspace, chatId)).text, 'Approved with changes: Create a todo. Vegan.');
});

test('an edited input is held to the arguments of its tool, each fault named below input', async () => {
  const workspace = await tandem.workspace();
  const { chatId, turnId, approvalIds } = await waiting(workspace);
  const wrong: [string, unknown][] = [
    ['input.title', { title: 'x'.repeat(501) }],
    ['input.title', { title: 7 }],
    ['input.priority', { title: 'x', priority: 'highest' }],
    ['input.assignees[1].id', { title: 'x', assignees: [{ id: 'Tess' }, {}] }],
    ['input.surprise', { title: 'x', surprise: 1 }],
    ['input', 'text'],
    ['input', [1]],
    ['input', null],
    ['input.title', { title: 'a\ud800' }],
    ['input.title', { title: 'a\0' }],
    ['input', { 'a\ud800': 1 }],
  ];
  for (const [param, input] of wrong) {
    refused(await decide(workspace, approvalIds[0], { decision: 'approve', input }), 400, param);
  }
  const bottomless = `{"decision":"approve","input":{"title":${'['.repeat(19_000)}${']'.repeat(19_000)}}}`;
  refused(await workspace.call(`POST /approvals/${approvalIds[0]}/decide`, bottomless), 400, 'input');
  const { body } = await decide(workspace, approvalIds[0], {
    decision: 'approve',
    input: { title: 'x', priority: 'highest' },
  });
  assert.match(body.message, /^input\.priority: must be one of/);
  assert.equal(body.allowedValues, ['urgent', 'high', 'medium', 'low']);
  assert.equal([(await stateOf(workspace, chatId)).status, await resumed(turnId)], ['awaiting_input', 0]);
  assert.is((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body.status, 'pending');
});

test('an input goes with approve alone, and only for a tool that exists', async () => {
  const workspace = await tandem.workspace();
  const { approvalIds } = await waiting(workspace, { calls: [{}, { toolName: 'fly_to_the_moon', input: {} }] });
  const input = { title: 'x' };
  refused(await decide(workspace, approvalIds[0], { decision: 'deny', input }), 400, 'input');
  refused(await decide(workspace, approvalIds[1], { decision: 'approve', input }), 409, null);
  assert.is((await decide(workspace, approvalIds[1], { decision: 'deny' })).status, 200);
});

test('a decision that is none is refused, and nothing is decided', async () => {
  const workspace = await tandem.workspace();
  const { approvalIds } = await waiting(workspace);
  const wrong: [string, object][] = [
    ['decision', {}],
    ['decision', { decision: 'approved' }],
    ['decision', { decision: null }],
    ['note', { decision: 'deny', note: 'x'.repeat(2001) }],
    ['note', { decision: 'deny', note: ' ' }],
    ['note', { decision: 'deny', note: '\0' }],
    ['decidedBy', { decision: 'approve', decidedBy: workspace.userId }],
  ];
  for (const [param, body] of wrong) refused(await decide(workspace, approvalIds[0], body), 400, param);
  assert.is((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body.status, 'pending');
  const longest = '𝕏'.repeat(2000);
  const { body } = await decide(workspace, approvalIds[0], { decision: 'deny', note: longest });
  assert.is(body.note, longest);
});

test('the same decision again changes nothing and is no error; the opposite is a conflict', async () => {
  const workspace = await tandem.workspace();
  for (const [decision, opposite] of [
    ['approve', 'deny'],
    ['deny', 'approve'],
  ]) {
    const { chatId, turnId, approvalIds } = await waiting(workspace);
    const first = await decide(workspace, approvalIds[0], { decision, note: 'First.' });
    const again = await decide(workspace, approvalIds[0], { decision, note: 'Second.' });
    assert.is(again.status, 200);
    assert.equal(again.body, first.body);
    const refusal = await decide(workspace, approvalIds[0], { decision: opposite });
    refused(refusal, 409, null);
    assert.match(refusal.body.message, decision === 'approve' ? 'was already approved' : 'was already denied');
    assert.equal((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body, first.body);
    assert.equal([(await stateOf(workspace, chatId)).count, await resumed(turnId)], [3, 1]);
  }
});

test('approving again with another input is a conflict, with the same one it is not', async () => {
  const workspace = await tandem.workspace();
  const { approvalIds } = await waiting(workspace);
  const input = { title: 'Buy oat milk', priority: 'low' };
  const first = await decide(workspace, approvalIds[0], { decision: 'approve', input });
  for (const same of [undefined, input, { priority: 'low', title: 'Buy oat milk' }]) {
    const { status, body } = await decide(workspace, approvalIds[0], { decision: 'approve', input: same });
    assert.is(status, 200);
    assert.equal(body, first.body);
  }
  refused(await decide(workspace, approvalIds[0], { decision: 'approve', input: { title: 'Buy milk' } }), 409, null);
});

test('an input that names or changes captures is edited only with the scopes for that', async () => {
  const workspace = await tandem.workspace();
  const captureId = (await workspace.call('POST /captures', { type: 'note', content: 'Secret' })).body.id;
  const calls = [
    { toolName: 'create_chat', input: { message: 'Hi', captureIds: [captureId] } },
    { toolName: 'create_todo', input: { title: 'Hi', captureId } },
    { toolName: 'update_capture', input: { captureId, title: 'Hi' } },
  ];
  const edits = [
    { edit: { message: 'Repeat it', captureIds: [captureId] }, scope: 'captures:read' as const },
    { edit: { title: 'Repeat it', captureId }, scope: 'captures:read' as const },
    { edit: { captureId, title: 'Mine' }, scope: 'captures:write' as const },
  ];
  const { approvalIds } = await waiting(workspace, { calls });
  const writer = await workspace.mint(['chats:write']);
  for (const [place, { edit: input, scope }] of edits.entries()) {
    const refusal = await decide(workspace, approvalIds[place], { decision: 'approve', input }, writer);
    assert.equal([refusal.status, refusal.body.code], [403, 'missing_scope'], refusal.text);
    assert.equal(refusal.body.requiredScopes, [scope]);
    const reader = await workspace.mint(['chats:write', scope]);
    const { status, body } = await decide(workspace, approvalIds[place], { decision: 'approve', input }, reader);
    assert.equal([status, body.input], [200, input]);
  }
  // What the agent gave itself is approved as before, also where it is sent along.
  const { approvalIds: again } = await waiting(workspace, { calls });
  for (const [place, { input }] of calls.entries()) {
    assert.is((await decide(workspace, again[place], { decision: 'approve', input }, writer)).status, 200);
  }
  const { approvalIds: other } = await waiting(workspace, {
    calls: [{ toolName: 'create_chat', input: { message: 'Hi' } }],
  });
  const input = { message: 'Hello', captureIds: [] };
  assert.is((await decide(workspace, other[0], { decision: 'approve', input }, writer)).status, 200);
});

test('what is unknown or another workspace’s is missing, whatever the input', async () => {
  const [mine, theirs] = [await tandem.workspace(), await tandem.workspace()];
  const { approvalIds } = await waiting(theirs);
  for (const id of [unknownId, approvalIds[0]]) {
    for (const body of [{ decision: 'deny' }, { decision: 'approve', input: { surprise: 1 } }]) {
      refused(await decide(mine, id, body), 404, 'approvalId');
    }
  }
  assert.is((await theirs.call(`GET /approvals/${approvalIds[0]}`)).body.status, 'pending');
});

test('reading and deciding need the read and the write scope of chats', async () => {
  const workspace = await tandem.workspace();
  const { approvalIds } = await waiting(workspace);
  const reader = await workspace.mint(scopes.filter((scope) => scope !== 'chats:write'));
  const refusal = await decide(workspace, approvalIds[0], { decision: 'approve' }, reader);
  assert.equal([refusal.status, refusal.body.code], [403, 'missing_scope']);
  const writer = await workspace.mint(['chats:write']);
  const unread = await workspace.call(`GET /approvals/${approvalIds[0]}`, undefined, { key: writer });
  assert.equal([unread.status, unread.body.requiredScopes], [403, ['chats:read']]);
});

test('an agent at work can never decide, with all scopes and in its own chat', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, userId } = workspace;
  const { approvalIds, agentId, chatId, turnId, todoId } = await waiting(workspace);
  const principal: Principal = {
    kind: 'agent',
    credentialId: turnId,
    credentialName: 'Assistant',
    workspaceId,
    userId,
    scopes: new Set(scopes),
    rateLimitPerMinute: 0,
    expiresAt: null,
    agent: { agentId, turnId, chatId, todoId, depth: 0 },
  };
  const operation = operationsOf(appRouter).find(({ id }) => id === 'decideApproval');
  const recordSecurityEvent = () => {};
  const observe = <Result>(_call: unknown, work: () => Promise<Result>) => work();
  const parts = { principal, db: tandem.db, clock: () => new Date(), recordSecurityEvent, observe };
  const ctx = parts as unknown as RequestContext;
  for (const decision of ['approve', 'deny']) {
    const thrown = await operation?.call(ctx, { approvalId: approvalIds[0], decision }).catch((error) => error);
    assert.instance(thrown, Failure);
    const { status, reason } = (thrown as Failure).problem;
    assert.equal([status, reason], [403, 'person_required']);
  }
  assert.is((await workspace.call(`GET /approvals/${approvalIds[0]}`)).body.status, 'pending');
  assert.equal(
    toolsOf(toolRouter).filter(({ input }) => 'approvalId' in input.shape || 'decision' in input.shape),
    [],
  );
});

test.run();
