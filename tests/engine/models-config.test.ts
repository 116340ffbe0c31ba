import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngines } from '../../engine/models/engines.ts';
import { type Config, ConfigError, parseConfig } from '../../server/config.ts';
import {
  closeModelServers,
  createTodo,
  keptLog,
  requestOf,
  secretKey,
  silentLog,
  underTest,
} from '../support/model-engine.ts';

const test = suite('configuration of models');
test.after(closeModelServers);

const enginesOf = (config: Config) => createEngines(config, silentLog);

function configErrorOf(environment: Record<string, string>): string {
  try {
    parseConfig(environment);
  } catch (error) {
    assert.instance(error, ConfigError);
    return (error as ConfigError).message;
  }
  throw new Error('it was accepted');
}

const anthropic = { AI_PROVIDER: 'anthropic', AI_API_KEY: secretKey, AI_MODEL: 'opus' };
const local = { AI_PROVIDER: 'openai-compatible', AI_BASE_URL: 'http://127.0.0.1:11434/v1', AI_MODEL: 'llama' };

test('without settings there is no engine', () => {
  assert.equal(enginesOf(parseConfig({})), {});
});

test('general settings serve every purpose', () => {
  for (const general of [anthropic, local]) {
    const engines = enginesOf(parseConfig(general));
    assert.equal(Object.keys(engines), ['turn', 'titles', 'summaries', 'estimates']);
    assert.is(engines.turn?.name, general.AI_MODEL);
  }
});

test('a purpose may have a model of its own, alone or beside the general one', () => {
  const beside = enginesOf(parseConfig({ ...local, AI_TITLES_MODEL: 'tiny' }));
  assert.is(beside.titles?.name, 'tiny');
  assert.is(beside.turn?.name, 'llama');
  const alone = enginesOf(
    parseConfig({ AI_SUMMARIES_PROVIDER: 'anthropic', AI_SUMMARIES_API_KEY: secretKey, AI_SUMMARIES_MODEL: 'haiku' }),
  );
  assert.equal(Object.keys(alone), ['summaries']);
});

test('two purposes ask at their own addresses with their own keys and models', async () => {
  const general = await underTest('openai-compatible', () => 'From the general one.');
  const own = await underTest('anthropic', () => 'From its own.', {}, { apiKey: 'another-key' });
  const engines = enginesOf(
    parseConfig({
      AI_PROVIDER: 'openai-compatible',
      AI_BASE_URL: general.server.url,
      AI_API_KEY: secretKey,
      AI_MODEL: 'big',
      AI_TITLES_PROVIDER: 'anthropic',
      AI_TITLES_BASE_URL: `${own.server.url}/`,
      AI_TITLES_API_KEY: 'another-key',
      AI_TITLES_MODEL: 'small',
    }),
  );
  assert.is((await engines.turn?.answer(requestOf()))?.text, 'From the general one.');
  assert.is((await engines.titles?.answer(requestOf({ purpose: 'titles' })))?.text, 'From its own.');
  assert.equal([general.server.asked()[0]?.model, own.server.asked()[0]?.model], ['big', 'small']);
  assert.is(general.server.received[0]?.headers.authorization, `Bearer ${secretKey}`);
  assert.is(own.server.received[0]?.headers['x-api-key'], 'another-key');
});

test('the general key goes to no host but its own', async () => {
  const stranger = await underTest('openai-compatible', () => 'Yes.', {}, { apiKey: undefined });
  const general = { ...local, AI_API_KEY: secretKey };
  const engines = enginesOf(parseConfig({ ...general, AI_TITLES_BASE_URL: stranger.server.url }));
  await engines.titles?.answer(requestOf());
  assert.is(stranger.server.asked()[0]?.model, 'llama');
  assert.is(stranger.server.received[0]?.headers.authorization, undefined);
  assert.match(
    configErrorOf({ ...anthropic, AI_TITLES_BASE_URL: 'https://elsewhere.example.com/v1' }),
    /AI_TITLES_API_KEY is missing/,
  );
});

test('half a configuration is named at start-up, by what is missing', () => {
  const half: [Record<string, string>, RegExp][] = [
    [{ AI_PROVIDER: 'anthropic' }, /AI_MODEL is missing: .*\n {2}AI_API_KEY is missing/],
    [{ AI_PROVIDER: 'openai-compatible', AI_MODEL: 'm' }, /AI_BASE_URL is missing: .* without \/chat\/completions/],
    [{ AI_MODEL: 'm' }, /AI_PROVIDER is missing: set it to openai-compatible or anthropic/],
    [{ AI_API_KEY: secretKey }, /AI_PROVIDER is missing/],
    [{ AI_TITLES_MODEL: 'm' }, /AI_TITLES_PROVIDER is missing/],
    [{ ...local, AI_TURN_PROVIDER: 'anthropic' }, /AI_TURN_MODEL is missing: .*\n {2}AI_TURN_API_KEY is missing/],
    [{ ...local, AI_PROVIDER: 'gemini' }, /AI_PROVIDER must be openai-compatible or anthropic \(it is “gemini”\)/],
    [{ ...local, AI_BASE_URL: 'localhost:11434' }, /AI_BASE_URL must be an http or https address/],
    [{ ...local, AI_BASE_URL: 'http://me:pw@host/v1' }, /AI_BASE_URL must be an address without a name/],
    [{ ...local, AI_BASE_URL: 'http://host/v1?key=1' }, /AI_BASE_URL must be an address without a name/],
    [{ ...anthropic, AI_API_KEY: `${secretKey} x` }, /AI_API_KEY must be one word/],
    [{ ...anthropic, AI_STEP_SECONDS: '4' }, /AI_STEP_SECONDS must be between 5 and 290/],
  ];
  for (const [environment, expected] of half) {
    const message = configErrorOf(environment);
    assert.match(message, expected);
    assert.not.match(message, secretKey);
    assert.not.match(message, 'undefined');
  }
});

test('the settings of the SDKs in the environment are not read', async () => {
  const { server } = await underTest('anthropic', () => 'Yes.', {}, { apiKey: undefined });
  process.env.ANTHROPIC_API_KEY = 'of-somebody-else';
  process.env.ANTHROPIC_BASE_URL = 'http://127.0.0.1:1/v1';
  try {
    const engines = enginesOf(parseConfig({ ...anthropic, AI_BASE_URL: server.url }));
    await engines.turn?.answer(requestOf());
    assert.is(server.received[0]?.headers['x-api-key'], secretKey);
  } finally {
    delete process.env.ANTHROPIC_API_KEY;
    delete process.env.ANTHROPIC_BASE_URL;
  }
});

test('the limits of the configuration hold: a longer Retry-After than allowed is not waited for', async () => {
  const { server } = await underTest('openai-compatible', () => ({ status: 429, headers: { 'retry-after': '31' } }));
  const settings = { ...local, AI_BASE_URL: server.url, AI_API_KEY: secretKey };
  const { log, lines } = keptLog();
  const engines = createEngines(parseConfig({ ...settings, AI_RETRY_AFTER_MAX_SECONDS: '30' }), log, {
    sleep: async () => assert.unreachable('it waited'),
  });
  const fault = await engines.turn?.answer(requestOf()).catch((error: unknown) => error as Error);
  assert.match((fault as Error).message, 'Try again in 31 s.');
  assert.is(server.received.length, 1);
  assert.not.match(lines.join('\n'), secretKey);
});

test('the server of models runs as a process of its own, with a built-in script', async () => {
  const args = ['tests/support/model-server-main.ts', '--script', 'todo-maker', '--delay', '30'];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const [line] = await once(createInterface(run.stdout), 'line');
    const engines = enginesOf(parseConfig({ ...local, AI_BASE_URL: JSON.parse(line).url }));
    const conversation = [{ role: 'user' as const, text: 'Buy milk\nplease' }];
    const began = performance.now();
    const first = await engines.turn?.answer(requestOf({ conversation, tools: [createTodo] }));
    assert.ok(performance.now() - began >= 30);
    const [call] = first?.toolCalls ?? [];
    assert.is(call?.name, 'create_todo');
    assert.equal(call?.input, { title: 'Buy milk' });
    const results = [{ toolCallId: call?.id ?? '', name: 'create_todo', isError: false, output: { id: '1' } }];
    const second = await engines.turn?.answer(
      requestOf({
        conversation: [
          ...conversation,
          { role: 'agent', text: first?.text ?? '', toolCalls: first?.toolCalls ?? [] },
          { role: 'tools', results },
        ],
        tools: [createTodo],
      }),
    );
    assert.equal(second, { text: 'The todo is made.', toolCalls: [] });
  } finally {
    run.kill('SIGTERM');
    const [code] = await once(run, 'exit');
    assert.is(code, 0);
  }
});

test.run();
