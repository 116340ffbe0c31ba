import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { type ModelProcess, startModelProcess } from '../support/model-process.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { isFull } from '../support/proof-size.ts';
import { settled } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';

const test = suite('workers that stand still past their lease and wake up');
const modelMs = 1500;

let tandem: TestService;
let model: ModelProcess | undefined;
let environment: Record<string, string>;

test.before(async () => {
  // This process takes requests; it runs no turns.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  model = await startModelProcess('todo-maker', modelMs);
  environment = model.environment;
});
test.after.each(async () => {
  await releaseAll();
  await stopProcesses();
});
test.after(async () => {
  model?.stop();
  await tandem.close();
});

const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** What became of a chat in which one todo was to be made. */
async function outcome({ call, workspaceId }: TestWorkspace, chatId: string) {
  const { body: chat } = await call(`GET /chats/${chatId}`);
  const { body: page } = await call(`GET /chats/${chatId}/messages`);
  const { body: todos } = await call('GET /todos');
  const turns = await tandem.db.rows<{ attempt: number; outcome: string; minutes: number }>(
    'select attempt, outcome, minutes::float8 as minutes from chat_turns where workspace_id = $1 and chat_id = $2',
    [workspaceId, chatId],
  );
  const [sums] = await tandem.db.rows<{ charged: number; ledger: boolean }>(
    `select (select -sum(minutes)::float8 from minute_entries where workspace_id = $1 and kind = 'turn') as charged,
      (select sum(minutes) from minute_entries where workspace_id = $1) = agent_minutes as ledger
     from workspaces where id = $1`,
    [workspaceId],
  );
  return {
    status: chat.status,
    sequences: page.data.map(({ sequence }: { sequence: number }) => sequence),
    todos: todos.data.length,
    attempts: turns.map(({ attempt }) => attempt),
    isCharged: turns.every(({ minutes }) => minutes === sums?.charged) && sums?.ledger,
  };
}

const once = { status: 'completed', sequences: [1, 2, 3, 4], todos: 1, attempts: [2], isCharged: true };

const begun = 'select 1 from chat_turns where chat_id = $1 and attempt = 1';

interface FreezePoint {
  /** Locked before the chat is begun: the worker would pass while it is locked later. */
  row?: string;
  reached(chatId: string): Promise<void>;
}

/** What the worker is doing when it freezes. */
const freezePoints: Record<string, FreezePoint> = {
  'in the middle of a transaction that holds the chat and the balance of the workspace': {
    row: 'select 1 from workspaces where id = $1 for no key update',
    // The first answer is being charged for.
    reached: () => untilBlocked('%update workspaces w set agent_minutes%'),
  },
  'in the middle of a transaction that made the todo': {
    row: 'select 1 from todo_lists where workspace_id = $1 for update',
    reached: () => untilBlocked('%insert into todos%'),
  },
  'waiting for the model': {
    reached: async (chatId) => {
      await until(
        async () => (await tandem.db.rows(begun, [chatId])).length > 0,
        () => 'the turn begins',
      );
      await wait(modelMs / 3);
    },
  },
};

test('what it was at work on is finished by another one within 30 s, and nothing happens twice', async () => {
  const first = await startProcess(environment);
  const works: { point: string; workspace: TestWorkspace; chatId: string }[] = [];
  const begin = async ([point, { row, reached }]: [string, FreezePoint]) => {
    const workspace = await tandem.workspace();
    if (row) await hold(row, [workspace.workspaceId]);
    const { body: chat } = await workspace.call('POST /chats', { message: `Freeze ${point}` });
    works.push({ point, workspace, chatId: chat.id });
    await reached(chat.id);
  };
  // Those that are held wait side by side, as a wait for a lock is given up after 8 s; the model is asked last.
  const points = Object.entries(freezePoints);
  await Promise.all(points.filter(([, { row }]) => row).map(begin));
  for (const point of points.filter(([, { row }]) => !row)) await begin(point);
  first.child.kill('SIGSTOP');
  await releaseAll();
  const since = Date.now();
  let startupMs = 0;
  try {
    await startProcess(environment);
    startupMs = Date.now() - since;
    for (const { workspace, chatId } of works) await settled(workspace, chatId);
  } finally {
    first.child.kill('SIGCONT');
  }
  const took = Date.now() - since - startupMs;
  const check = async (when: string) => {
    for (const { point, workspace, chatId } of works)
      assert.equal(await outcome(workspace, chatId), once, `${point}, ${when}`);
  };
  await check('finished');
  // Awake, it has the answer that it waited for, or the rest of its transaction, and time to do harm with it.
  await wait(4000);
  await check('after it woke up');
  const health = await first.call('GET /me', works[0]?.workspace.key ?? null);
  assert.is(health.status, 200, 'it works on');
  if (isFull) assert.ok(took < 30_000, `another one finished within ${took} ms`);
});

test.run();
