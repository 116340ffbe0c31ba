import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDigest, type TurnRef } from '../../domain/jobs.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { newTurn, startWatched, turnInState, type Watch } from '../support/jobs-world.ts';
import { until } from '../support/until.ts';

const test = suite('jobs');
let tandem: TestService & { watch: Watch };
let maker: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startWatched({ AGENT_CONCURRENCY: '3' });
  maker = await startTestService({ AGENT_CONCURRENCY: '0' });
  workspace = await maker.workspace();
});
test.after(async () => {
  await maker.close();
  await tandem.close();
});

/** Makes a turn on the process that works on none. `prepare` is called before the transaction commits. */
function make(prepare: (turn: TurnRef) => void = () => {}, after?: string): Promise<TurnRef> {
  return maker.db.transaction(async (tx) => {
    const turn = await newTurn(tx, workspace, after);
    prepare(turn);
    return turn;
  });
}

/** Lets no poll end until it is called: what is done then was woken. */
let thaw = () => {};

/** Freezes the polls. Those that are armed already end first: they are at most 2.4 s apart. */
async function freezePolls(): Promise<void> {
  thaw = freezeTimers();
  for (let waited = 0; waited < 3000; waited += 600) await sleep(600);
}

test.after.each(() => {
  thaw();
  thaw = () => {};
});

test('one made in a committed transaction is done at once, once, on a process that has workers', async () => {
  await freezePolls();
  const turn = await maker.db.transaction(async (tx) => {
    const made = await newTurn(tx, workspace);
    await sleep(300);
    assert.equal(tandem.watch.times(made), []);
    return made;
  });
  await until(() => tandem.watch.times(turn).length > 0);
  const next = await make();
  await until(() => tandem.watch.times(next).length > 0);
  assert.is(tandem.watch.times(turn).length, 1);
});

test('one made in a transaction that is rolled back is never done, nor one of a savepoint that is', async () => {
  const { db } = maker;
  const undone: TurnRef[] = [];
  const fails = db.transaction(async (tx) => {
    undone.push(await newTurn(tx, workspace));
    throw new Error('no');
  });
  await fails.catch(() => {});
  const kept = await db.transaction(async (tx) => {
    const point = tx.transaction(async (nested) => {
      undone.push(await newTurn(nested, workspace));
      throw new Error('no');
    });
    await point.catch(() => {});
    return newTurn(tx, workspace);
  });
  await until(() => tandem.watch.times(kept).length > 0);
  await sleep(3000);
  assert.equal(undone.flatMap(tandem.watch.times), []);
});

test('one with a time waits for it', async () => {
  const due = Date.now() + 2000;
  const turn = await make(undefined, new Date(due).toISOString());
  await until(() => tandem.watch.times(turn).length > 0);
  const late = (tandem.watch.times(turn)[0] ?? 0) - due;
  assert.ok(late >= 0, `${late} ms late`);
});

test('one whose time is long past is done at once', async () => {
  const turn = await make(undefined, '2020-01-01T00:00:00Z');
  await until(() => tandem.watch.times(turn).length > 0);
});

test('one that fails is tried again, and again', async () => {
  const turn = await make((made) =>
    tandem.watch.when(made, async () => {
      if (tandem.watch.times(made).length < 3) throw new Error('no');
    }),
  );
  await until(() => tandem.watch.times(turn).length === 3);
  const [first = 0, second = 0, third = 0] = tandem.watch.times(turn);
  assert.ok(second - first >= 500 && third - second >= 500);
});

test('a process does as many at a time as is configured, and the next one as soon as one ends', async () => {
  const ends: (() => void)[] = [];
  await freezePolls();
  await maker.db.transaction(async (tx) => {
    for (let made = 0; made < 7; made++) {
      const turn = await newTurn(tx, workspace);
      tandem.watch.when(turn, () => new Promise((resolve) => ends.push(resolve)));
    }
  });
  await until(() => ends.length === 3);
  await sleep(600);
  assert.is(ends.length, 3);
  for (let running = 3; running < 7; running++) {
    ends[running - 3]?.();
    await until(() => ends.length === running + 1);
  }
  for (const end of ends) end();
});

test('digests are done too', async () => {
  const digest = { kind: 'chat_title' as const, workspaceId: crypto.randomUUID(), id: crypto.randomUUID() };
  await maker.db.transaction((tx) => addDigest(tx, digest));
  await until(() => tandem.watch.digests.includes(digest.id));
  const left = () => tandem.db.rows('select 1 from digests where subject_id = $1', [digest.id]);
  await until(async () => (await left()).length === 0);
});

test('a digest that is asked for again while it is written is written again', async () => {
  const digest = { kind: 'chat_subtitle' as const, workspaceId: crypto.randomUUID(), id: crypto.randomUUID() };
  const ask = () => maker.db.transaction((tx) => addDigest(tx, digest));
  const times = () => tandem.watch.digests.filter((id) => id === digest.id).length;
  tandem.watch.onNextDigest = ask;
  await ask();
  await until(() => times() === 2);
  const left = () => tandem.db.rows('select 1 from digests where subject_id = $1', [digest.id]);
  await until(async () => (await left()).length === 0);
  assert.is(times(), 2);
});

test('a notification that is lost delays a turn by a poll at most', async () => {
  const turn = await turnInState(maker, workspace, { lease: 0 });
  await until(() => tandem.watch.times(turn).length > 0);
  const ended = 'select 1 from chat_turns where id = $1 and ended_at is not null';
  await until(async () => (await tandem.db.rows(ended, [turn.turnId])).length > 0);
});

test('that are done are counted in the metrics', async () => {
  const count = async () => {
    const text = await (await fetch(`${tandem.url}/metrics`)).text();
    return Number(/^tandem_jobs_done_total\{queue="turns"\} (\d+)$/m.exec(text)?.[1]);
  };
  const before = await count();
  const turn = await make();
  await until(() => tandem.watch.times(turn).length > 0);
  // That of the test before may be counted only now.
  await until(async () => (await count()) > before);
});

test.run();
