import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../server/agents/engine.ts';
import { createEngine } from '../server/agents/models/engines.ts';
import { freePort } from './harness.ts';
import {
  closeModelServers,
  createTodo,
  keptLog,
  protocols,
  requestOf,
  secretKey,
  silentLog,
  underTest,
} from './model-engine.ts';
import type { Reply } from './model-server.ts';

const test = suite('faults of models');
test.after(closeModelServers);

interface Expected {
  reply: Reply;
  retryable: boolean;
  message: RegExp;
  retryAfterMs?: number;
}

const sse = { 'content-type': 'text/event-stream' };
const pleaseWait = /asked too often\. Try again in/;
const outOfOrder = /overloaded or out of order \(5\d\d\)\. Try again in a minute\./;
const brokenOff = /broke off or could not be read\. Try again in a minute\./;
const tooLong = /^The conversation is too long for the model\. Start a new chat/;
const noCredit = /account has no credit left: whoever runs this service must add some\./;

/** What may go wrong with either protocol. */
const faults: Record<string, Expected> = {
  '429': { reply: { status: 429 }, retryable: true, message: pleaseWait },
  '429 with Retry-After in seconds': {
    reply: { status: 429, headers: { 'retry-after': '7' } },
    retryable: true,
    message: /Try again in 7 s\./,
    retryAfterMs: 7000,
  },
  '429 with Retry-After of more than a minute': {
    reply: { status: 429, headers: { 'retry-after': '300' } },
    retryable: true,
    message: /Try again in 5 min\./,
    retryAfterMs: 300_000,
  },
  '429 with retry-after-ms': {
    reply: { status: 429, headers: { 'retry-after-ms': '1234.5', 'retry-after': '2' } },
    retryable: true,
    message: pleaseWait,
    retryAfterMs: 1235,
  },
  '429 with a Retry-After that is past': {
    reply: { status: 429, headers: { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' } },
    retryable: true,
    message: pleaseWait,
    retryAfterMs: 0,
  },
  '429 with a Retry-After that means nothing': {
    reply: { status: 429, headers: { 'retry-after': '-5' } },
    retryable: true,
    message: /Try again in a minute\./,
  },
  '429 for want of credit': {
    reply: { status: 429, error: { type: 'insufficient_quota', code: 'insufficient_quota' } },
    retryable: false,
    message: noCredit,
  },
  '402': { reply: { status: 402 }, retryable: false, message: noCredit },
  '400 for want of credit': {
    reply: { status: 400, error: { message: 'Your credit balance is too low to access the API.' } },
    retryable: false,
    message: noCredit,
  },
  '500': { reply: { status: 500 }, retryable: true, message: outOfOrder },
  '502 with a page of a proxy': {
    reply: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
    retryable: true,
    message: outOfOrder,
  },
  '503 with Retry-After': {
    reply: { status: 503, headers: { 'retry-after': '3' }, body: '' },
    retryable: true,
    message: /out of order \(503\)\. Try again in 3 s\./,
    retryAfterMs: 3000,
  },
  '529': { reply: { status: 529, error: { type: 'overloaded_error' } }, retryable: true, message: outOfOrder },
  '500 that says that another try is useless': {
    reply: { status: 500, headers: { 'x-should-retry': 'false' } },
    retryable: false,
    message: /out of order \(500\)\.$/,
  },
  '408': { reply: { status: 408 }, retryable: true, message: /took too long/ },
  '401': { reply: { status: 401 }, retryable: false, message: /refused the key .* must correct AI_API_KEY\./ },
  '403': { reply: { status: 403 }, retryable: false, message: /what AI_API_KEY may use, and AI_MODEL\./ },
  '404': { reply: { status: 404 }, retryable: false, message: /must check AI_MODEL and AI_BASE_URL\./ },
  '400': { reply: { status: 400 }, retryable: false, message: /refused the request \(400\)/ },
  '422': { reply: { status: 422, body: '{"detail":[{"loc":["body"]}]}' }, retryable: false, message: /\(422\)/ },
  '501': { reply: { status: 501 }, retryable: false, message: /\(501\)/ },
  '400 as the conversation is too long': {
    reply: { status: 400, error: { message: 'prompt is too long: 250000 tokens > 200000 maximum' } },
    retryable: false,
    message: tooLong,
  },
  '400 as the context is exceeded': {
    reply: { status: 400, error: { code: 'context_length_exceeded', type: 'context_length_exceeded', message: 'No.' } },
    retryable: false,
    message: tooLong,
  },
  '413': { reply: { status: 413 }, retryable: false, message: tooLong },
  'a redirect': {
    reply: { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
    retryable: false,
    message: /leads elsewhere: .* set AI_BASE_URL to where it leads\./,
  },
  'a web page in place of an answer': {
    reply: { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Welcome</html>' },
    retryable: true,
    message: /answered with a web page; .* must check AI_BASE_URL\./,
  },
  'a JSON object in place of a stream': {
    reply: { status: 200, body: '{"hello":"world"}' },
    retryable: true,
    message: brokenOff,
  },
  'an error of the key with status 200': {
    reply: { status: 200, body: '{"error":{"type":"authentication_error","message":"no"}}' },
    retryable: false,
    message: /must correct AI_API_KEY/,
  },
  'an error with a status of its own with status 200': {
    reply: { status: 200, headers: { 'retry-after': '9' }, body: '{"error":{"code":429,"message":"slow down"}}' },
    retryable: true,
    message: /asked too often\. Try again in 9 s\./,
    retryAfterMs: 9000,
  },
  'an empty stream': { reply: { status: 200, headers: sse, body: '' }, retryable: true, message: brokenOff },
  'a stream of nonsense': {
    reply: { status: 200, headers: sse, body: 'data: nonsense\n\ndata: {"a":1}\n\n' },
    retryable: true,
    message: brokenOff,
  },
  'another content type': {
    reply: { status: 200, headers: { 'content-type': 'application/octet-stream' }, body: '\x01\x02\x03' },
    retryable: true,
    message: brokenOff,
  },
  'a stream that ends in the middle': {
    reply: { text: 'One two three', after: 4, fault: 'end' },
    retryable: true,
    message: brokenOff,
  },
  'a stream that ends in a tool call': {
    reply: { toolCalls: [{ name: 'create_todo', input: { title: 'One' } }], after: 4, fault: 'end' },
    retryable: true,
    message: brokenOff,
  },
  'an event that is no JSON, with the rest following': {
    reply: { text: 'One two three', after: 3, fault: 'broken' },
    retryable: true,
    message: brokenOff,
  },
  'an event that is no JSON, first of all': {
    reply: { text: 'One two three', after: 0, fault: 'broken' },
    retryable: true,
    message: brokenOff,
  },
  'a reset before the first byte': {
    reply: { text: 'One', fault: 'reset' },
    retryable: true,
    message: /connection to the model provider broke off\. Try again in a minute\./,
  },
  'a reset in the middle': {
    reply: { text: 'One two three four', after: 4, fault: 'reset' },
    retryable: true,
    message: /connection to the model provider broke off\. Try again in a minute\./,
  },
  'an error in the stream, with a proper end following': {
    reply: { text: 'One two', after: 3, fault: 'error', error: { type: 'overloaded_error' } },
    retryable: true,
    message: /Try again in a minute\./,
  },
  'an error in the stream, first of all': {
    reply: { text: 'One two', after: 0, fault: 'error', error: { type: 'rate_limit_error' } },
    retryable: true,
    message: pleaseWait,
  },
  'an error in the stream that will not pass': {
    reply: { text: 'One two', after: 3, fault: 'error', error: { type: 'invalid_request_error' } },
    retryable: false,
    message: /refused the request \(400\)/,
  },
  'silence from the start': {
    reply: { text: 'One', fault: 'silence' },
    retryable: true,
    message: /was silent for 0\.5 s\. Try again in a minute\./,
  },
  'silence in the middle': {
    reply: { text: 'One two three', after: 4, fault: 'silence' },
    retryable: true,
    message: /was silent for 0\.5 s\./,
  },
  'a drip that does not end': {
    reply: { text: Array.from({ length: 200 }, () => 'x '), eventMs: 50 },
    retryable: true,
    message: /did not finish its answer within 2 s\./,
  },
  'an empty answer': { reply: { text: '' }, retryable: true, message: /empty answer/ },
  'a blank answer': { reply: { text: ' \n ' }, retryable: true, message: /empty answer/ },
  'an answer of reasoning alone': { reply: { reasoning: 'Hm.' }, retryable: true, message: /empty answer/ },
  'tool calls announced but not made': {
    reply: { text: 'I make it:', finish: 'tools' },
    retryable: true,
    message: /empty answer/,
  },
  'a length limit in a tool call': {
    reply: { text: 'Now.', toolCalls: [{ name: 'create_todo', input: '{"title":"On' }], finish: 'length' },
    retryable: true,
    message: /cut at its length limit, in the middle of a tool call\. .* AI_MAX_OUTPUT_TOKENS/,
  },
  'a length limit before any text': {
    reply: { reasoning: 'Hm.', finish: 'length' },
    retryable: true,
    message: /reached its length limit before it said anything/,
  },
  'a content filter': {
    reply: { text: 'I will', finish: 'filter' },
    retryable: false,
    message: /content filter stopped the answer\. Word the request differently\./,
  },
};

for (const protocol of protocols) {
  for (const [name, { reply, retryable, message, retryAfterMs }] of Object.entries(faults)) {
    test(`${protocol}: ${name}: a fault that ${retryable ? 'may pass' : 'will not pass'}`, async () => {
      const { fault, lines } = await underTest(protocol, () => reply);
      const found = await fault({ tools: [createTodo] });
      assert.instance(found, ModelFault);
      assert.match(found.message, message);
      assert.is(found.retryable, retryable);
      assert.is(found.retryAfterMs, retryAfterMs);
      assert.is(lines.filter((line) => line.includes('"level":40')).length, 1, 'one line in the log');
    });
  }

  test(`${protocol}: a Retry-After that is a date counts from now`, async () => {
    const at = new Date(Date.now() + 90_000).toUTCString();
    const { fault } = await underTest(protocol, () => ({ status: 429, headers: { 'retry-after': at } }));
    const { retryAfterMs = 0 } = await fault();
    assert.ok(retryAfterMs > 85_000 && retryAfterMs <= 90_000, String(retryAfterMs));
  });

  test(`${protocol}: after a fault the connection is closed, whatever the provider has still to say`, async () => {
    const text = Array.from({ length: 500 }, () => 'x ');
    const reply: Reply = { text, eventMs: 20, after: 5, fault: 'error' };
    const { fault, server } = await underTest(protocol, () => reply);
    await fault();
    for (let waited = 0; waited < 1000 && !server.received[0]?.ended; waited += 20)
      await new Promise((resolve) => setTimeout(resolve, 20));
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
      const told = `${found.message}\n${found.stack}\n${JSON.stringify(found)}\n${String(found.cause)}`;
      assert.not.match(told, 'confidential plan');
      assert.not.match(told, secretKey);
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
        msg: 'a model did not answer',
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
    const patience = { silenceSeconds: 30, answerSeconds: 60, maxOutputTokens: 0 };
    const { log, lines } = keptLog();
    for (const [baseUrl, code] of [
      [`http://127.0.0.1:${await freePort()}/v1`, 'ECONNREFUSED'],
      // A port that fetch refuses to go to.
      ['http://127.0.0.1:9/v1', 'CONNECT_FAILED'],
      ['http://no-such-host.invalid/v1', 'ENOTFOUND|EAI_AGAIN'],
    ] as const) {
      const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, patience, log);
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
    const patience = { silenceSeconds: 5, answerSeconds: 10, maxOutputTokens: 0 };
    const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, patience, silentLog);
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
    const patience = { silenceSeconds: 20, answerSeconds: 60, maxOutputTokens: 0 };
    const engine = createEngine({ protocol, baseUrl, apiKey: secretKey, model: 'm' }, patience, silentLog);
    const found = await engine.answer(requestOf()).catch((error: unknown) => error as ModelFault);
    assert.match((found as ModelFault).message, 'did not end');
    endless.closeAllConnections();
    endless.close();
  });
}

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

test('Anthropic: a full context window is told as such', async () => {
  const reply: Reply = { toolCalls: [{ name: 'create_todo', input: '{"ti' }], finish: 'model_context_window_exceeded' };
  const { fault } = await underTest('anthropic', () => reply);
  assert.match((await fault({ tools: [createTodo] })).message, tooLong);
});

test.run();
