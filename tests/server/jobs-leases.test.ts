import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { addDigest, type TurnRef } from '../../domain/jobs.ts';
import { type Claim, saveCalls } from '../../domain/turns/steps.ts';
import { captureLeases } from '../../server/workers/captures/leases.ts';
import { digestLeases } from '../../server/workers/digests/leases.ts';
import { emailLeases, endEmail } from '../../server/workers/emails/claims.ts';
import { leaseSeconds } from '../../server/workers/queue/leases.ts';
import { Ring } from '../../server/workers/queue/ring.ts';
import { turnLeases } from '../../server/workers/turns/leases.ts';
import type { TurnParts } from '../../server/workers/turns/parts.ts';
import { turnHandler } from '../../server/workers/turns/worker.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { startWatched, type TurnSeed, turnInState, type Watch } from '../support/jobs-world.ts';
import { inLanes } from '../support/lanes.ts';
import { hold, releaseAll } from '../support/locks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('leases on turns');
const first = '00000000-0000-0000-0000-000000000000';
let idle: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  idle = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.before.each(async () => {
  workspace = await idle.workspace();
});
test.after.each(async () => {
  await releaseAll();
  // The workers of later tests would find them.
  await idle.db.rows(`update chat_turns set ended_at = now(), outcome = 'completed' where ended_at is null`, []);
});
test.after(() => idle.close());

const seed = (options: TurnSeed = {}, of: TestWorkspace = workspace) => turnInState(idle, of, options);

/** Claims up to `limit` turns, as a process does that claimed for the workspace `after` last. */
async function claim(limit = 100, after = first): Promise<Claim[]> {
  return (await turnLeases.claim(idle.db, limit, newId(), after)).claims;
}

const ids = (turns: readonly TurnRef[]) => turns.map(({ turnId }) => turnId).sort();

/** The time now, rounded to a millisecond as columns save it: one with more digits may be later than the next saved. */
const savedNow = 'now()::timestamptz(3)';

/** The time of the database. */
async function now(): Promise<string> {
  const [row] = await idle.db.rows<{ now: string }>(`select ${savedNow}::text as now`, []);
  return row?.now ?? '';
}

/** Seconds until the lease of a turn ends, from now or from another time on. */
async function secondsLeft({ workspaceId, turnId }: TurnRef, since?: string): Promise<number> {
  const text = `select extract(epoch from lease_until - coalesce($3::timestamptz, ${savedNow}))::float8 as seconds
    from chat_turns where workspace_id = $1 and id = $2`;
  const [row] = await idle.db.rows<{ seconds: number }>(text, [workspaceId, turnId, since ?? null]);
  return row?.seconds ?? Number.NaN;
}

test('a turn from before the clock of the database was set back is recalled, and one that waits for its time is not', async () => {
  const [before, waiting] = [await seed(), await seed()];
  const ahead = `update chat_turns set lease_until = now() + interval '2 hours', created_at = now() - interval '1 day'
    where workspace_id = $1`;
  await idle.db.rows(ahead, [waiting.workspaceId]);
  const wait = `update chat_turns set not_before = lease_until where workspace_id = $1 and id = $2`;
  await idle.db.rows(wait, [waiting.workspaceId, waiting.turnId]);
  assert.equal(await claim(), []);
  await turnLeases.recall(idle.db);
  assert.equal(ids(await claim()), [before.turnId]);
  assert.ok((await secondsLeft(waiting)) > 7000, 'its time is the same');
});

test('a capture from before the clock was set back is recalled, and one whose next try is planned is not', async () => {
  const { workspaceId } = workspace;
  const made = await Promise.all(
    ['a', 'b'].map((content) => workspace.call('POST /captures', { type: 'note', content })),
  );
  const [before, planned] = made.map(({ body }) => body.id);
  const insert = `insert into capture_work (workspace_id, capture_id, step, tries, lease_until)
    select $1, id, 'digest', tries, now() + interval '2 hours' from unnest($2::uuid[], $3::int[]) c(id, tries)
    on conflict (workspace_id, capture_id) do update set tries = excluded.tries, lease_until = excluded.lease_until`;
  await idle.db.rows(insert, [workspaceId, [before, planned], [0, 1]]);
  await captureLeases.recall(idle.db);
  const due = `select capture_id as id from capture_work where workspace_id = $1 and lease_until < now() + interval '1 hour'`;
  assert.equal(await idle.db.rows(due, [workspaceId]), [{ id: before }]);
  await idle.db.rows('delete from capture_work where workspace_id = $1', [workspaceId]);
});

test('with a share a workspace gets no more than that, with what it holds already, and others do', async () => {
  const other = await idle.workspace();
  const [own, others] = [[], []] as [TurnRef[], TurnRef[]];
  for (let made = 0; made < 5; made++) own.push(await seed());
  for (let made = 0; made < 2; made++) others.push(await seed({}, other));
  const claimed = async (held: readonly string[]) => {
    const share = { most: 3, held };
    const { claims, found } = await turnLeases.claim(idle.db, 10, newId(), first, share);
    assert.is(found, claims.length);
    return [own, others].map((turns) => claims.filter(({ turnId }) => ids(turns).includes(turnId)).length);
  };
  const { workspaceId } = workspace;
  assert.equal(await claimed([workspaceId, workspaceId]), [1, 2]);
  assert.equal(await claimed([workspaceId, workspaceId, workspaceId]), [0, 0]);
  assert.equal(await claimed([other.workspaceId]), [3, 0]);
});

test('a turn that is due is claimed once, and again when its lease has ended', async () => {
  const turn = await seed();
  const before = await now();
  const [claimed, ...others] = await claim();
  assert.equal(others, []);
  assert.equal([claimed?.turnId, claimed?.chatId, claimed?.attempt], [turn.turnId, turn.chatId, 1]);
  assert.ok((await secondsLeft(turn)) <= leaseSeconds);
  assert.ok((await secondsLeft(turn, before)) >= leaseSeconds);
  assert.equal(await claim(), []);
  await idle.db.rows('update chat_turns set lease_until = now() where id = $1', [turn.turnId]);
  const [again] = await claim();
  assert.is(again?.attempt, 2, 'the fence is raised');
});

test('turns are claimed in chats that work, or that waited for a time that has come', async () => {
  const due = [await seed(), await seed({ status: 'queued', notBefore: -5 }), await seed({ status: 'queued' })];
  await seed({ lease: 30 });
  await seed({ lease: null });
  await seed({ ended: true });
  await seed({ status: 'awaiting_input' });
  await seed({ status: 'completed' });
  await seed({ status: 'queued', notBefore: 60 });
  assert.equal(ids(await claim()), ids(due));
});

test('a row that another process has locked is passed over, without waiting', async () => {
  const [held, free] = [await seed(), await seed()];
  await hold('select 1 from chat_turns where workspace_id = $1 and id = $2 for update', [
    held.workspaceId,
    held.turnId,
  ]);
  const { claims, found } = await turnLeases.claim(idle.db, 10, newId(), first);
  assert.equal([ids(claims), found], [ids([free]), 2]);
});

test('many claims at once give each turn to one of them', async () => {
  const turns = await inLanes(230, 20, () => seed());
  const claimed: Claim[] = [];
  while (claimed.length < turns.length) {
    const rounds = await Promise.all(Array.from({ length: 5 }, () => claim(20)));
    assert.ok(rounds.some(({ length }) => length > 0));
    claimed.push(...rounds.flat());
  }
  assert.equal(ids(claimed), ids(turns));
});

test('workspaces take turns: one with 1,000 queued turns does not hold up the others', async () => {
  const other = await idle.workspace();
  const third = await idle.workspace();
  await inLanes(1000, 20, () => seed({ lease: -100 }));
  const late = await Promise.all(Array.from({ length: 5 }, () => seed({ lease: -1 }, other)));
  const latest = await Promise.all(Array.from({ length: 5 }, () => seed({ lease: 0 }, third)));
  const claimed: Claim[] = [];
  for (let after = first; claimed.length < 24; after = claimed.at(-1)?.workspaceId ?? after)
    claimed.push(...(await claim(claimed.length < 6 ? 3 : 1, after)));
  const of = ({ workspaceId }: TestWorkspace) => claimed.filter((each) => each.workspaceId === workspaceId);
  assert.equal(ids(of(other)), ids(late));
  assert.equal(ids(of(third)), ids(latest));
  const places = claimed.slice(0, 15).map(({ workspaceId }) => workspaceId);
  assert.is(places.filter((id) => id === workspace.workspaceId).length, 5, 'each has a third while all have work');
});

test('a lease is renewed while the worker holds it, and not after', async () => {
  const [kept, lost, ended] = [await seed(), await seed(), await seed()];
  const claims = await claim();
  const claimOf = ({ turnId }: TurnRef) => claims.find((each) => each.turnId === turnId) as Claim;
  await idle.db.rows(`update chat_turns set lease_until = now() + interval '10 seconds' where id = $1`, [kept.turnId]);
  await idle.db.rows('update chat_turns set attempt = attempt + 1 where id = $1', [lost.turnId]);
  await idle.db.rows(`update chat_turns set ended_at = now(), outcome = 'cancelled' where id = $1`, [ended.turnId]);
  const before = await now();
  assert.equal(await turnLeases.renew(idle.db, claims), new Set([claimOf(kept)]));
  assert.ok((await secondsLeft(kept, before)) >= leaseSeconds);
});

test('renewing does not wait for a step that holds the row, which stays with its worker', async () => {
  const turn = await seed();
  const [claimed] = await claim();
  assert.ok(claimed);
  await hold('select 1 from chat_turns where workspace_id = $1 and id = $2 for update', [
    turn.workspaceId,
    turn.turnId,
  ]);
  assert.equal(await turnLeases.renew(idle.db, [claimed]), new Set([claimed]));
});

test('what is handed back is due at once, what failed after its pause, and what was lost is left alone', async () => {
  const turns = [await seed(), await seed(), await seed()];
  const [back, failed, lost] = await claim();
  assert.ok(back && failed && lost);
  await idle.db.rows('update chat_turns set attempt = attempt + 1 where id = $1', [lost.turnId]);
  const before = await now();
  const kept = await secondsLeft(lost, before);
  await turnLeases.handBack(idle.db, back);
  await turnLeases.retry(idle.db, failed, 60);
  await turnLeases.handBack(idle.db, lost);
  assert.ok((await secondsLeft(back)) <= 0);
  assert.ok((await secondsLeft(failed, before)) >= 60 && (await secondsLeft(failed)) <= 60);
  assert.is(await secondsLeft(lost, before), kept);
  assert.equal(ids(await claim()), [back.turnId]);
  assert.is(turns.length, 3);
});

test('a digest that was given back keeps its pause: its worker no longer renews it', async () => {
  const digest = { kind: 'chat_title', workspaceId: workspace.workspaceId, id: newId() } as const;
  await addDigest(idle.db, digest);
  const { claims } = await digestLeases.claim(idle.db, 100, newId(), first);
  const claimed = claims.find(({ id }) => id === digest.id);
  assert.ok(claimed);
  await digestLeases.retry(idle.db, claimed, 60);
  assert.is((await digestLeases.renew(idle.db, [claimed])).size, 0);
  const left = `select extract(epoch from lease_until - now())::float8 as seconds from digests where subject_id = $1`;
  const [row] = await idle.db.rows<{ seconds: number }>(left, [digest.id]);
  assert.ok((row?.seconds ?? 0) > leaseSeconds, `${row?.seconds} s`);
  await digestLeases.remove(idle.db, [claimed]);
});

test('workspaces whose work is due and may not begin yet do not hide those after them', async () => {
  const others = await Promise.all(Array.from({ length: 30 }, () => idle.workspace()));
  const sorted = [...others].sort((one, other) => (one.workspaceId < other.workspaceId ? -1 : 1));
  const last = sorted.pop() as TestWorkspace;
  await Promise.all(sorted.map((each) => seed({ status: 'queued', notBefore: 600 }, each)));
  const due = await seed({}, last);
  const ring = new Ring();
  const claimed: Claim[] = [];
  for (let claims = 0; claims < 8 && claimed.length === 0; claims++) {
    const answer = await turnLeases.claim(idle.db, 1, newId(), ring.after);
    ring.advance(answer);
    claimed.push(...answer.claims);
  }
  assert.equal(ids(claimed), [due.turnId]);
});

test('the pause of a turn grows with the claims since its last step, not with those of a whole life', async () => {
  const turn = await seed();
  const claims = async () => {
    await idle.db.rows('update chat_turns set lease_until = now() where id = $1', [turn.turnId]);
    const [claimed] = await claim();
    assert.ok(claimed);
    return claimed;
  };
  for (let count = 1; count <= 6; count++) assert.is((await claims()).claims, count);
  const { live } = idle.service;
  const ctx = { db: idle.db, live, clock: () => new Date(), mail: { sends: false } };
  const held = await claims();
  await idle.db.transaction((db) => saveCalls({ ...ctx, db }, held, { text: 'On it.', calls: [] }, 0));
  const after = await claims();
  assert.equal([after.claims, after.attempt], [1, 8]);
  await turnLeases.handBack(idle.db, after);
  assert.is((await claims()).claims, 1, 'what a process that stops hands back is no failure');
});

test('an email that a process hands back was not tried', async () => {
  const { workspaceId, userId } = workspace;
  await notifyPeople(idle.db, workspaceId, [userId], { sends: true });
  const claims = async () => {
    const { claims } = await emailLeases.claim(idle.db, 100, newId(), first);
    const claimed = claims.find((each) => each.workspaceId === workspaceId);
    assert.ok(claimed);
    return claimed;
  };
  const claimed = await claims();
  assert.is(claimed.attempt, 1);
  await emailLeases.handBack(idle.db, claimed);
  assert.is((await claims()).attempt, 1);
  await emailLeases.handBack(idle.db, { ...claimed, attempt: 7 });
  await endEmail(idle.db, claimed, 'suppressed');
});

test('a turn that waits for working hours, and never begins, is given up too', async () => {
  const turn = await seed({ status: 'queued', notBefore: -5 });
  await idle.db.rows('update chat_turns set attempt = 25, claims = 25 where id = $1', [turn.turnId]);
  const [claimed] = await claim();
  assert.ok(claimed);
  const { live } = idle.service;
  const context = { db: idle.db, live, clock: () => new Date(), mail: { sends: false } };
  const handle = turnHandler({ context, log: pino({ level: 'silent' }) } as unknown as TurnParts);
  await handle(claimed, { signal: new AbortController().signal, check: () => {}, wakeIn: () => {} });
  const text = `select t.outcome, c.status from chat_turns t join chats c
    on c.workspace_id = t.workspace_id and c.id = t.chat_id where t.id = $1`;
  assert.equal(await idle.db.rows(text, [turn.turnId]), [{ outcome: 'failed', status: 'failed' }]);
});

test('the turns of a process that died are found within seconds after their lease, without a notification', async () => {
  const working: TestService & { watch: Watch } = await startWatched();
  try {
    const turn = await seed({ lease: 1 });
    await until(() => working.watch.times(turn).length > 0);
    await sleep(200);
    assert.is(working.watch.times(turn).length, 1);
  } finally {
    await working.close();
  }
});

test.run();
