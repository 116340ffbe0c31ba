import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireApprovals } from '../routers/approvals/expiry.ts';
import { startTestService, type TestService } from './harness.ts';
import { anyOf, deeds, Ground, wildAgent } from './storm-world.ts';

const test = suite('people and agents who do everything at once');
const seconds = 12;
const people = 12;

let ground: Ground | undefined;
let processes: TestService[];

test.before(async () => {
  const engine = {
    name: 'wild',
    answer: (request: Parameters<typeof wildAgent>[1]) => wildAgent(ground as Ground, request),
  };
  processes = [await startTestService({}, { engine }), await startTestService({}, { engine })];
});
test.after(async () => {
  for (const each of processes) await each.close();
});

const openTurn = `select 1 from chat_turns t where t.workspace_id = c.workspace_id and t.chat_id = c.id and t.ended_at is null`;
const working = `('queued', 'running', 'awaiting_input')`;

/** What must hold of a workspace at any time: each finds what breaks it. */
const laws: Record<string, string> = {
  'a chat that works has an open turn, and no other has': `select c.id, c.status from chats c
    where c.workspace_id = $1 and (c.status in ${working}) <> exists (${openTurn})`,
  'a chat that waits for a person has something to decide': `select c.id from chats c
    where c.workspace_id = $1 and c.status = 'awaiting_input' and not exists (select 1 from approvals a
      where a.workspace_id = c.workspace_id and a.chat_id = c.id and a.status = 'pending')`,
  'what waits to be decided belongs to an open turn': `select a.id from approvals a
    join chat_turns t on t.workspace_id = a.workspace_id and t.id = a.turn_id
    where a.workspace_id = $1 and a.status = 'pending' and t.ended_at is not null`,
  'a run is running exactly while a turn of it is open': `select r.id from todo_runs r
    where r.workspace_id = $1 and (r.status = 'running') <> exists (select 1 from chat_turns t
      where t.workspace_id = r.workspace_id and t.run_id = r.id and t.ended_at is null)`,
  'nobody works on a todo that is done': `select c.id from todos t
    join chats c on c.workspace_id = t.workspace_id and c.todo_id = t.id
    where t.workspace_id = $1 and t.status = 'done' and c.status in ${working}`,
  'the latest run of a todo is the one it names': `select t.id from todos t where t.workspace_id = $1
    and t.latest_run_id is distinct from (select r.id from todo_runs r
      where r.workspace_id = t.workspace_id and r.todo_id = t.id order by r.started_at desc, r.id desc limit 1)`,
  'the messages of a chat are numbered without gaps': `select c.id from chats c
    join messages m on m.workspace_id = c.workspace_id and m.chat_id = c.id where c.workspace_id = $1
    group by c.id, c.message_count having count(*) <> max(m.sequence) or max(m.sequence) <> c.message_count`,
  'a call has one result at most': `select m.chat_id, b ->> 'toolCallId' from messages m, jsonb_array_elements(m.blocks) b
    where m.workspace_id = $1 and b ->> 'type' = 'tool_result' group by 1, 2 having count(*) > 1`,
  'the balance is what the ledger says': `select w.id from workspaces w where w.id = $1
    and w.agent_minutes <> (select sum(e.minutes) from minute_entries e where e.workspace_id = w.id)`,
};

test(`nothing fails, nothing gets stuck, and after ${seconds} s every law still holds`, async () => {
  const [first, second] = processes as [TestService, TestService];
  const { workspaceId, key, call } = await first.workspace();
  const own = await new Ground(call).fill();
  ground = own;
  const either: typeof call = (route, body) => anyOf([first, second]).call(route, body, { key });
  const possible = deeds(own, either);
  const { queue: jobs, live } = first.service.backstage;
  const later = () => new Date(Date.now() + 8 * 86_400_000);
  const world = { db: first.db, jobs, live, mail: { sends: false }, clock: later };
  const failures: string[] = [];
  const until = Date.now() + seconds * 1000;
  const person = async () => {
    while (Date.now() < until) {
      const answer = await anyOf(possible)();
      if (answer && answer.status >= 500) failures.push(answer.text);
      if (Math.random() < 0.005) await expireApprovals(world, world.clock());
    }
  };
  await Promise.all(Array.from({ length: people }, person));
  assert.equal(failures, []);

  const { db } = first;
  const busy = `select 1 from chats c where c.workspace_id = $1 and c.status = 'running'`;
  const patience = Date.now() + 40_000;
  while ((await db.rows(busy, [workspaceId])).length > 0 && Date.now() < patience)
    await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal([...(await db.rows(busy, [workspaceId]))], [], 'no chat is stuck');
  for (const [law, text] of Object.entries(laws)) assert.equal([...(await db.rows(text, [workspaceId]))], [], law);
  const count = 'select count(*)::int as turns from chat_turns where workspace_id = $1';
  const [row] = await db.rows<{ turns: number }>(count, [workspaceId]);
  assert.ok((row?.turns ?? 0) > 50, `${row?.turns} turns: otherwise nothing was tried`);
});

test.run();
