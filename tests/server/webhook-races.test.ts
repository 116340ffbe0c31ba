import { createSecretKey } from 'node:crypto';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import { sharedSecrets } from '../../db/seed.ts';
import { eventsChannel } from '../../domain/events/number.ts';
import { jobsChannel, LostLease } from '../../domain/jobs.ts';
import { type Attempt, giveBackEndpoint, saveAttempt, type Verdict } from '../../domain/webhooks/attempts.ts';
import { makeDeliveries } from '../../domain/webhooks/fan-out.ts';
import { type EndpointClaim, type Taken, takeDelivery } from '../../domain/webhooks/sending.ts';
import { isBusy } from '../../outbound/errors.ts';
import type { PgListener } from '../../server/pubsub/listener.ts';
import { startFanOut } from '../../server/workers/webhooks/fan-out.ts';
import { webhookLeases } from '../../server/workers/webhooks/leases.ts';
import { webhookClient } from '../../server/workers/webhooks/request.ts';
import { webhookWorker } from '../../server/workers/webhooks/worker.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { holdRow, releaseAll, untilBlocked } from '../support/locks.ts';
import { until } from '../support/until.ts';
import { type Endpoint, happen, newEndpoint, numbered } from '../support/webhook-world.ts';

/* No worker runs: each test takes the steps of one itself, in the order that it is about. */

const test = suite('webhooks, step by step');
let tandem: TestService;
test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(releaseAll);
test.after(async () => {
  await tandem.close();
});

const none = '00000000-0000-0000-0000-000000000000';
const url = 'https://hooks.invalid/';
const mail = { send: () => {}, sends: false };
const context = () =>
  ({ db: tandem.db, clock: () => new Date(), mail }) as unknown as Parameters<typeof saveAttempt>[0];

/** Claims an endpoint, which must be due, and all others that are. */
async function claimOf(endpoint: Endpoint): Promise<EndpointClaim> {
  let claim: EndpointClaim | undefined;
  await until(
    async () => {
      const { claims } = await webhookLeases.claim(tandem.db, 1000, crypto.randomUUID(), none);
      claim ??= claims.find(({ endpointId }) => endpointId === endpoint.id);
      return claim;
    },
    () => 'the endpoint is claimed',
  );
  if (!claim) throw new Error('no claim');
  return claim;
}

async function take(claim: EndpointClaim, inProgress: readonly Taken[] = []): Promise<Taken> {
  const excluded = inProgress.map(({ deliveryId }) => deliveryId);
  const taken = await takeDelivery(context(), claim, excluded);
  if (!taken || 'isExpired' in taken) throw new Error('nothing was taken');
  return taken;
}

/** Saves a try. */
function save(claim: EndpointClaim, taken: Taken, status: number, verdict: Verdict) {
  const none = { responseHeaders: {}, responseBody: '', requestHeaders: {}, requestBody: '{}', error: null };
  const attempt: Attempt = { ...none, url, status, durationMs: 1, sentAt: new Date().toISOString() };
  return saveAttempt(context(), claim, taken, attempt, () => verdict);
}
const later: Verdict = { status: 'pending', retry: 3600, pause: null, disable: null };

/** In how many seconds the endpoint is due; null: never. */
async function dueIn({ id }: Endpoint): Promise<number | null> {
  const text = `select extract(epoch from due_at - now())::float8 as seconds from webhook_endpoints where id = $1`;
  const [row] = await tandem.db.rows<{ seconds: number | null }>(text, [id]);
  return row?.seconds ?? null;
}

/** The kinds of work that are notified while `work` runs. */
async function notifiedBy(work: () => Promise<unknown>): Promise<string[]> {
  const notified: string[] = [];
  const { unlisten } = await tandem.db.driver.listen(jobsChannel, (payload) => notified.push(payload));
  const mark = async (name: string) => {
    tandem.db.notify(jobsChannel, name);
    await until(() => notified.includes(name));
  };
  await mark('before');
  await work();
  await mark('after');
  await unlisten();
  return notified.slice(notified.indexOf('before') + 1, notified.indexOf('after'));
}

test('what becomes due after the last look at an endpoint wakes a worker when the endpoint is given back', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  const taken = await take(claim);
  await save(claim, taken, 503, later);
  assert.is(await takeDelivery(context(), claim, []), null);
  await endpoint.call('POST /test');
  assert.equal(await notifiedBy(() => giveBackEndpoint(tandem.db, claim)), ['webhooks']);
  const again = await claimOf(endpoint);
  await save(again, await take(again), 503, later);
  assert.equal(await notifiedBy(() => giveBackEndpoint(tandem.db, again)), [], 'nothing is due');
});

test('a request that finds no place in the process is no try of its delivery, and no failure of its endpoint', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  const { webhooks } = await sharedSecrets(tandem.db, ['webhooks']);
  const parts = { ...context(), log: pino({ level: 'silent' }), key: createSecretKey(webhooks) };
  const { handle, measures } = webhookWorker({ ...parts, send: webhookClient([], 0) });
  const job = { signal: new AbortController().signal, check: () => {}, wakeIn: () => {} };
  const error = await handle(await claimOf(endpoint), job).then(
    () => null,
    (thrown: unknown) => thrown,
  );
  assert.ok(isBusy(error), String(error));
  const [delivery] = await endpoint.deliveries(() => true);
  assert.equal([delivery.status, delivery.tries, delivery.lastAttempt], ['pending', 0, null]);
  assert.is((await endpoint.read()).failingSince, null);
  assert.equal(
    measures.map(({ read }) => read()),
    [0, 0],
  );
});

test('a failure at an address that the endpoint left meanwhile says nothing of the new one', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  const taken = await take(claim);
  const moved = await endpoint.call('PATCH ', { url: 'https://moved.invalid/' });
  assert.is(moved.status, 200, moved.text);
  const gone: Verdict = { status: 'failed', pause: 60, disable: 'gone' };
  assert.equal(await save(claim, taken, 410, gone), { status: 'pending', retry: 0, pause: null, disable: null });
  const { body } = await endpoint.call('GET ');
  assert.equal([body.enabled, body.failingSince], [true, null]);
  const again = await take(claim);
  assert.equal([again.deliveryId, again.url], [taken.deliveryId, 'https://moved.invalid/']);
  assert.is((await save(claim, again, 410, gone)).status, 'failed');
  assert.equal((await endpoint.call('GET ')).body.disabledReason, 'gone');
});

test('an endpoint that another member takes over is not disabled for the rights of the one before', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  const { id } = endpoint;
  const credential = (revokedAt: string) =>
    `update credentials set revoked_at = ${revokedAt} where id = (select credential_id from webhook_endpoints where id = $1)`;
  await tandem.db.rows(credential('now()'), [id]);
  const held = await holdRow('webhook_endpoints', id);
  const taking = takeDelivery(context(), claim, []);
  const outcome = taking.catch((error: unknown) => error);
  await untilBlocked('%webhook_endpoints%', outcome);
  await held.also('update webhook_endpoints set credential_id = null where id = $1', [id]);
  await held.commit();
  assert.instance(await outcome, LostLease);
  const { enabled } =
    (await tandem.db.rows<{ enabled: boolean }>('select enabled from webhook_endpoints where id = $1', [id]))[0] ?? {};
  assert.is(enabled, true);
});

test('events of an endpoint that is locked when they are looked for are sent once it is free', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  const pgListener = { listen: () => () => {} };
  let looks = 0;
  const db = Object.assign(Object.create(tandem.db), {
    transaction: async (work: (tx: Db) => Promise<unknown>) => {
      const result = await tandem.db.transaction(work);
      looks++;
      return result;
    },
  });
  // Only the next look at everything, in half a minute, would find what this one left out.
  await withFrozenTimers(async () => {
    const held = await holdRow('webhook_endpoints', endpoint.id, 'for no key update');
    await happen(tandem, workspace.workspaceId, 1);
    await numbered(tandem, workspace.workspaceId);
    const fanOut = startFanOut({ db, pgListener, log: pino({ level: 'silent' }) });
    await until(() => looks > 0);
    await held.release();
    const [delivery] = await endpoint.deliveries(({ length }) => length > 0);
    assert.is(delivery.type, 'todo.created');
    await fanOut.stop();
  });
});

test('a workspace with many endpoints that are behind does not hold up another one, named meanwhile', async () => {
  const [busy, other] = [await tandem.workspace(), await tandem.workspace()];
  const { id } = await newEndpoint(tandem, busy, { url });
  const copies = `insert into webhook_endpoints (workspace_id, id, user_id, url, types, enabled, ordered, secret, sequence)
    select workspace_id, gen_random_uuid(), user_id, url, types, true, false, secret, sequence
    from webhook_endpoints, generate_series(2, 100) where id = $1`;
  await tandem.db.rows(copies, [id]);
  await newEndpoint(tandem, other, { url });
  const happenIn = async ({ workspaceId }: TestWorkspace) => {
    await happen(tandem, workspaceId, 1);
    await numbered(tandem, workspaceId);
  };
  const madeIn = async ({ workspaceId }: TestWorkspace) => {
    const text = 'select count(distinct endpoint_id)::int as made from webhook_deliveries where workspace_id = $1';
    return (await tandem.db.rows<{ made: number }>(text, [workspaceId]))[0]?.made ?? 0;
  };
  await happenIn(busy);
  let notify = (_: string) => {};
  const pgListener: Pick<PgListener, 'listen'> = {
    listen: (channel, { onNotification }) => {
      if (channel === eventsChannel) notify = onNotification;
      return () => {};
    },
  };
  const rounds: [busy: number, other: number][] = [];
  const db = Object.assign(Object.create(tandem.db), {
    transaction: async (work: (tx: Db) => Promise<unknown>) => {
      const result = await tandem.db.transaction(work);
      if (rounds.length === 0) {
        await happenIn(other);
        notify(JSON.stringify([[other.workspaceId, 1]]));
      }
      rounds.push([await madeIn(busy), await madeIn(other)]);
      return result;
    },
  });
  const fanOut = startFanOut({ db, pgListener, log: pino({ level: 'silent' }) });
  await until(() => rounds.some(([ofBusy, ofOther]) => ofBusy === 100 && ofOther === 1));
  await fanOut.stop();
  const first = rounds.find(([, ofOther]) => ofOther === 1);
  assert.ok(first && first[0] < 100, JSON.stringify(rounds));
});

test('an endpoint far behind holds up none at the end of the log; those far behind take turns', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const [first, second, current] = [
    await newEndpoint(tandem, workspace, { url }),
    await newEndpoint(tandem, workspace, { url }),
    await newEndpoint(tandem, workspace, { url }),
  ];
  const moveTo = async ({ id }: Endpoint, sequence: number) => {
    await tandem.db.rows('update webhook_endpoints set sequence = $1 where id = $2', [sequence, id]);
  };
  await happen(tandem, workspaceId, 1600);
  await numbered(tandem, workspaceId);
  const latest = 'select latest from event_positions where workspace_id = $1';
  const end = Number((await tandem.db.rows<{ latest: string }>(latest, [workspaceId]))[0]?.latest);
  await moveTo(first, end - 1600);
  await moveTo(second, end - 1050);
  await moveTo(current, end - 10);
  const made = async () => {
    const text = `select e.id, e.sequence, count(d.id)::int as made from webhook_endpoints e
      left join webhook_deliveries d on d.workspace_id = e.workspace_id and d.endpoint_id = e.id where e.workspace_id = $1 group by e.id, e.sequence`;
    const rows = await tandem.db.rows<{ id: string; sequence: string; made: number }>(text, [workspaceId]);
    const of = ({ id }: Endpoint) => rows.find((each) => each.id === id);
    return [first, second, current].map((each) => [end - Number(of(each)?.sequence), of(each)?.made]);
  };
  assert.equal(await makeDeliveries(tandem.db, [workspaceId]), { served: [workspaceId], left: [] });
  const [, , atEnd] = await made();
  assert.equal(atEnd, [0, 10]);
  let steps = 1;
  for (let left = true; left; steps++) left = (await makeDeliveries(tandem.db, [workspaceId])).served.length > 0;
  assert.equal(await made(), [
    [0, 1600],
    [0, 1050],
    [0, 10],
  ]);
  assert.ok(steps <= 8, `${steps} steps: each brings one of them on by 500 events`);
});

test('workspaces far behind are served in the order given, so that those that were left come first', async () => {
  const ids: string[] = [];
  for (let count = 0; count < 22; count++) {
    const workspace = await tandem.workspace();
    await newEndpoint(tandem, workspace, { url });
    await numbered(tandem, workspace.workspaceId);
    ids.push(workspace.workspaceId);
  }
  const moveOn = 'update event_positions set latest = latest + 1000 where workspace_id = any($1::uuid[])';
  for (const given of [ids, ids.toReversed()]) {
    await tandem.db.rows(moveOn, [ids]);
    const { served, left } = await makeDeliveries(tandem.db, given);
    assert.equal([served.sort(), left], [given.slice(0, 20).sort(), given.slice(20)]);
    assert.equal((await makeDeliveries(tandem.db, [...left, ...served])).served.sort(), left.sort());
  }
});

test('an endpoint that was given back is not leased again by a renewal that comes late', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  await save(claim, await take(claim), 503, later);
  assert.equal(await webhookLeases.renew(tandem.db, [claim]), new Set([claim]));
  await giveBackEndpoint(tandem.db, claim);
  assert.equal(await webhookLeases.renew(tandem.db, [claim]), new Set());
  assert.ok(Number(await dueIn(endpoint)) > 1800);
});

test('a delivery that is sent again during a try is sent again after it, whatever came of that', async () => {
  const verdicts: Verdict[] = [later, { status: 'delivered' }, { status: 'failed', pause: null, disable: null }];
  for (const verdict of verdicts) {
    const workspace = await tandem.workspace();
    const endpoint = await newEndpoint(tandem, workspace, { url });
    const { body: sent } = await endpoint.call('POST /test');
    const claim = await claimOf(endpoint);
    const first = await take(claim);
    assert.is((await endpoint.call(`POST /deliveries/${sent.id}/redeliver`)).status, 202);
    await save(claim, first, verdict.status === 'delivered' ? 200 : 503, verdict);
    const { body: between } = await endpoint.call(`GET /deliveries/${sent.id}`);
    assert.equal([between.status, between.tries, between.attempts.length], ['pending', 0, 1], verdict.status);
    const second = await take(claim);
    assert.equal([second.deliveryId, second.tries], [sent.id, 1], verdict.status);
    await save(claim, second, 200, { status: 'delivered' });
    const { body: after } = await endpoint.call(`GET /deliveries/${sent.id}`);
    assert.equal([after.status, after.tries, after.attempts.length], ['delivered', 1, 2], verdict.status);
  }
});

test('after failures in a row nothing more is taken, also by the worker that holds the endpoint', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url });
  await endpoint.call('POST /test');
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  await save(claim, await take(claim), 503, { ...later, pause: 3600 });
  assert.is(await takeDelivery(context(), claim, []), null);
  await giveBackEndpoint(tandem.db, claim);
  assert.ok(Number(await dueIn(endpoint)) > 1800);
  await endpoint.call('POST /test');
  assert.ok(Number(await dueIn(endpoint)) <= 0, 'a person may try anyway');
});

test('a test that waits for its next try delays no event of an ordered endpoint', async () => {
  const workspace = await tandem.workspace();
  const endpoint = await newEndpoint(tandem, workspace, { url, ordered: true });
  await endpoint.call('POST /test');
  const claim = await claimOf(endpoint);
  await save(claim, await take(claim), 503, later);
  await happen(tandem, workspace.workspaceId, 1);
  await numbered(tandem, workspace.workspaceId);
  await makeDeliveries(tandem.db, [workspace.workspaceId]);
  await giveBackEndpoint(tandem.db, claim);
  assert.ok(Number(await dueIn(endpoint)) <= 0);
});

test('what waited for the order or for a pause is due once a change ends these', async () => {
  const cases = [
    { ordered: true, pause: null, change: { ordered: false } },
    { ordered: false, pause: 3600, change: { url: `${url}moved` } },
  ];
  for (const { ordered, pause, change } of cases) {
    const workspace = await tandem.workspace();
    const endpoint = await newEndpoint(tandem, workspace, { url, ordered });
    await happen(tandem, workspace.workspaceId, 2);
    await numbered(tandem, workspace.workspaceId);
    await makeDeliveries(tandem.db, [workspace.workspaceId]);
    const claim = await claimOf(endpoint);
    await save(claim, await take(claim), 503, { ...later, pause });
    await giveBackEndpoint(tandem.db, claim);
    assert.ok(Number(await dueIn(endpoint)) > 1800);
    await endpoint.call('PATCH ', change);
    assert.ok(Number(await dueIn(endpoint)) <= 0, JSON.stringify(change));
  }
});

test.run();
