import fc, { type Arbitrary } from 'fast-check';
import type { Operation, Tool } from '../../adapters/operations.ts';
import type { IdsFor } from './arbitraries.ts';
import { type FuzzRequest, inputOf, rarely, senderOf, strangeBody } from './fuzz-requests.ts';

/* The same operations over tRPC, and the tools over MCP. */

type Headers = FuzzRequest['headers'];

const json: Headers = [['content-type', 'application/json']];
const otherType: Headers = [['content-type', 'text/plain']];

/** JSON as it stands in a query: lone surrogates only as escapes. */
const inAddress = (value: unknown) => encodeURIComponent(JSON.stringify(value) ?? '').slice(0, 6000);

const strangeInputs = ['', '{', 'null', '%ff', '%00', '{"0":', '[]', '%7B%22__proto__%22%3A%7B%7D%7D', '"\xff"'];

/** tRPC calls of an operation: alone, or several in one request. */
export function trpcCallOf(operation: Operation, ids: IdsFor): Arbitrary<FuzzRequest> {
  const isQuery = operation.type === 'query';
  return fc
    .record({
      inputs: fc.oneof(
        { weight: 9, arbitrary: inputOf(operation.input, ids).map((each) => [each]) },
        { weight: 1, arbitrary: fc.array(inputOf(operation.input, ids), { minLength: 2, maxLength: 11 }) },
      ),
      name: rarely(20, fc.constantFrom('nothing', '__proto__', 'todos', 'todos.constructor', '%00', 'todos.create,')),
      strange: rarely(40, fc.constantFrom(...strangeInputs)),
      rawBody: rarely(40, strangeBody),
      otherMethod: rarely(20, fc.constantFrom('GET', 'POST', 'PUT', 'DELETE')),
      key: rarely(50, fc.constantFrom('t1', '', 'x'.repeat(256))),
      isOther: rarely(20, fc.constant(true)),
      sender: senderOf(operation.access),
    })
    .map(({ inputs, name = operation.name, strange, rawBody, otherMethod, key, isOther, sender }) => {
      const method = otherMethod ?? (isQuery ? 'GET' : 'POST');
      const isBatch = inputs.length > 1;
      const given = isBatch ? Object.fromEntries(inputs.map((each, place) => [place, each])) : inputs[0];
      const names = isBatch ? inputs.map(() => name).join() : name;
      const query = [
        ...(isBatch ? ['batch=1'] : []),
        ...(strange !== undefined ? [`input=${strange}`] : method === 'GET' ? [`input=${inAddress(given)}`] : []),
      ].join('&');
      const target = `/trpc/${names}${query && `?${query}`}`;
      const body = method === 'GET' ? undefined : (rawBody ?? JSON.stringify(given));
      const type = body === undefined ? [] : isOther ? otherType : json;
      const headers: Headers = [...type, ...(key === undefined ? [] : ([['idempotency-key', key]] as Headers))];
      return { transport: 'trpc' as const, operationId: operation.id, method, target, headers, body, sender };
    });
}

const modern = '2026-07-28';
const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '1999-01-01', '', '\xff'];
const envelope = {
  'io.modelcontextprotocol/protocolVersion': modern,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const asking = { ...envelope, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
const clientInfo = { name: 'fuzz', version: '1' };

/** Messages beside calls of tools. */
const otherMessages: Record<string, unknown>[] = [
  { method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo } },
  { method: 'initialize', params: { protocolVersion: 'x', capabilities: { elicitation: {} }, clientInfo } },
  { method: 'initialize', params: {} },
  { method: 'server/discover', params: {} },
  { method: 'tools/list', params: {} },
  { method: 'tools/list', params: { cursor: '\u0000' } },
  { method: 'prompts/get', params: { name: '__proto__' } },
  { method: 'resources/read', params: { uri: 'file:///etc/passwd' } },
  { method: 'completion/complete', params: {} },
  { method: 'logging/setLevel', params: { level: 'debug' } },
  { method: 'subscriptions/listen', params: {} },
  { method: 'ping' },
  { method: 'constructor' },
  { method: '' },
  { method: 7 },
  { result: {}, id: 1 },
  {},
];
const messageIds = [1, 0, -1, 1.5, 'x', '', null, undefined, '\ud800', 'x'.repeat(5000), {}, 2 ** 53];

/** Posts to the MCP endpoint that call a tool, or something else, in either era of the protocol. */
export function mcpCallOf(tool: Tool, ids: IdsFor): Arbitrary<FuzzRequest> {
  return fc
    .record({
      input: inputOf(tool.input, ids),
      name: rarely(20, fc.constantFrom('__proto__', 'constructor', '', 'x'.repeat(3000), 'CREATE_TODO', 'a\u0000')),
      other: rarely(150, fc.constantFrom(...otherMessages)),
      id: fc.oneof({ weight: 20, arbitrary: fc.constant(1) }, { weight: 3, arbitrary: fc.constantFrom(...messageIds) }),
      meta: fc.constantFrom(undefined, undefined, envelope, asking),
      version: rarely(100, fc.constantFrom(...versions)),
      copies: rarely(20, fc.integer({ min: 0, max: 11 })),
      rawBody: rarely(40, strangeBody),
      mismatch: rarely(20, fc.constantFrom('get_todo', '\xff', 'x'.repeat(900))),
      session: rarely(30, fc.constantFrom('x', '\xff', 'a.b.c', 'x'.repeat(2000))),
      isOther: rarely(20, fc.constant(true)),
      sender: senderOf('tool'),
    })
    .map(
      ({ input, name = tool.name, other, id, meta, version, copies, rawBody, mismatch, session, isOther, sender }) => {
        const isModern = meta !== undefined;
        const { method = 'tools/call', params = { name, arguments: input } } = (other ?? {}) as Record<string, unknown>;
        const envelopes = isModern ? { ...(params as object), _meta: meta } : params;
        const message = other ? { ...other, params: envelopes } : { method, params: envelopes };
        const whole = { jsonrpc: '2.0', id, ...message };
        const content = copies === undefined ? whole : Array(copies).fill(whole);
        const era: Headers = [
          ['mcp-protocol-version', version ?? (isModern ? modern : '2025-11-25')],
          ['mcp-method', String(method)],
          ...(other || !/^[\x20-\x7e]+$/.test(name) ? [] : ([['mcp-name', mismatch ?? name]] as Headers)),
        ];
        const headers: Headers = [
          ...(isOther ? otherType : json),
          ...(isModern || version !== undefined ? era : []),
          ...(session === undefined ? [] : ([['mcp-session-id', session]] as Headers)),
        ];
        const body = rawBody ?? JSON.stringify(content);
        return {
          transport: 'mcp' as const,
          operationId: tool.name,
          method: 'POST',
          target: '/mcp',
          headers,
          body,
          sender,
        };
      },
    );
}
