import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../domain/errors.ts';
import { type Charged, charge, requireMinutes } from '../../domain/usage/minutes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll } from '../support/locks.ts';
import { openTurn, type TestTurn, worldOf } from '../support/turn-world.ts';
import { within } from '../support/until.ts';

const test = suite('agent minutes');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(releaseAll);
test.after(() => tandem.close());

/** A workspace with this many minutes, all granted. */
async function workspaceWith(minutes: number): Promise<TestWorkspace> {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  await tandem.db.rows('update workspaces set agent_minutes = $2 where id = $1', [workspaceId, minutes]);
  const text = 'update minute_entries set minutes = $2 where workspace_id = $1';
  if (minutes > 0) await tandem.db.rows(text, [workspaceId, minutes]);
  else await tandem.db.rows('delete from minute_entries where workspace_id = $1', [workspaceId]);
  return workspace;
}

const turnOf = `select active_ms as "activeMs", minutes::float8 as minutes from chat_turns
  where workspace_id = $1 and id = $2 for update`;

/** One step of a turn that took `ms`: reads what was charged so far and charges the turn, as a worker does. */
function step({ workspaceId }: TestWorkspace, turn: TestTurn, ms: number): Promise<{ dry: boolean }> {
  return tandem.db.transaction(async (tx) => {
    const [row] = await tx.rows<Pick<Charged, 'activeMs' | 'minutes'>>(turnOf, [workspaceId, turn.turnId]);
    if (!row) throw new Error('no turn');
    return charge(
      { ...worldOf(tandem.db), db: tx },
      { ...turn, workspaceId, trigger: 'manual', activeMs: row.activeMs + ms, minutes: row.minutes },
    );
  });
}

interface Books {
  left: number;
  entered: number;
  turns: number;
  runs: number;
  worked: number;
}

async function booksOf({ workspaceId }: TestWorkspace): Promise<Books> {
  const text = `select agent_minutes::float8 as left,
      (select coalesce(sum(minutes), 0)::float8 from minute_entries where workspace_id = $1) as entered,
      (select coalesce(-sum(minutes), 0)::float8 from minute_entries where workspace_id = $1 and kind = 'turn') as worked,
      (select coalesce(sum(minutes), 0)::float8 from chat_turns where workspace_id = $1) as turns,
      (select coalesce(sum(minutes_used), 0)::float8 from todo_runs where workspace_id = $1) as runs
    from workspaces where id = $1`;
  const [row] = await tandem.db.rows<Books>(text, [workspaceId]);
  assert.ok(row);
  return row;
}

const open = (workspace: TestWorkspace, more: Parameters<typeof openTurn>[2] = {}) =>
  openTurn(worldOf(tandem.db), workspace, more);

async function runOf(workspace: TestWorkspace): Promise<TestTurn> {
  const { body } = await workspace.call('POST /todos', { title: 'Work' });
  return open(workspace, { todoId: body.id });
}

test('a new workspace has its first minutes as a grant in the ledger', async () => {
  const workspace = await tandem.workspace();
  assert.equal(await booksOf(workspace), { left: 600, entered: 600, turns: 0, runs: 0, worked: 0 });
});

test('active time is rounded up to a tenth of a minute once over the whole turn, not per step', async () => {
  const workspace = await workspaceWith(600);
  for (const [steps, minutes] of [
    [[1], 0.1],
    [[6000], 0.1],
    [[6001], 0.2],
    [[1, 1, 1, 1, 1], 0.1],
    [[2000, 2000, 2000], 0.1],
    [[2000, 2000, 2001], 0.2],
    [[59_999, 1, 1], 1.1],
    [Array<number>(60).fill(100), 0.1],
    [[0, 0], 0],
  ] as const) {
    const turn = await open(workspace);
    for (const ms of steps) assert.equal(await step(workspace, turn, ms), { dry: false });
    const text = `select t.minutes::float8 as minutes, t.active_ms as "activeMs",
      (select count(*)::int from minute_entries e where e.workspace_id = t.workspace_id and e.turn_id = t.id and e.minutes = 0) as empty
      from chat_turns t where t.workspace_id = $1 and t.id = $2`;
    const rows = await tandem.db.rows<object>(text, [workspace.workspaceId, turn.turnId]);
    const activeMs = steps.reduce<number>((sum, ms) => sum + ms, 0);
    assert.equal([...rows], [{ minutes, activeMs, empty: 0 }], JSON.stringify(steps));
  }
});

test('an entry names the agent, chat, turn, todo and trigger of the work', async () => {
  const workspace = await workspaceWith(600);
  const turn = await runOf(workspace);
  await step(workspace, turn, 12_000);
  const text = `select kind, minutes::float8 as minutes, agent_id as "agentId", chat_id as "chatId", turn_id as "turnId",
    todo_id as "todoId", trigger from minute_entries where workspace_id = $1 and kind = 'turn'`;
  const rows = await tandem.db.rows<object>(text, [workspace.workspaceId]);
  const { agentId, chatId, turnId, todoId } = turn;
  assert.equal([...rows], [{ kind: 'turn', minutes: -0.2, agentId, chatId, turnId, todoId, trigger: 'manual' }]);
});

test('a turn that costs more than is left takes what is left, and the result reports that no minutes are left', async () => {
  const workspace = await workspaceWith(0.3);
  const turn = await runOf(workspace);
  assert.equal(await step(workspace, turn, 6000), { dry: false });
  assert.equal(await step(workspace, turn, 12_000), { dry: false });
  assert.equal(await booksOf(workspace), { left: 0, entered: 0, turns: 0.3, runs: 0.3, worked: 0.3 });
  assert.equal(await step(workspace, turn, 1), { dry: true });
  assert.equal(await step(workspace, turn, 60_000), { dry: true });
  assert.equal(await booksOf(workspace), { left: 0, entered: 0, turns: 0.3, runs: 0.3, worked: 0.3 });
});

test('agent work needs minutes left, and 402 says so', async () => {
  const { workspaceId } = await workspaceWith(0);
  const thrown = await requireMinutes(tandem.db, workspaceId).catch((error: unknown) => error);
  assert.instance(thrown, Failure);
  assert.equal([(thrown as Failure).problem.status, (thrown as Failure).problem.code], [402, 'insufficient_minutes']);
  await requireMinutes(tandem.db, (await workspaceWith(0.1)).workspaceId);
});

test('whatever many turns are charged at once, the ledger adds up to the balance, and the balance never falls below zero', async () => {
  const steps = fc.array(fc.integer({ min: 0, max: 40_000 }), { minLength: 1, maxLength: 8 });
  const property = fc.asyncProperty(
    fc.integer({ min: 0, max: 60 }),
    fc.array(fc.tuple(fc.boolean(), steps), { minLength: 2, maxLength: 8 }),
    async (tenths, plans) => {
      const workspace = await workspaceWith(tenths / 10);
      const turns = await Promise.all(plans.map(([ofTodo]) => (ofTodo ? runOf(workspace) : open(workspace))));
      const outcomes = await Promise.all(
        turns.map(async (turn, place) => {
          const dry: boolean[] = [];
          for (const ms of plans[place]?.[1] ?? []) dry.push((await step(workspace, turn, ms)).dry);
          return dry;
        }),
      );
      const { left, entered, turns: charged, runs, worked } = await booksOf(workspace);
      assert.is(left, entered);
      assert.is(worked, charged);
      assert.ok(left >= 0);
      const due = plans.map(([, each]) => Math.ceil(each.reduce((sum, ms) => sum + ms, 0) / 6000));
      const owed = due.reduce((sum, each) => sum + each, 0);
      assert.is(Math.round(worked * 10), Math.min(owed, tenths), 'what could be paid was');
      assert.is(outcomes.flat().some(Boolean), owed > tenths, 'dry is told when, and only when, something is unpaid');
      const perRun = `select coalesce(sum(minutes), 0)::float8 as of from chat_turns where workspace_id = $1 and run_id is not null`;
      const [ofRuns] = await tandem.db.rows<{ of: number }>(perRun, [workspace.workspaceId]);
      assert.is(runs, ofRuns?.of);
      const text = `select count(*)::int as wrong from chat_turns t left join (
          select turn_id, -sum(minutes) as minutes from minute_entries where workspace_id = $1 group by turn_id
        ) e on e.turn_id = t.id where t.workspace_id = $1 and t.minutes <> coalesce(e.minutes, 0)`;
      const [row] = await tandem.db.rows<{ wrong: number }>(text, [workspace.workspaceId]);
      assert.is(row?.wrong, 0, 'each turn equals its entries');
    },
  );
  await fc.assert(property, { numRuns: 25, seed: 20260301 });
});

test('a charge waits for no list, agent or member that is being made in the workspace', async () => {
  const workspace = await workspaceWith(600);
  const turn = await open(workspace);
  await hold('insert into todo_lists (workspace_id, id, name) values ($1, gen_random_uuid(), $2)', [
    workspace.workspaceId,
    'Slow',
  ]);
  const charged = step(workspace, turn, 6000);
  assert.equal(await within(() => 'the charge, which waits for no list', charged), { dry: false });
});

test('two steps that each made a list before they are charged do not wait for each other', async () => {
  const workspace = await workspaceWith(600);
  const { workspaceId } = workspace;
  const turns = await Promise.all([open(workspace), open(workspace)]);
  let made = 0;
  let bothMade = () => {};
  const both = new Promise<void>((resolve) => {
    bothMade = resolve;
  });
  const works = turns.map((turn) =>
    tandem.db.transaction(async (tx) => {
      const text = 'insert into todo_lists (workspace_id, id, name) values ($1, gen_random_uuid(), $2)';
      await tx.rows(text, [workspaceId, 'Made at work']);
      if (++made === 2) bothMade();
      await both;
      return charge(
        { ...worldOf(tandem.db), db: tx },
        { ...turn, workspaceId, trigger: 'chat', activeMs: 6000, minutes: 0 },
      );
    }),
  );
  assert.equal(await Promise.all(works), [{ dry: false }, { dry: false }]);
  assert.is((await booksOf(workspace)).left, 599.8);
});

test('a charge that is rolled back leaves no trace', async () => {
  const workspace = await workspaceWith(600);
  const turn = await runOf(workspace);
  const charged = {
    ...turn,
    workspaceId: workspace.workspaceId,
    trigger: 'manual' as const,
    activeMs: 6000,
    minutes: 0,
  };
  const crash = tandem.db.transaction(async (tx) => {
    await charge({ ...worldOf(tandem.db), db: tx }, charged);
    throw new Error('crash');
  });
  assert.instance(await crash.catch((error: unknown) => error), Error);
  assert.equal(await booksOf(workspace), { left: 600, entered: 600, turns: 0, runs: 0, worked: 0 });
});

test.run();
