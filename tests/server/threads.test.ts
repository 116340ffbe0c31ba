import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QueueFull } from '../../db/fair-queue.ts';
import { Failure } from '../../domain/errors.ts';
import { type PoolLimits, ThreadPool } from '../../server/threads/pool.ts';
import { isSmall } from '../../server/threads/size.ts';
import { ThreadLimit } from '../../server/threads/worker.ts';
import { until, within } from '../support/until.ts';

const test = suite('worker threads');

const usual: PoolLimits = {
  maxRunning: 1,
  maxWaiting: 10,
  maxWaitingPerKey: 5,
  maxSeconds: 100,
  maxMegabytes: 256,
  idleSeconds: 100,
};
const pools: ThreadPool[] = [];

function poolOf(limits: Partial<PoolLimits> = {}): ThreadPool {
  const pool = new ThreadPool({ ...usual, ...limits });
  pools.push(pool);
  return pool;
}

test.after.each(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const material = { type: 'note', title: null, notes: null, date: '2026-01-05', people: [] } as const;
const longText = 'We send the report to Ada by Friday. '.repeat(100_000);

/** What a promise rejects with. */
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  within(
    () => 'the work ends',
    work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

test('work is done in a thread, and the thread is used again', async () => {
  const pool = poolOf();
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
  assert.is(await pool.run('b', 'title', ['please buy bread']), 'Buy bread');
  assert.equal(pool.size, { threads: 1, waiting: 0 });
});

test('a refusal arrives as the failure that it is', async () => {
  const fault = (await faultOf(poolOf().run('a', 'transcript', ['vtt', 'no cues', 'transcript.body']))) as Failure;
  assert.instance(fault, Failure);
  assert.is(fault.problem.status, 400);
  assert.is(fault.problem.errors?.[0]?.param, 'transcript.body');
});

test('a thread that takes too long is ended, and the next work has another one', async () => {
  const pool = poolOf({ maxSeconds: 0.02 });
  const fault = await faultOf(pool.run('a', 'capture', [{ ...material, text: longText }]));
  assert.instance(fault, ThreadLimit);
  assert.is((fault as ThreadLimit).limit, 'time');
  await until(() => pool.size.threads === 0);
  const next = poolOf();
  assert.is(await next.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('a thread that needs too much memory is ended, and the process continues', async () => {
  const pool = poolOf({ maxMegabytes: 24 });
  const fault = await faultOf(pool.run('a', 'capture', [{ ...material, text: '漢字 a. '.repeat(500_000) }]));
  assert.instance(fault, ThreadLimit);
  assert.is((fault as ThreadLimit).limit, 'memory');
  await until(() => pool.size.threads === 0);
});

test('keys take turns, and what finds no place is refused at once', async () => {
  const pool = poolOf({ maxWaitingPerKey: 2 });
  const order: string[] = [];
  const run = (key: string, name: string) => pool.run(key, 'title', [name]).then(() => order.push(name));
  const first = pool.run('a', 'title', ['first']);
  const waiting = [run('a', 'a1'), run('a', 'a2'), run('b', 'b1')];
  assert.instance(await faultOf(pool.run('a', 'title', ['a3'])), QueueFull);
  assert.is(pool.size.waiting, 3);
  await Promise.all([first, ...waiting]);
  assert.equal(order, ['a1', 'b1', 'a2']);
});

test('work whose signal is aborted rejects at once, and begins no more', async () => {
  const pool = poolOf();
  const stop = new AbortController();
  const reason = new Error('enough');
  const running = pool.run('a', 'capture', [{ ...material, text: longText }], stop.signal);
  const waiting = pool.run('a', 'title', ['x'], stop.signal);
  stop.abort(reason);
  assert.is(await faultOf(running), reason);
  assert.is(await faultOf(waiting), reason);
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('a thread without work ends', async () => {
  const pool = poolOf({ idleSeconds: 0.01 });
  await pool.run('a', 'title', ['x']);
  await until(() => pool.size.threads === 0);
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('closing ends the work in progress', async () => {
  const pool = poolOf();
  const running = faultOf(pool.run('a', 'capture', [{ ...material, text: longText }]));
  await until(() => pool.size.threads === 1);
  await pool.close();
  assert.match(String(await running), /ended/);
  assert.match(String(await faultOf(pool.run('a', 'title', ['x']))), /closed/);
});

test('only small values are small', () => {
  assert.ok(isSmall(['a'.repeat(7000), { a: [1, null, 'b'] }]));
  assert.not(isSmall(['a'.repeat(8001)]));
  assert.not(isSmall({ a: Array.from({ length: 1000 }, () => null) }));
  assert.not(isSmall(Array.from({ length: 100_000 }, () => 'a')));
});

test.run();
