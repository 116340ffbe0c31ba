import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { charge, type Trigger } from '../../domain/usage/minutes.ts';
import { usageTriggers } from '../../domain/usage/shapes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addAgent, assistantOf, refused } from '../support/todo-fixtures.ts';
import { openTurn, worldOf } from '../support/turn-world.ts';

const test = suite('usage');
let tandem: TestService;
let now = new Date('2026-03-31T12:00:00.000Z');

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { clock: () => now });
});
test.before.each(() => {
  now = new Date('2026-03-31T12:00:00.000Z');
});
test.after(() => tandem.close());

const insert = `insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger, created_at)
  values ($1, gen_random_uuid(), 'turn', -($2::numeric), $3, gen_random_uuid(), $4, $5, $6)`;
const regrant = `update minute_entries set minutes = 600, created_at = $2 where workspace_id = $1 and kind = 'grant'`;

interface Work {
  at: string;
  minutes: number;
  agentId: string;
  turnId?: string;
  trigger?: Trigger;
}

/** Enters work of a turn into the ledger at a time of its own, as if it had been charged then. */
async function work({ workspaceId }: TestWorkspace, { at, minutes, agentId, turnId, trigger = 'chat' }: Work) {
  await tandem.db.rows(insert, [workspaceId, minutes, agentId, turnId ?? newId(), trigger, at]);
  const take = 'update workspaces set agent_minutes = agent_minutes - $2::numeric where id = $1';
  await tandem.db.rows(take, [workspaceId, minutes]);
}

/** A workspace in this time zone, whose first grant was made at `granted`. */
async function workspaceIn(timezone: string, granted = '2026-03-10T12:00:00.000Z') {
  const workspace = await tandem.workspace();
  await tandem.db.rows('update workspaces set timezone = $2 where id = $1', [workspace.workspaceId, timezone]);
  await tandem.db.rows(regrant, [workspace.workspaceId, granted]);
  return { ...workspace, agentId: await assistantOf(tandem, workspace.workspaceId) };
}

const none = usageTriggers.map((trigger) => ({ trigger, minutes: 0, turns: 0 }));

test('a workspace that used nothing gets zeros for the last 30 days, every day of them', async () => {
  const workspace = await workspaceIn('UTC');
  const { status, body } = await workspace.call('GET /usage');
  assert.is(status, 200);
  const { byDay, ...rest } = body;
  assert.equal(rest, {
    object: 'usage',
    from: '2026-03-02',
    to: '2026-03-31',
    timezone: 'UTC',
    minutesGranted: 600,
    minutesUsed: 0,
    minutesRemaining: 600,
    turns: 0,
    byAgent: [],
    byTrigger: none,
  });
  assert.is(byDay.length, 30);
  for (const [place, day] of byDay.entries()) {
    const date = new Date(Date.UTC(2026, 2, 2 + place)).toISOString().slice(0, 10);
    assert.equal(day, { day: date, minutes: 0, turns: 0 });
  }
});

test('work is reported by day, agent and trigger, and the sums agree', async () => {
  const workspace = await workspaceIn('UTC');
  const { agentId, workspaceId } = workspace;
  const scribe = await addAgent(tandem, workspaceId, 'Scribe', true);
  const turnId = newId();
  await work(workspace, { at: '2026-03-30T23:59:59.999Z', minutes: 0.1, agentId, turnId });
  await work(workspace, { at: '2026-03-31T00:00:00.000Z', minutes: 0.2, agentId, turnId });
  await work(workspace, { at: '2026-03-31T08:00:00.000Z', minutes: 0.7, agentId: scribe, trigger: 'schedule' });
  await work(workspace, { at: '2026-03-31T08:00:01.000Z', minutes: 10.1, agentId: scribe, trigger: 'manual' });
  await work(workspace, { at: '2026-03-29T08:00:00.000Z', minutes: 99, agentId });
  const { body } = await workspace.call('GET /usage?from=2026-03-30&to=2026-03-31');
  assert.equal(body, {
    object: 'usage',
    from: '2026-03-30',
    to: '2026-03-31',
    timezone: 'UTC',
    minutesGranted: 0,
    minutesUsed: 11.1,
    minutesRemaining: 489.9,
    turns: 3,
    byDay: [
      { day: '2026-03-30', minutes: 0.1, turns: 1 },
      { day: '2026-03-31', minutes: 11, turns: 3 },
    ],
    byAgent: [
      { agentId: scribe, name: 'Scribe', minutes: 10.8, turns: 2 },
      { agentId, name: 'Assistant', minutes: 0.3, turns: 1 },
    ],
    byTrigger: [
      { trigger: 'chat', minutes: 0.3, turns: 1 },
      { trigger: 'manual', minutes: 10.1, turns: 1 },
      { trigger: 'create', minutes: 0, turns: 0 },
      { trigger: 'assignment', minutes: 0, turns: 0 },
      { trigger: 'schedule', minutes: 0.7, turns: 1 },
      { trigger: 'capture', minutes: 0, turns: 0 },
    ],
  });
});

test('days are those of the workspace’s time zone, also when the clocks change', async () => {
  const workspace = await workspaceIn('Europe/Berlin', '2026-03-28T23:00:00.000Z');
  const { agentId } = workspace;
  for (const [at, minutes] of [
    ['2026-03-28T22:59:59.999Z', 1],
    ['2026-03-28T23:00:00.000Z', 2],
    ['2026-03-29T21:59:59.999Z', 4],
    ['2026-03-29T22:00:00.000Z', 8],
  ] as const) {
    await work(workspace, { at, minutes, agentId });
  }
  const { body } = await workspace.call('GET /usage?from=2026-03-28&to=2026-03-30');
  assert.is(body.timezone, 'Europe/Berlin');
  assert.equal(
    body.byDay.map(({ minutes }: { minutes: number }) => minutes),
    [1, 6, 8],
  );
  assert.is(body.minutesGranted, 600);
  assert.is((await workspace.call('GET /usage?from=2026-03-28&to=2026-03-28')).body.minutesGranted, 0);
});

test('today is today where the workspace is', async () => {
  now = new Date('2026-03-31T23:30:00.000Z');
  for (const [timezone, today] of [
    ['UTC', '2026-03-31'],
    ['Asia/Tokyo', '2026-04-01'],
    ['Pacific/Kiritimati', '2026-04-01'],
    ['Pacific/Pago_Pago', '2026-03-31'],
  ] as const) {
    const workspace = await workspaceIn(timezone);
    await work(workspace, { at: now.toISOString(), minutes: 1, agentId: workspace.agentId });
    const { body } = await workspace.call('GET /usage');
    assert.is(body.to, today, timezone);
    assert.equal(body.byDay.at(-1), { day: today, minutes: 1, turns: 1 });
  }
});

test('from alone ends today, to alone takes 30 days, and 366 days are a whole leap year', async () => {
  const { call } = await workspaceIn('UTC');
  const range = async (query: string) => {
    const { from, to, byDay } = (await call(`GET /usage?${query}`)).body;
    return [from, to, byDay.length];
  };
  assert.equal(await range('from=2026-03-31'), ['2026-03-31', '2026-03-31', 1]);
  assert.equal(await range('from=2025-03-31'), ['2025-03-31', '2026-03-31', 366]);
  assert.equal(await range('to=2026-01-30'), ['2026-01-01', '2026-01-30', 30]);
  assert.equal(await range('from=2024-01-01&to=2024-12-31'), ['2024-01-01', '2024-12-31', 366]);
  assert.equal(await range('to=2030-01-01'), ['2029-12-03', '2030-01-01', 30]);
  assert.equal(await range('from=9999-12-31&to=9999-12-31'), ['9999-12-31', '9999-12-31', 1]);
  assert.equal(await range('from=0001-01-01&to=0001-01-02'), ['0001-01-01', '0001-01-02', 2]);
});

test('a range that ends before it begins, is too long, or is no date is refused', async () => {
  const { call } = await workspaceIn('UTC');
  for (const [query, param] of [
    ['from=2026-03-02&to=2026-03-01', 'from'],
    ['from=2026-04-01', 'from'],
    ['from=2025-03-30', 'from'],
    ['from=2024-01-01&to=2025-01-01', 'from'],
    ['from=0001-01-01&to=9999-12-31', 'from'],
    ['from=2026-02-30', 'from'],
    ['from=2026-03-01T00:00:00Z', 'from'],
    ['to=yesterday', 'to'],
  ]) {
    refused(await call(`GET /usage?${query}`), 400, param as string);
  }
  assert.match((await call('GET /usage?from=2026-04-01')).body.message, '(2026-03-31, which is today)');
});

test('another workspace’s work is not reported', async () => {
  const [mine, theirs] = [await workspaceIn('UTC'), await workspaceIn('UTC')];
  await work(theirs, { at: now.toISOString(), minutes: 5, agentId: theirs.agentId });
  const { body } = await mine.call('GET /usage');
  assert.equal([body.minutesUsed, body.minutesRemaining, body.byAgent], [0, 600, []]);
});

test('while turns are charged, the reported numbers always add up', async () => {
  now = new Date();
  const workspace = await tandem.workspace();
  const world = worldOf(tandem.db);
  const turns = await Promise.all([1, 2, 3].map(() => openTurn(world, workspace)));
  let going = true;
  const charging = turns.map(async (turn) => {
    for (let step = 1; step <= 40; step++) {
      const { workspaceId } = workspace;
      const charged = {
        ...turn,
        workspaceId,
        trigger: 'chat' as const,
        activeMs: step * 6000,
        minutes: (step - 1) / 10,
      };
      await tandem.db.transaction((tx) => charge({ ...world, db: tx }, charged));
    }
  });
  const done = Promise.all(charging).then(() => {
    going = false;
  });
  const seen = new Set<number>();
  while (going) {
    const { body } = await workspace.call('GET /usage');
    const tenths = (minutes: number) => Math.round(minutes * 10);
    assert.is(tenths(body.minutesUsed) + tenths(body.minutesRemaining), tenths(body.minutesGranted));
    const sum = (rows: { minutes: number }[]) => rows.reduce((total, { minutes }) => total + tenths(minutes), 0);
    for (const rows of [body.byDay, body.byAgent, body.byTrigger]) assert.is(sum(rows), tenths(body.minutesUsed));
    seen.add(body.minutesUsed);
  }
  await done;
  assert.ok(seen.size > 2, 'it was read while it changed');
  const { body } = await workspace.call('GET /usage');
  assert.equal([body.minutesUsed, body.minutesRemaining, body.turns], [12, 588, 3]);
});

test.run();
