import { setTimeout as sleep } from 'node:timers/promises';
import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TurnRef } from '../routers/jobs.ts';
import { reclaimTurns } from '../server/jobs/leases.ts';
import { until } from './fixtures/database-service.ts';
import { startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { startWatched, strandedTurn, type Watch } from './jobs-world.ts';
import { hold, releaseAll } from './locks.ts';

const test = suite('turns that nobody works on');
let idle: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  idle = await startTestService({ AGENT_CONCURRENCY: '0' });
  workspace = await idle.workspace();
});
test.after.each(releaseAll);
test.after(async () => {
  // The workers of later tests would find them.
  const end = `update chat_turns set ended_at = now(), outcome = 'completed' where workspace_id = $1 and ended_at is null`;
  await idle.db.rows(end, [workspace.workspaceId]);
  await idle.close();
});

/** The turns of `turns` for which `reclaimTurns` makes jobs. */
async function reclaimed(turns: TurnRef[]): Promise<string[]> {
  const asked: string[] = [];
  const note = async (_: unknown, refs: readonly TurnRef[]) => void asked.push(...refs.map(({ turnId }) => turnId));
  await reclaimTurns(idle.db, { turns: note });
  return turns.map(({ turnId }) => turnId).filter((turnId) => asked.includes(turnId));
}

const seed = (options: Parameters<typeof strandedTurn>[2] = {}) => strandedTurn(idle, workspace, options);

test('are asked for again once their lease is over, and then left in peace for 20 s', async () => {
  const turn = await seed();
  assert.equal(await reclaimed([turn]), [turn.turnId]);
  assert.equal(await reclaimed([turn]), []);
  const [row] = await idle.db.rows<{ left: number }>(
    'select extract(epoch from lease_until - now())::float8 as left from chat_turns where workspace_id = $1 and id = $2',
    [turn.workspaceId, turn.turnId],
  );
  assert.ok(row && row.left > 15 && row.left <= 20, `${row?.left} s`);
});

test('are those of chats that work, or that waited for a time that has come', async () => {
  const due = [await seed(), await seed({ status: 'queued', notBefore: -5 }), await seed({ status: 'queued' })];
  const not = [
    await seed({ lease: 30 }),
    await seed({ lease: null }),
    await seed({ ended: true }),
    await seed({ status: 'awaiting_input' }),
    await seed({ status: 'completed' }),
    await seed({ status: 'queued', notBefore: 60 }),
  ];
  assert.equal(
    await reclaimed([...due, ...not]),
    due.map(({ turnId }) => turnId),
  );
});

test('that another process has in hand right now are passed over, without waiting', async () => {
  const [held, free] = [await seed(), await seed()];
  await hold('select 1 from chat_turns where workspace_id = $1 and id = $2 for update', [
    held.workspaceId,
    held.turnId,
  ]);
  assert.equal(await reclaimed([held, free]), [free.turnId]);
});

test('are all found, however many', async () => {
  const turns = await Promise.all(Array.from({ length: 230 }, () => seed()));
  assert.is((await reclaimed(turns)).length, 230);
});

test('have no second job made while their first one waits in a long queue', async () => {
  const waits = await seed();
  const jobless = await seed();
  const abandoned = await seed();
  const { queue } = idle.service.backstage;
  await idle.db.transaction((tx) => queue.turns(tx, [waits, abandoned]));
  await idle.db.rows('update chat_turns set worker_id = $3 where workspace_id = $1 and id = $2', [
    workspace.workspaceId,
    abandoned.turnId,
    newId(),
  ]);
  const asked = [jobless.turnId, abandoned.turnId];
  assert.equal(await reclaimed([waits, jobless, abandoned]), asked, 'the worker of the last one died');
  const [job] = await queue.take('turns', 1);
  assert.ok(job, 'somebody takes a job and it is lost');
  await queue.finish('turns', await queue.take('turns', 100).then((rest) => [job, ...rest]));
  assert.equal(await reclaimed([waits]), [waits.turnId]);
});

test('are not pushed on when their jobs cannot be made', async () => {
  const turn = await seed();
  const fails = reclaimTurns(idle.db, { turns: async () => Promise.reject(new Error('no')) });
  assert.is(await fails.catch((error: Error) => error.message), 'no');
  assert.equal(await reclaimed([turn]), [turn.turnId]);
});

test('come to a worker by themselves within seconds', async () => {
  const working: TestService & { watch: Watch } = await startWatched();
  try {
    const turn = await seed();
    await until(() => working.watch.times(turn).length > 0, 6000);
    await sleep(200);
    assert.is(working.watch.times(turn).length, 1);
  } finally {
    await working.close();
  }
});

test.run();
