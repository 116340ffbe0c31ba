import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { until } from './fixtures/database-service.ts';
import type { TestService } from './harness.ts';
import { startTestService } from './harness.ts';
import { aTurn, startWatched, type Watch } from './jobs-world.ts';

const test = suite('jobs');
let tandem: TestService & { watch: Watch };
let maker: TestService;

test.before(async () => {
  tandem = await startWatched({ AGENT_CONCURRENCY: '3' });
  maker = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await maker.close();
  await tandem.close();
});

/** Makes the job of a turn on the process that works on none. */
async function make(turn = aTurn(), after?: string) {
  await maker.db.transaction((tx) => maker.service.backstage.queue.turn(tx, turn, after));
  return turn;
}

test('one made in a committed transaction is done at once, once, on a process that has workers', async () => {
  const turn = aTurn();
  await maker.db.transaction(async (tx) => {
    await maker.service.backstage.queue.turn(tx, turn);
    await sleep(300);
    assert.equal(tandem.watch.times(turn), []);
  });
  const committed = Date.now();
  await until(() => tandem.watch.times(turn).length > 0, 1000);
  await sleep(500);
  assert.is(tandem.watch.times(turn).length, 1);
  assert.ok((tandem.watch.times(turn)[0] ?? 0) - committed < 500);
});

test('one made in a transaction that is rolled back is never done, nor one of a savepoint that is', async () => {
  const { db, service } = maker;
  const [outer, inner, kept] = [aTurn(), aTurn(), aTurn()];
  const fails = db.transaction(async (tx) => {
    await service.backstage.queue.turn(tx, outer);
    throw new Error('no');
  });
  await fails.catch(() => {});
  await db.transaction(async (tx) => {
    const point = tx.transaction(async (nested) => {
      await service.backstage.queue.turn(nested, inner);
      throw new Error('no');
    });
    await point.catch(() => {});
    await service.backstage.queue.turn(tx, kept);
  });
  await until(() => tandem.watch.times(kept).length > 0);
  await sleep(3000);
  assert.equal(tandem.watch.times(outer), []);
  assert.equal(tandem.watch.times(inner), []);
});

test('one with a time waits for it', async () => {
  const due = Date.now() + 2000;
  const turn = await make(aTurn(), new Date(due).toISOString());
  await until(() => tandem.watch.times(turn).length > 0, 8000);
  const late = (tandem.watch.times(turn)[0] ?? 0) - due;
  assert.ok(late >= 0 && late < 3500, `${late} ms late`);
});

test('one whose time is long past is done at once, and is nothing for pg-boss to clear away', async () => {
  const turn = aTurn();
  const isKept = await maker.db.transaction(async (tx) => {
    await maker.service.backstage.queue.turn(tx, turn, '2020-01-01T00:00:00Z');
    const text = `select keep_until > now() as "isKept" from pgboss.job where data ->> 'turnId' = $1`;
    return (await tx.rows<{ isKept: boolean }>(text, [turn.turnId]))[0]?.isKept;
  });
  assert.is(isKept, true);
  await until(() => tandem.watch.times(turn).length > 0, 3500);
});

test('one that fails is tried again, and again', async () => {
  const turn = aTurn();
  tandem.watch.when(turn, async () => {
    if (tandem.watch.times(turn).length < 3) throw new Error('no');
  });
  await make(turn);
  await until(() => tandem.watch.times(turn).length === 3, 20_000);
  const [first = 0, second = 0, third = 0] = tandem.watch.times(turn);
  assert.ok(second - first >= 500 && third - second >= 500);
});

test('a process does as many at a time as it is told, and the next one as soon as one ends', async () => {
  const turns = Array.from({ length: 7 }, aTurn);
  const ends: (() => void)[] = [];
  for (const turn of turns) tandem.watch.when(turn, () => new Promise((resolve) => ends.push(resolve)));
  await maker.db.transaction((tx) => maker.service.backstage.queue.turns(tx, turns));
  await until(() => ends.length === 3);
  await sleep(2500);
  assert.is(ends.length, 3);
  for (let running = 3; running < 7; running++) {
    const freed = Date.now();
    ends[running - 3]?.();
    await until(() => ends.length === running + 1, 1000);
    assert.ok(Date.now() - freed < 500);
  }
  for (const end of ends) end();
});

test('digests are done too', async () => {
  const digest = { kind: 'chat_title' as const, workspaceId: crypto.randomUUID(), id: crypto.randomUUID() };
  await maker.db.transaction((tx) => maker.service.backstage.queue.digest(tx, digest));
  await until(() => tandem.watch.digests.includes(digest.id), 1000);
});

test('what is done leaves no row behind', async () => {
  const turn = await make();
  await until(() => tandem.watch.times(turn).length > 0);
  const left = () => tandem.db.rows("select 1 from pgboss.job where data ->> 'turnId' = $1", [turn.turnId]);
  await until(async () => (await left()).length === 0, 1000);
});

test('that are done are counted in the metrics', async () => {
  const count = async () => {
    const text = await (await fetch(`${tandem.url}/metrics`)).text();
    return Number(/^tandem_jobs_done_total (\d+)$/m.exec(text)?.[1]);
  };
  const before = await count();
  const turn = await make();
  await until(() => tandem.watch.times(turn).length > 0);
  await until(async () => (await count()) === before + 1, 1000);
});

test.run();
