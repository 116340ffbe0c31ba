import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Context } from '../../domain/context.ts';
import { sumDays } from '../../domain/usage/daily-sums.ts';
import { dayAfter, dayAt } from '../../domain/usage/days.ts';
import { charge } from '../../domain/usage/minutes.ts';
import { sumOldMinutes } from '../../domain/usage/retention.ts';
import { getUsage } from '../../domain/usage/rows.ts';
import { type UsageAnswer, usageTriggers } from '../../domain/usage/shapes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addAgent, assistantOf } from '../support/todo-fixtures.ts';
import { openTurn, worldOf } from '../support/turn-world.ts';

/* What `getUsage` reports out of the sums of days is what the entries of the ledger add up to. */

const test = suite('usage out of the sums of days');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Chatham', 'Pacific/Pago_Pago'];

interface Entry {
  kind: 'grant' | 'turn' | 'capture';
  minutes: number;
  agentId: string | null;
  turnId: string | null;
  trigger: string | null;
  at: string;
}

const stored = `select kind, minutes::float8, agent_id as "agentId", turn_id as "turnId", trigger, created_at as at
  from minute_entries where workspace_id = $1`;
const balance = 'select agent_minutes::float8 as minutes from workspaces where id = $1';

const tenths = (entries: readonly Entry[]) => entries.reduce((sum, { minutes }) => sum - Math.round(minutes * 10), 0);
const used = (entries: readonly Entry[]) => ({
  minutes: tenths(entries) / 10,
  turns: new Set(entries.flatMap(({ turnId }) => turnId ?? [])).size,
});

/** What is to be reported, summed up entry by entry. */
function plainSums(entries: readonly Entry[], { from, to, timezone }: Pick<UsageAnswer, 'from' | 'to' | 'timezone'>) {
  const days = entries.map((entry) => ({ ...entry, day: dayAt(new Date(entry.at), timezone) }));
  const inRange = days.filter((entry) => entry.day >= from && entry.day <= to);
  const [grants, work] = [
    inRange.filter(({ kind }) => kind === 'grant'),
    inRange.filter(({ kind }) => kind !== 'grant'),
  ];
  const byDay = Map.groupBy(work, (entry) => entry.day);
  const byTrigger = Map.groupBy(work, ({ trigger }) => trigger);
  const byAgent = Map.groupBy(work, ({ agentId }) => agentId);
  const allDays: { day: string; minutes: number; turns: number }[] = [];
  for (let each = from; each <= to; each = dayAfter(each, 1))
    allDays.push({ day: each, ...used(byDay.get(each) ?? []) });
  return {
    minutesGranted: -tenths(grants) / 10,
    minutesUsed: used(work).minutes,
    turns: used(work).turns,
    byDay: allDays,
    byAgent: Object.fromEntries([...byAgent].flatMap(([id, own]) => (id === null ? [] : [[id, used(own)]]))),
    byTrigger: usageTriggers.map((trigger) => ({ trigger, ...used(byTrigger.get(trigger) ?? []) })),
  };
}

/** Compares what is reported with the entries, in one snapshot. */
async function compare(workspace: TestWorkspace, range: { from?: string; to?: string }, clock = () => new Date()) {
  const { workspaceId } = workspace;
  await tandem.db.transaction(async (tx) => {
    await tx.rows('set transaction isolation level repeatable read', []);
    const entries = await tx.rows<Entry>(stored, [workspaceId]);
    const [left] = await tx.rows<{ minutes: number }>(balance, [workspaceId]);
    const ctx = { db: tx, principal: { workspaceId }, clock } as Context;
    const { object, from, to, timezone, minutesRemaining, byAgent, ...reported } = await getUsage(ctx, range);
    const agents = Object.fromEntries(byAgent.map(({ agentId, minutes, turns }) => [agentId, { minutes, turns }]));
    const note = `${timezone} ${from} to ${to}`;
    assert.equal({ ...reported, byAgent: agents }, plainSums(entries, { from, to, timezone }), note);
    assert.is(minutesRemaining, left?.minutes, note);
  });
}

/** Numbers from 0 up to `end`, the same for the same seed. */
function numbersOf(seed: number): (end: number) => number {
  let state = seed;
  return (end) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
}

const gaps = [0, 1000, 40_000, 6 * minute, 15 * minute, 16 * minute, 5 * hour, day, 33 * day];

/** Grants, captures and turns of the last 80 days that are charged again within seconds, or after weeks. */
function someEntries(next: (end: number) => number, agents: readonly string[]): Entry[] {
  const pick = <Item>(items: readonly Item[]) => items[next(items.length)] as Item;
  const entries: Entry[] = [];
  const ends = Date.now() - 5 * minute;
  for (let n = 0; n < 70; n++) {
    const isCapture = next(8) === 0;
    const [agentId, trigger] = isCapture ? [null, 'capture'] : [pick(agents), pick(usageTriggers.slice(0, 5))];
    const work = {
      kind: isCapture ? 'capture' : 'turn',
      agentId,
      turnId: isCapture ? null : newId(),
      trigger,
    } as const;
    // Many begin right before or after midnight somewhere.
    let at = ends - next(80) * day - next(2) * (ends % (15 * minute)) - next(3);
    for (let charges = 1 + next(7); charges > 0 && at < ends; charges--, at += pick(gaps)) {
      entries.push({ ...work, minutes: -(1 + next(30)) / 10, at: new Date(at).toISOString() });
    }
    if (next(20) === 0) {
      const at = new Date(ends - next(80) * day).toISOString();
      entries.push({ kind: 'grant', minutes: 100, agentId: null, turnId: null, trigger: null, at });
    }
  }
  return entries;
}

const insert = `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, turn_id, trigger, created_at)
  select $1, gen_random_uuid(), e.kind, e.minutes, e."agentId", e."turnId", e.trigger, e.at
  from jsonb_to_recordset($2::jsonb)
    as e(kind text, minutes numeric, "agentId" uuid, "turnId" uuid, trigger text, at timestamptz)`;

const enter = ({ workspaceId }: TestWorkspace, entries: readonly Entry[]) =>
  tandem.db.rows(insert, [workspaceId, JSON.stringify(entries)]);

const setZone = 'update workspaces set timezone = $2 where id = $1';

/** Compares ranges of days in each time zone. */
async function compareAll(workspace: TestWorkspace, next: (end: number) => number) {
  const today = dayAt(new Date(), 'UTC');
  for (const zone of zones) {
    await tandem.db.rows(setZone, [workspace.workspaceId, zone]);
    await compare(workspace, {});
    await compare(workspace, { from: dayAfter(today, -365), to: today });
    const from = dayAfter(today, -next(80));
    await compare(workspace, { from, to: dayAfter(from, next(4)) });
    await compare(workspace, { from, to: dayAfter(today, 1) });
  }
}

const summed = `select p.summed_until::text as until, (select count(*)::int from minute_days where workspace_id = $1) as days
  from minute_positions p where p.workspace_id = $1`;

async function busyWorkspace() {
  const workspace = await tandem.workspace();
  const assistant = await assistantOf(tandem, workspace.workspaceId);
  return { ...workspace, agents: [assistant, await addAgent(tandem, workspace.workspaceId, 'Scribe', true)] };
}

for (const seed of [1, 2, 3, 4]) {
  test(`every report equals the plain sums, whatever is summed up and whenever entries are made (${seed})`, async () => {
    const next = numbersOf(seed * 7919);
    const workspace = await busyWorkspace();
    const { workspaceId } = workspace;
    const entries = someEntries(next, workspace.agents);
    const isLate = entries.map(() => next(4) === 0);
    await enter(
      workspace,
      entries.filter((_, n) => !isLate[n]),
    );
    await compareAll(workspace, next);
    await sumDays(tandem.db, workspaceId);
    const [{ until, days } = { until: '', days: 0 }] = await tandem.db.rows<{ until: string; days: number }>(summed, [
      workspaceId,
    ]);
    assert.ok(until >= dayAfter(dayAt(new Date(), 'UTC'), -1) && days > 30, `${days} days until ${until}`);
    await compareAll(workspace, next);
    await enter(
      workspace,
      entries.filter((_, n) => isLate[n]),
    );
    await compareAll(workspace, next);
    await sumDays(tandem.db, workspaceId);
    await compareAll(workspace, next);
    await sumOldMinutes(tandem.db, workspaceId, { from: null, until: new Date(Date.now() - 10 * day).toISOString() });
    await compareAll(workspace, next);
    await tandem.db.rows(`update minute_positions set summed_until = '-infinity' where workspace_id = $1`, [
      workspaceId,
    ]);
    await sumDays(tandem.db, workspaceId, 1 + next(20));
    await compareAll(workspace, next);
  });
}

test('while turns are charged, entries are made late and two processes sum up days, each report equals the plain sums', async () => {
  const next = numbersOf(97);
  const workspace = await busyWorkspace();
  const { workspaceId } = workspace;
  await enter(workspace, someEntries(next, workspace.agents));
  const world = worldOf(tandem.db);
  let isOver = false;
  let compared = 0;
  const charging = async () => {
    const turn = await openTurn(world, workspace);
    // Until it was compared while it changed.
    for (let step = 1; step <= 25 || compared < 3; step++) {
      const charged = {
        ...turn,
        workspaceId,
        trigger: 'chat' as const,
        activeMs: step * 6000,
        minutes: (step - 1) / 10,
      };
      await tandem.db.transaction((tx) => charge({ ...world, db: tx }, charged));
    }
  };
  const entering = async () => {
    for (let n = 0; n < 12; n++) await enter(workspace, someEntries(next, workspace.agents).slice(n * 5, n * 5 + 3));
  };
  const summing = async () => {
    while (!isOver) await sumDays(tandem.db, workspaceId, 30);
  };
  const sums = [summing(), summing()];
  const work = Promise.all([charging(), charging(), entering()]).finally(() => {
    isOver = true;
  });
  for (; !isOver; compared++) await compare(workspace, { from: dayAfter(dayAt(new Date(), 'UTC'), -100) });
  await Promise.all([work, ...sums]);
  await sumDays(tandem.db, workspaceId);
  await compareAll(workspace, next);
});

test.run();
