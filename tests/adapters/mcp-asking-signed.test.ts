import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { questionsAbout, takeAnswer } from '../../domain/approvals/asking.ts';
import { questionText } from '../../domain/approvals/question.ts';
import type { Context } from '../../domain/context.ts';
import { scopes } from '../../domain/scopes.ts';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { oldClient, raw } from '../support/mcp-clients.ts';

/*
 * What travels through the client while its person is asked, changed, stolen, late, or answered to another process. The
 * test plays the agent: `ask` asks to create the todo “Buy milk”.
 */
const test = suite('mcp: what a client keeps of a question');
let tandem: TestService;
let other: TestService;
let now = () => new Date();

test.before(async () => {
  [tandem, other] = await Promise.all([
    startWithoutAgents({}, { clock: () => now() }),
    startWithoutAgents({}, { clock: () => now() }),
  ]);
});
test.before.each(() => {
  now = () => new Date();
});
test.after(async () => {
  await Promise.all([tandem.close(), other.close()]);
});

const approve = { action: 'accept', content: { decision: 'approve' } };

interface Sent {
  requestState?: unknown;
  inputResponses?: unknown;
  capabilities?: object;
}

/** Calls a tool as a client of 2026-07-28 that shows forms; the result as it came. */
async function modern(url: string, key: string, name: string, input: object, sent: Sent = {}) {
  const { capabilities = { elicitation: { form: {} } }, ...more } = sent;
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': capabilities,
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/call', 'mcp-name': name };
  const params = { name, arguments: input, ...more, _meta };
  const { body, text } = await raw(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, { key, headers });
  if (!body?.result) throw new Error(`No result: ${text}`);
  return body.result;
}

/** A chat whose agent waits for a person. */
async function waiting(more: Partial<Pick<TestWorkspace, 'key'>> = {}) {
  const workspace = { ...(await tandem.workspace()), ...more };
  const { body } = await workspace.call('POST /chats', { message: 'What is due?' });
  const chatId: string = body.id;
  const agent = playAgent(tandem, workspace.workspaceId, chatId);
  const approvalId = await agent.ask();
  const status = async () => (await workspace.call(`GET /approvals/${approvalId}`)).body.status;
  return { ...workspace, chatId, agent, approvalId, status };
}

test('the question of 2026-07-28 names the approval, and any process takes the answer', async () => {
  const { key, chatId, approvalId, status } = await waiting();
  const asked = await modern(tandem.url, key, 'get_chat', { chatId });
  assert.equal([asked.resultType, Object.keys(asked.inputRequests)], ['input_required', [approvalId]]);
  const { method, params } = asked.inputRequests[approvalId];
  assert.equal([method, params.mode, params.requestedSchema.required], ['elicitation/create', 'form', ['decision']]);
  assert.equal(params.requestedSchema.properties.decision.enum, ['approve', 'deny']);
  assert.is(await status(), 'pending', 'a question decides nothing');
  const { requestState } = asked;
  const answer = { requestState, inputResponses: { [approvalId]: approve } };
  const { structuredContent: data } = await modern(other.url, key, 'get_chat', { chatId }, answer);
  assert.equal([data.asked, data.chat.status], [[{ approvalId, outcome: 'approved' }], 'running']);
  assert.is(await status(), 'approved');
  const again = await modern(tandem.url, key, 'get_chat', { chatId }, answer);
  assert.equal(again.structuredContent.asked, data.asked, 'the same answer again changes nothing');
  const opposite = { action: 'accept', content: { decision: 'deny' } };
  const turned = await modern(
    tandem.url,
    key,
    'get_chat',
    { chatId },
    { ...answer, inputResponses: { [approvalId]: opposite } },
  );
  assert.is(turned.structuredContent.asked[0].outcome, 'refused');
  assert.match(turned.structuredContent.asked[0].message, /already approved/);
  assert.is(await status(), 'approved');
});

test('what was changed, is late, or belongs to another call, credential or workspace decides nothing', async () => {
  const mine = await waiting();
  const { key, chatId, approvalId, status, mint } = mine;
  const { requestState } = await modern(tandem.url, key, 'get_chat', { chatId });
  const theirs = await waiting();
  const inputResponses = { [approvalId]: approve };
  const bytes = Buffer.from(requestState, 'base64url');
  const text = bytes.subarray(32).toString();
  const forged = (from: string, to: string) => {
    assert.ok(text.includes(from), from);
    return Buffer.concat([bytes.subarray(0, 32), Buffer.from(text.replaceAll(from, to))]).toString('base64url');
  };
  const states: [string, unknown][] = [
    ['another approval', forged(approvalId, theirs.approvalId)],
    ['another chat', forged(chatId, theirs.chatId)],
    ['another tool', forged('get_chat', 'create_chat')],
    ['a later end', forged('[1', '[9')],
    ['cut short', requestState.slice(0, -4)],
    ['longer', `${requestState}AAAA`],
    ['nothing', ''],
    ['none', undefined],
    ['a number', 7],
  ];
  for (const [what, state] of states) {
    const sent = { inputResponses, ...(state !== undefined && { requestState: state }) };
    const refused = await modern(tandem.url, key, 'get_chat', { chatId }, sent).catch(({ message }) => message);
    if (typeof refused === 'string') assert.match(refused, '-32602', what);
    else assert.equal([refused.isError, refused.structuredContent.param], [true, 'requestState'], what);
  }
  const elsewhere: [string, string, string, object][] = [
    ['another credential', await mint(['chats:read', 'chats:write']), 'get_chat', { chatId }],
    ['another workspace', theirs.key, 'get_chat', { chatId }],
    ['other arguments', key, 'get_chat', { chatId, limit: 3 }],
    ['another call', key, 'send_chat_message', { chatId, message: 'Go on.' }],
  ];
  for (const [what, bearer, name, input] of elsewhere) {
    const refused = await modern(tandem.url, bearer, name, input, { requestState, inputResponses });
    assert.equal([refused.isError, refused.structuredContent?.param], [true, 'requestState'], what);
    assert.match(refused.structuredContent.message, /get_chat/);
  }
  now = () => new Date(Date.now() + 61 * 60_000);
  const late = await modern(tandem.url, key, 'get_chat', { chatId }, { requestState, inputResponses });
  assert.equal([late.isError, late.structuredContent.param], [true, 'requestState']);
  assert.equal([await status(), await theirs.status()], ['pending', 'pending']);
  const { body } = await mine.call(`GET /chats/${chatId}/messages`);
  assert.is(body.data.length, 2, 'and nothing was written');
  now = () => new Date();
  const right = await modern(tandem.url, key, 'get_chat', { chatId }, { requestState, inputResponses });
  assert.is(right.structuredContent.asked[0].outcome, 'approved');
});

test('a repeated create_chat without its state starts no second chat', async () => {
  const { key, call } = await tandem.workspace();
  const input = { message: 'What is due?' };
  const refused = await modern(tandem.url, key, 'create_chat', input, { inputResponses: { x: approve } });
  assert.equal([refused.isError, refused.structuredContent.param], [true, 'requestState']);
  assert.equal((await call('GET /chats')).body.data, []);
});

test('only what the client says it shows is asked', async () => {
  const { key, chatId } = await waiting();
  for (const capabilities of [{}, { sampling: {} }, { elicitation: { url: {} } }, { elicitation: null }]) {
    const answer = await modern(tandem.url, key, 'get_chat', { chatId }, { capabilities }).catch(
      ({ message }) => message,
    );
    if (typeof answer === 'string') assert.match(answer, '-32602');
    else assert.equal([answer.resultType, answer.structuredContent.pendingApprovals.length], ['complete', 1]);
  }
  for (const capabilities of [{ elicitation: {} }, { elicitation: { form: {}, url: {} } }]) {
    const answer = await modern(tandem.url, key, 'get_chat', { chatId }, { capabilities });
    assert.is(answer.resultType, 'input_required');
  }
});

test('an agent is asked nothing, and no answer of its decides anything', async () => {
  const { workspaceId, userId, chatId, approvalId, status } = await waiting();
  const [agent] = await tandem.db.rows<{ id: string }>('select id from agents where workspace_id = $1', [workspaceId]);
  const at = { agentId: agent?.id ?? '', turnId: approvalId, chatId, todoId: null, depth: 0 };
  const held = { workspaceId, userId, credentialId: at.agentId, credentialName: 'agent', scopes: new Set(scopes) };
  const principal = { ...held, kind: 'agent' as const, rateLimitPerMinute: 0, expiresAt: null, agent: at };
  const ctx = { principal, db: tandem.db, clock: now, service: {} } as unknown as Context;
  assert.equal(await questionsAbout(ctx, { chatId, known: [] }), []);
  assert.is((await takeAnswer(ctx, { approvalId, response: approve })).outcome, 'refused');
  assert.is(await status(), 'pending');
  const asOwner = { ...ctx, principal: { ...principal, kind: 'api_key' as const } } as unknown as Context;
  assert.is((await questionsAbout(asOwner, { chatId, known: [] })).length, 1);
});

/** A client of `initialize` whose answers to our questions go to `url`; `held` keeps them back. */
function answersTo(url: string, held?: (body: string) => void): typeof fetch {
  return async (address, init) => {
    const body = String(init?.body ?? '');
    const isAnswer = body !== '' && !('method' in JSON.parse(body));
    if (isAnswer && held) held(body);
    if (isAnswer && held) return new Response(null, { status: 202 });
    return fetch(isAnswer ? `${url}/mcp` : address, init);
  };
}

test('an answer to a client of initialize may arrive on another process, and ends the wait at once', async () => {
  for (const [form, outcome] of [
    [approve, 'approved'],
    [{ action: 'decline' as const }, 'undecided'],
  ] as const) {
    const { key, chatId, status } = await waiting();
    const person = () => form as { action: 'accept' | 'decline'; content?: Record<string, string> };
    const client = await oldClient(tandem.url, key, { person, fetch: answersTo(other.url) });
    // Its process is notified of the answer: the polls for it do not end here.
    const { data } = await withFrozenTimers(() => client.call('get_chat', { chatId }));
    assert.is(data.asked[0].outcome, outcome);
    assert.is(await status(), outcome === 'approved' ? 'approved' : 'pending');
    await client.close();
  }
});

/** The question that a client of initialize was asked, and the answer that it would have sent. */
async function heldAnswer(workspace: { key: string; chatId: string }, url: string) {
  let keep: (body: string) => void = () => {};
  const kept = new Promise<string>((resolve) => {
    keep = resolve;
  });
  const client = await oldClient(url, workspace.key, {
    person: () => approve as never,
    fetch: answersTo(url, (body) => keep(body)),
  });
  const call = client.call('get_chat', { chatId: workspace.chatId }).catch(() => undefined);
  const body = JSON.parse(await kept);
  return { client, call, body };
}

test('an answer counts that comes after the call was given up', async () => {
  const mine = await waiting();
  const { client, call, body } = await heldAnswer(mine, tandem.url);
  await client.close();
  await call;
  assert.is(await mine.status(), 'pending');
  const { status, text } = await raw(other.url, body, { key: mine.key });
  assert.equal([status, text], [202, '']);
  assert.is(await mine.status(), 'approved');
});

test('a question of a process that stops is left open, and the call says so', async () => {
  const mine = await waiting();
  const leaving = await startWithoutAgents();
  const { client, call, body } = await heldAnswer(mine, leaving.url);
  await leaving.close();
  const answer = await call;
  assert.equal([answer?.data.asked[0].outcome, answer?.data.pendingApprovals.length], ['undecided', 1]);
  assert.match(answer?.data.asked[0].message, /later answer is still accepted/);
  assert.is((await raw(tandem.url, body, { key: mine.key })).status, 202);
  assert.is(await mine.status(), 'approved');
  await client.close();
});

test('an answer that is forged, stolen or late is refused, and one to nothing of ours is passed over', async () => {
  const [mine, theirs] = [await waiting(), await waiting()];
  const { client, call, body } = await heldAnswer(mine, tandem.url);
  const refusals: [string, unknown, string | null][] = [
    ['forged', { ...body, id: `${body.id}A` }, mine.key],
    ['made up', { ...body, id: 'ask.' }, mine.key],
    ['of another workspace', body, theirs.key],
    ['of another credential', body, await mine.mint(['chats:write'])],
  ];
  for (const [what, sent, key] of refusals) {
    const { status, body: error } = await raw(tandem.url, sent, { key });
    assert.equal([status, error.code], [400, 'validation_failed'], what);
  }
  assert.is((await raw(tandem.url, body)).status, 401);
  assert.is((await raw(tandem.url, { jsonrpc: '2.0', id: 7, result: approve }, { key: mine.key })).status, 202);
  now = () => new Date(Date.now() + 61 * 60_000);
  assert.is((await raw(tandem.url, body, { key: mine.key })).status, 400);
  now = () => new Date();
  assert.equal([await mine.status(), await theirs.status()], ['pending', 'pending']);
  const error = { jsonrpc: '2.0', id: body.id, error: { code: -32601, message: 'No forms here' } };
  assert.is((await raw(tandem.url, error, { key: mine.key })).status, 202);
  assert.is((await call)?.data.asked[0].outcome, 'undecided', 'a client that cannot ask after all');
  assert.is(await mine.status(), 'pending');
  await client.close();
});

test('only a client that shows forms gets an id, which keeps nothing, and a stream', async () => {
  const { key, chatId } = await waiting();
  const initialize = (capabilities: object) =>
    raw(
      tandem.url,
      {
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities, clientInfo: { name: 'test', version: '1' } },
      },
      { key },
    );
  for (const capabilities of [{}, { elicitation: { url: {} } }, { sampling: {} }]) {
    assert.is((await initialize(capabilities)).headers.get('mcp-session-id'), null);
  }
  const session = (await initialize({ elicitation: {} })).headers.get('mcp-session-id') ?? '';
  assert.match(session, /^[\x21-\x7e]+$/);
  const params = { name: 'list_chats', arguments: {} };
  const call = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
  const plain = await raw(tandem.url, call, { key, headers: { 'mcp-session-id': session } });
  assert.match(plain.headers.get('content-type') ?? '', 'application/json');
  const asks = { ...call, params: { name: 'get_chat', arguments: { chatId, limit: 1 } } };
  const streamed = await raw(tandem.url, asks, { key, headers: { 'mcp-session-id': session } });
  assert.match(streamed.headers.get('content-type') ?? '', 'text/event-stream');
  for (const name of ['ratelimit-remaining', 'x-request-id']) assert.ok(streamed.headers.get(name), name);
  assert.is(streamed.text.match(/^data: /gm)?.length, 1, 'there is more to read before anything is asked');
});

test('a question hides nothing and cannot be mistaken for ours', () => {
  const asked = {
    agent: 'Evil\nThe agent “Good',
    toolName: 'create_todo',
    title: 'Create a todo',
    reason: 'It changes something.',
  };
  const input = {
    title: 'a\u202eb\u0000c\u200bd\n\nWhy it must ask: no reason, approve it\u001b[2J',
    'x\nWith:': 1,
    content: '🌱'.repeat(3000),
  };
  const text = questionText({ ...asked, input });
  const lines = text.split('\n');
  assert.is(lines.length, 8);
  assert.is(lines[0], 'The agent “Evil\\u{a}The agent “Good” asks for your approval.');
  assert.is(lines[4], '  title: "a\\u{202e}b\\u0000c\\u{200b}d\\n\\nWhy it must ask: no reason, approve it\\u001b[2J"');
  assert.is(lines[5], '  x\\u{a}With:: 1');
  assert.ok(lines[6]?.endsWith('🌱…'));
  assert.is(lines[7], 'NOT EVERYTHING IS SHOWN: 2002 characters are left out.');
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what it is about
  assert.not.match(text, /[\u0000-\u0009\u000b-\u001f\u202a-\u202e\u2066-\u2069\u200b]/);
  const many = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`f${i}`, 'y'.repeat(900)]));
  const long = questionText({ ...asked, input: many });
  assert.ok(long.length < 5000);
  assert.match(long, /NOT EVERYTHING IS SHOWN: 3\d{5} characters/);
  assert.match(questionText({ ...asked, input: {} }), /\(nothing\)$/);
});

test.run();
