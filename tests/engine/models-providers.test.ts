import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../../engine/engine.ts';
import { createEngine } from '../../engine/models/engines.ts';
import {
  closeModelServers,
  createTodo,
  keptLog,
  protocols,
  requestOf,
  secretKey,
  silentLog,
  underTest,
} from '../support/model-engine.ts';
import { anthropic } from '../support/model-server/anthropic.ts';
import type { Reply } from '../support/model-server.ts';
import { freePort } from '../support/ports.ts';
import { until } from '../support/until.ts';

const test = suite('what providers of models do beside answering');
test.after(closeModelServers);

const sse = { 'content-type': 'text/event-stream' };
const brokenOff = /was interrupted or could not be read\. Try again in a minute\./;

for (const protocol of protocols) {
  test(`${protocol}: a Retry-After that is a date counts from now`, async () => {
    const before = Date.now();
    const at = new Date(before + 900_000).toUTCString();
    const { fault } = await underTest(protocol, () => ({ status: 429, headers: { 'retry-after': at } }));
    const { retryAfterMs = 0 } = await fault();
    assert.ok(retryAfterMs >= Date.parse(at) - Date.now(), String(retryAfterMs));
    assert.ok(retryAfterMs <= Date.parse(at) - before, String(retryAfterMs));
  });

  test(`${protocol}: after a fault the connection is closed, whatever the provider has still to say`, async () => {
    const text = Array.from({ length: 500 }, () => 'x ');
    const reply: Reply = { text, eventMs: 20, after: 5, fault: 'error' };
    const { fault, server } = await underTest(protocol, () => reply);
    await fault();
    await until(() => server.received[0]?.ended);
    assert.is(server.received[0]?.ended, 'client left');
  });

  test(`${protocol}: nothing that the provider says, and no key, is told to people or to the log`, async () => {
    const words = `Incorrect API key provided: ${secretKey}. The user wrote: confidential plan`;
    const replies: Reply[] = [
      { status: 401, error: { type: 'authentication_error', message: words } },
      { status: 400, error: { type: words, code: words, message: words } },
      { status: 500, body: words },
      { status: 200, body: JSON.stringify({ error: words }) },
      { status: 200, headers: sse, body: `data: ${words}\n\n` },
      { text: 'One two', after: 2, fault: 'error', error: { type: words, message: words } },
      { status: 429, headers: { 'x-request-id': words, 'retry-after': words } },
    ];
    const { fault, lines, server } = await underTest(protocol, (_, n) => replies[n - 1] ?? 'no more');
    for (const _ of replies) {
      const found = await fault({ conversation: [{ role: 'user', text: 'confidential plan' }] });
      const exposed = `${found.message}\n${found.stack}\n${JSON.stringify(found)}\n${String(found.cause)}`;
      assert.not.match(exposed, 'confidential plan');
      assert.not.match(exposed, secretKey);
    }
    assert.is(server.received.length, replies.length);
    assert.is(lines.length, replies.length);
    assert.not.match(lines.join('\n'), 'confidential plan');
    assert.not.match(lines.join('\n'), secretKey);
  });

  test(`${protocol}: the log names purpose, model, status, the provider's word and its request`, async () => {
    const { fault, lines } = await underTest(protocol, () => ({
      status: 400,
      headers: { 'x-request-id': 'req_123' },
      error: { type: 'invalid_request_error' },
    }));
    await fault({ purpose: 'titles' });
    const { purpose, model, status, kinds, providerRequestId, retryable, msg } = JSON.parse(lines[0] ?? '{}');
    assert.equal(
      { purpose, model, status, kinds, providerRequestId, retryable, msg },
      {
        purpose: 'titles',
        model: 'test-model',
        status: 400,
        kinds: ['invalid_request_error'],
        providerRequestId: 'req_123',
        retryable: false,
        msg: 'model request failed',
      },
    );
  });

  test(`${protocol}: a wrong key and a wrong model are told apart`, async () => {
    const { fault: wrongKey } = await underTest(protocol, () => 'Yes.', {}, { apiKey: 'another' });
    assert.match((await wrongKey()).message, 'must correct AI_API_KEY');
    const { fault: wrongModel } = await underTest(protocol, () => 'Yes.', {}, { model: 'another' });
    assert.match((await wrongModel()).message, 'must check AI_MODEL and AI_BASE_URL');
  });

  test(`${protocol}: a host that is not there is a fault that may pass`, async () => {
    const settings = { silenceSeconds: 30, answerSeconds: 60, maxOutputTokens: 0 };
    const { log, lines } = keptLog();
    for (const [baseUrl, code] of [
      [`http://127.0.0.1:${await freePort()}/v1`, 'ECONNREFUSED'],
      ['http://no-such-host.invalid/v1', 'ENOTFOUND|EAI_AGAIN'],
    ] as const) {
      const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, settings, log);
      const found = await engine.answer(requestOf()).catch((error: unknown) => error as ModelFault);
      assert.instance(found, ModelFault);
      assert.match((found as ModelFault).message, new RegExp(`cannot be reached \\((${code})\\)`));
      assert.ok((found as ModelFault).retryable);
    }
    assert.not.match(lines.join('\n'), secretKey);
  });

  test(`${protocol}: a host without the encryption it is asked in is a fault that will not pass`, async () => {
    const { server } = await underTest(protocol, () => 'Yes.');
    const baseUrl = server.url.replace('http:', 'https:');
    const settings = { silenceSeconds: 5, answerSeconds: 10, maxOutputTokens: 0 };
    const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, settings, silentLog);
    const found = await engine.answer(requestOf()).catch((error: unknown) => error as ModelFault);
    assert.match((found as ModelFault).message, /No safe connection .* must check AI_BASE_URL/);
    assert.not.ok((found as ModelFault).retryable);
  });

  test(`${protocol}: a stream without end is cut before it fills the memory`, async () => {
    const endless = createServer((_, response) => {
      response.writeHead(200, sse);
      const line = Buffer.alloc(1024 * 1024, 'x');
      const pour = () => {
        while (!response.destroyed && response.write(line));
      };
      response.on('drain', pour);
      response.write('data: ');
      pour();
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(endless.address() as AddressInfo).port}/v1`;
    const settings = { silenceSeconds: 20, answerSeconds: 60, maxOutputTokens: 0 };
    const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, settings, silentLog);
    const found = await engine.answer(requestOf()).catch((error: unknown) => error as ModelFault);
    assert.match((found as ModelFault).message, 'did not end');
    endless.closeAllConnections();
    endless.close();
  });
}

test('arguments without measure are no answer', async () => {
  const chunk = (call: object) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta: { tool_calls: [{ index: 0, ...call }] } }] })}\n\n`;
  const begin = chunk({ id: 'c', type: 'function', function: { name: 'create_todo', arguments: '{"title":"' } });
  const more = chunk({ function: { arguments: 'x'.repeat(100_000) } });
  const reply = { status: 200, headers: sse, body: begin + more.repeat(21) };
  const { fault } = await underTest('openai-compatible', () => reply, { silenceSeconds: 20, answerSeconds: 60 });
  assert.match((await fault({ tools: [createTodo] })).message, 'did not end');
});

test('OpenAI: a refusal in the model’s own words is the answer', async () => {
  const chunk = (delta: object, finish_reason: string | null) =>
    `data: ${JSON.stringify({ id: 'x', choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  const body = `${chunk({ refusal: 'I cannot help with that.' }, null)}${chunk({}, 'stop')}data: [DONE]\n\n`;
  const { ask } = await underTest('openai-compatible', () => ({ status: 200, headers: sse, body }));
  assert.is((await ask()).text, 'I cannot help with that.');
});

test('OpenAI: a finish for an error, as gateways write it, is a fault', async () => {
  const { fault } = await underTest('openai-compatible', () => ({ text: 'Half an', finish: 'error' }));
  assert.match((await fault()).message, brokenOff);
});

test('Anthropic: a tool call that was never closed is a fault, although the message ends in order', async () => {
  const events = anthropic.events({ text: 'Now.', toolCalls: [{ name: 'create_todo', input: { title: 'One' } }] }, 'm');
  const stops = events.filter((event) => event.includes('content_block_stop'));
  const body = events.filter((event) => event !== stops.at(-1)).join('');
  const { fault } = await underTest('anthropic', () => ({ status: 200, headers: sse, body }));
  assert.match((await fault({ tools: [createTodo] })).message, brokenOff);
});

test('Anthropic: a full context window is reported as such', async () => {
  const reply: Reply = { toolCalls: [{ name: 'create_todo', input: '{"ti' }], finish: 'model_context_window_exceeded' };
  const { fault } = await underTest('anthropic', () => reply);
  assert.match((await fault({ tools: [createTodo] })).message, /^The conversation is too long for the model\./);
});

test.run();
