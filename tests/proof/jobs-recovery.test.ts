import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { TurnRef } from '../../domain/jobs.ts';
import { kill } from '../fixtures/database-service.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { newTurn, startWatched, untilStopped, type Watch } from '../support/jobs-world.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { isFull } from '../support/proof-size.ts';
import { createDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until, within } from '../support/until.ts';

const test = suite('jobs when something breaks');
let scratch: ScratchDatabase;
let passage: Passage;
let worker: ChildProcess | undefined;
const services = new Set<TestService>();
let workspace: TestWorkspace | undefined;

test.before(async () => {
  scratch = await createDatabase();
  passage = await openPassage(scratch.url);
});
test.after.each(async () => {
  await passage.mend();
  if (worker) await kill(worker, 'SIGKILL');
  await Promise.all([...services].map((each) => each.close()));
  services.clear();
});
test.after(async () => {
  await passage.close();
  await scratch.drop();
});

async function start(environment: Record<string, string> = {}): Promise<TestService & { watch: Watch }> {
  const service = await startWatched({ DATABASE_URL: scratch.url, SHUTDOWN_SECONDS: '2', ...environment });
  services.add(service);
  return service;
}

async function stop(service: TestService): Promise<number> {
  services.delete(service);
  const asked = Date.now();
  await service.close();
  return Date.now() - asked;
}

/** Makes a turn. `prepare` is called before the transaction commits. */
async function make(service: TestService, prepare: (turn: TurnRef) => void = () => {}): Promise<TurnRef> {
  workspace ??= await service.workspace();
  const owner = workspace;
  return service.db.transaction(async (tx) => {
    const turn = await newTurn(tx, owner);
    prepare(turn);
    return turn;
  });
}

test('a process that stops aborts its jobs with the reason, and another continues with them at once', async () => {
  const first = await start({ SHUTDOWN_SECONDS: '600' });
  let reason: unknown;
  const turn = await make(first, (made) =>
    first.watch.when(made, (signal) =>
      untilStopped(signal).catch((error) => {
        reason = error;
        throw error;
      }),
    ),
  );
  await until(() => first.watch.times(turn).length > 0);
  const second = await start();
  await within(() => 'the process stops: a handler that listens ends the wait', stop(first));
  assert.is((reason as Error).name, 'ProcessStops');
  await until(() => second.watch.times(turn).length > 0);
  assert.is(first.watch.times(turn).length, 1);
});

test('a job that does not listen is waited for until a fifth of SHUTDOWN_SECONDS is left, and then another continues', async () => {
  const first = await start({ SHUTDOWN_SECONDS: '10' });
  const deaf = await make(first, (made) => first.watch.when(made, () => new Promise(() => {})));
  // It ends some time after the process began to stop.
  const endLate = (signal: AbortSignal) =>
    new Promise<void>((resolve) => signal.addEventListener('abort', () => setTimeout(resolve, 500)));
  const slow = await make(first, (made) => first.watch.when(made, endLate));
  await until(() => first.watch.times(deaf).length + first.watch.times(slow).length === 2);
  const second = await start();
  const took = await stop(first);
  assert.ok(took >= 8000, `${took} ms`);
  await until(() => second.watch.times(deaf).length > 0);
  assert.equal(second.watch.times(slow), [], 'what ended in that time is done');
});

test('a job of a process that was killed is done by another within 30 s', async () => {
  const script = fileURLToPath(new URL('../fixtures/worker.ts', import.meta.url));
  const maker = await start({ AGENT_CONCURRENCY: '0' });
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: scratch.url };
  worker = spawn(process.execPath, [script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  worker.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(() => output.includes('ready'));
  const turn = await make(maker);
  await until(() => output.includes(turn.turnId));
  const second = await start();
  await kill(worker, 'SIGKILL');
  const killed = Date.now();
  // It may be taken then, however slow this machine is.
  const free = `select 1 from chat_turns where id = $1 and lease_until < now() + interval '30 seconds'`;
  assert.is((await maker.db.rows(free, [turn.turnId])).length, 1);
  await until(() => second.watch.times(turn).length > 0);
  const took = Date.now() - killed;
  process.stdout.write(`(again after ${took} ms) `);
  if (isFull) assert.ok(took < 30_000, `${took} ms`);
});

for (const [what, fail] of [
  ['is gone for a while', () => passage.cut()],
  ['went silent for a while', async () => passage.stall()],
] as const) {
  test(`when the database ${what}, the workers continue by themselves`, async () => {
    const behind = await start({ DATABASE_URL: passage.url });
    const maker = await start({ AGENT_CONCURRENCY: '0' });
    const before = await make(maker);
    await until(() => behind.watch.times(before).length > 0);
    await fail();
    const during = await make(maker);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    assert.equal(behind.watch.times(during), []);
    if (what.includes('silent')) await passage.cut();
    await passage.mend();
    const mended = Date.now();
    await until(() => behind.watch.times(during).length > 0);
    process.stdout.write(`(again after ${Date.now() - mended} ms) `);
    const after = await make(maker);
    await until(() => behind.watch.times(after).length > 0);
  });
}

test('a process stops in time while the database is silent', async () => {
  const behind = await start({ DATABASE_URL: passage.url });
  const turn = await make(behind);
  await until(() => behind.watch.times(turn).length > 0);
  passage.stall();
  // Longer than the pause between two sweeps: one is under way and never ends.
  await new Promise((resolve) => setTimeout(resolve, 4500));
  await within(() => 'the process stops', stop(behind));
});

test.run();
