import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import type { Context, Principal, Reply } from '../../domain/context.ts';
import { streamEvents } from '../../domain/events/stream.ts';
import { LogTail } from '../../server/pubsub/log-tail.ts';
import { reached, record } from '../support/event-fixtures.ts';
import { follow } from '../support/event-source.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { silentLog } from '../support/model-engine.ts';
import { until } from '../support/until.ts';

const test = suite('the stream of events');
let here: TestService;
let there: TestService;

test.before(async () => {
  here = await startTestService({ AGENT_CONCURRENCY: '0' });
  there = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await Promise.all([here.close(), there.close()]);
});

const streamOf = ({ url }: TestService, key: string, query = '', headers = {}) =>
  follow(`${url}/api/v1/events/stream${query}`, key, headers);

const idsOf = (events: { event: string; id: string | undefined }[]) =>
  events.filter(({ event }) => event === 'change').map(({ id }) => Number(id));

test('begins with the position, then sends every event on every process, as listEvents has it', async () => {
  const workspace = await here.workspace();
  const { key, call } = workspace;
  await record(here.db, workspace, 2);
  await reached(workspace, 2);
  const streams = [await streamOf(here, key), await streamOf(there, key)];
  for (const stream of streams) {
    assert.is(stream.headers.get('content-type'), 'text/event-stream; charset=utf-8');
    const position = { event: 'position', id: '2', data: { object: 'event_position', sequence: 2 } };
    assert.equal(await stream.until(({ event }) => event === 'position'), position);
  }
  await record(there.db, workspace, 3);
  const { body } = await call('GET /events?afterSequence=2&waitSeconds=25');
  const [first] = body.data;
  for (const stream of streams) {
    assert.equal((await stream.until(({ id }) => id === '3')).data, first);
    await stream.until(({ id }) => id === '5');
    assert.equal(idsOf(stream.events), [3, 4, 5]);
    stream.leave();
  }
});

test('resumes behind Last-Event-ID or afterSequence, from the database and then live', async () => {
  const workspace = await here.workspace();
  const { key } = workspace;
  await record(here.db, workspace, 250);
  await reached(workspace, 250);
  const resumed = await streamOf(here, key, '?afterSequence=1', { 'Last-Event-ID': '20' });
  const fromStart = await streamOf(there, key, '?afterSequence=0');
  await record(here.db, workspace, 1);
  await Promise.all([resumed, fromStart].map((stream) => stream.until(({ id }) => id === '251')));
  assert.equal(
    idsOf(resumed.events),
    Array.from({ length: 231 }, (_, place) => place + 21),
  );
  assert.equal(
    idsOf(fromStart.events),
    Array.from({ length: 251 }, (_, place) => place + 1),
  );
  for (const stream of [resumed, fromStart]) stream.leave();
});

test('sends a reader what its scopes and its filter let through, and nothing that is for another person', async () => {
  const workspace = await here.workspace();
  const { key, mint, member, session, userId } = workspace;
  const streams = [
    await streamOf(here, key, '?types=todo.completed'),
    await streamOf(here, await mint(['chats:read'])),
    await streamOf(here, await session()),
    await streamOf(here, key, `?resources=chat,todo&actorId=${userId.toUpperCase()}`),
  ];
  for (const stream of streams) await stream.until(({ event }) => event === 'position');
  const stranger = await member();
  await record(here.db, workspace, [
    { type: 'todo.completed' },
    { type: 'chat.created' },
    { type: 'notification.created', readerId: stranger },
    { type: 'notification.created', readerId: userId },
  ]);
  await record(here.db, { ...workspace, userId: stranger }, [{ type: 'todo.completed' }, { type: 'chat.created' }]);
  const expected = [
    [1, 5],
    [2, 6],
    [1, 2, 4, 5, 6],
    [1, 2],
  ];
  for (const [place, stream] of streams.entries()) {
    await stream.until(({ event, id }) => event === 'change' && id === String(expected[place]?.at(-1)));
    assert.equal(idsOf(stream.events), expected[place]);
    stream.leave();
  }
});

test('ends when the key is revoked, when it expires and when its person is removed', async () => {
  const { workspaceId, mint, userId, key } = await here.workspace();
  const opened = async (service: TestService, by: string) => {
    const stream = await streamOf(service, by);
    await stream.until(({ event }) => event === 'position');
    return stream;
  };
  const revoked = await opened(here, key);
  const text = `update credentials set revoked_at = now() where workspace_id = $1 and kind = 'api_key'`;
  await here.db.rows(text, [workspaceId]);
  await revoked.ended;
  // Until it lives long enough for its stream to begin.
  for (let [livesMs, isOpened] = [1500, false]; !isOpened; livesMs *= 2) {
    const expiresAt = new Date(Date.now() + livesMs).toISOString();
    const expiring = await streamOf(there, await mint(['todos:read'], { expiresAt }));
    await expiring.ended;
    isOpened = expiring.events.some(({ event }) => event === 'position');
  }
  const leaving = await opened(there, await mint(['todos:read']));
  const removed = `update members set removed_at = now() where workspace_id = $1 and user_id = $2`;
  await here.db.rows(removed, [workspaceId, userId]);
  await leaving.ended;
});

test('leaves nothing behind when its reader is gone, or asked for its head alone', async () => {
  const workspace = await here.workspace();
  const headers = { authorization: `Bearer ${workspace.key}` };
  const head = await fetch(`${here.url}/api/v1/events/stream`, { method: 'HEAD', headers });
  assert.is(head.status, 200);
  const streams = await Promise.all(Array.from({ length: 5 }, () => streamOf(here, workspace.key)));
  for (const stream of streams) await stream.until(({ event }) => event === 'position');
  for (const stream of streams) stream.leave();
  await until(() => here.service.logs.followers === 0);
});

test('a workspace has so many streams and no more, whatever others have', async () => {
  const small = await startTestService({ AGENT_CONCURRENCY: '0', STREAMS_PER_WORKSPACE: '2' });
  try {
    const [workspace, other] = [await small.workspace(), await small.workspace()];
    const open = async ({ key }: TestWorkspace) => {
      const stream = await streamOf(small, key);
      await stream.until(({ event }) => event === 'position');
      return stream;
    };
    const [first] = [await open(workspace), await open(workspace)];
    const { status, headers, body } = await workspace.call('GET /events/stream');
    assert.equal([status, body.code, headers.get('retry-after')], [429, 'rate_limit_exceeded', '30']);
    assert.match(body.message, 'This workspace has 2 open streams of events');
    await open(other);
    first?.leave();
    await until(() => small.service.logs.followersOf(workspace.workspaceId) === 1);
    await open(workspace);
  } finally {
    await small.close();
  }
});

test('streams that ended before their first event take no place', async () => {
  const small = await startTestService({ AGENT_CONCURRENCY: '0', STREAMS_PER_WORKSPACE: '2' });
  try {
    const { key } = await small.workspace();
    const headers = { authorization: `Bearer ${key}` };
    for (let heads = 0; heads < 3; heads++) {
      const head = await fetch(`${small.url}/api/v1/events/stream`, { method: 'HEAD', headers });
      assert.is(head.status, 200);
      assert.is((await fetch(`${small.url}/trpc/events.stream?input={}`, { headers })).status, 415);
      assert.is((await streamOf(small, key, '?afterSequence=9')).status, 400);
    }
    const streams = await Promise.all([streamOf(small, key), streamOf(small, key)]);
    assert.equal(
      streams.map(({ status }) => status),
      [200, 200],
    );
    for (const stream of streams) stream.leave();
  } finally {
    await small.close();
  }
});

test('streams that are asked for at once are counted before the first is read', async () => {
  const reply: Reply = { replayed: false };
  const ctx = { ...(await contextOf(await here.workspace())), reply } as unknown as Context;
  ctx.service = { ...ctx.service, streamsPerWorkspace: 2 };
  const open = () => Promise.allSettled(Array.from({ length: 10 }, () => streamEvents(ctx, {})));
  const opened = async () => (await open()).filter(({ status }) => status === 'fulfilled').length;
  assert.is(await opened(), 2);
  assert.is(await opened(), 0);
  for (const end of reply.onClose ?? []) end();
  assert.is(await opened(), 2);
  for (const end of reply.onClose ?? []) end();
});

/** What a stream takes of the context of a request that never ends. */
async function contextOf({ workspaceId, userId, mint }: TestWorkspace) {
  await mint(['todos:read']);
  const newest = `select id from credentials where workspace_id = $1 order by created_at desc limit 1`;
  const [row] = await here.db.rows<{ id: string }>(newest, [workspaceId]);
  const principal = { kind: 'api_key', credentialId: row?.id, workspaceId, userId, scopes: new Set(['todos:read']) };
  const never = new AbortController().signal;
  const service = { streamsPerWorkspace: 100 };
  const reply = { replayed: false };
  const ctx = { db: here.db, logs: here.service.logs, service, signal: never, closing: never, reply };
  return { ...ctx, principal: { ...principal, expiresAt: null } };
}

/** A stream of the workspace's events that is read as slowly as the test wants. */
async function slowStream(workspace: TestWorkspace, afterSequence: number) {
  return streamEvents((await contextOf(workspace)) as unknown as Context, { afterSequence });
}

test('drops a reader who stays behind, who then resumes without loss', async () => {
  const workspace = await here.workspace();
  const stream = await slowStream(workspace, 0);
  assert.equal((await stream.next()).value?.event, 'position');
  await record(here.db, workspace, 1);
  assert.is((await stream.next()).value?.id, 1);
  const follower = await here.service.logs.follow({ workspaceId: workspace.workspaceId, expiresAt: null } as Principal);
  for (let made = 0; made < 3; made++) await record(here.db, workspace, 1000);
  await until(() => follower.end === 3001);
  follower.close();
  assert.is((await stream.next()).done, true);

  const found: number[] = [];
  for await (const { event, id } of await slowStream(workspace, 1)) {
    if (event === 'change') found.push(id);
    if (id === 3001) break;
  }
  assert.equal(
    found,
    Array.from({ length: 3000 }, (_, place) => place + 2),
  );
  await until(() => here.service.logs.followers === 0);
});

test('ends when the log ends earlier than before, as after a restore, and so does what is said of its position', async () => {
  const workspace = await here.workspace();
  const { key, call, workspaceId } = workspace;
  await record(here.db, workspace, 5);
  await reached(workspace, 5);
  const stream = await streamOf(here, key, '?afterSequence=0');
  await stream.until(({ id }) => id === '5');
  const restore = `with gone as (delete from events where workspace_id = $1 and sequence > 2)
    update event_positions set latest = 2 where workspace_id = $1`;
  await here.db.rows(restore, [workspaceId]);
  await record(here.db, workspace, 1);
  await stream.ended;
  assert.equal(idsOf(stream.events), [1, 2, 3, 4, 5]);
  const resumed = await streamOf(here, key, '', { 'Last-Event-ID': '5' });
  assert.is(resumed.status, 400);
  assert.match(resumed.text, /position_unknown/);
  await until(async () => (await call('GET /todos')).headers.get('tandem-sequence') === '3');
});

test('stops reading where the log does not reach what was announced', async () => {
  let reads = 0;
  const rows = async () => {
    reads++;
    await new Promise(setImmediate);
    return [{ latest: '3', expired: '0', sequence: null }];
  };
  const tail = new LogTail({ rows } as unknown as Db, newId(), silentLog);
  await tail.opened;
  tail.advance(5);
  for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
  assert.is(reads, 2);
  assert.is(tail.end, 3);
});

test('carries the position of reads and the event of writes in headers, over REST and tRPC', async () => {
  const workspace = await here.workspace();
  const { call, key } = workspace;
  assert.is((await call('GET /todos')).headers.get('tandem-sequence'), '0');
  await record(there.db, workspace, 4);
  await until(async () => (await call('GET /todos')).headers.get('tandem-sequence') === '4');
  assert.is((await call('GET /agents')).headers.get('tandem-sequence'), '4');
  const cold = await fetch(`${there.url}/api/v1/todo-lists`, { headers: { authorization: `Bearer ${key}` } });
  assert.is(cold.headers.get('tandem-sequence'), '4');
  const trpc = await fetch(`${here.url}/trpc/todoLists.list?input=${encodeURIComponent('{}')}`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.equal([trpc.status, trpc.headers.get('tandem-sequence')], [200, '4']);
  assert.is((await call('GET /service-info', undefined, { key: null })).headers.get('tandem-sequence'), null);
});

test.run();
