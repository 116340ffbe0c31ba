import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { expireApprovals } from '../../domain/approvals/expiry.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { assertLaws } from '../support/laws.ts';
import { anyOf, deeds, Ground, wildAgent } from '../support/storm-world.ts';

const test = suite('people and agents who do everything at once');
const seconds = 12;
const people = 12;
/** Answers of agents, however slow the machine is: fewer would be no storm. */
const minAnswers = 400;

let ground: Ground | undefined;
let processes: TestService[];
let answers = 0;

test.before(async () => {
  const engine = {
    name: 'wild',
    answer: (request: Parameters<typeof wildAgent>[1]) => {
      answers++;
      return wildAgent(ground as Ground, request);
    },
  };
  processes = [await startTestService({}, { engine }), await startTestService({}, { engine })];
});
test.after(async () => {
  for (const each of processes) await each.close();
});

test(`nothing fails, nothing gets stuck, and after ${seconds} s every law still holds`, async () => {
  const [first, second] = processes as [TestService, TestService];
  const { workspaceId, key, call } = await first.workspace();
  const own = await new Ground(call).fill();
  ground = own;
  const either: typeof call = (route, body) => anyOf([first, second]).call(route, body, { key });
  const possible = deeds(own, either);
  const { live } = first.service;
  const later = () => new Date(Date.now() + 8 * 86_400_000);
  const world = { db: first.db, live, mail: { sends: false }, clock: later };
  const failures: string[] = [];
  const until = Date.now() + seconds * 1000;
  const person = async () => {
    while (Date.now() < until || answers < minAnswers) {
      const answer = await anyOf(possible)();
      if (answer && answer.status >= 500) failures.push(answer.text);
      if (Math.random() < 0.005) await expireApprovals(world);
    }
  };
  await Promise.all(Array.from({ length: people }, person));
  assert.equal(failures, []);

  const { db } = first;
  const busy = `select 1 from chats c where c.workspace_id = $1 and c.status = 'running'`;
  const deadline = Date.now() + 160_000;
  while ((await db.rows(busy, [workspaceId])).length > 0 && Date.now() < deadline)
    await new Promise((resolve) => setTimeout(resolve, 250));
  assert.equal([...(await db.rows(busy, [workspaceId]))], [], 'no chat is stuck');
  await assertLaws(db, workspaceId);
  const count = 'select count(*)::int as turns from chat_turns where workspace_id = $1';
  const [row] = await db.rows<{ turns: number }>(count, [workspaceId]);
  assert.ok((row?.turns ?? 0) > 50, `${row?.turns} turns: otherwise nothing was tried`);
});

test.run();
