import { request } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { scopes } from '../../domain/scopes.ts';
import { ask } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool, raw } from '../support/mcp-clients.ts';

const test = suite('mcp over http');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ ALLOWED_ORIGINS: 'https://app.example.com, https://other.example.com' });
});
test.after(() => tandem.close());

const list = { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} };
const call = (name: string) => ({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } });

/** The status of a request that names another host; fetch does not let one. */
function statusFor(host: string, key: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const headers = { host, authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const sent = request(`${tandem.url}/mcp`, { method: 'POST', headers, setHost: false }, (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    sent.on('error', reject);
    sent.end(JSON.stringify(list));
  });
}

test('without a credential, and with one that is not valid, the answer says where to get one', async () => {
  const metadata = `${tandem.url}/.well-known/oauth-protected-resource/mcp`;
  const challenge = `Bearer resource_metadata="${metadata}", scope="${scopes.join(' ')}"`;
  const none = await raw(tandem.url, list);
  assert.is(none.status, 401);
  assert.is(none.body.object, 'error');
  assert.is(none.body.code, 'missing_credentials');
  assert.is(none.headers.get('www-authenticate'), challenge);
  assert.ok(none.headers.get('ratelimit-limit'));
  for (const key of ['garbage', `tandem_sk_${'a'.repeat(46)}`]) {
    const bad = await raw(tandem.url, list, { key });
    assert.is(bad.status, 401);
    assert.is(bad.body.code, 'invalid_api_key');
    assert.is(bad.headers.get('www-authenticate'), `${challenge}, error="invalid_token"`);
  }
});

test('a key that is revoked stops working on the next request', async () => {
  const { key, workspaceId } = await tandem.workspace();
  assert.is((await raw(tandem.url, list, { key })).status, 200);
  await tandem.db.rows('update credentials set revoked_at = now() where workspace_id = $1', [workspaceId]);
  assert.is((await raw(tandem.url, list, { key })).status, 401);
});

test('an app that lacks a scope is sent back for consent to it and to what it has', async () => {
  const { mint, workspaceId } = await tandem.workspace();
  const key = await mint(['agents:read', 'todos:read']);
  await tandem.db.rows(`update credentials set kind = 'oauth' where workspace_id = $1`, [workspaceId]);
  assert.is((await callTool(tandem.url, key, 'list_todo_lists')).isError, false);
  const { status, body, headers } = await raw(tandem.url, call('get_todo'), { key });
  assert.is(status, 403);
  assert.is(body.code, 'missing_scope');
  assert.equal(body.requiredScopes, ['todos:read', 'chats:read']);
  const challenge = headers.get('www-authenticate') ?? '';
  assert.match(challenge, /^Bearer resource_metadata="[^"]+\/\.well-known\/oauth-protected-resource\/mcp", /);
  assert.match(challenge, /scope="todos:read chats:read agents:read", error="insufficient_scope"$/);
});

test('an app is sent back for what its arguments need too; a key gets an error', async () => {
  const { mint, workspaceId } = await tandem.workspace();
  const key = await mint(['chats:read', 'chats:write']);
  const input = { message: 'Sum it up.', captureIds: [crypto.randomUUID()] };
  const refused = await callTool(tandem.url, key, 'create_chat', input);
  assert.equal([refused.data.code, refused.data.retryable], ['missing_scope', false]);
  assert.match(refused.data.message, 'captures:read');
  await tandem.db.rows(`update credentials set kind = 'oauth' where workspace_id = $1`, [workspaceId]);
  const params = { name: 'create_chat', arguments: input };
  const { status, headers } = await raw(tandem.url, { ...call('create_chat'), params }, { key });
  assert.is(status, 403);
  const challenge = headers.get('www-authenticate') ?? '';
  assert.match(challenge, /scope="chats:read chats:write captures:read", error="insufficient_scope"$/);
});

test('only POST is answered; any other method is 405 and needs no credential', async () => {
  for (const method of ['GET', 'DELETE', 'PUT', 'PATCH']) {
    const { status, headers, body } = await raw(tandem.url, undefined, { method });
    assert.is(status, 405);
    assert.is(headers.get('allow'), 'POST');
    assert.is(body.code, 'validation_failed');
  }
});

test('web pages of other sites are refused, those of the service and the allowed ones are not', async () => {
  const { key } = await tandem.workspace();
  const port = new URL(tandem.url).port;
  const own = [tandem.url, `http://localhost:${port}`, 'https://app.example.com', 'https://other.example.com'];
  for (const origin of own) {
    assert.is((await raw(tandem.url, list, { key, headers: { origin } })).status, 200, origin);
  }
  for (const origin of ['https://evil.example.com', 'http://localhost:1', `https://localhost:${port}`, 'null', 'x']) {
    for (const each of [key, null]) {
      const { status, body } = await raw(tandem.url, list, { key: each, headers: { origin } });
      assert.is(status, 403, origin);
      assert.is(body.reason, 'origin_not_allowed');
    }
  }
});

test('a page of an allowed origin may ask first and read the answer; any other may not', async () => {
  const { key } = await tandem.workspace();
  const asks = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization' };
  const preflight = (origin: string) => raw(tandem.url, undefined, { method: 'OPTIONS', headers: { origin, ...asks } });
  const allowed = await preflight('https://app.example.com');
  assert.is(allowed.status, 204);
  assert.is(allowed.headers.get('access-control-allow-origin'), 'https://app.example.com');
  assert.is(allowed.headers.get('access-control-allow-headers'), 'authorization');
  const answer = await raw(tandem.url, list, { key, headers: { origin: 'https://app.example.com' } });
  assert.is(answer.headers.get('access-control-allow-origin'), 'https://app.example.com');
  const shown = answer.headers.get('access-control-expose-headers')?.toLowerCase().split(', ') ?? [];
  // `initialize` answers with a session to a client that shows forms.
  for (const name of ['mcp-session-id', 'www-authenticate', 'retry-after']) assert.ok(shown.includes(name), name);
  const refused = await preflight('https://evil.example.com');
  assert.is(refused.status, 403);
  assert.is(refused.headers.get('access-control-allow-origin'), null);
});

test('on a loopback address the service answers only to its own names', async () => {
  const { key } = await tandem.workspace();
  const port = new URL(tandem.url).port;
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`]) {
    assert.is(await statusFor(host, key), 200, host);
  }
  for (const host of ['evil.example.com', `evil.example.com:${port}`, 'localhost.evil.example.com', 'a b']) {
    assert.is(await statusFor(host, key), 403, host);
  }
});

test('what cannot be read is refused', async () => {
  const { key } = await tandem.workspace();
  const send = (body: string, type = 'application/json') =>
    raw(tandem.url, body, { key, headers: { 'content-type': type } });
  assert.is((await send('{"jsonrpc":')).status, 400);
  assert.is((await send('')).status, 400);
  assert.is((await send('[]')).status, 400);
  assert.is((await send('null')).status, 400);
  assert.is((await send('7')).status, 400);
  assert.is((await send(JSON.stringify({ hello: 1 }))).status, 400);
  assert.is((await send(JSON.stringify({ ...list, params: { filler: 'x'.repeat(1024 * 1024) } }))).status, 413);
  assert.is((await send(JSON.stringify(list), 'text/plain')).status, 415);
  assert.is((await send(JSON.stringify(Array(11).fill(list)))).status, 400);
});

test('a body that is no JSON is a parse error of JSON-RPC without an id', async () => {
  const { key } = await tandem.workspace();
  const bodies = ['{"jsonrpc":', '{', 'nonsense', '', ' ', '\0', new Uint8Array([0x22, 0xff, 0x22])];
  for (const body of bodies) {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const answer = await ask(`${tandem.url}/mcp`, { method: 'POST', headers, body });
    assert.is(answer.status, 400, String(body));
    const { message, ...error } = answer.body.error;
    assert.equal({ ...answer.body, error }, { jsonrpc: '2.0', id: null, error: { code: -32700 } });
    assert.match(message, /^Parse error/);
    assert.ok(answer.headers.get('ratelimit-limit'));
  }
});

test('a request counts once against the budget of its key, and one too many is 429', async () => {
  const { mint } = await tandem.workspace();
  const key = await mint(scopes, { rateLimitPerMinute: 2 });
  const remaining = async () => (await raw(tandem.url, list, { key })).headers.get('ratelimit-remaining');
  assert.is(await remaining(), '1');
  assert.is(await remaining(), '0');
  const { status, headers, body } = await raw(tandem.url, list, { key });
  assert.is(status, 429);
  assert.is(body.code, 'rate_limit_exceeded');
  assert.ok(Number(headers.get('retry-after')) >= 1);
});

test.run();
