import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { specified } from '../fixtures/tools.ts';
import { aiSdk, type ForeignClient, inspector, langChain, openAiAgents } from '../support/foreign-clients.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { modernClient, oldClient, type Tools } from '../support/mcp-clients.ts';
import { Browser, decide } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { freePort } from '../support/ports.ts';

const test = suite('foreign mcp clients');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const names = specified.map(([name]) => name);

/** An SDK of this protocol as the others are called. */
function plain(client: Tools): ForeignClient {
  return {
    tools: async () => (await client.list()).map(({ name }) => name),
    call: async (name, input) => JSON.parse((await client.call(name, input)).text),
    close: client.close,
  };
}

/** Lists the tools, makes five calls, and three mistakes. */
async function works(client: ForeignClient): Promise<void> {
  assert.equal(await client.tools(), names);
  const due = { title: 'Water the plants', dueDate: '2026-03-06', priority: 'high' };
  const { todo } = await client.call('create_todo', due);
  assert.is(todo.url, `${tandem.url}/todos/${todo.id}`);
  const { data, summary } = await client.call('list_todos', { query: 'plants' });
  assert.equal([data.length, data[0].todoListName, summary.total], [1, 'Inbox', 1]);
  const changed = await client.call('update_todo', { todoId: todo.id, title: 'Water the cactus' });
  const { title, dueDate, priority } = changed.todo;
  assert.equal([title, dueDate, priority], ['Water the cactus', '2026-03-06', 'high']);
  assert.is((await client.call('complete_todo', { todoId: todo.id })).todo.status, 'done');
  assert.is((await client.call('get_todo', { todoId: todo.id })).todo.status, 'done');
  const missing = await client.call('get_todo', { todoId: crypto.randomUUID() });
  assert.equal([missing.code, missing.param], ['resource_not_found', 'todoId']);
  const nowhere = await client.call('create_todo', { title: 'a', todoListId: 'Nowhere' });
  assert.equal([nowhere.code, nowhere.allowedValues], ['validation_failed', ['Inbox']]);
  const early = await client.call('create_todo', { title: 'a', schedule: { runAt: '2020-01-01T00:00:00Z' } });
  assert.equal([early.code, early.param], ['validation_failed', 'schedule.runAt']);
}

const clients: [name: string, connect: (url: string, key: string) => Promise<ForeignClient>][] = [
  ['TypeScript SDK 1.x', async (url, key) => plain(await oldClient(url, key))],
  ['TypeScript SDK 2.x', async (url, key) => plain(await modernClient(url, key))],
  ['@ai-sdk/mcp', aiSdk],
  ['@langchain/mcp-adapters', langChain],
  ['@openai/agents', openAiAgents],
  ['inspector --cli', inspector],
];

for (const [name, connect] of clients) {
  test(`${name} connects, lists, calls and reads errors`, async () => {
    const { key } = await tandem.workspace();
    const client = await connect(tandem.url, key);
    await works(client);
    await client.close();
  });
}

test('@openai/agents converts every tool to a strict schema', async () => {
  const { key } = await tandem.workspace();
  const client = await openAiAgents(tandem.url, key);
  assert.equal(client.strict, names);
  await client.close();
});

test('mcp-remote signs in by OAuth and carries a client that speaks over stdio', async () => {
  const person = await newAccount(tandem);
  const directory = await mkdtemp(join(tmpdir(), 'tandem-mcp-remote-'));
  const proxy = resolve('node_modules/mcp-remote/dist/proxy.js');
  const args = [proxy, `${tandem.url}/mcp`, String(await freePort()), '--allow-http'];
  // Without PATH and a display it finds no browser to open, and prints the address.
  const env = { PATH: '', HOME: directory, MCP_REMOTE_CONFIG_DIR: directory };
  const transport = new StdioClientTransport({ command: process.execPath, args, env, stderr: 'pipe' });
  let printed = '';
  const consented = Promise.withResolvers<Response>();
  let address: string | undefined;
  transport.stderr?.on('data', (chunk) => {
    printed += chunk;
    // It prints the address before it listens for the answer: a person is never that fast.
    if (address || !printed.includes('OAuth callback server running')) return;
    [address] = /http:\/\/\S+response_type=\S+(?=\s)/.exec(printed) ?? [];
    if (!address) return;
    const decision = { workspaceId: person.session.workspace.id };
    const landed = decide(new Browser(person), address, decision).then((callback) => fetch(callback));
    landed.then(consented.resolve, consented.reject);
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  try {
    // biome-ignore lint/suspicious/noExplicitAny: its types and exactOptionalPropertyTypes disagree
    const [{ status }] = await Promise.all([consented.promise, client.connect(transport as any)]);
    assert.is(status, 200, printed);
    assert.match(client.getInstructions() ?? '', /^Today is /);
    await works({
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, input) => {
        const { content } = await client.callTool({ name, arguments: { ...input } });
        return JSON.parse((content as { text: string }[])[0]?.text ?? 'null');
      },
      close: () => client.close(),
    });
  } finally {
    await client.close();
    await rm(directory, { recursive: true, force: true });
  }
});

test.run();
