import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxPageBytes } from '../../domain/todos/page-bytes.ts';
import { newChat, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { until } from '../support/until.ts';

/* Ten calls of one request, each of which could return megabytes. */

const test = suite('batches of long answers');
const size = 100;
const content = '😀'.repeat(50_000);
const fillTodos = 'update todos set content = $2 where workspace_id = $1';
const copySkill = `insert into agent_skills (workspace_id, id, agent_id, name, instructions)
  select s.workspace_id, gen_random_uuid(), s.agent_id, 'Skill ' || n, $2 from agent_skills s, generate_series(2, ${size}) n
  where s.workspace_id = $1`;
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startWithoutAgents();
  workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const data = Array.from({ length: size / 2 }, (_, place) => ({ title: `${place}` }));
  for (const half of [data, data]) assert.is((await call('POST /todos/batch', { data: half })).status, 200);
  await tandem.db.rows(fillTodos, [workspaceId, content]);
});
test.after(() => tandem.close());

interface Answer {
  result?: { data: { data: { id: string }[]; nextCursor: string | null } };
  error?: { message: string; data: { httpStatus: number; problem: { reason?: string } } };
}

/** Sends calls of one query in one request. Returns the answers, and their bytes. */
async function batch(name: string, inputs: readonly object[]): Promise<[Answer[], number]> {
  const input = encodeURIComponent(JSON.stringify({ ...inputs }));
  const path = Array(inputs.length).fill(name).join();
  const response = await fetch(`${tandem.url}/trpc/${path}?batch=1&input=${input}`, {
    headers: { authorization: `Bearer ${workspace.key}` },
  });
  const text = await response.text();
  return [JSON.parse(text), Buffer.byteLength(text)];
}

test('pages of todos in one request have together what one page has, and their cursors go on', async () => {
  const kinds = [{}, { sort: 'position', order: 'asc' }, { query: '1' }, { sort: 'priority' }, { status: 'active' }];
  const inputs = [...kinds, ...kinds].map((kind) => ({ ...kind, limit: size }));
  const [answers, bytes] = await batch('todos.list', inputs);
  assert.ok(bytes < maxPageBytes + 2 ** 20, String(bytes));
  for (const { result } of answers) assert.ok(result && result.data.data.length > 0);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const [[first]] = await batch('todos.list', [{ limit: size, ...(cursor && { cursor }) }, { limit: 1 }]);
    assert.ok(first?.result);
    seen.push(...first.result.data.data.map(({ id }) => id));
    cursor = first.result.data.nextCursor;
  }
  assert.equal([seen.length, new Set(seen).size], [size, size]);
  const [[byIds, others]] = await batch('todos.list', [{ ids: seen }, { ids: seen }]);
  assert.equal(
    byIds?.result?.data.data.map(({ id }) => id),
    seen.slice(0, others?.result?.data.data.length),
  );
  assert.ok(byIds?.result?.data.nextCursor);
});

test('a list without pages is refused in a request that has read too much, and is read in one of its own', async () => {
  const { call, workspaceId } = workspace;
  const agent = (await call('GET /agents')).body.data[0];
  const made = await call(`POST /agents/${agent.id}/skills`, { name: 'Skill 1', instructions: 'Short.' });
  assert.is(made.status, 201);
  const short = await batch('skills.list', Array(10).fill({}));
  for (const { result } of short[0]) assert.is(result?.data.data.length, 1);
  await tandem.db.rows(copySkill, [workspaceId, content]);
  const [answers] = await batch('skills.list', Array(10).fill({}));
  const [first, ...others] = answers;
  assert.is(first?.result?.data.data.length, size);
  for (const { error } of others) {
    assert.is(error?.data.httpStatus, 400);
    assert.match(error?.message ?? '', 'Send this call in a request of its own');
  }
  assert.is((await call('GET /skills')).body.data.length, size);
});

test('pages of messages are refused so too, whether their calls waited or not', async () => {
  const { chat } = await newChat(tandem, workspace);
  const fill = 'update messages set text = $3 where workspace_id = $1 and chat_id = $2';
  await tandem.db.rows(fill, [workspace.workspaceId, chat.id, '"'.repeat(3_000_000)]);
  for (const waitSeconds of [0, 25]) {
    const [answers] = await batch('chats.listMessages', Array(3).fill({ chatId: chat.id, waitSeconds }));
    // Those that waited read in any order.
    const refused = answers.flatMap(({ error }) => (error ? [error.data.problem.reason] : []));
    assert.equal(refused, ['batch_too_long'], String(waitSeconds));
  }
});

/** Calls a tool several times in one request. Returns the results. */
async function toolBatch(name: string, inputs: readonly object[]): Promise<unknown[]> {
  const calls = inputs.map((input, id) => ({
    jsonrpc: '2.0',
    id,
    method: 'tools/call',
    params: { name, arguments: input },
  }));
  const response = await fetch(`${tandem.url}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${workspace.key}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(calls),
  });
  const answers = (await response.json()) as { result: { structuredContent: unknown } }[];
  return answers.map(({ result }) => result.structuredContent);
}

async function waiting(): Promise<number> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  return Number(/^tandem_live_subscribers (\d+)$/m.exec(text)?.[1]);
}

const ways: Record<string, (inputs: readonly object[]) => Promise<unknown[]>> = {
  tRPC: async (inputs) => (await batch('chats.listMessages', inputs))[0].map((answer) => answer.result?.data),
  MCP: (inputs) => toolBatch('get_chat', inputs),
};

for (const [way, send] of Object.entries(ways)) {
  test(`calls of one request over ${way} that wait for an agent do so at the same time`, async () => {
    const chats = [await newChat(tandem, workspace), await newChat(tandem, workspace)];
    const sent = send(chats.map(({ chat }) => ({ chatId: chat.id, afterSequence: 1, waitSeconds: 25 })));
    await until(async () => (await waiting()) === chats.length);
    for (const { agent, chat } of chats) await agent.finish(`Done in ${chat.id}`);
    const answers = await sent;
    for (const [place, { chat }] of chats.entries()) {
      assert.match(JSON.stringify(answers[place]), `"text":"Done in ${chat.id}"`);
    }
  });
}

test.run();
