import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Utterance } from '../../engine/engine.ts';
import { toCall } from '../../engine/models/conversation.ts';
import { inDialect, providerAt } from '../../engine/models/provider.ts';
import { closeModelServers, createTodo, protocols, requestOf, underTest } from '../support/model-engine.ts';
import type { ModelProtocol } from '../support/model-server.ts';

const test = suite('conversations with models');
test.after(closeModelServers);

/** The messages that the provider received; it refuses what a real one would. */
async function messagesSent(protocol: ModelProtocol, conversation: Utterance[]) {
  const { ask, server } = await underTest(protocol, () => 'Understood.');
  assert.is((await ask({ conversation, tools: [createTodo] })).text, 'Understood.');
  return server.asked()[0]?.messages;
}

const call = (id: string, title: string) => ({ id, name: 'create_todo', input: { title } });
const done = (toolCallId: string, output: unknown, isError = false) => ({
  toolCallId,
  name: 'create_todo',
  isError,
  output,
});

for (const protocol of protocols) {
  // OpenAI's protocol has no word for a failed tool: its output says so.
  const failed = protocol === 'anthropic';

  test(`${protocol}: several results stand behind their calls, in the order of the calls`, async () => {
    const messages = await messagesSent(protocol, [
      { role: 'user', text: 'Make three' },
      { role: 'agent', text: 'I do.', toolCalls: [call('a', 'One'), call('b', 'Two'), call('c', 'Three')] },
      {
        role: 'tools',
        results: [
          done('c', { code: 'validation_failed', message: 'Too long' }, true),
          done('a', { todo: { id: 1, title: 'One' } }),
          done('b', 'plain words'),
        ],
      },
      { role: 'user', text: 'Go on' },
    ]);
    assert.equal(messages, [
      { role: 'user', text: 'Make three' },
      {
        role: 'agent',
        text: 'I do.',
        toolCalls: [
          { id: 'call00001', name: 'create_todo', input: { title: 'One' } },
          { id: 'call00002', name: 'create_todo', input: { title: 'Two' } },
          { id: 'call00003', name: 'create_todo', input: { title: 'Three' } },
        ],
      },
      {
        role: 'tools',
        results: [
          { toolCallId: 'call00001', isError: false, output: '{"todo":{"id":1,"title":"One"}}' },
          { toolCallId: 'call00002', isError: false, output: 'plain words' },
          { toolCallId: 'call00003', isError: failed, output: '{"code":"validation_failed","message":"Too long"}' },
        ],
      },
      { role: 'user', text: 'Go on' },
    ]);
  });

  test(`${protocol}: a conversation may end with results, and its agent may have said nothing`, async () => {
    const messages = await messagesSent(protocol, [
      { role: 'user', text: 'Make one' },
      { role: 'agent', text: '', toolCalls: [call('a', 'One')] },
      { role: 'tools', results: [done('a', null)] },
      { role: 'agent', text: '  ', toolCalls: [call('a', 'Two')] },
      { role: 'tools', results: [done('a', undefined)] },
    ]);
    assert.equal(messages?.slice(3), [
      { role: 'agent', text: '', toolCalls: [{ id: 'call00002', name: 'create_todo', input: { title: 'Two' } }] },
      { role: 'tools', results: [{ toolCallId: 'call00002', isError: false, output: '' }] },
    ]);
  });

  test(`${protocol}: messages of a user in a row become one; what is empty is left out`, async () => {
    const messages = await messagesSent(protocol, [
      { role: 'user', text: 'First' },
      { role: 'agent', text: '', toolCalls: [] },
      { role: 'user', text: 'Second' },
      { role: 'user', text: ' \n' },
      { role: 'agent', text: 'Yes?', toolCalls: [] },
      { role: 'user', text: 'Third' },
    ]);
    assert.equal(messages, [
      { role: 'user', text: 'First\n\nSecond' },
      { role: 'agent', text: 'Yes?', toolCalls: [] },
      { role: 'user', text: 'Third' },
    ]);
  });

  test(`${protocol}: a call that never got its result gets one that says so; a result without its call is left out`, async () => {
    const messages = await messagesSent(protocol, [
      { role: 'user', text: 'Make two' },
      { role: 'agent', text: '', toolCalls: [call('a', 'One'), call('b', 'Two')] },
      { role: 'tools', results: [done('a', 'made'), done('stranger', 'of another')] },
      { role: 'agent', text: '', toolCalls: [call('c', 'Three')] },
      { role: 'user', text: 'Never mind' },
    ]);
    const interrupted =
      'There is no result: the work was interrupted before the tool answered. It may or may not have acted.';
    assert.equal(messages?.slice(2), [
      {
        role: 'tools',
        results: [
          { toolCallId: 'call00001', isError: false, output: 'made' },
          { toolCallId: 'call00002', isError: failed, output: interrupted },
        ],
      },
      { role: 'agent', text: '', toolCalls: [{ id: 'call00003', name: 'create_todo', input: { title: 'Three' } }] },
      { role: 'tools', results: [{ toolCallId: 'call00003', isError: failed, output: interrupted }] },
      { role: 'user', text: 'Never mind' },
    ]);
  });

  test(`${protocol}: names and arguments that a model made up are told in a form that providers accept`, async () => {
    const messages = await messagesSent(protocol, [
      { role: 'user', text: 'Go' },
      {
        role: 'agent',
        text: '',
        toolCalls: [
          { id: 'functions.create todo:0', name: 'functions.create todo', input: '{"title": "half' },
          { id: '', name: '', input: null },
        ],
      },
      { role: 'tools', results: [done('functions.create todo:0', 'no such tool', true), done('', 'nor this', true)] },
    ]);
    assert.equal(messages?.[1], {
      role: 'agent',
      text: '',
      toolCalls: [
        { id: 'call00001', name: 'functions_create_todo', input: { unreadable: '{"title": "half' } },
        { id: 'call00002', name: 'unnamed', input: { unreadable: null } },
      ],
    });
  });

  test(`${protocol}: what no JSON of a provider may hold is cleaned on the way out`, async () => {
    const { ask, server } = await underTest(protocol, () => 'Fine.');
    await ask({
      system: 'sys\0tem \ud800',
      conversation: [
        { role: 'user', text: 'a\0b\udc00' },
        { role: 'agent', text: 'c\0', toolCalls: [call('a', 'One')] },
        { role: 'tools', results: [done('a', 'd\0\ud800')] },
      ],
    });
    assert.is(server.asked()[0]?.system, 'system \ufffd');
  });

  test(`${protocol}: without instructions there is no system message`, async () => {
    const { ask, server } = await underTest(protocol, () => 'Fine.');
    await ask({ system: '' });
    assert.is(server.asked()[0]?.system, '');
    assert.is(JSON.stringify(server.asked()[0]?.body).includes('"system"'), false);
  });
}

test('Gemini gets the signature it demands on every tool call, and nobody else does', async () => {
  const sent: { messages: { tool_calls?: object[] }[] }[] = [];
  const fetch: typeof globalThis.fetch = async (_, init) => {
    sent.push(JSON.parse(String(init?.body)));
    return new Response('{}', { status: 500 });
  };
  const conversation: Utterance[] = [
    { role: 'user', text: 'Make one' },
    { role: 'agent', text: '', toolCalls: [call('a', 'One')] },
    { role: 'tools', results: [done('a', 'made')] },
  ];
  for (const host of ['generativelanguage.googleapis.com/v1beta/openai', 'api.example.com/v1']) {
    const address = { protocol: 'openai-compatible', baseUrl: `https://${host}`, apiKey: 'k', model: 'm' } as const;
    const { model, fit } = providerAt(address, fetch);
    await Promise.resolve(model.doStream(fit(toCall(requestOf({ conversation })), 0))).catch(() => {});
  }
  const [gemini, other] = sent.map((body) => body.messages.find((message) => message.tool_calls)?.tool_calls?.[0]);
  const google = { thought_signature: 'skip_thought_signature_validator' };
  assert.equal(gemini, { ...other, extra_content: { google } });
});

test('OpenAI and Azure get the limit under its newer name, others under the one they know', () => {
  const body = { model: 'm', max_tokens: 5 };
  const renamed = { model: 'm', max_completion_tokens: 5 };
  assert.equal(inDialect('https://api.openai.com/v1', body), renamed);
  assert.equal(inDialect('https://x.openai.azure.com/openai/v1', body), renamed);
  assert.equal(inDialect('https://api.openai.com/v1', { model: 'm' }), { model: 'm' });
  assert.equal(inDialect('https://openai.example.com/v1', body), body);
});

test.run();
