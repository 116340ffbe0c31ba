import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startWithoutAgents } from '../support/chat-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { sweep } from '../support/sweeps.ts';
import { newEndpoint } from '../support/webhook-world.ts';

const test = suite('rows that have expired');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after.each(releaseAll);
test.after(() => tandem.close());

/** Sweeps while a transaction has made a change that it commits once the sweep waits for it, or has passed it over. */
async function sweepDuring(change: string, values: unknown[]): Promise<void> {
  const held = await hold(change, values);
  const sweeping = sweep(tandem.db);
  await untilBlocked('%delete from%', sweeping);
  await held.also('commit', []);
  await sweeping;
}

const keysOf = async ({ workspaceId }: TestWorkspace) =>
  (
    await tandem.db.rows<{ key: string }>('select key from idempotency_keys where workspace_id = $1 order by key', [
      workspaceId,
    ])
  ).map(({ key }) => key);

test('a key that is used again while it is deleted as expired is kept for its 24 hours', async () => {
  const workspace = await tandem.workspace();
  const create = () =>
    workspace.call('POST /todo-lists', { name: 'Errands' }, { headers: { 'idempotency-key': 'again' } });
  await create();
  await tandem.db.rows(`update idempotency_keys set created_at = now() - interval '25 hours' where workspace_id = $1`, [
    workspace.workspaceId,
  ]);
  await sweepDuring('update idempotency_keys set created_at = now() where workspace_id = $1', [workspace.workspaceId]);
  assert.equal(await keysOf(workspace), ['again']);
  assert.is((await create()).headers.get('idempotency-replayed'), 'true');
});

test('all keys that have expired are deleted, however many are of one moment, and no other', async () => {
  const workspace = await tandem.workspace();
  const many = 12_000;
  const headers = { 'idempotency-key': 'young' };
  await workspace.call('POST /todo-lists', { name: 'Errands' }, { headers });
  await tandem.db.rows(
    `insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint, answer, created_at)
      select workspace_id, credential_id, operation, path, 'old ' || n, fingerprint, answer,
        date_trunc('hour', now() - interval '26 hours') + n / 7000 * interval '1 second'
      from idempotency_keys, generate_series(1, $2::int) n where workspace_id = $1`,
    [workspace.workspaceId, many],
  );
  assert.is((await keysOf(workspace)).length, many + 1);
  await sweep(tandem.db);
  assert.equal(await keysOf(workspace), ['young']);
});

test('a key whose row is locked is passed over, and everything else is deleted meanwhile', async () => {
  // On Citus the sweep waits for it, and fails until the next one when that takes too long.
  if (tandem.db.engine === 'citus') return;
  const workspace = await tandem.workspace();
  for (const key of ['locked', 'free']) {
    await workspace.call('POST /todo-lists', { name: key }, { headers: { 'idempotency-key': key } });
  }
  await tandem.db.rows(`update idempotency_keys set created_at = now() - interval '25 hours' where workspace_id = $1`, [
    workspace.workspaceId,
  ]);
  const held = await hold(`select 1 from idempotency_keys where workspace_id = $1 and key = 'locked' for update`, [
    workspace.workspaceId,
  ]);
  await sweep(tandem.db);
  assert.equal(await keysOf(workspace), ['locked']);
  await held.release();
  await sweep(tandem.db);
  assert.equal(await keysOf(workspace), []);
});

test('a delivery that is asked for again while it is deleted as old is kept, and waits', async () => {
  const workspace = await tandem.workspace();
  const { id: endpoint } = await newEndpoint(tandem, workspace, { url: 'https://hooks.invalid/' });
  await tandem.db.rows(
    `insert into webhook_deliveries (workspace_id, id, endpoint_id, event_id, type, status, created_at, ended_at)
      values ($1, gen_random_uuid(), $2, gen_random_uuid(), 'webhook.test', 'delivered', now() - interval '40 days', now())`,
    [workspace.workspaceId, endpoint],
  );
  const again = `update webhook_deliveries set status = 'pending', due_at = now(), ended_at = null where endpoint_id = $1`;
  await sweepDuring(again, [endpoint]);
  const left = await tandem.db.rows('select status from webhook_deliveries where endpoint_id = $1', [endpoint]);
  assert.equal(left, [{ status: 'pending' }]);
});

test('a step of the sweep that fails does not stop the next ones', async () => {
  const account = 'held@expired-rows.example';
  const old = `insert into sign_in_attempts (account, address, failures, window_start) values ($1, 'a', 9, now() - interval '2 days')`;
  await tandem.db.rows(old, [account]);
  const id = crypto.randomUUID();
  await tandem.db.rows(`insert into heartbeats (id, beat, beat_at) values ($1, 1, now() - interval '2 days')`, [id]);
  const held = await hold('select 1 from sign_in_attempts where account = $1 for update', [account]);
  const failure = await sweep(tandem.db).then(
    () => null,
    (error: unknown) => error,
  );
  await held.release();
  assert.instance(failure, AggregateError);
  assert.equal(await tandem.db.rows('select 1 from heartbeats where id = $1', [id]), []);
});

test('failed sign-ins that are counted again while their old count is deleted still count', async () => {
  const account = 'ada@expired-rows.example';
  await tandem.db.rows(
    `insert into sign_in_attempts (account, address, failures, window_start) values ($1, 'a', 9, now() - interval '2 days')`,
    [account],
  );
  await sweepDuring('update sign_in_attempts set failures = 1, window_start = now() where account = $1', [account]);
  const left = await tandem.db.rows('select failures from sign_in_attempts where account = $1', [account]);
  assert.equal(left, [{ failures: 1 }]);
});

test.run();
