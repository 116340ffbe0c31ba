import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { QueueFull } from '../../db/fair-queue.ts';
import { Failure } from '../../domain/errors.ts';
import { type PoolLimits, TaskPool } from '../../server/compute/pool.ts';
import { isSmall } from '../../server/compute/size.ts';
import { ProcessCrashed, TaskLimit } from '../../server/compute/task-process.ts';
import { openOfflineWork } from '../../server/compute/work.ts';
import { facts, requestOf } from '../support/offline-engine.ts';
import { childrenOf, isMeasurable } from '../support/process-usage.ts';
import { until, within } from '../support/until.ts';

const test = suite('compute processes');

const usual: PoolLimits = {
  maxRunning: 1,
  maxWaiting: 10,
  maxWaitingPerKey: 5,
  maxSeconds: 100,
  maxMegabytes: 256,
  idleSeconds: 100,
};
const pools: TaskPool[] = [];

function poolOf(limits: Partial<PoolLimits> = {}): TaskPool {
  const pool = new TaskPool({ ...usual, ...limits });
  pools.push(pool);
  return pool;
}

test.after.each(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
});

const material = { type: 'note', title: null, notes: null, date: '2026-01-05', people: [] } as const;
const sentence = 'We send the report to Ada by Friday. ';
/** Work that nobody waits for, and work that takes a few tenths of a second. */
const [longText, shortText] = [sentence.repeat(100_000), sentence.repeat(10_000)];

/** What a promise rejects with. */
const faultOf = (work: Promise<unknown>): Promise<unknown> =>
  within(
    () => 'the work ends',
    work.then(
      () => undefined,
      (error: unknown) => error,
    ),
  );

test('work is done in a process, and the process is used again', async () => {
  const pool = poolOf();
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
  assert.is(await pool.run('b', 'title', ['please buy bread']), 'Buy bread');
  assert.equal(pool.size, { processes: 1, waiting: 0 });
});

test('a refusal arrives as the failure that it is', async () => {
  const fault = (await faultOf(poolOf().run('a', 'transcript', ['vtt', 'no cues', 'transcript.body']))) as Failure;
  assert.instance(fault, Failure);
  assert.is(fault.problem.status, 400);
  assert.is(fault.problem.errors?.[0]?.param, 'transcript.body');
});

test('a process that takes too long is ended, and the next work has another one', async () => {
  const pool = poolOf({ maxSeconds: 0.02 });
  const fault = await faultOf(pool.run('a', 'capture', [{ ...material, text: longText }]));
  assert.instance(fault, TaskLimit);
  assert.is((fault as TaskLimit).limit, 'time');
  await until(() => pool.size.processes === 0);
  const next = poolOf();
  assert.is(await next.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('a process that needs too much memory is ended, and the process continues', async () => {
  const pool = poolOf({ maxMegabytes: 24 });
  const fault = await faultOf(pool.run('a', 'capture', [{ ...material, text: '漢字 a. '.repeat(500_000) }]));
  assert.instance(fault, TaskLimit);
  assert.is((fault as TaskLimit).limit, 'memory');
  await until(() => pool.size.processes === 0);
});

if (isMeasurable) {
  test('work is done once more when its process crashes', async () => {
    const pool = poolOf();
    const crashed: number[] = [];
    const crash = async () => {
      const alive = () => childrenOf(process.pid).filter((pid) => !crashed.includes(pid));
      await until(() => alive().length > 0);
      for (const pid of alive()) crashed.push(pid) && process.kill(pid, 'SIGKILL');
    };
    const once = pool.run('a', 'capture', [{ ...material, text: shortText }]);
    await crash();
    assert.ok(await once);
    const twice = faultOf(poolOf().run('a', 'capture', [{ ...material, text: longText }]));
    await crash();
    await crash();
    assert.instance(await twice, ProcessCrashed);
  });

  test('a compute process sees no setting of the service', async () => {
    const others = childrenOf(process.pid);
    await poolOf().run('a', 'title', ['x']);
    const [pid] = childrenOf(process.pid).filter((each) => !others.includes(each));
    assert.not.match(readFileSync(`/proc/${pid}/environ`, 'utf8'), /DATABASE|PATH=/);
  });
}

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

test('turns of workspaces take turns, and one that waits for a process is not at work', async () => {
  const offline = openOfflineWork();
  const order: string[] = [];
  const turn = (id: string, signal = new AbortController().signal) => {
    const more = { facts: { workspace: { ...facts.workspace, id } } };
    const request = requestOf([{ role: 'user', text: `${'What do you mean? '.repeat(50)}\n`.repeat(10) }], more);
    const activeMs: number[] = [];
    const pauses: string[] = [];
    const onActive = (ms: number) => void activeMs.push(ms);
    const onPause = () => {
      pauses.push('pause');
      return () => void pauses.push('end');
    };
    const answered = offline.engine.answer({ ...request, signal, onActive, onPause }).then(() => order.push(id));
    return { answered, activeMs, pauses };
  };
  try {
    const many = Array.from({ length: 12 }, () => turn('many'));
    const stop = new AbortController();
    const reason = new Error('enough');
    const stopped = turn('another', stop.signal);
    const other = turn('other');
    stop.abort(reason);
    assert.is(await faultOf(stopped.answered), reason);
    assert.equal([stopped.activeMs, stopped.pauses], [[0], ['pause']], 'it had not begun');
    await within(() => 'all are answered', Promise.all([...many, other].map(({ answered }) => answered)));
    assert.ok(order.indexOf('other') < many.length - 1, order.join(' '));
    for (const { activeMs, pauses } of many) {
      assert.ok(activeMs.length === 1 && (activeMs[0] ?? 0) > 0);
      assert.equal(pauses, ['pause', 'end'], 'its time stands still until it has a process');
    }
  } finally {
    await offline.close();
  }
});

test('work whose signal is aborted rejects at once, and begins no more', async () => {
  const pool = poolOf();
  const stop = new AbortController();
  const reason = new Error('enough');
  const running = pool.run('a', 'capture', [{ ...material, text: shortText }], stop.signal);
  const waiting = pool.run('a', 'title', ['x'], stop.signal);
  stop.abort(reason);
  assert.is(await faultOf(running), reason);
  assert.is(await faultOf(waiting), reason);
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('a process without work ends', async () => {
  const pool = poolOf({ idleSeconds: 0.01 });
  await pool.run('a', 'title', ['x']);
  await until(() => pool.size.processes === 0);
  assert.is(await pool.run('a', 'title', ['please buy milk']), 'Buy milk');
});

test('closing ends the work in progress', async () => {
  const pool = poolOf();
  const running = faultOf(pool.run('a', 'capture', [{ ...material, text: longText }]));
  await until(() => pool.size.processes === 1);
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
