import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { closeModelServers, createTodo, protocols, underTest } from '../support/model-engine.ts';

const test = suite('models');
test.after(closeModelServers);

for (const protocol of protocols) {
  test(`${protocol}: text arrives piece by piece, and then as a whole`, async () => {
    const { ask, server } = await underTest(protocol, () => ({ text: ['Good ', 'morning', '.'] }));
    const deltas: string[] = [];
    assert.equal(await ask({ onText: (delta) => deltas.push(delta) }), { text: 'Good morning.', toolCalls: [] });
    assert.equal(deltas, ['Good ', 'morning', '.']);
    const [asked] = server.asked();
    assert.is(asked?.system, 'You are a colleague.');
    assert.equal(asked?.messages, [{ role: 'user', text: 'Hello' }]);
    assert.equal(asked?.tools, []);
    assert.is(asked?.model, 'test-model');
    assert.is(asked?.stream, true);
  });

  test(`${protocol}: reasoning is left out of the answer`, async () => {
    const { ask } = await underTest(protocol, () => ({ reasoning: 'The person says hello.', text: 'Hello!' }));
    const deltas: string[] = [];
    assert.is((await ask({ onText: (delta) => deltas.push(delta) })).text, 'Hello!');
    assert.is(deltas.join(''), 'Hello!');
  });

  test(`${protocol}: tool calls come with their arguments, however they were cut into pieces`, async () => {
    const { ask, server } = await underTest(protocol, () => ({
      text: 'I make two.',
      toolCalls: [
        { name: 'create_todo', input: { title: 'Buy “milk”, 2 l' } },
        { name: 'create_todo', input: { title: 'Call Ada', nested: { list: [1, null, true] } } },
      ],
    }));
    const { text, toolCalls } = await ask({ tools: [createTodo] });
    assert.is(text, 'I make two.');
    assert.equal(
      toolCalls.map(({ name, input }) => ({ name, input })),
      [
        { name: 'create_todo', input: { title: 'Buy “milk”, 2 l' } },
        { name: 'create_todo', input: { title: 'Call Ada', nested: { list: [1, null, true] } } },
      ],
    );
    assert.equal(server.asked()[0]?.tools, [createTodo]);
  });

  test(`${protocol}: a tool call without text, without arguments or of an unknown name is passed on`, async () => {
    const { ask } = await underTest(protocol, () => ({ toolCalls: [{ name: 'no_such_tool', input: '' }] }));
    const { text, toolCalls } = await ask({ tools: [createTodo] });
    assert.is(text, '');
    assert.equal(
      toolCalls.map(({ name, input }) => ({ name, input })),
      [{ name: 'no_such_tool', input: {} }],
    );
  });

  test(`${protocol}: arguments that are no JSON come as the text they are`, async () => {
    const { ask } = await underTest(protocol, () => ({
      toolCalls: [{ name: 'create_todo', input: '{"title": "half' }],
      finish: 'tools',
    }));
    assert.is((await ask({ tools: [createTodo] })).toolCalls[0]?.input, '{"title": "half');
  });

  test(`${protocol}: ids of tool calls are unique where the provider gives the same or none`, async () => {
    for (const id of ['', 'call_0']) {
      const { ask } = await underTest(protocol, () => ({
        toolCalls: [
          { id, name: 'create_todo', input: { title: 'One' } },
          { id, name: 'create_todo', input: { title: 'Two' } },
        ],
      }));
      const { toolCalls } = await ask({ tools: [createTodo] });
      assert.equal(
        toolCalls.map(({ input }) => input),
        [{ title: 'One' }, { title: 'Two' }],
      );
      const ids = new Set(toolCalls.map((call) => call.id));
      assert.is(ids.size, 2);
      assert.not.ok(ids.has(''));
    }
  });

  test(`${protocol}: tool calls count also where the provider says that it stopped`, async () => {
    const { ask } = await underTest(protocol, () => ({
      toolCalls: [{ name: 'create_todo', input: { title: 'One' } }],
      finish: 'stop',
    }));
    assert.is((await ask({ tools: [createTodo] })).toolCalls.length, 1);
  });

  test(`${protocol}: NUL and lone surrogates never come out of it, and whole emoji do`, async () => {
    const { ask } = await underTest(protocol, () => ({
      text: ['a\0b ', '\ud83d', '\ude00', ' c\udc00d', ' \ud83d'],
      toolCalls: [{ name: 'create_todo', input: { title: 'x\0y\ud800', 'k\0': ['\udfff'] } }],
    }));
    const deltas: string[] = [];
    const { text, toolCalls } = await ask({ tools: [createTodo], onText: (delta) => deltas.push(delta) });
    assert.is(text, 'ab 😀 c\ufffdd \ufffd');
    assert.ok(deltas.every((delta) => delta.isWellFormed() && !delta.includes('\0')));
    assert.ok(deltas.join('').startsWith('ab 😀 c'));
    assert.equal(toolCalls[0]?.input, { title: 'xy\ufffd', k: ['\ufffd'] });
  });

  test(`${protocol}: arguments nested deeper than anybody needs come as text`, async () => {
    const input = `{"a":${'['.repeat(100)}${']'.repeat(100)}}`;
    const { ask } = await underTest(protocol, () => ({ toolCalls: [{ name: 'create_todo', input }] }));
    assert.is((await ask({ tools: [createTodo] })).toolCalls[0]?.input, input);
  });

  test(`${protocol}: text cut at the length limit is the answer, with a note`, async () => {
    const { ask } = await underTest(protocol, () => ({ text: 'Once upon a', finish: 'length' }));
    assert.is((await ask()).text, 'Once upon a\n\n[The answer was cut off here: it reached its length limit.]');
  });

  test(`${protocol}: a long answer in many small pieces arrives whole`, async () => {
    const pieces = Array.from({ length: 5000 }, (_, at) => `word${at} `);
    const { ask } = await underTest(protocol, () => ({ text: pieces }), { silenceSeconds: 5, answerSeconds: 20 });
    assert.is((await ask()).text, pieces.join(''));
  });

  test(`${protocol}: a slow drip is waited for as long as it drips`, async () => {
    // In all it lasts longer than one silence may, and no pause comes near that.
    const pieces = Array.from({ length: 25 }, (_, at) => `drop ${at} `);
    const limits = { silenceSeconds: 4, answerSeconds: 60 };
    const { ask } = await underTest(protocol, () => ({ text: pieces, eventMs: 200 }), limits);
    assert.is((await ask()).text, pieces.join(''));
  });

  test(`${protocol}: the length of an answer is limited where it is set`, async () => {
    const limited = await underTest(protocol, () => 'Yes.', { maxOutputTokens: 777 });
    await limited.ask();
    assert.is(limited.server.asked()[0]?.maxTokens, 777);
    const free = await underTest(protocol, () => 'Yes.');
    await free.ask();
    assert.is(free.server.asked()[0]?.maxTokens, protocol === 'anthropic' ? 8192 : undefined);
  });
}

test('Anthropic may keep what is the same at each step', async () => {
  const { ask, server } = await underTest('anthropic', () => 'Yes.');
  await ask({ tools: [createTodo] });
  const body = server.asked()[0]?.body;
  assert.equal(body.system[0].cache_control, { type: 'ephemeral' });
  assert.equal(body.messages.at(-1).content.at(-1).cache_control, { type: 'ephemeral' });
});

test.run();
