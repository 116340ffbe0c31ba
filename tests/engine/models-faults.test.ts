import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ModelFault } from '../../engine/engine.ts';
import type { EngineSettings } from '../../engine/models/engines.ts';
import { closeModelServers, createTodo, protocols, underTest } from '../support/model-engine.ts';
import type { Reply } from '../support/model-server.ts';

const test = suite('faults of models');
test.after(closeModelServers);

interface Expected {
  reply: Reply;
  retryable: boolean;
  message: RegExp;
  retryAfterMs?: number;
  timeouts?: Partial<EngineSettings>;
}

const sse = { 'content-type': 'text/event-stream' };
const pleaseWait = /received too many requests\. Try again in/;
const unavailable = /overloaded or unavailable \(5\d\d\)\. Try again in a minute\./;
const brokenOff = /was interrupted or could not be read\. Try again in a minute\./;
const tooLong = /^The conversation is too long for the model\. Start a new chat/;
const noCredit = /account has no credit left: the operator of this service must add some\./;

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
  '500': { reply: { status: 500 }, retryable: true, message: unavailable },
  '502 with a page of a proxy': {
    reply: { status: 502, headers: { 'content-type': 'text/html' }, body: '<html>Bad gateway</html>' },
    retryable: true,
    message: unavailable,
  },
  '503 with Retry-After': {
    reply: { status: 503, headers: { 'retry-after': '3' }, body: '' },
    retryable: true,
    message: /unavailable \(503\)\. Try again in 3 s\./,
    retryAfterMs: 3000,
  },
  '529': { reply: { status: 529, error: { type: 'overloaded_error' } }, retryable: true, message: unavailable },
  '500 that says that another try is useless': {
    reply: { status: 500, headers: { 'x-should-retry': 'false' } },
    retryable: false,
    message: /unavailable \(500\)\.$/,
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
  '400 of xAI as the prompt is too long': {
    reply: {
      status: 400,
      error: { message: "This model's maximum prompt length is 131072 but the request contains 500000 tokens." },
    },
    retryable: false,
    message: tooLong,
  },
  '400 of llama.cpp as the context is exceeded': {
    reply: { status: 400, error: { type: 'exceed_context_size_error', message: 'No.' } },
    retryable: false,
    message: tooLong,
  },
  '413': { reply: { status: 413 }, retryable: false, message: tooLong },
  '413 that says that another try is useless': {
    reply: { status: 413, headers: { 'x-should-retry': 'false' } },
    retryable: false,
    message: tooLong,
  },
  'a redirect': {
    reply: { status: 307, headers: { location: 'http://127.0.0.1:9/elsewhere' }, body: '' },
    retryable: false,
    message: /redirects to another one: .* set AI_BASE_URL to that address\./,
  },
  'a web page in place of an answer': {
    reply: { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: '<html>Welcome</html>' },
    retryable: true,
    message: /returned a web page; .* must check AI_BASE_URL\./,
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
    message: /received too many requests\. Try again in 9 s\./,
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
    message: /connection to the model provider was lost\. Try again in a minute\./,
  },
  'a reset in the middle': {
    reply: { text: 'One two three four', after: 4, fault: 'reset' },
    retryable: true,
    message: /connection to the model provider was lost\. Try again in a minute\./,
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
    message: /sent nothing for 0\.5 s\. Try again in a minute\./,
    timeouts: { silenceSeconds: 0.5 },
  },
  'silence in the middle': {
    reply: { text: 'One two three', after: 4, fault: 'silence' },
    retryable: true,
    message: /sent nothing for 0\.5 s\./,
    timeouts: { silenceSeconds: 0.5 },
  },
  'a drip that does not end': {
    reply: { text: Array.from({ length: 200 }, () => 'x '), eventMs: 50 },
    retryable: true,
    message: /did not finish its answer within 2 s\./,
    timeouts: { answerSeconds: 2 },
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
    message: /reached its length limit before it wrote anything/,
  },
  'a content filter': {
    reply: { text: 'I will', finish: 'filter' },
    retryable: false,
    message: /content filter stopped the answer\. Word the request differently\./,
  },
};

for (const protocol of protocols) {
  for (const [name, { reply, retryable, message, retryAfterMs, timeouts }] of Object.entries(faults)) {
    test(`${protocol}: ${name}: a fault that ${retryable ? 'may pass' : 'will not pass'}`, async () => {
      const { fault, lines } = await underTest(protocol, () => reply, timeouts);
      const found = await fault({ tools: [createTodo] });
      assert.instance(found, ModelFault);
      assert.match(found.message, message);
      assert.is(found.retryable, retryable);
      assert.is(found.retryAfterMs, retryAfterMs);
      assert.is((found as ModelFault).isTooLong, message === tooLong);
      assert.is(lines.filter((line) => line.includes('"level":40')).length, 1, 'one line in the log');
    });
  }
}

test.run();
