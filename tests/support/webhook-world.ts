import type { ServerResponse } from 'node:http';
import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { type NewEvent, recordEvents } from '../../domain/events/record.ts';
import { wake } from '../../domain/jobs.ts';
import type { Answer, TestService, TestWorkspace } from './harness.ts';
import { until } from './until.ts';

// biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
type Body = any;

/** Permits the receiver of a test. */
export const loopback = { OUTBOUND_ALLOW: '127.0.0.1' };

/** Requests without a time limit, for tests that are not about it: a slow machine must not end them. */
export const unlimited = { webhookOutbound: { limits: { silenceMs: 3_600_000, totalMs: 3_600_000 } } };

/** Records changes of todos, as the verbs do. Returns the ids of the todos. */
export async function happen(
  { db }: Pick<TestService, 'db'>,
  workspaceId: string,
  count: number,
  event: Partial<NewEvent> = {},
): Promise<string[]> {
  const ids = Array.from({ length: count }, () => newId());
  const events = ids.map((objectId): NewEvent => ({ type: 'todo.created', objectId, ...event }));
  await db.transaction((tx) => recordEvents(tx, workspaceId, events));
  return ids;
}

/** The calls of a test on one endpoint. */
export interface Endpoint {
  id: string;
  secret: string;
  /** Calls `METHOD /path` below the endpoint. */
  call(route: string, body?: unknown): Promise<Answer>;
  /** All its deliveries, the oldest first, once `holds`. */
  deliveries(holds: (deliveries: Body[]) => boolean): Promise<Body[]>;
  /** All its deliveries once so many tries have been saved. */
  tried(count: number): Promise<Body[]>;
  /**
   * Makes what waits due now, as time would, and resolves when a try of it has been saved. Waits until no worker holds
   * the endpoint: what comes of a request in flight sets the time of the next one.
   */
  retry(): Promise<void>;
  read(): Promise<Body>;
}

/** Creates an endpoint for new todos. */
export async function newEndpoint(
  { db }: Pick<TestService, 'db'>,
  workspace: TestWorkspace,
  params: { url: string } & Record<string, unknown>,
  key = workspace.key,
): Promise<Endpoint> {
  const made = await workspace.call('POST /webhook-endpoints', { types: ['todo.created'], ...params }, { key });
  if (made.status !== 201) throw new Error(`no endpoint: ${made.text}`);
  const { id, secret } = made.body;
  const call: Endpoint['call'] = (route, body) => {
    const [method, path = ''] = route.split(' ');
    return workspace.call(`${method} /webhook-endpoints/${id}${path}`, body);
  };
  const all = async () => (await call('GET /deliveries?limit=100')).body.data.toReversed();
  const tries = async (tx: Pick<Db, 'rows'>) => {
    const text = `select count(*)::int as tries from webhook_attempts a
      join webhook_deliveries d on d.workspace_id = a.workspace_id and d.id = a.delivery_id where d.endpoint_id = $1`;
    return (await tx.rows<{ tries: number }>(text, [id]))[0]?.tries ?? 0;
  };
  const tried = async (count: number) => {
    await until(
      async () => (await tries(db)) >= count,
      () => `${count} tries`,
    );
    return await all();
  };
  /** Resolves to how many tries there have been; null while a worker holds the endpoint. */
  const makeDue = async (tx: Db): Promise<number | null> => {
    const free =
      'select 1 from webhook_endpoints where workspace_id = $1 and id = $2 and not is_leased for no key update';
    if ((await tx.rows(free, [workspace.workspaceId, id])).length === 0) return null;
    const waiting = `update webhook_deliveries set due_at = now() where endpoint_id = $1 and status = 'pending' returning 1`;
    const isWaiting = (await tx.rows(waiting, [id])).length > 0;
    const due = 'update webhook_endpoints set paused_until = null, due_at = now() where id = $1 and enabled';
    if (!isWaiting) throw new Error('nothing waits to be tried again');
    await tx.rows(due, [id]);
    wake(tx, 'webhooks');
    return tries(tx);
  };
  return {
    id,
    secret,
    call,
    deliveries: async (holds) => {
      let found: Body[] = [];
      await until(
        async () => {
          found = await all();
          return holds(found);
        },
        () => JSON.stringify(found.map(({ status, tries, lastAttempt }) => [status, tries, lastAttempt?.error])),
      );
      return found;
    },
    tried,
    retry: async () => {
      let before: number | null = null;
      const isFree = async () => {
        before = await db.transaction(makeDue);
        return before !== null;
      };
      await until(isFree, () => 'no worker holds the endpoint');
      await tried(Number(before) + 1);
    },
    read: async () => (await call('GET ')).body,
  };
}

/** Whether so many deliveries have ended. */
export const ended = (count: number) => (deliveries: Body[]) =>
  deliveries.filter(({ status }) => status !== 'pending').length >= count;

/** An answer that refuses a webhook. The next try is a day away: none is made before the test calls for it. */
export const refusal = (status: number) => (response: ServerResponse) => {
  response.writeHead(status, { 'retry-after': '86400' }).end();
};

/** Resolves when everything that happened in a workspace is in its log. */
export function numbered({ db }: Pick<TestService, 'db'>, workspaceId: string): Promise<void> {
  const left = 'select 1 from event_queue where workspace_id = $1 limit 1';
  return until(async () => (await db.rows(left, [workspaceId])).length === 0);
}
