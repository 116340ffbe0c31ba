import { mock } from 'node:test';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Database } from '../../db/client.ts';
import type { Claimed, LeasedRow, Leases } from '../../server/workers/queue/leases.ts';
import { type LoopParts, startLoop } from '../../server/workers/queue/loop.ts';
import { until } from '../support/until.ts';

/* The loop of workers, on leases of the test. */

const test = suite('the loop of workers');
const log = pino({ level: 'silent' });
const db = {} as Database;
const never = new Promise<never>(() => {});

interface Calls {
  retried: LeasedRow[];
  handedBack: LeasedRow[];
  removed: (readonly LeasedRow[])[];
}

/** Leases on as many rows as are given, and what was done with them. */
function leasesOn(rows: number, more: Partial<Leases<LeasedRow>> = {}): Leases<LeasedRow> & Calls {
  const waiting = Array.from({ length: rows }, (_, place) => ({ workspaceId: String(place), attempt: 1 }));
  const calls: Calls = { retried: [], handedBack: [], removed: [] };
  return {
    ...calls,
    name: 'rows',
    leaseSeconds: 12,
    waiting: '',
    claim: async (_db, limit) => {
      const claims = waiting.splice(0, limit);
      return { claims, found: claims.length, reached: null };
    },
    othersWait: async () => false,
    renew: async (_db, claims) => new Set(claims),
    retry: async (_db, claim) => void calls.retried.push(claim),
    handBack: async (_db, claim) => void calls.handedBack.push(claim),
    remove: async (_db, claims) => void calls.removed.push(claims),
    recall: async () => {},
    ...more,
  };
}

const start = (parts: Pick<LoopParts<LeasedRow>, 'leases' | 'handle'> & Partial<LoopParts<LeasedRow>>) =>
  startLoop({ db, log, concurrency: 1, ...parts });

/** Lets all go on that no timer holds. */
async function settle(): Promise<void> {
  for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate);
}

test.after.each(() => mock.timers.reset());

test('work that failed is given back after a pause, and work in progress at once when the process stops', async () => {
  const leases = leasesOn(2);
  const loop = start({ leases, handle: ({ workspaceId }) => (workspaceId === '0' ? Promise.reject('no') : never) });
  await until(() => loop.failed === 1 && loop.running === 1);
  await loop.stop(0);
  assert.equal([leases.retried.length, leases.handedBack.length], [1, 1]);
});

test('what must not be repeated soon keeps its lease when its work fails, and when the process stops', async () => {
  const leases = leasesOn(2);
  const handle = ({ workspaceId }: LeasedRow) => (workspaceId === '0' ? Promise.reject('no') : never);
  const loop = start({ leases, handle, keepsLease: true });
  await until(() => loop.failed === 1 && loop.running === 1);
  await loop.stop(0);
  assert.equal([leases.retried, leases.handedBack], [[], []]);
});

test('what was claimed while the process stopped is handed back, as nothing was done of it', async () => {
  const claiming = Promise.withResolvers<Claimed<LeasedRow>>();
  const leases = leasesOn(0, { claim: () => claiming.promise });
  const loop = start({ leases, handle: () => never, keepsLease: true });
  const stopped = loop.stop(5);
  const claim = { workspaceId: '0', attempt: 1 };
  claiming.resolve({ claims: [claim], found: 1, reached: null });
  await stopped;
  assert.equal(leases.handedBack, [claim]);
});

test('a statement that is never answered holds up neither the deletion of other jobs nor the place of one', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const removed: number[] = [];
  const leases = leasesOn(3, {
    remove: async (_db, claims) => {
      removed.push(claims.length);
      if (removed.length === 1) await never;
    },
    retry: () => never,
  });
  const handle = async ({ workspaceId }: LeasedRow) => {
    if (workspaceId === '1') throw new Error('no');
  };
  const loop = start({ leases, handle, concurrency: 2, removes: true });
  await settle();
  assert.equal([removed, loop.running], [[1], 1]);
  mock.timers.tick(15_000);
  await settle();
  assert.equal([removed, loop.running], [[1, 1], 0]);
});

test('the pause of work that failed is its own', async () => {
  const pauses: number[] = [];
  const leases = leasesOn(1, { retry: async (_db, _claim, seconds) => void pauses.push(seconds) });
  const loop = start({ leases, handle: () => Promise.reject('no'), retrySeconds: ({ attempt }) => attempt + 299 });
  await until(() => pauses.length > 0);
  await loop.stop(0);
  assert.equal(pauses, [300]);
});

test('work is looked for when a failed try is due again, and when its handler says that it is', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let asked = 0;
  const claims = [
    { workspaceId: '0', attempt: 1 },
    { workspaceId: '1', attempt: 1 },
  ];
  const claim = async () => {
    asked++;
    return { claims: claims.splice(0, 1), found: 0, reached: null };
  };
  const handle: LoopParts<LeasedRow>['handle'] = async ({ workspaceId }, { wakeIn }) => {
    if (workspaceId === '0') throw new Error('no');
    wakeIn(1000);
  };
  const loop = start({ leases: leasesOn(0, { claim }), handle, retrySeconds: () => 0.5 });
  await settle();
  const before = asked;
  mock.timers.tick(499);
  await settle();
  assert.is(asked, before, 'nothing is due');
  mock.timers.tick(1);
  await settle();
  assert.is(asked, before + 1, 'the failed one is due');
  mock.timers.tick(500);
  await settle();
  assert.is(asked, before + 2, 'the other one is due');
  await loop.stop(0);
});

test('a claim that gets nothing moves on to the next workspaces, once round, and then waits', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  const ring = [
    '00000000-0000-0000-0000-00000000000a',
    '00000000-0000-0000-0000-00000000000b',
    'c0000000-0000-0000-0000-000000000000',
  ];
  const asked: string[] = [];
  const claim = async (_db: Database, _limit: number, _worker: string, after: string) => {
    asked.push(after);
    const reached = ring[(ring.indexOf(after) + 1) % ring.length] ?? null;
    return { claims: [], found: 0, reached };
  };
  const loop = start({ leases: leasesOn(0, { claim }), handle: () => never });
  await settle();
  for (let round = 0; round < 3; round++) {
    mock.timers.tick(100);
    await settle();
  }
  const [beginning] = asked;
  assert.equal(asked, [beginning, ...ring]);
  mock.timers.tick(1000);
  await settle();
  assert.is(asked.length, 4, 'all were looked at');
  mock.timers.tick(1000);
  await settle();
  assert.is(asked.length, 5);
  const stopped = loop.stop(0);
  mock.timers.tick(10_000);
  await settle();
  await stopped;
});

test('work from before a clock was set back is recalled each minute, until the loop is stopped', async () => {
  mock.timers.enable({ apis: ['setTimeout', 'setInterval'] });
  let recalls = 0;
  const leases = leasesOn(0, { recall: async () => void recalls++ });
  const loop = start({ leases, handle: () => never });
  mock.timers.tick(59_999);
  assert.is(recalls, 0);
  mock.timers.tick(1);
  assert.is(recalls, 1);
  const stopped = loop.stop(0);
  await settle();
  mock.timers.tick(10_000);
  await settle();
  await stopped;
  mock.timers.tick(120_000);
  assert.is(recalls, 1);
});

test.run();
