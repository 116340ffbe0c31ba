import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { type ModelProcess, startModelProcess } from '../support/model-process.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { isFull } from '../support/proof-size.ts';
import { until } from '../support/until.ts';

const test = suite('kill -9 in the middle of turns');
const turns = 240;
const workers = 3;
const kills = 14;

let tandem: TestService;
let model: ModelProcess | undefined;
let environment: Record<string, string>;

test.before(async () => {
  // This process makes workspaces and looks at the end; it runs no turns.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  model = await startModelProcess('todo-maker', 150);
  environment = { ...model.environment, AGENT_CONCURRENCY: '6' };
});
test.after(async () => {
  model?.stop();
  await stopProcesses();
  await tandem.close();
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test(`${turns} turns with effects survive ${kills} kills: each ends, and each effect happens once`, async () => {
  const workspace = await tandem.workspace();
  const services: ServiceProcess[] = [];
  for (let place = 0; place < workers; place++) services.push(await startProcess(environment));
  const some = () => services[Math.floor(Math.random() * services.length)] as ServiceProcess;

  /** Asks any process, again when the one asked was just killed: the key makes sure that it happens once. */
  const create = async (title: string): Promise<string> => {
    for (let tries = 0; tries < 50; tries++) {
      const headers = { 'idempotency-key': title };
      const answer = await some()
        .call('POST /chats', workspace.key, { message: title }, headers)
        .catch(() => null);
      if (answer?.status === 201) return answer.body.id;
      await wait(100);
    }
    throw new Error(`${title} could not be created`);
  };

  let killed = 0;
  let lastKill = 0;
  const killer = (async () => {
    for (let next = startProcess(environment); killed < kills; ) {
      // Whoever takes the place of the next victim comes up meanwhile.
      const [fresh] = await Promise.all([next, wait(300 + Math.random() * 1200)]);
      const victim = services.splice(Math.floor(Math.random() * services.length), 1)[0];
      victim?.child.kill('SIGKILL');
      await victim?.exited;
      killed++;
      lastKill = Date.now();
      services.push(fresh);
      if (killed < kills) next = startProcess(environment);
    }
  })();

  const titles = Array.from({ length: turns }, (_, place) => `Effect ${place} ${crypto.randomUUID()}`);
  const chats: string[] = [];
  for (let at = 0; at < turns; at += 8) {
    chats.push(...(await Promise.all(titles.slice(at, at + 8).map(create))));
    await wait(300);
  }
  await killer;

  const open = () =>
    tandem.db.rows<{ id: string }>(
      `select t.id, t.attempt, t.worker_id, t.lease_until, t.not_before, t.created_at, c.status, c.message_count, now() as now
       from chat_turns t join chats c on c.workspace_id = t.workspace_id and c.id = t.chat_id
       where t.workspace_id = $1 and t.ended_at is null`,
      [workspace.workspaceId],
    );
  let left: object[] = [];
  const isOver = async () => {
    left = [...(await open())];
    return left.length === 0;
  };
  await until(isOver, () => `open turns: ${JSON.stringify(left)}`);
  const recoveredMs = Date.now() - lastKill;
  if (isFull) assert.ok(recoveredMs < 30_000, `recovered ${recoveredMs} ms after the last kill`);

  const { workspaceId } = workspace;
  const rows = await tandem.db.rows<{ outcome: string; count: number; attempts: number; slowest: number }>(
    `select outcome, count(*)::int as count, sum(attempt - 1)::int as attempts,
       max(extract(epoch from ended_at - created_at))::float as slowest
     from chat_turns where workspace_id = $1 group by outcome`,
    [workspaceId],
  );
  assert.equal(
    rows.map(({ outcome, count }) => [outcome, count]),
    [['completed', turns]],
  );
  assert.ok((rows[0]?.attempts ?? 0) > 0, 'some turns changed hands, or nothing was tested');

  const made = await tandem.db.rows<{ title: string; count: number }>(
    `select title, count(*)::int as count from todos where workspace_id = $1 group by title`,
    [workspaceId],
  );
  assert.is(made.length, turns, 'every effect happened');
  assert.equal(
    made.filter(({ count }) => count !== 1),
    [],
    'and none twice',
  );

  const gaps = await tandem.db.rows(
    `select m.chat_id from messages m join chats c on c.workspace_id = m.workspace_id and c.id = m.chat_id
     where m.workspace_id = $1 group by m.chat_id, c.message_count
     having count(*) <> max(m.sequence) or min(m.sequence) <> 1 or max(m.sequence) <> c.message_count or count(*) <> 4`,
    [workspaceId],
  );
  assert.equal([...gaps], [], 'sequences without gaps, no message lost or doubled');
  assert.is(new Set(chats).size, turns);

  const [sums] = await tandem.db.rows<Record<string, string>>(
    `select w.agent_minutes::text as balance,
       (select sum(minutes) from minute_entries where workspace_id = $1)::text as ledger,
       (select sum(minutes) from chat_turns where workspace_id = $1)::text as turns,
       (select -sum(minutes) from minute_entries where workspace_id = $1 and kind = 'turn')::text as charged
     from workspaces w where w.id = $1`,
    [workspaceId],
  );
  assert.is(Number(sums?.ledger), Number(sums?.balance), 'the ledger adds up');
  assert.is(Number(sums?.turns), Number(sums?.charged), 'and so do the turns');
});

test.run();
