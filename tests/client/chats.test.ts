import { createTandemClient, followChat, isTandemError } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newChat, sendDelta, startWithoutAgents } from '../support/chat-fixtures.ts';
import { refusalOf, type Sent, watchedClient } from '../support/client-world.ts';
import { revoke } from '../support/frame.ts';
import type { TestService } from '../support/harness.ts';
import { unknownId } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('chats followed by the typed client');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutAgents();
});
test.after(() => tandem.close());

async function listeners(): Promise<number> {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  return Number(/^tandem_live_subscribers (\d+)$/m.exec(text)?.[1]);
}

async function nobodyListens(): Promise<void> {
  await until(async () => (await listeners()) === 0);
}

/** Answers whose body breaks once `isEnough` of it came. */
function breaking(isEnough: (text: string) => boolean, times: number) {
  return async (send: () => Promise<Response>, _: Sent, number: number): Promise<Response> => {
    const answer = await send();
    if (number > times || !answer.body) return answer;
    const decoder = new TextDecoder();
    let text = '';
    const cut = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        controller.enqueue(bytes);
        text += decoder.decode(bytes, { stream: true });
        if (isEnough(text)) controller.error(new TypeError('terminated'));
      },
    });
    return new Response(answer.body.pipeThrough(cut), answer);
  };
}

test('a chat is followed until its agent stops: messages, pieces, status and done', async () => {
  const workspace = await tandem.workspace();
  const { chat, agent } = await newChat(tandem, workspace);
  const client = createTandemClient({ url: tandem.url, token: workspace.key });
  const received: unknown[] = [];
  for await (const event of followChat(client, chat.id)) {
    if (event.event === 'message') received.push([event.id, event.data.text]);
    else if (event.event === 'delta') received.push(event.data.text);
    else received.push([event.event, event.data.status]);
    if (received.length === 2) await sendDelta(tandem, { chatId: chat.id, sequence: 2, offset: 0, text: 'Do' });
    if (received.length === 3) await agent.finish('Done.');
  }
  assert.equal(received, [
    [1, 'What is due this week?'],
    ['status', 'running'],
    'Do',
    [2, 'Done.'],
    ['status', 'completed'],
    ['done', 'completed'],
  ]);
  await nobodyListens();
});

test('a lost connection is resumed, and no message is repeated or missed', async () => {
  const workspace = await tandem.workspace();
  const { chat, agent } = await newChat(tandem, workspace);
  for (let n = 2; n <= 5; n++) await agent.write(`Message ${n}`);
  let most = 0;
  const more = (text: string) => {
    const count = text.split('"object":"message"').length - 1;
    most = Math.max(most, count);
    return count > 0;
  };
  const { client, sent } = watchedClient(tandem, workspace.key, {}, breaking(more, 3));
  const sequences: number[] = [];
  const statuses: string[] = [];
  for await (const event of followChat(client, chat.id)) {
    if (event.event === 'message') sequences.push(event.id);
    if (event.event === 'status') {
      statuses.push(event.data.status);
      if (event.data.status === 'running') {
        for (let n = 6; n <= 9; n++) await agent.write(`Message ${n}`);
        await agent.finish('Message 10');
      }
    }
  }
  assert.ok(most > 0 && sent.length > 3, 'it was broken on the way');
  assert.equal(sequences, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  assert.equal(statuses, ['running', 'completed']);
  await nobodyListens();
});

test('messages that were already received are not sent again', async () => {
  const workspace = await tandem.workspace();
  const { chat, agent } = await newChat(tandem, workspace);
  await agent.finish('Done.');
  const client = createTandemClient({ url: tandem.url, token: workspace.key });
  const received: string[] = [];
  for await (const event of followChat(client, chat.id, { afterSequence: 1 })) received.push(event.event);
  assert.equal(received, ['message', 'status', 'done']);
});

test('leaving the loop, or aborting, closes the connection', async () => {
  const workspace = await tandem.workspace();
  const { chat } = await newChat(tandem, workspace);
  const client = createTandemClient({ url: tandem.url, token: workspace.key });
  for await (const { event } of followChat(client, chat.id)) {
    if (event !== 'status') continue;
    assert.is(await listeners(), 1);
    break;
  }
  await nobodyListens();
  const leave = new AbortController();
  const following = (async () => {
    for await (const { event } of followChat(client, chat.id, { signal: leave.signal })) {
      if (event === 'status') setTimeout(() => leave.abort(new Error('I left')), 20);
    }
  })();
  assert.is((await refusalOf(following)).message, 'I left');
  await nobodyListens();
});

test('a chat that is gone, or a key that is revoked, ends it with the error of the service', async () => {
  const workspace = await tandem.workspace();
  const client = createTandemClient({ url: tandem.url, token: workspace.key });
  const missing = await refusalOf(followChat(client, unknownId).next());
  assert.is(isTandemError(missing) && missing.code, 'resource_not_found');

  const { chat, path } = await newChat(tandem, workspace);
  const erased = (async () => {
    for await (const { event } of followChat(client, chat.id)) {
      if (event === 'status') await workspace.call(`DELETE ${path}?permanent=true`);
    }
  })();
  const gone = await refusalOf(erased);
  assert.is(isTandemError(gone) && gone.code, 'resource_not_found');

  const other = await newChat(tandem, workspace);
  const revoked = (async () => {
    for await (const { event } of followChat(client, other.chat.id)) {
      if (event !== 'status') continue;
      await revoke(tandem, workspace.key);
      await other.agent.finish('Nobody hears it.');
    }
  })();
  const refused = await refusalOf(revoked);
  assert.is(isTandemError(refused) && refused.code, 'invalid_api_key');
});

test.run();
