import { createSecretKey, randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { makeDeliveries, workspacesBehind } from '../../domain/webhooks/fan-out.ts';
import { newEndpointSecret, signedHeaders } from '../../domain/webhooks/secrets.ts';
import { webhookLeases } from '../../server/workers/webhooks/leases.ts';
import { atFullSpeed } from '../support/cpu-time.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { startListener } from '../support/listener.ts';
import { cpuMsOfProcess, isMeasurable } from '../support/process-usage.ts';
import { launch, stopProcesses } from '../support/processes.ts';
import { startReceiver } from '../support/webhook-receiver.ts';
import { ended, happen, loopback, newEndpoint, numbered, unlimited } from '../support/webhook-world.ts';

const test = suite('proof of webhooks');
const none = '00000000-0000-0000-0000-000000000000';

// What a test leaves running would do the work of the next one.
const open: { close(): Promise<void> }[] = [];
const closing = <Opened extends { close(): Promise<void> }>(opened: Opened): Opened => {
  open.push(opened);
  return opened;
};
test.after.each(async () => {
  await stopProcesses();
  await Promise.all(open.splice(0).map((each) => each.close()));
});

test('any body and any id are signed so that two other libraries accept them', () => {
  const key = createSecretKey(randomBytes(32));
  const owner = { workspaceId: crypto.randomUUID(), endpointId: crypto.randomUUID() };
  const { secret, stored } = newEndpointSecret(key, owner);
  const at = Math.floor(Date.now() / 1000);
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), fc.uuid(), (text, id) => {
      const body = text.toWellFormed();
      const headers = signedHeaders({ id, at, body }, [stored], key, owner);
      assert.ok(headers);
      new Webhook(secret).verify(body, headers);
      new SvixWebhook(secret).verify(Buffer.from(body), headers);
      assert.throws(() => new Webhook(secret).verify(`${body} `, headers));
    }),
    { numRuns: 500 },
  );
});

test('a receiver that sleeps, one that drips, and one whose name moves into a private network delay no other', async () => {
  const lookups = new Map<string, number>();
  const resolve = async (name: string) => {
    lookups.set(name, (lookups.get(name) ?? 0) + 1);
    return name === 'private.test' ? ['10.0.0.1', '::ffff:10.0.0.1', '64:ff9b::a00:1'] : ['127.0.0.1'];
  };
  const receiver = closing(await startReceiver());
  const tandem = closing(await startTestService(loopback, { webhookOutbound: { resolve } }));
  const workspace = await tandem.workspace();
  receiver.answer('/sleeps', () => {});
  receiver.answer('/drips', (response) => {
    response.writeHead(200);
    const drip = setInterval(() => response.write('.'), 1000);
    response.on('close', () => clearInterval(drip));
  });
  const endpoints = {
    sleeps: await newEndpoint(tandem, workspace, { url: receiver.url('/sleeps') }),
    drips: await newEndpoint(tandem, workspace, { url: receiver.url('/drips') }),
    private: await newEndpoint(tandem, workspace, { url: 'https://private.test/' }),
  };
  const prompt = await newEndpoint(tandem, workspace, { url: receiver.url('/prompt') });
  await happen(tandem, workspace.workspaceId, 1);
  await prompt.deliveries(ended(1));
  const [slept] = await endpoints.sleeps.tried(1);
  assert.equal([slept.status, slept.lastAttempt.response], ['pending', null]);
  assert.match(slept.lastAttempt.error, /^timeout/);
  const [dripped] = await endpoints.drips.tried(1);
  assert.equal([dripped.status, dripped.lastAttempt.response.status], ['delivered', 200]);
  const [refused] = await endpoints.private.tried(1);
  assert.is(refused.lastAttempt.error, 'forbidden (FORBIDDEN_ADDRESS)');
  assert.ok((lookups.get('private.test') ?? 0) >= 1);
});

test('a name that is bound to a private address after it was checked is not followed there', async () => {
  const listener = closing(await startListener());
  let lookups = 0;
  const resolve = async () => (lookups++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
  const tandem = closing(
    await startTestService(loopback, { webhookOutbound: { resolve, ...unlimited.webhookOutbound } }),
  );
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url: `https://rebound.test:${listener.port}/` });
  assert.is(lookups, 0);
  await happen(tandem, workspace.workspaceId, 1);
  const [first] = await endpoint.tried(1);
  // It spoke to the address that was checked, which has no TLS; nothing asked for the name a second time.
  assert.equal([lookups, listener.accepted(), first.lastAttempt.response], [1, 1, null]);
  assert.not.match(first.lastAttempt.error, /FORBIDDEN/);
  await endpoint.retry();
  const [second] = await endpoint.tried(2);
  assert.is(second.lastAttempt.error, 'forbidden (FORBIDDEN_ADDRESS)');
  assert.equal([lookups, listener.accepted()], [2, 1]);
});

test('a process that is killed between the answer and its note sends the event again with the same webhook-id', async () => {
  const receiver = closing(await startReceiver());
  const tandem = closing(await startTestService({ ...loopback, AGENT_CONCURRENCY: '0' }));
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url: receiver.url('/killed') });
  const first = await launch({ ...loopback, RATE_LIMIT_PER_KEY: '1000000' });
  receiver.answer('/killed', (response) => {
    first.child.kill('SIGKILL');
    response.writeHead(200).end();
  });
  await happen(tandem, workspace.workspaceId, 1);
  await receiver.received('/killed', 1);
  await first.exited;
  receiver.answer('/killed', 200);
  await launch(loopback);
  const [delivery] = await endpoint.deliveries(ended(1));
  assert.equal([delivery.status, delivery.tries], ['delivered', 2]);
  const ids = receiver.at('/killed').map(({ headers }) => headers['webhook-id']);
  assert.equal(ids, [delivery.eventId, delivery.eventId]);
});

/** The rows of endpoints that a connection has read since it last reported its statistics: not within a transaction. */
async function endpointsRead(db: Pick<TestService['db'], 'rows'>): Promise<number> {
  const text = `select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as read from pg_stat_xact_user_tables
    where relname = 'webhook_endpoints'`;
  const [row] = await db.rows<{ read: number }>(text, []);
  return row?.read ?? 0;
}

test('ten thousand idle endpoints are not read for work of others, and cost less than 1 % of a core', async () => {
  const tandem = closing(await startTestService({ AGENT_CONCURRENCY: '0' }));
  const busy = await tandem.workspace();
  const url = 'https://hooks.invalid/';
  const copies = `insert into webhook_endpoints (workspace_id, id, user_id, url, types, enabled, ordered, secret, sequence)
    select workspace_id, gen_random_uuid(), user_id, url, types, true, false, secret, sequence
    from webhook_endpoints, generate_series(2, 100) where id = $1`;
  for (let workspaces = 0; workspaces < 100; workspaces++) {
    const { id } = await newEndpoint(tandem, await tandem.workspace(), { url });
    await tandem.db.rows(copies, [id]);
  }
  await newEndpoint(tandem, busy, { url });
  await tandem.db.rows('analyze webhook_endpoints', []);
  await happen(tandem, busy.workspaceId, 10);
  await numbered(tandem, busy.workspaceId);
  await tandem.db.transaction(async (tx) => {
    const before = await endpointsRead(tx);
    assert.equal(await makeDeliveries(tx, [busy.workspaceId]), { served: [busy.workspaceId], left: [] });
    assert.equal(await makeDeliveries(tx, [busy.workspaceId]), { served: [], left: [] });
    const { claims } = await webhookLeases.claim(tx, 32, crypto.randomUUID(), none);
    assert.equal(
      claims.map(({ workspaceId }) => workspaceId),
      [busy.workspaceId],
    );
    const read = (await endpointsRead(tx)) - before;
    assert.ok(read < 100, `${read} rows of endpoints were read`);
  });
  // What idle endpoints cost: every 30 s all are looked at, and every 2 s for work.
  const upToDate = `update webhook_endpoints e set sequence = p.latest from event_positions p
    where p.workspace_id = e.workspace_id`;
  await tandem.db.rows(upToDate, []);
  await tandem.db.rows('vacuum analyze webhook_endpoints', []);
  await tandem.db.transaction(async (tx) => {
    const [backend] = await tx.rows<{ pid: number }>('select pg_backend_pid() as pid', []);
    const serverMs = () => (isMeasurable && backend ? cpuMsOfProcess(backend.pid) : 0);
    const rounds = 10;
    const ms = await atFullSpeed(async () => {
      const [begun, before] = [process.threadCpuUsage(), serverMs()];
      for (let round = 0; round < rounds; round++) {
        assert.equal(await workspacesBehind(tx), []);
        for (let claims = 0; claims < 15; claims++) await webhookLeases.claim(tx, 32, crypto.randomUUID(), none);
      }
      const { user, system } = process.threadCpuUsage(begun);
      return (serverMs() - before + (user + system) / 1000) / rounds;
    });
    assert.ok(ms < 300, `${ms} ms of processor time in 30 s, which is more than 1 % of a core`);
  });
});

test.run();
