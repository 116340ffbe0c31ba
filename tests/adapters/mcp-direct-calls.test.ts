import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEndpoint } from '../../adapters/mcp/server.ts';
import { toolsOf } from '../../adapters/operations.ts';
import type { Exchange } from '../../adapters/tools/answer.ts';
import { Failure, notFound } from '../../domain/errors.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { raw } from '../support/mcp-clients.ts';

const test = suite('calls that are answered without a server of the SDK');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const id = crypto.randomUUID();
const shown = { object: 'todo', id, title: 'Über “all” 😀', content: 'x'.repeat(5000), dueDate: null, labels: [] };
const lacking = new Failure({ status: 403, code: 'missing_scope', message: 'No.', requiredScopes: ['chats:read'] });

/** What the tools do here, by the argument `does`. */
const outcomes: Record<string, () => unknown> = {
  show: () => ({ todo: shown }),
  miss: () => {
    throw notFound('todo', 'todoId');
  },
  lack: () => {
    throw lacking;
  },
  fail: () => {
    throw new Error('a secret');
  },
  overflow: () => ({ rows: Array.from({ length: 2000 }, () => ({ text: 'x'.repeat(100) })) }),
};

/** What the tools were called with. */
const given: unknown[] = [];

const tools = toolsOf(toolRouter).map((tool) => ({
  ...tool,
  call: async (_: unknown, input: unknown) => {
    given.push(structuredClone(input));
    return (outcomes[(input as { does?: string }).does ?? ''] ?? outcomes.show)?.();
  },
}));

const endpoint = createEndpoint(tools);
const latest = '2026-07-28';
const protocol = 'io.modelcontextprotocol/protocolVersion';
const capabilities = 'io.modelcontextprotocol/clientCapabilities';
const client = 'io.modelcontextprotocol/clientInfo';

interface Sent {
  headers: Record<string, string>;
  // biome-ignore lint/suspicious/noExplicitAny: what a client may send
  body: any;
}

/** A call in one version of the protocol, as its clients send it. */
function callIn(version: string, name = 'get_todo', input: unknown = { does: 'show' }): Sent {
  const isLatest = version === latest;
  return {
    headers: {
      'content-type': 'application/json',
      'mcp-protocol-version': version,
      ...(isLatest && { 'mcp-method': 'tools/call', 'mcp-name': name }),
    },
    body: {
      jsonrpc: '2.0',
      id: 7,
      method: 'tools/call',
      params: {
        name,
        arguments: input,
        ...(isLatest && { _meta: { [protocol]: version, [capabilities]: {} } }),
      },
    },
  };
}

/** What one way answers, and what it did meanwhile. */
async function outcomeOf(work: (exchange: Exchange) => Promise<unknown> | undefined) {
  given.length = 0;
  const failures: string[] = [];
  const note = ({ problem }: Failure) => void failures.push(problem.code);
  const scopes = new Set(['todos:read', 'chats:read']);
  const ctx = {
    principal: { scopes, kind: 'api_key' },
    service: { publicUrl: 'http://tandem.test', version: '1.2.3' },
    requestId: 'request',
    signal: new AbortController().signal,
  };
  const answer = await work({ ctx: ctx as unknown as Exchange['ctx'], report: note, lacks: note });
  return { answer, did: { given: [...given], failures } };
}

/**
 * The answer without the SDK's server as text, after it was compared with that of the SDK; undefined if there is none.
 */
async function compared({ headers, body }: Sent): Promise<string | undefined> {
  const copy = () => structuredClone(body);
  const direct = await outcomeOf((exchange) => endpoint.answerDirectly(headers, copy(), exchange));
  if (direct.answer === undefined) return undefined;
  const text = JSON.stringify(direct.answer);
  const accept = 'application/json, text/event-stream';
  const request = new Request('http://tandem.test/mcp', { method: 'POST', headers: { accept, ...headers } });
  const whole = await outcomeOf((exchange) => endpoint.answer(request, copy(), exchange));
  const response = whole.answer as Response;
  assert.equal([response.status, [...response.headers]], [200, [['content-type', 'application/json']]], text);
  assert.is(text, await response.text());
  assert.equal(direct.did, whole.did);
  return text;
}

for (const version of [latest, '2025-11-25', '2024-11-05']) {
  test(`${version}: every outcome of a tool is answered with the bytes of the SDK`, async () => {
    for (const does of Object.keys(outcomes)) {
      const text = await compared(callIn(version, 'get_todo', { does }));
      assert.is(JSON.parse(text ?? '').result.isError ?? false, !['show', 'overflow'].includes(does), text);
    }
  });

  test(`${version}: so are all tools, but those that may ask a person or go on as a task`, async () => {
    for (const { name, elicits, readAgain } of tools) {
      assert.is((await compared(callIn(version, name))) === undefined, elicits || readAgain !== null, name);
    }
  });
}

const changes: [name: string, version: string, isDirect: boolean, change: (sent: Sent) => void][] = [
  ['no arguments', latest, true, ({ body }) => delete body.params.arguments],
  ['an id that is a text', latest, true, ({ body }) => (body.id = 'é"')],
  ['a character set', latest, true, ({ headers }) => (headers['content-type'] = 'application/json; charset=utf-8')],
  ['a client that names itself', latest, true, ({ body }) => (body.params._meta[client] = { name: 'a', version: '1' })],
  ['capabilities', latest, true, ({ body }) => (body.params._meta[capabilities] = { elicitation: { form: {} } })],
  ['a token for progress', '2025-11-25', true, ({ body }) => (body.params._meta = { progressToken: 3 })],
  ['no version', '2025-11-25', true, ({ headers }) => delete headers['mcp-protocol-version']],
  ['an unknown tool', latest, false, ({ body }) => (body.params.name = 'none')],
  ['no id', latest, false, ({ body }) => delete body.id],
  ['no id', '2025-11-25', false, ({ body }) => delete body.id],
  ['no params', '2025-11-25', false, ({ body }) => delete body.params],
  ['another field', latest, false, ({ body }) => (body.more = 1)],
  ['the state of a call before', latest, false, ({ body }) => (body.params.requestState = 'x')],
  ['a task', '2025-11-25', false, ({ body }) => (body.params.task = { ttl: 1000 })],
  ['arguments that are none', latest, false, ({ body }) => (body.params.arguments = [])],
  ['another name in the header', latest, false, ({ headers }) => (headers['mcp-name'] = 'list_todos')],
  ['an encoded name in the header', latest, false, ({ headers }) => (headers['mcp-name'] = '=?base64?Z2V0X3RvZG8=?=')],
  ['no method in the header', latest, false, ({ headers }) => delete headers['mcp-method']],
  ['another version in the header', latest, false, ({ headers }) => (headers['mcp-protocol-version'] = '2025-11-25')],
  ['an unknown version', '2025-11-25', false, ({ headers }) => (headers['mcp-protocol-version'] = '2023-01-01')],
  ['a later version', '2027-01-01', false, ({ body }) => (body.params._meta = { [protocol]: '2027-01-01' })],
  ['no capabilities', latest, false, ({ body }) => delete body.params._meta[capabilities]],
  ['metadata of another kind', '2025-11-25', false, ({ body }) => (body.params._meta = { 'com.example/a': 1 })],
  ['a token of no kind', '2025-11-25', false, ({ body }) => (body.params._meta = { progressToken: {} })],
  ['another kind of JSON', latest, false, ({ headers }) => (headers['content-type'] = 'application/x+json')],
  ['a batch', '2025-11-25', false, (sent) => (sent.body = [sent.body])],
];

for (const [name, version, isDirect, change] of changes) {
  test(`${name}: ${isDirect ? 'answered with the bytes of the SDK' : 'left to the SDK'}`, async () => {
    const sent = callIn(version);
    change(sent);
    assert.is((await compared(sent)) !== undefined, isDirect);
  });
}

test('an argument that the SDK drops is left to it', async () => {
  const input = JSON.parse('{"does":"show","__proto__":1}');
  const sent = callIn(latest, 'get_todo', input);
  const direct = await outcomeOf((exchange) => endpoint.answerDirectly(sent.headers, sent.body, exchange));
  assert.is(direct.answer, undefined);
});

test('whatever is answered so, the SDK answers in the same way', async () => {
  const absent = Symbol('absent');
  const anything = fc.constantFrom<unknown>(absent, null, 1, 1.5, 'x', '', [], {}, true);
  /** A value that is mostly the right one. */
  const mostly = (...right: unknown[]) => fc.oneof({ weight: 30, arbitrary: fc.constantFrom(...right) }, anything);
  const objectOf = (fields: Record<string, unknown>) =>
    Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== absent));
  const meta = fc
    .record({
      [protocol]: mostly(latest, latest, latest, absent),
      [capabilities]: mostly({}, { elicitation: {} }, { extensions: { 'io.modelcontextprotocol/tasks': {} } }),
      [client]: mostly(absent, { name: 'a', version: '1' }),
      progressToken: mostly(absent, 'token'),
      'io.modelcontextprotocol/logLevel': mostly(absent, absent, 'info'),
      traceparent: mostly(absent, absent, '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'),
    })
    .map(objectOf);
  const params = fc
    .record({
      name: mostly('get_todo'),
      arguments: mostly({ does: 'show' }, { does: 'miss' }, absent),
      _meta: fc.oneof({ weight: 30, arbitrary: meta }, { weight: 20, arbitrary: fc.constant(absent) }, anything),
      more: mostly(absent),
    })
    .map(objectOf);
  const sent = fc.record({
    headers: fc
      .record({
        'content-type': mostly('application/json'),
        'mcp-protocol-version': mostly(latest, latest, '2025-11-25', absent),
        'mcp-method': mostly('tools/call', 'tools/call', absent),
        'mcp-name': mostly('get_todo', 'get_todo', absent),
      })
      .map((headers) =>
        Object.fromEntries(Object.entries(objectOf(headers)).map(([name, value]) => [name, String(value)])),
      ),
    body: fc
      .record({ jsonrpc: mostly('2.0'), id: mostly(1, 'a', 0), method: mostly('tools/call'), params })
      .map(objectOf),
  });
  const found = { latest: 0, before: 0, left: 0 };
  await fc.assert(
    fc.asyncProperty(sent, async ({ headers, body }) => {
      const text = await compared({ headers, body });
      found[text === undefined ? 'left' : text.includes('resultType') ? 'latest' : 'before']++;
    }),
    { numRuns: 3000 },
  );
  for (const [kind, times] of Object.entries(found)) assert.ok(times >= 50, `${kind}: ${JSON.stringify(found)}`);
});

test('over HTTP both ways have the same status, headers and bytes', async () => {
  const { key, call } = await tandem.workspace();
  const { body: todo } = await call('POST /todos', { title: 'Water the plants' });
  const { headers, body } = callIn(latest, 'get_todo', { todoId: todo.id });
  const direct = await raw(tandem.url, body, { key, headers });
  const encoded = { ...headers, 'mcp-name': '=?base64?Z2V0X3RvZG8=?=' };
  const whole = await raw(tandem.url, body, { key, headers: encoded });
  assert.is(direct.body.result.structuredContent.todo.title, 'Water the plants');
  assert.is(direct.text, whole.text);
  const own = /^(date|x-request-id|ratelimit.*)$/;
  const facts = ({ status, headers: all }: typeof direct) => [status, [...all].filter(([name]) => !own.test(name))];
  assert.equal(facts(direct), facts(whole));
});

test.run();
