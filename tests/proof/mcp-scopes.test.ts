import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Scope, scopes } from '../../domain/scopes.ts';
import { specified } from '../fixtures/tools.ts';
import { newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { callTool, modernClient, raw } from '../support/mcp-clients.ts';

const test = suite('mcp scopes');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

/** A call of each tool that must succeed, made for the workspace just before. */
const validly: Record<string, (workspace: TestWorkspace) => object | Promise<object>> = {
  list_todos: () => ({}),
  get_todo: async (each) => ({ todoId: await todo(each), afterSequence: 0 }),
  create_todo: () => ({ title: 'New' }),
  update_todo: async (each) => ({ todoId: await todo(each), title: 'Changed' }),
  complete_todo: async (each) => ({ todoId: await todo(each) }),
  reopen_todo: async (each) => ({ todoId: await todo(each) }),
  archive_todo: async (each) => ({ todoId: await todo(each) }),
  unarchive_todo: async (each) => ({ todoId: await todo(each) }),
  run_todo: async (each) => ({ todoId: await todo(each), agentId: 'Assistant' }),
  list_chats: () => ({}),
  get_chat: async (each) => ({ chatId: await chat(each) }),
  create_chat: () => ({ message: 'Hello.', agentId: 'Assistant' }),
  send_chat_message: async (each) => ({ chatId: await chat(each), message: 'Hello.' }),
  stop_chat: async (each) => ({ chatId: await chat(each) }),
  list_agents: () => ({}),
  get_agent: () => ({ agentId: 'Assistant' }),
  create_agent: () => ({ name: crypto.randomUUID() }),
  update_agent: () => ({ agentId: 'Assistant', description: crypto.randomUUID() }),
  list_skills: () => ({ agentId: 'Assistant' }),
  get_skill: async (each) => ({ skillId: await skill(each) }),
  create_skill: () => ({ agentId: 'Assistant', name: crypto.randomUUID() }),
  update_skill: async (each) => ({ skillId: await skill(each), name: crypto.randomUUID() }),
  list_captures: () => ({}),
  get_capture: async (each) => ({ captureId: (await newRecording(tandem, each, { transcript: 'Ada: Ten.' })).id }),
  update_capture: async (each) => ({ captureId: (await newRecording(tandem, each)).id, title: 'Named' }),
  start_capture: () => ({}),
  list_todo_lists: () => ({}),
  upsert_todo_list: () => ({ name: 'Groceries' }),
};

const todo = async ({ call }: TestWorkspace) => (await call('POST /todos', { title: 'One' })).body.id as string;
const chat = async ({ call }: TestWorkspace) => {
  const { body } = await call('POST /chats', { message: 'Hello.' });
  await call(`POST /chats/${body.id}/cancel`);
  return body.id as string;
};
const skill = async ({ call }: TestWorkspace) => {
  const { body } = await call('GET /agents');
  return (await call(`POST /agents/${body.data[0].id}/skills`, { name: crypto.randomUUID() })).body.id as string;
};

function unlocked(held: readonly Scope[]): string[] {
  return specified.filter(([, needed]) => needed.every((scope) => held.includes(scope))).map(([name]) => name);
}

/**
 * The sets of scopes that show different tools: each one, each pair that shows more than its two, each preset, none.
 */
async function scopeSets(): Promise<Scope[][]> {
  const pairs = scopes.flatMap((one, place) => scopes.slice(place + 1).map((two): Scope[] => [one, two]));
  const more = pairs.filter(([one, two]) => {
    return unlocked([one, two] as Scope[]).length > unlocked([one as Scope]).length + unlocked([two as Scope]).length;
  });
  const { session } = await tandem.workspace();
  const { body } = await tandem.call('GET /api-keys/scopes', undefined, { key: await session() });
  const presets = body.presets.map((preset: { scopes: Scope[] }) => preset.scopes);
  assert.equal([more, presets.length], [[['todos:read', 'chats:read']], 6]);
  return [[], ...scopes.map((scope) => [scope]), ...more, ...presets];
}

test('every tool that a credential sees it can call, and no other', async () => {
  assert.equal(
    Object.keys(validly),
    specified.map(([name]) => name),
  );
  const workspace = await tandem.workspace();
  for (const held of await scopeSets()) {
    const key = await workspace.mint(held);
    const { body } = await raw(tandem.url, { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }, { key });
    const seen = unlocked(held);
    assert.equal(
      body.result.tools.map((each: { name: string }) => each.name),
      seen,
    );
    for (const [name, needed] of specified) {
      const { isError, data } = await callTool(tandem.url, key, name, await validly[name]?.(workspace));
      if (seen.includes(name)) {
        assert.is(isError, false, `${name} with ${held}: ${JSON.stringify(data)}`);
        continue;
      }
      assert.equal([isError, data.code, data.retryable], [true, 'missing_scope', false], name);
      const lacking = needed.filter((scope) => !held.includes(scope));
      assert.ok(lacking.length > 0 && lacking.every((scope) => data.message.includes(scope)), data.message);
    }
  }
});

test('the instructions speak only of tools that the credential sees', async () => {
  const workspace = await tandem.workspace();
  for (const held of await scopeSets()) {
    const client = await modernClient(tandem.url, await workspace.mint(held));
    const seen = unlocked(held);
    for (const [name] of specified) {
      if (!seen.includes(name)) assert.not.match(client.instructions ?? '', new RegExp(`\\b${name}\\b`), `${held}`);
    }
    assert.match(client.instructions ?? '', /four primitives/);
    assert.is(/afterSequence/.test(client.instructions ?? ''), seen.includes('get_chat'), `${held}`);
    await client.close();
  }
});

test.run();
