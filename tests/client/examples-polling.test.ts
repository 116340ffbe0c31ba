import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { playAgent, startWithoutAgents } from '../support/chat-fixtures.ts';
import { environmentOf, printed, runExample, wayTo } from '../support/example-fixtures.ts';
import type { TestService } from '../support/harness.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('the example that polls');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

test('it misses no message, whenever it comes, on a way that breaks', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  let [statusReads, messageReads] = [0, 0];
  const agent = async () => playAgent(tandem, workspaceId, bodyOf(await call('GET /chats')).data[0].id);
  const way = await wayTo(tandem.url, async (route) => {
    if (route.startsWith('POST')) return 'pass';
    if (route.includes('/messages')) {
      messageReads++;
      // Between the status and the messages: more than a page.
      if (messageReads === 2) for (let n = 0; n < 60; n++) await (await agent()).write(`Message ${n}`);
      return messageReads === 3 ? 'break' : 'pass';
    }
    statusReads++;
    if (statusReads === 2) return 'busy';
    // Between the messages and the status.
    if (statusReads === 7) await (await agent()).finish('The end');
    return 'pass';
  });
  try {
    const { code, stdout, stderr } = await runExample('poll-a-chat.ts', ['Hello'], environmentOf(way, workspace));
    assert.is(code, 0, stderr);
    const { data: chats } = bodyOf(await call('GET /chats'));
    assert.is(chats.length, 1);
    const messages = [];
    for (const after of [0, 50]) {
      messages.push(...bodyOf(await call(`GET /chats/${chats[0].id}/messages?limit=50&afterSequence=${after}`)).data);
    }
    assert.is(messages.length, 62);
    assert.is(stdout, printed(messages));
  } finally {
    await way.close();
  }
});

test.run();
