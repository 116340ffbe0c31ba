import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';
import { modernClient, oldClient, raw } from './mcp-clients.ts';

const test = suite('mcp');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };

for (const [era, connect] of [
  ['2026-07-28', modernClient],
  ['2025-11-25', oldClient],
] as const) {
  test(`a client of ${era} lists tools and calls them`, async () => {
    const { key } = await tandem.workspace();
    const client = await connect(tandem.url, key);
    const names = (await client.list()).map((each) => each.name);
    assert.ok(names.includes('list_todo_lists'));
    const { isError, data, text } = await client.call('list_todo_lists');
    assert.is(isError, false);
    assert.is(data.data[0].name, 'Inbox');
    assert.equal(JSON.parse(text), data);
    assert.match(client.instructions ?? '', /four primitives/);
    await client.close();
  });
}

test('a bare tools/list is answered, whatever is accepted, without a session', async () => {
  const { key } = await tandem.workspace();
  for (const accept of ['*/*', 'application/json', 'application/json, text/event-stream', undefined]) {
    const { status, body, headers } = await raw(tandem.url, list, { key, headers: accept ? { accept } : {} });
    assert.is(status, 200);
    assert.ok(body.result.tools.length > 0);
    assert.is(headers.get('mcp-session-id'), null);
    assert.ok(headers.get('ratelimit-remaining'));
    assert.ok(headers.get('x-request-id'));
  }
});

test.run();
