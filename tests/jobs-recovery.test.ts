import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { kill, until } from './fixtures/database-service.ts';
import type { TestService } from './harness.ts';
import { aTurn, startWatched, untilStopped, type Watch } from './jobs-world.ts';
import { openPassage, type Passage } from './passage.ts';
import { createDatabase, type ScratchDatabase } from './scratch.ts';

const test = suite('jobs when something breaks');
let scratch: ScratchDatabase;
let passage: Passage;
let worker: ChildProcess | undefined;
const services = new Set<TestService>();

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

async function make({ db, service }: TestService, turn = aTurn()) {
  await db.transaction((tx) => service.backstage.queue.turn(tx, turn));
  return turn;
}

test('a process that stops tells its jobs why, and another goes on with them at once', async () => {
  const first = await start();
  const turn = aTurn();
  let reason: unknown;
  first.watch.when(turn, (signal) =>
    untilStopped(signal).catch((error) => {
      reason = error;
      throw error;
    }),
  );
  await make(first, turn);
  await until(() => first.watch.times(turn).length > 0);
  const second = await start();
  assert.ok((await stop(first)) < 1900, 'a handler that listens ends the wait');
  assert.is((reason as Error).name, 'ProcessStops');
  await until(() => second.watch.times(turn).length > 0, 1000);
  assert.is(first.watch.times(turn).length, 1);
});

test('a job that does not listen is waited for as long as SHUTDOWN_SECONDS says, and then another goes on', async () => {
  const first = await start();
  const [deaf, slow] = [aTurn(), aTurn()];
  first.watch.when(deaf, () => new Promise(() => {}));
  first.watch.when(slow, () => new Promise((resolve) => setTimeout(resolve, 1000)));
  await make(first, deaf);
  await make(first, slow);
  await until(() => first.watch.times(deaf).length + first.watch.times(slow).length === 2);
  const second = await start();
  const took = await stop(first);
  assert.ok(took >= 2000 && took < 5000, `${took} ms`);
  await until(() => second.watch.times(deaf).length > 0, 1000);
  assert.equal(second.watch.times(slow), [], 'what ended in that time is done');
});

test('a job of a process that was killed is done by another within 30 s', async () => {
  const script = fileURLToPath(new URL('./fixtures/worker.ts', import.meta.url));
  const maker = await start({ AGENT_CONCURRENCY: '0' });
  const env = { PATH: process.env.PATH ?? '', DATABASE_URL: scratch.url };
  worker = spawn(process.execPath, ['--import', 'tsx', script], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  let output = '';
  worker.stdout?.on('data', (chunk: Buffer) => {
    output += chunk.toString();
  });
  await until(() => output.includes('ready'), 20_000);
  const turn = await make(maker);
  await until(() => output.includes(turn.turnId));
  const second = await start();
  await kill(worker, 'SIGKILL');
  const killed = Date.now();
  await until(() => second.watch.times(turn).length > 0, 30_000);
  process.stdout.write(`(again after ${Date.now() - killed} ms) `);
});

for (const [what, fail] of [
  ['is gone for a while', () => passage.cut()],
  ['went silent for a while', async () => passage.stall()],
] as const) {
  test(`when the database ${what}, the workers go on by themselves`, async () => {
    const behind = await start({ DATABASE_URL: passage.url });
    const maker = await start({ AGENT_CONCURRENCY: '0' });
    const before = await make(maker);
    await until(() => behind.watch.times(before).length > 0, 1000);
    await fail();
    const during = await make(maker);
    await new Promise((resolve) => setTimeout(resolve, 4000));
    assert.equal(behind.watch.times(during), []);
    if (what.includes('silent')) await passage.cut();
    await passage.mend();
    const mended = Date.now();
    await until(() => behind.watch.times(during).length > 0, 10_000);
    process.stdout.write(`(again after ${Date.now() - mended} ms) `);
    const after = await make(maker);
    await until(() => behind.watch.times(after).length > 0, 10_000);
  });
}

test('a process stops in time while the database is silent', async () => {
  const behind = await start({ DATABASE_URL: passage.url });
  const turn = await make(behind);
  await until(() => behind.watch.times(turn).length > 0, 1000);
  passage.stall();
  // Longer than the pause between two sweeps: one is under way and never ends.
  await new Promise((resolve) => setTimeout(resolve, 4500));
  assert.ok((await stop(behind)) < 25_000);
});

test.run();
