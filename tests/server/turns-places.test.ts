import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { within } from '../support/until.ts';

const test = suite('places for turns');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '2' }, { engine, turnLimits: { placeMs: 0 } });
});
test.after(() => tandem.close());

const look = use(['list_todos', { limit: 1 }]);

/** How often the turns of a workspace were claimed. */
async function claimsOf({ workspaceId }: TestWorkspace): Promise<number[]> {
  const text = 'select attempt from chat_turns where workspace_id = $1 order by id';
  return (await tandem.db.rows<{ attempt: number }>(text, [workspaceId])).map(({ attempt }) => attempt);
}

test('one workspace has all places while no other waits, and gives them up between two steps when one does', async () => {
  const [many, other] = [await tandem.workspace(), await tandem.workspace()];
  const waits = Promise.withResolvers<void>();
  const done = Promise.withResolvers<void>();
  const working = [0, 1].map(() => {
    const started = Promise.withResolvers<void>();
    const plan = engine.plan(async (_, asked) => {
      if (asked < 2) return look;
      if (asked > 2) {
        await done.promise;
        return reply('Done.');
      }
      started.resolve();
      await waits.promise;
      return look;
    });
    return { plan, started: started.promise };
  });
  const chats: string[] = [];
  for (const { plan } of working) chats.push((await many.call('POST /chats', { message: plan })).body.id);
  await within(() => 'both work', Promise.all(working.map(({ started }) => started)));
  assert.equal(await claimsOf(many), [1, 1], 'each with its first claim, through several steps');

  const { body: short } = await other.call('POST /chats', { message: engine.plan([reply('Here I am.')]) });
  waits.resolve();
  assert.is((await settled(other, short.id)).body.status, 'completed');
  const statuses = () => Promise.all(chats.map(async (id) => (await many.call(`GET /chats/${id}`)).body.status));
  assert.equal(await statuses(), ['running', 'running'], 'theirs go on');
  done.resolve();
  for (const id of chats) assert.is((await settled(many, id)).body.status, 'completed');
  assert.equal(await statuses(), ['completed', 'completed']);
});

test.run();
