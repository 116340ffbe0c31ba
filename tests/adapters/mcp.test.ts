import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toolsOf } from '../../adapters/operations.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { specified } from '../fixtures/tools.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { eras, raw } from '../support/mcp-clients.ts';

const test = suite('mcp');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

const idempotent = new Set(['complete_todo', 'reopen_todo', 'archive_todo', 'unarchive_todo', 'stop_chat']);

for (const [era, connect] of eras) {
  test(`a client of ${era} lists tools and calls them`, async () => {
    const { key } = await tandem.workspace();
    const client = await connect(tandem.url, key);
    const names = (await client.list()).map((each) => each.name);
    assert.equal(
      names,
      specified.map(([name]) => name),
    );
    const { isError, data, text } = await client.call('create_todo', { title: 'Water the plants' });
    assert.is(isError, false);
    assert.is(data.todo.title, 'Water the plants');
    assert.equal(JSON.parse(text), data);
    const refused = await client.call('get_todo', { todoId: crypto.randomUUID() });
    assert.is(refused.isError, true);
    assert.is(refused.data.code, 'resource_not_found');
    await client.close();
  });
}

test('a bare tools/list is answered, whatever is accepted, without a session', async () => {
  const { key } = await tandem.workspace();
  for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream', undefined]) {
    const { status, body, headers } = await raw(tandem.url, list, { key, headers: accept ? { accept } : {} });
    assert.is(status, 200);
    assert.is(body.result.tools.length, specified.length);
    assert.is(headers.get('mcp-session-id'), null);
    for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-policy', 'x-request-id']) {
      assert.ok(headers.get(name), name);
    }
  }
});

test('the tools stand in the order of the specification, and no other is among them', () => {
  assert.equal(
    Object.keys(toolRouter._def.procedures),
    specified.map(([name]) => name),
  );
});

test('each tool says what it is, describes every argument and takes no other', async () => {
  const { key } = await tandem.workspace();
  const { body } = await raw(tandem.url, list, { key });
  for (const { name, title, description, inputSchema, annotations } of body.result.tools) {
    const readOnly = specified.find(([each]) => each === name)?.[2];
    assert.ok(title && description, name);
    assert.equal(annotations, {
      readOnlyHint: readOnly,
      destructiveHint: false,
      ...((readOnly || idempotent.has(name)) && { idempotentHint: true }),
      openWorldHint: false,
    });
    const walk = (schema: Record<string, unknown>, path: string) => {
      assert.is(schema.$ref, undefined, path);
      if ('format' in schema) assert.is(schema.pattern, undefined, path);
      assert.ok(Number(schema.maximum ?? 0) < Number.MAX_SAFE_INTEGER, path);
      if (schema.type === 'object') assert.is(schema.additionalProperties, false, path);
      for (const [field, each] of Object.entries((schema.properties ?? {}) as Record<string, typeof schema>)) {
        assert.match(field, /^[a-z][a-zA-Z]*$/);
        assert.ok(each.description, `${path}.${field} has no description`);
        walk(each, `${path}.${field}`);
      }
      if (schema.items) walk(schema.items as typeof schema, `${path}[]`);
    };
    walk(inputSchema, name);
    assert.is(inputSchema.$schema, undefined);
  }
});

test('every list is one that strict modes accept: no null where an argument may be left out, no keyword they refuse', async () => {
  const { key } = await tandem.workspace();
  const { body } = await raw(tandem.url, list, { key });
  const refused = ['anyOf', 'oneOf', 'allOf', 'not', '$ref', 'default', 'minLength', 'maxLength', 'propertyNames'];
  const walk = (schema: Record<string, unknown>, path: string) => {
    for (const keyword of refused) assert.is(keyword in schema, false, `${path}: ${keyword}`);
    assert.type(schema.type, 'string', path);
    for (const [field, each] of Object.entries((schema.properties ?? {}) as Record<string, typeof schema>)) {
      walk(each, `${path}.${field}`);
    }
    if (schema.items) walk(schema.items as typeof schema, `${path}[]`);
  };
  for (const { name, inputSchema } of body.result.tools) walk(inputSchema, name);
});

test('each description says when to use another tool or what happens, and has an example that the tool accepts', async () => {
  for (const { name, description, input } of toolsOf(toolRouter)) {
    const [, prose = '', examples = ''] = /^(.*?)(?= Examples?[,:])(.*)$/s.exec(description) ?? [];
    assert.ok(prose.split(' ').length >= 10, `${name}: ${prose}`);
    const found = [...examples.matchAll(/\{.*?\}(?=[.;, ]|$)/g)].map(([json]) =>
      json.replaceAll('…', crypto.randomUUID()),
    );
    assert.ok(found.length > 0, `${name} has no example`);
    for (const json of found) {
      const { error } = input.safeParse(JSON.parse(json));
      assert.is(error, undefined, `${name} ${json}: ${error}`);
    }
  }
});

test('the list of tools costs at most 8,000 tokens', async () => {
  const { key } = await tandem.workspace();
  const { body } = await raw(tandem.url, list, { key });
  const tokens = JSON.stringify(body.result).length / 4;
  assert.ok(tokens <= 8000, `${tokens} tokens`);
});

test('the instructions explain the four primitives and the polling rule in under 400 words', async () => {
  const { key } = await tandem.workspace();
  for (const [era, connect] of eras) {
    const client = await connect(tandem.url, key);
    const instructions = client.instructions ?? '';
    for (const phrase of [
      'four primitives',
      'todos',
      'chats',
      'agents',
      'captures',
      'afterSequence',
      'hasMore is false',
    ]) {
      assert.match(instructions, phrase, era);
    }
    assert.ok(instructions.split(/\s+/).length < 400, `${instructions.split(/\s+/).length} words`);
    await client.close();
  }
});

test('an unknown tool is an error of the protocol, an unknown method too', async () => {
  const { key } = await tandem.workspace();
  const call = { jsonrpc: '2.0', id: 7, method: 'tools/call', params: { name: 'drop_database', arguments: {} } };
  const { body } = await raw(tandem.url, call, { key });
  assert.is(body.id, 7);
  assert.is(body.error.code, -32602);
  assert.match(body.error.message, /Unknown tool: drop_database/);
  const other = await raw(tandem.url, { ...call, method: 'tools/destroy' }, { key });
  assert.is(other.body.error.code, -32601);
});

test('every method of an announced capability answers, and what it does not have is a wrong parameter', async () => {
  const { key } = await tandem.workspace();
  const initialize = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { body } = await raw(tandem.url, { ...list, method: 'initialize', params: initialize }, { key });
  const methods: Record<string, [method: string, params: object, code?: number][]> = {
    tools: [
      ['tools/list', {}],
      ['tools/call', { name: 'nope' }, -32602],
    ],
    prompts: [
      ['prompts/list', {}],
      ['prompts/get', { name: 'nope' }, -32602],
    ],
    resources: [
      ['resources/list', {}],
      ['resources/templates/list', {}],
      ['resources/read', { uri: 'tandem://nope' }, -32602],
    ],
  };
  const announced: string[] = Object.keys(body.result.capabilities);
  assert.equal(announced.sort(), Object.keys(methods).sort());
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  for (const [method, params, code] of announced.flatMap((each) => methods[each] ?? [])) {
    const old = await raw(tandem.url, { ...list, method, params }, { key });
    assert.is(old.body.error?.code, code, method);
    const named = 'name' in params ? params.name : 'uri' in params ? params.uri : undefined;
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(named !== undefined && { 'mcp-name': String(named) }),
    };
    const modern = await raw(tandem.url, { ...list, method, params: { ...params, _meta } }, { key, headers });
    assert.is(modern.body.error?.code, code, `${method} ${modern.text}`);
  }
});

test('lists may be kept by the client for a while, but not shared', async () => {
  const { key } = await tandem.workspace();
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
  const { body } = await raw(tandem.url, { ...list, params: { _meta } }, { key, headers });
  assert.is(body.result.cacheScope, 'private');
  assert.ok(body.result.ttlMs > 0);
  assert.is(body.result.resultType, 'complete');
});

test.run();
