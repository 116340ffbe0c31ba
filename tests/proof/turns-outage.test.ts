import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';

const test = suite('a database that goes away during turns');
const engine = new ScriptedEngine();
const unwatch = surviveLostConnections({ warn: () => {} });
let tandem: TestService;
let worker: TestService;
let passage: Passage;

test.before(async () => {
  passage = await openPassage(testDatabaseUrl());
  // Requests are taken by one process, turns by another: only that one loses its database.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  worker = await startTestService({ DATABASE_URL: passage.url }, { engine });
});
test.after(async () => {
  await passage.mend();
  await Promise.all([tandem.close(), worker.close()]);
  await passage.close();
  unwatch();
});

for (const seconds of [0.3, 14]) {
  test(`comes back after ${seconds} s: they end as if nothing had been, and each effect happens once`, async () => {
    const workspace = await tandem.workspace();
    const chats: string[] = [];
    let cut: Promise<void> | undefined;
    const outage = async () => {
      await passage.cut();
      setTimeout(() => void passage.mend(), seconds * 1000);
    };
    for (let place = 0; place < 8; place++) {
      const plan = engine.plan(async (request) => {
        const made = request.conversation.filter(({ role }) => role === 'tools').length;
        // Some are between two steps, some in the middle of one.
        if (place === 0 && made === 1) {
          cut ??= outage();
          await cut;
        }
        return made < 4 ? use(['create_todo', { title: `Todo ${place}.${made}` }]) : reply('Done.');
      });
      const { body } = await workspace.call('POST /chats', { message: plan });
      chats.push(body.id);
    }
    for (const id of chats) {
      const { body: chat } = await settled(workspace, id);
      assert.is(chat.status, 'completed', chat.errorMessage);
      assert.is(chat.messageCount, 10);
    }
    const { body: page } = await workspace.call('GET /todos?limit=100');
    const titles = page.data.map(({ title }: { title: string }) => title).sort();
    const expected = chats.flatMap((_, place) => [0, 1, 2, 3].map((made) => `Todo ${place}.${made}`));
    assert.equal(titles, expected.sort());
  });
}

test.run();
