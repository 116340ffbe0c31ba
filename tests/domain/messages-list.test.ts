import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newChat, startWithoutAgents } from '../support/chat-fixtures.ts';
import { assertFrame } from '../support/frame.ts';
import type { TestService } from '../support/harness.ts';

const test = suite('lists of messages');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

interface Message {
  sequence: number;
  text: string;
}

async function longChat(messages: number) {
  const workspace = await tandem.workspace();
  const { path, agent, chat } = await newChat(tandem, workspace);
  for (let n = 2; n <= messages; n++) await agent.write(`Message ${n}`);
  return { ...workspace, path, agent, chat };
}

const sequences = (data: Message[]) => data.map(({ sequence }) => sequence);
const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, n) => first + n);

test('messages come oldest first, each once, by cursor or by sequence, at any page size', async () => {
  const { call, path } = await longChat(13);
  for (const limit of [1, 2, 3, 5, 7, 12, 13, 100]) {
    for (const start of [0, 4]) {
      const byCursor: number[] = [];
      const bySequence: number[] = [];
      for (let cursor = '', more = true; more; ) {
        const query = `limit=${limit}&afterSequence=${start}${cursor && `&cursor=${cursor}`}`;
        const { body } = await call(`GET ${path}/messages?${query}`);
        byCursor.push(...sequences(body.data));
        more = body.hasMore;
        cursor = body.nextCursor ?? '';
        assert.is(more, cursor !== '');
      }
      for (let highest = start, more = true; more; ) {
        const { body } = await call(`GET ${path}/messages?limit=${limit}&afterSequence=${highest}`);
        bySequence.push(...sequences(body.data));
        more = body.hasMore;
        highest = bySequence.at(-1) ?? highest;
      }
      assert.equal(byCursor, upTo(13, start + 1), `${limit} by cursor`);
      assert.equal(bySequence, byCursor, `${limit} by sequence`);
    }
  }
  const { body } = await call(`GET ${path}/messages?afterSequence=13`);
  assert.equal(body, { object: 'list', data: [], hasMore: false, nextCursor: null });
  assert.equal((await call(`GET ${path}/messages?afterSequence=2147483647`)).body.data, []);
});

test('a walk continues into what is written meanwhile', async () => {
  const { call, path, agent } = await longChat(3);
  const { nextCursor } = (await call(`GET ${path}/messages?limit=2`)).body;
  await agent.write('Message 4');
  const { body } = await call(`GET ${path}/messages?limit=2&cursor=${nextCursor}`);
  assert.equal(sequences(body.data), [3, 4]);
  assert.is(body.nextCursor, null);
});

test('twenty-five at a time unless said otherwise', async () => {
  const { call, path } = await longChat(27);
  const { body } = await call(`GET ${path}/messages`);
  assert.equal([body.data.length, body.hasMore], [25, true]);
});

test('a cursor of another chat, another start or another workspace is 400', async () => {
  const first = await longChat(3);
  const second = await newChat(tandem, first);
  const { nextCursor } = (await first.call(`GET ${first.path}/messages?limit=1`)).body;
  for (const [path, query] of [
    [second.path, ''],
    [first.path, '&afterSequence=1'],
  ]) {
    const { status, body } = assertFrame(await first.call(`GET ${path}/messages?cursor=${nextCursor}${query}`));
    assert.equal([status, body.code, body.param], [400, 'invalid_cursor', 'cursor']);
  }
  const upper = first.path.replace(/[^/]+$/, (id) => id.toUpperCase());
  assert.is((await first.call(`GET ${upper}/messages?cursor=${nextCursor}`)).status, 200, 'the same chat');
});

test('an invalid request is 400, an unknown chat is 404', async () => {
  const { call, path } = await longChat(1);
  for (const [query, param] of [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['afterSequence=-1', 'afterSequence'],
    ['afterSequence=1.5', 'afterSequence'],
    ['afterSequence=2147483648', 'afterSequence'],
    ['afterSequence=x', 'afterSequence'],
    ['waitSeconds=-1', 'waitSeconds'],
  ]) {
    const { status, body } = assertFrame(await call(`GET ${path}/messages?${query}`));
    assert.equal([status, body.param], [400, param], query);
  }
  const missing = assertFrame(await call(`GET /chats/${crypto.randomUUID()}/messages?waitSeconds=20`));
  assert.equal([missing.status, missing.body.param], [404, 'chatId']);
});

test('what a message carries comes back as it was written: tool calls, results, decisions and references', async () => {
  const workspace = await tandem.workspace();
  const { path, agent } = await newChat(tandem, workspace);
  const id = crypto.randomUUID();
  const blocks = [
    { type: 'text', text: 'Zwei 🌱\n\n**fett**' },
    {
      type: 'tool_call',
      id: 'c1',
      name: 'create_todo',
      title: 'T',
      input: { a: [1, null, { b: 'ü' }] },
      requiresApproval: true,
      approvalId: id,
    },
    { type: 'tool_result', toolCallId: 'c1', isError: false, output: { todo: { id, title: null } }, truncated: false },
    { type: 'approval_request', approvalId: id, toolCallId: 'c1', title: 'T', reason: 'R' },
    { type: 'approval_decision', approvalId: id, decision: 'deny', note: null, decidedBy: workspace.userId },
    { type: 'reference', resource: 'todo', resourceId: id, title: null },
  ] as never[];
  await agent.write('Zwei 🌱', blocks);
  const { body } = await workspace.call(`GET ${path}/messages?afterSequence=1`);
  assert.equal(body.data[0].blocks, blocks);
});

test('the status that is read before the messages never hides the tail', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (let round = 0; round < 15; round++) {
    const { path, agent } = await newChat(tandem, workspace);
    const work = (async () => {
      for (let n = 0; n < 4; n++) await agent.write(`Step ${n}`);
      await agent.finish('The end');
    })();
    const seen: Message[] = [];
    for (let over = false; !over; ) {
      const { status } = (await call(`GET ${path}`)).body;
      const { data, hasMore } = (await call(`GET ${path}/messages?limit=2&afterSequence=${seen.at(-1)?.sequence ?? 0}`))
        .body;
      seen.push(...data);
      over = status !== 'running' && !hasMore;
    }
    assert.equal(sequences(seen), upTo(6));
    assert.is(seen.at(-1)?.text, 'The end');
    await work;
  }
});

test.run();
