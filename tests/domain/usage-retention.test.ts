import { v7 as newId } from 'uuid';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { sumOldMinutes } from '../../domain/usage/retention.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { sweepTraces } from '../support/sweeps.ts';
import { addAgent, assistantOf } from '../support/todo-fixtures.ts';

const test = suite('minutes of turns as sums');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { clock: () => new Date('2026-03-31T12:00:00.000Z') });
});
test.after(() => tandem.close());

const [from, until] = [null, '2026-04-01T00:00:00.000Z'];
const zones = ['UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'Australia/Eucla', 'America/St_Johns', 'Pacific/Chatham'];

interface Work {
  agentId: string;
  turnId?: string;
  kind?: 'turn' | 'capture';
  trigger?: string;
}

/** Enters work of a turn at each of these times with a tenth of a minute more each, and takes it from the balance. */
async function work({ workspaceId }: TestWorkspace, work: Work, times: readonly string[]) {
  const { agentId, turnId = newId(), kind = 'turn', trigger = 'chat' } = work;
  const text = `with entered as (
      insert into minute_entries (workspace_id, id, kind, minutes, agent_id, chat_id, turn_id, trigger, created_at)
      select $1, gen_random_uuid(), $2, -0.1 * n, $3, $4, $4, $5, at
      from unnest($6::timestamptz[]) with ordinality as t(at, n) returning minutes
    ) update workspaces set agent_minutes = agent_minutes + (select sum(minutes) from entered) where id = $1`;
  await tandem.db.rows(text, [workspaceId, kind, agentId, turnId, trigger, times]);
}

/**
 * A workspace with turns of several steps: within a quarter of an hour, over the borders of quarters and days, all at
 * once.
 */
async function busyWorkspace() {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const assistant = await assistantOf(tandem, workspaceId);
  const scribe = await addAgent(tandem, workspaceId, 'Scribe', true);
  const grant = `update minute_entries set created_at = '2026-03-01T00:00:00Z' where workspace_id = $1 and kind = 'grant'`;
  await tandem.db.rows(grant, [workspaceId]);
  const at = (time: string) => `2026-03-${time}Z`;
  await work(workspace, { agentId: assistant }, ['10T08:00:00.000', '10T08:03:00.123', '10T08:14:59.999'].map(at));
  await work(
    workspace,
    { agentId: scribe, trigger: 'schedule' },
    ['10T08:01:00', '10T08:02:00', '10T08:02:00'].map(at),
  );
  await work(workspace, { agentId: assistant }, ['10T23:59:59.999', '11T00:00:00', '11T00:00:01'].map(at));
  // Midnights of Kathmandu, Eucla, St. John's and Chatham, with a step on each side.
  const midnights = ['12T18:14:59', '12T18:15:00', '12T15:14:59', '12T15:15:00', '12T02:29:59', '12T02:30:00'];
  await work(workspace, { agentId: scribe, trigger: 'manual' }, [...midnights, '12T10:14:59', '12T10:15:00'].map(at));
  await work(
    workspace,
    { agentId: assistant, kind: 'capture', trigger: 'capture' },
    ['10T08:00:00', '10T08:00:00'].map(at),
  );
  await work(workspace, { agentId: assistant }, ['2026-04-01T00:00:00Z', '2026-04-01T00:00:10Z']);
  return { ...workspace, assistant };
}

/** What is reported of days in each time zone, and what the ledger adds up to. */
async function reported({ call, workspaceId }: TestWorkspace) {
  const reports: unknown[] = [];
  for (const zone of zones) {
    await tandem.db.rows('update workspaces set timezone = $2 where id = $1', [workspaceId, zone]);
    for (const days of [
      'from=2026-03-01&to=2026-03-31',
      'from=2026-03-11&to=2026-03-12',
      'from=2026-03-10&to=2026-03-10',
    ])
      reports.push((await call(`GET /usage?${days}`)).body);
  }
  const sums = `select sum(e.minutes) as entered, (select agent_minutes from workspaces where id = $1) as left
    from minute_entries e where e.workspace_id = $1`;
  return [...reports, await tandem.db.rows(sums, [workspaceId])];
}

const entries = ({ workspaceId }: TestWorkspace) =>
  tandem.db.rows<Record<string, unknown>>(
    'select *, minutes::float8 as minutes from minute_entries where workspace_id = $1 order by created_at, id',
    [workspaceId],
  );

test('entries of a turn within a quarter of an hour become one, and every report and the balance are the same', async () => {
  const workspace = await busyWorkspace();
  const before = await reported(workspace);
  const rows = await entries(workspace);
  const fewer = await sumOldMinutes(tandem.db, workspace.workspaceId, { from, until });
  const left = await entries(workspace);
  assert.is(fewer, 5);
  assert.is(left.length, rows.length - 5);
  assert.equal(await reported(workspace), before);
  const first = rows.find(
    ({ kind, minutes, agent_id }) => kind === 'turn' && minutes === -0.1 && agent_id === workspace.assistant,
  );
  const sum = left.find(({ id }) => id === first?.id);
  assert.equal(sum, { ...first, minutes: -0.6 });
  const april = (all: typeof rows) => all.filter(({ created_at }) => String(created_at) >= until);
  assert.is(april(rows).length, 2);
  assert.equal(april(left), april(rows), 'younger ones stay in detail');
  assert.is(await sumOldMinutes(tandem.db, workspace.workspaceId, { from, until }), 0);
});

test('several processes at once, and more entries than a batch, lose no minute', async () => {
  const workspace = await tandem.workspace();
  const agentId = await assistantOf(tandem, workspace.workspaceId);
  const start = Date.parse('2026-03-10T08:00:00Z');
  for (const turn of [0, 1, 2]) {
    const times = Array.from({ length: 900 }, (_, n) => new Date(start + n * 3000 + turn).toISOString());
    await work(workspace, { agentId }, times);
  }
  const before = await reported(workspace);
  const { workspaceId } = workspace;
  const fewer = await Promise.all([1, 2].map(() => sumOldMinutes(tandem.db, workspaceId, { from, until })));
  assert.equal(await reported(workspace), before);
  // 45 minutes are three quarters; a sum that lies on the border of a batch is in two entries.
  const left = (await entries(workspace)).filter(({ kind }) => kind === 'turn').length;
  assert.ok(left >= 9 && left <= 9 + 3 * 3, `${left} entries`);
  assert.is(
    fewer.reduce((sum, each) => sum + each),
    2700 - left,
  );
});

test('the sweep sums up what is old enough by its setting, and what it has passed is not read again', async () => {
  const workspace = await tandem.workspace();
  const agentId = await assistantOf(tandem, workspace.workspaceId);
  const count = async () => (await entries(workspace)).length - 1;
  const ago = (days: number) =>
    [0, 1].map((ms) => new Date(Math.floor((Date.now() - days * 864e5) / 9e5) * 9e5 + ms).toISOString());
  await tandem.db.rows(`delete from sweeps`, []);
  await work(workspace, { agentId }, ago(100));
  await work(workspace, { agentId }, ago(20));
  await sweepTraces(tandem.db, {});
  assert.is(await count(), 4, 'never without a setting');
  await sweepTraces(tandem.db, { minuteDetailDays: 90 });
  assert.is(await count(), 3);
  await work(workspace, { agentId }, ago(100));
  await sweepTraces(tandem.db, { minuteDetailDays: 90 });
  assert.is(await count(), 5, 'these were made before what it has passed');
  await sweepTraces(tandem.db, { minuteDetailDays: 10 });
  assert.is(await count(), 4);
  await sweepTraces(tandem.db, { minuteDetailDays: 30 });
  const [{ until: swept } = {}] = await tandem.db.rows<{ until: string }>(
    `select swept_until as until from sweeps where name = 'minute detail'`,
    [],
  );
  assert.ok(Date.parse(String(swept)) > Date.now() - 11 * 864e5, 'a longer time does not make it read again');
});

test.run();
