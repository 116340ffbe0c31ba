import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import {
  createMCPClient,
  type Experimental_MCPEventStore,
  type Experimental_MCPEventSubscription,
  experimental_createMCPEventWebhook,
} from '@ai-sdk/mcp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { until } from '../support/until.ts';
import { happen, loopback, unlimited } from '../support/webhook-world.ts';

/* A client and a receiver of MCP Events that other people wrote: `@ai-sdk/mcp`, as its documentation connects them. */
const test = suite('mcp events: @ai-sdk/mcp');
let tandem: TestService;
const subscriptions = new Map<string, Experimental_MCPEventSubscription>();
const events: { name: string; data: Record<string, unknown> }[] = [];
const terminated: string[] = [];

const store: Experimental_MCPEventStore = {
  get: async (key) => subscriptions.get(key),
  getById: async (id) => [...subscriptions.values()].find((each) => each.id === id),
  set: async (subscription) => {
    subscriptions.set(subscription.key, subscription);
  },
  update: async (key, patch) => {
    const known = subscriptions.get(key);
    if (known) subscriptions.set(key, { ...known, ...patch });
  },
  delete: async (key) => {
    subscriptions.delete(key);
  },
};

const receive = experimental_createMCPEventWebhook({
  store,
  onEvent: async ({ event }) => {
    events.push(event);
  },
  onTerminated: async ({ subscription }) => {
    terminated.push(subscription.id);
  },
});

const server = createServer(async (incoming, outgoing) => {
  const headers = new Headers(incoming.headers as Record<string, string>);
  const body = await buffer(incoming);
  const request = new Request(`http://127.0.0.1${incoming.url}`, { method: 'POST', headers, body });
  const answer = await receive(request);
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers)).end(await answer.text());
});

test.before(async () => {
  tandem = await startTestService(loopback, unlimited);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
});
test.after(async () => {
  await tandem.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('it lists, subscribes, receives, refreshes and unsubscribes, and learns that its key was revoked', async () => {
  const { workspaceId, mint } = await tandem.workspace();
  const key = await mint(['todos:read']);
  const headers = { Authorization: `Bearer ${key}` };
  const transport = { type: 'http' as const, url: `${tandem.url}/mcp`, headers };
  const client = await createMCPClient({ transport, experimental_events: { store } });
  const mcp = client.experimental_events;
  if (!mcp) throw new Error('the client has no events');
  const { events: listed } = await mcp.list();
  assert.ok(listed.some(({ name }) => name === 'todo.created'));
  const { port } = server.address() as AddressInfo;
  const delivery = { mode: 'webhook' as const, url: `http://127.0.0.1:${port}/hook`, allowInsecureLocalhost: true };
  const { id, refreshBefore } = await mcp.subscribe({ name: 'todo.created', delivery, ttlMs: 600_000 });
  const [todoId] = await happen(tandem, workspaceId, 1);
  await until(() => events.length === 1);
  assert.equal([events[0]?.name, events[0]?.data.id], ['todo.created', todoId]);
  const refreshed = await mcp.refresh({ id });
  assert.is(refreshed.id, id);
  assert.ok(String(refreshed.refreshBefore) >= String(refreshBefore));
  await mcp.unsubscribe({ id });
  assert.is(subscriptions.size, 0);
  const again = await mcp.subscribe({ name: 'todo.created', delivery });
  await happen(tandem, workspaceId, 1);
  await until(() => events.length === 2);
  await tandem.db.rows(`update credentials set revoked_at = now() where workspace_id = $1`, [workspaceId]);
  await happen(tandem, workspaceId, 1);
  await until(() => terminated.length === 1);
  assert.equal([terminated, events.length, subscriptions.size], [[again.id], 2, 0]);
  await client.close();
});

test.run();
