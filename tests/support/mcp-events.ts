import { randomBytes } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Webhook } from 'standardwebhooks';
import { wake } from '../../domain/jobs.ts';
import type { TestService, TestWorkspace } from './harness.ts';
import { modernRequest } from './mcp-clients.ts';
import { until } from './until.ts';
import type { Received, Receiver } from './webhook-receiver.ts';

/* Clients of MCP Events. */

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
type Json = any;

/** A secret as clients choose it. */
export const newSecret = (bytes = 32) => `whsec_${randomBytes(bytes).toString('base64')}`;

let paths = 0;

/** An answer that repeats challenges, and `status` to the rest. */
export const willing =
  (status = 204) =>
  (response: ServerResponse, { event }: Received) => {
    if (event.type !== 'verification') return response.writeHead(status).end();
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ challenge: event.challenge }));
  };

/** A path of the receiver that answers so. */
export function wantedPath(receiver: Receiver, status = 204): string {
  const path = `/mcp-events-${paths++}`;
  receiver.answer(path, willing(status));
  return path;
}

/** The event of a request whose signature fits the secret. @throws Error for another one. */
export const verified = (secret: string, { body, headers }: Received) =>
  new Webhook(secret).verify(body, headers as Record<string, string>) as { eventId: string };

/** What clients of a service do with events. */
export function eventClient(tandem: TestService) {
  /** The result of one request. @throws Error with the answer when there is none. */
  const ask = async (
    key: string,
    method: string,
    params: Record<string, unknown> = {},
    url = tandem.url,
  ): Promise<Json> => {
    const { body, text } = await modernRequest(url, key, method, params, {});
    if (!body?.result) throw new Error(text);
    return body.result;
  };
  /** The JSON-RPC error of one request. */
  const errorOf = async (key: string, method: string, params: Record<string, unknown> = {}): Promise<Json> => {
    const { status, body, text } = await modernRequest(tandem.url, key, method, params, {});
    if (!body?.error) throw new Error(`${status} ${text}`);
    return body.error;
  };
  const poll = (key: string, params: Record<string, unknown>) => ask(key, 'events/poll', params);
  /** Makes what waits for a subscription due now, as time would. */
  const makeDue = async (workspaceId: string) => {
    const { db } = tandem;
    const isFree = async () => {
      const held = await db.rows('select 1 from webhook_endpoints where workspace_id = $1 and is_leased', [
        workspaceId,
      ]);
      return held.length === 0;
    };
    await until(isFree, () => 'no worker holds the endpoint');
    await db.rows(`update webhook_deliveries set due_at = now() where workspace_id = $1 and status = 'pending'`, [
      workspaceId,
    ]);
    const due = 'update webhook_endpoints set paused_until = null, due_at = now() where workspace_id = $1 and enabled';
    await db.rows(due, [workspaceId]);
    wake(db, 'webhooks');
  };
  /** How many subscriptions of a workspace have not ended in the database. */
  const stored = async (workspaceId: string) => {
    const text = `select id from webhook_endpoints where workspace_id = $1 and subscription is not null
      and (enabled or expires_at > now())`;
    return (await tandem.db.rows(text, [workspaceId])).length;
  };
  /** The status and the tries of the deliveries of a workspace, the oldest first. */
  const deliveries = (workspaceId: string) => {
    const text = `select status, tries from webhook_deliveries where workspace_id = $1 order by sequence`;
    return tandem.db.rows<{ status: string; tries: number }>(text, [workspaceId]);
  };
  /** Resolves when so many tries have been saved. */
  const tried = (workspaceId: string, count: number) => {
    const text = `select 1 from webhook_attempts where workspace_id = $1`;
    return until(async () => (await tandem.db.rows(text, [workspaceId])).length >= count);
  };

  /** A subscription to new todos. `got` and `at` are the requests after the challenge. */
  const subscribed = async (
    receiver: Receiver,
    { params: more = {}, workspace: given, key: held }: Subscribing = {},
  ) => {
    const workspace = given ?? (await tandem.workspace());
    const key = held ?? workspace.key;
    const path = wantedPath(receiver);
    const secret = newSecret();
    const params = { name: 'todo.created', delivery: { mode: 'webhook', url: receiver.url(path), secret }, ...more };
    const subscription = await ask(key, 'events/subscribe', params);
    const got = async (count: number) => (await receiver.received(path, count + 1)).slice(1);
    const refresh = (again: object = {}) => ask(key, 'events/subscribe', { ...params, ...again });
    const gone = () => until(async () => (await stored(workspace.workspaceId)) === 0);
    const at = () => receiver.at(path).slice(1);
    return { ...workspace, key, path, secret, params, subscription, got, at, refresh, gone };
  };
  return { ask, errorOf, poll, makeDue, stored, deliveries, tried, subscribed };
}

interface Subscribing {
  params?: Record<string, unknown>;
  workspace?: TestWorkspace;
  /** The credential, if not the key of the workspace. */
  key?: string;
}
