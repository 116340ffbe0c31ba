import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { raw } from '../support/mcp-clients.ts';

const test = suite('params of MCP requests');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const _meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};

const misshapen: [method: string, params: object | undefined, fault: string][] = [
  ['initialize', undefined, 'params: '],
  ['initialize', {}, 'params.protocolVersion: '],
  ['initialize', { protocolVersion: 7, capabilities: {}, clientInfo: {} }, 'params.protocolVersion: '],
  ['tools/list', { cursor: 7 }, 'params.cursor: '],
  ['tools/call', {}, ''],
  ['tools/call', { name: 7 }, ''],
  ['tools/call', { name: 'get_todo', arguments: 'x' }, ''],
  ['prompts/list', { cursor: {} }, 'params.cursor: '],
  ['prompts/get', {}, 'params.name: '],
  ['resources/read', { uri: 7 }, 'params.uri: '],
];

test('params of the wrong shape are invalid params, and no failure of the service, in both eras', async () => {
  const { key } = await tandem.workspace();
  for (const [method, params, fault] of misshapen) {
    const old = await raw(tandem.url, { jsonrpc: '2.0', id: 1, method, params }, { key });
    assert.is(old.body.error?.code, -32602, `${method} ${old.text}`);
    assert.ok(old.body.error.message.startsWith(fault), old.text);
    assert.is(old.body.id, 1);
    if (method === 'initialize') continue;
    const name = (params as { name?: unknown; uri?: unknown } | undefined)?.name;
    const headers = {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': method,
      ...(name !== undefined && { 'mcp-name': String(name) }),
    };
    const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
    const modern = await raw(tandem.url, body, { key, headers });
    assert.ok([-32602, -32600, -32020].includes(modern.body.error?.code), `${method} ${modern.text}`);
  }
});

test('a method or a name that is no text is no failure of the service', async () => {
  const { key } = await tandem.workspace();
  const headers = { 'mcp-session-id': 'forms-1' };
  for (const value of [{ toString: 0 }, 7, null, [[]]]) {
    for (const message of [{ method: value }, { method: 'tools/call', params: { name: value } }]) {
      for (const more of [{}, { _meta }]) {
        const body = { jsonrpc: '2.0', id: 1, ...message, params: { ...message.params, ...more } };
        const { status, body: answer, text } = await raw(tandem.url, body, { key, headers });
        assert.ok(status < 500 && answer.error.code !== -32603, `${status} ${text}`);
      }
    }
  }
});

test.run();
