import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  createTaskSessionFromClient,
  type RawClientDispatch,
  resultFromTaskOutcome,
} from '@modelcontextprotocol/ext-tasks/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { raw, taskCapabilities } from '../support/mcp-clients.ts';
import { reply, ScriptedEngine, use } from '../support/scripted-engine.ts';

/* A requester that other people wrote, as its documentation connects it: it polls, asks the person and settles. */
const test = suite('mcp tasks: @modelcontextprotocol/ext-tasks');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

test('a requester of ext-tasks follows create_chat over an approval to its result', async () => {
  const { key, call } = await tandem.workspace();
  await call('POST /agents', { name: 'Careful' });
  const clientInfo = { name: 'test', version: '1.0.0' };
  const client = new Client(clientInfo, {
    capabilities: taskCapabilities,
    versionNegotiation: { mode: { pin: '2026-07-28' } },
  });
  const requestInit = { headers: { authorization: `Bearer ${key}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(`${tandem.url}/mcp`), { requestInit }));
  const rawDispatch: RawClientDispatch = async (request) => {
    const { method, params } = request as { method: string; params: { name?: string; taskId?: string } };
    const name = params.taskId ?? params.name;
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...(name && { 'mcp-name': name }) };
    return (await raw(tandem.url, { jsonrpc: '2.0', id: 1, method, params }, { key, headers })).body;
  };
  const asked: string[] = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: 'test',
    rawDispatch,
    v2RequestFraming: { protocolVersion: '2026-07-28', clientInfo, clientCapabilities: taskCapabilities },
    onInputRequest: async (request) => {
      asked.push(String((request.params as { message?: unknown }).message));
      return { action: 'accept', content: { decision: 'approve', input: '{"title":"Order chairs"}' } } as never;
    },
  });
  const message = engine.plan([use(['create_todo', { title: 'Order desks' }]), reply('Ordered.')]);
  const execution = await session.callTool('create_chat', { message, agentId: 'Careful' });
  assert.is(execution.kind, 'task');
  const { outcome } = await execution.settle();
  const result = resultFromTaskOutcome(outcome) as unknown as { structuredContent: { messages: { text: string }[] } };
  assert.is(result.structuredContent.messages.at(-1)?.text, 'Ordered.');
  assert.is(asked.length, 1);
  assert.match(asked[0] ?? '', 'title: "Order desks"');
  const { data } = (await call('GET /todos')).body;
  assert.equal(
    data.map(({ title }: { title: string }) => title),
    ['Order chairs'],
  );
  await session.close();
  await client.close();
});

test.run();
