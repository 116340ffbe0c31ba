import { type RequestOptions, request, type ServerResponse } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { stalledConnections } from '../../server/runtime/stalled-connections.ts';
import { newChat, startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { until, within } from '../support/until.ts';

/* A client that reads nothing: the connection takes nothing, as when the buffers of both systems are full. */

const test = suite('responses that nobody reads');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

const minuteMs = 60_000;

/** Requests something whose response stays in the process from its first byte on. */
async function unread(path: string, options: RequestOptions, body?: unknown) {
  let response: ServerResponse | undefined;
  tandem.service.app.server.once('request', (_, sent: ServerResponse) => {
    response = sent;
    const { socket } = sent;
    if (socket) socket._write = socket._writev = () => {};
  });
  const sending = request(`${tandem.url}${path}`, { agent: false, ...options });
  const ended = new Promise((resolve) => sending.once('error', resolve));
  sending.end(body === undefined ? undefined : JSON.stringify(body));
  await until(() => (response?.writableLength ?? 0) > 0);
  assert.ok(response);
  return { response, ended };
}

const isOver = ({ ended }: { ended: Promise<unknown> }) => within(() => 'the end of the response', ended);

test('a stream of events ends after a minute in which nothing was taken, not before', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const stream = await unread('/api/v1/events/stream', { headers: { authorization: `Bearer ${key}` } });
  await until(() => tandem.service.logs.followersOf(workspaceId) === 1);
  const now = performance.now();
  stalledConnections.check(now);
  stalledConnections.check(now + minuteMs - 1);
  assert.not.ok(stream.response.destroyed);
  stalledConnections.check(now + minuteMs);
  await isOver(stream);
  await until(() => tandem.service.logs.followersOf(workspaceId) === 0);
});

test('a stream that is over ends too when its end is not taken', async () => {
  const { key, workspaceId, mint, call } = await tandem.workspace();
  const ending = await mint(['todos:read']);
  const stream = await unread('/api/v1/events/stream', { headers: { authorization: `Bearer ${ending}` } });
  await until(() => tandem.service.logs.followersOf(workspaceId) === 1);
  const revoke = `update credentials set revoked_at = now() where workspace_id = $1 and scopes = array['todos:read']`;
  await tandem.db.rows(revoke, [workspaceId]);
  await until(() => tandem.service.logs.followersOf(workspaceId) === 0);
  await until(() => stream.response.writableEnded);
  assert.not.ok(stream.response.destroyed);
  const now = performance.now();
  stalledConnections.check(now);
  stalledConnections.check(now + minuteMs);
  await isOver(stream);
  assert.is((await call('GET /me', undefined, { key })).status, 200);
});

test('a stream of a chat and one of MCP end likewise', async () => {
  const workspace = await tandem.workspace();
  const { key, workspaceId } = workspace;
  const { path } = await newChat(tandem, workspace);
  const ofChat = await unread(`/api/v1${path}/stream`, { headers: { authorization: `Bearer ${key}` } });
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'application/json',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'events/stream',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const body = { jsonrpc: '2.0', id: 1, method: 'events/stream', params: { name: 'todo.created', _meta } };
  const ofMcp = await unread('/mcp', { method: 'POST', headers }, body);
  await until(() => tandem.service.logs.followersOf(workspaceId) === 1);
  const now = performance.now();
  stalledConnections.check(now);
  stalledConnections.check(now + minuteMs);
  await Promise.all([isOver(ofChat), isOver(ofMcp)]);
  await until(() => tandem.service.logs.followersOf(workspaceId) === 0);
});

test('a stream that is taken stays open, however long nothing is sent', async () => {
  const { key, workspaceId } = await tandem.workspace();
  const sending = request(`${tandem.url}/api/v1/events/stream`, {
    agent: false,
    headers: { authorization: `Bearer ${key}` },
  });
  const begun = new Promise((resolve) => sending.once('response', resolve));
  sending.on('error', () => {}).end();
  await within(() => 'the start of the stream', begun);
  await until(() => tandem.service.logs.followersOf(workspaceId) === 1);
  const now = performance.now();
  for (const later of [0, minuteMs, 10 * minuteMs]) stalledConnections.check(now + later);
  assert.is(tandem.service.logs.followersOf(workspaceId), 1);
  sending.destroy();
  await until(() => tandem.service.logs.followersOf(workspaceId) === 0);
});

test.run();
