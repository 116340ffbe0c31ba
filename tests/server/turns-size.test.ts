import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Db } from '../../db/client.ts';
import type { TurnMessage } from '../../domain/turns/history.ts';
import type { Claim } from '../../domain/turns/steps.ts';
import { type EngineRequest, ModelFault } from '../../engine/engine.ts';
import { cutOutputs, readOn } from '../../server/workers/turns/messages.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { heldTurn, worldOf } from '../support/turn-world.ts';
import { agentOf, approvalOf, bodyOf } from '../support/work-fixtures.ts';

const test = suite('turns of great size');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

/** Characters of JSON that a conversation may have, with room for what always stays. */
const most = 300_000;

const sizeOf = ({ conversation }: EngineRequest) => JSON.stringify(conversation).length;

async function answered({ call }: TestWorkspace, chatId: string, plan: string) {
  const sent = await call(`POST /chats/${chatId}/messages`, { message: `Now: ${plan}` });
  assert.is(sent.status, 202, sent.text);
  return (await settled({ call }, chatId)).body;
}

const addLong = `with said as (select repeat('All is well. ', 40) as text)
  insert into messages (workspace_id, chat_id, sequence, id, role, text, blocks)
  select $1, $2, place, gen_random_uuid(), case when place % 2 = 1 then 'user' else 'agent' end, text,
    case when place < $3 / 2 and place > 2 then '"unreadable"' else jsonb_build_array(jsonb_build_object('type', 'text', 'text', text)) end
  from generate_series(3, $3::int) place, said`;

test('a very long chat is never read whole: its beginning and its end are, and a note counts what is left out', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const { body: made } = await call('POST /chats', { message: 'The very first words.' });
  await settled(workspace, made.id);
  const count = 20_000;
  await tandem.db.rows(addLong, [workspaceId, made.id, count]);
  await tandem.db.rows('update chats set message_count = $3 where workspace_id = $1 and id = $2', [
    workspaceId,
    made.id,
    count,
  ]);
  let seen: EngineRequest | undefined;
  const plan = engine.plan((request, asked) => {
    seen = request;
    return asked < 2 ? use(['list_todos', {}]) : reply('Here I am.');
  });
  const chat = await answered(workspace, made.id, plan);
  assert.is(chat.status, 'completed', chat.errorMessage);
  const { conversation } = seen as EngineRequest;
  assert.is(conversation[0]?.role === 'user' && conversation[0].text, 'The very first words.');
  const note = conversation[1];
  const left = note?.role === 'user' ? Number(/(\d+) earlier messages/.exec(note.text)?.[1]) : 0;
  const included = conversation.filter((each) => each.role === 'user' || each.role === 'agent').length;
  // All but the note were messages of the chat; three more came with the turn, besides the results of tools.
  assert.is(left + included - 1, count + 3);
  assert.ok(sizeOf(seen as EngineRequest) < most, `${sizeOf(seen as EngineRequest)} characters`);
});

const takes = 40_000;

/** A long chat, and a plan that calls a tool and replies, of a model that takes less; `sizes`: what it was asked. */
async function longChat(workspace: TestWorkspace, call: [string, unknown], agentId?: string) {
  const { body: made } = await workspace.call('POST /chats', { message: 'The very first words.', agentId });
  await settled(workspace, made.id);
  await tandem.db.rows(addLong, [workspace.workspaceId, made.id, 4000]);
  await tandem.db.rows('update chats set message_count = 4000 where id = $1', [made.id]);
  const sizes: number[] = [];
  const plan = engine.plan((request, asked) => {
    sizes.push(sizeOf(request));
    if (sizeOf(request) > takes) throw new ModelFault('It is too long.', { retryable: false, isTooLong: true });
    return request.conversation.at(-1)?.role === 'tools' ? reply(`Asked ${asked + 1} times.`) : use(call);
  });
  return { made, sizes, plan };
}

test('a model that takes less is sent less, from the next step of the turn on at once', async () => {
  const workspace = await tandem.workspace();
  const { made, sizes, plan } = await longChat(workspace, ['list_todos', {}]);
  const chat = await answered(workspace, made.id, plan);
  assert.is(chat.status, 'completed', chat.errorMessage);
  const taken = sizes.findIndex((size) => size <= takes);
  assert.ok(taken > 0, sizes.join(', '));
  assert.equal(
    sizes.slice(0, taken),
    sizes.slice(0, taken).toSorted((one, two) => two - one),
  );
  assert.is(sizes.length, taken + 2, 'one more step');

  const nothing = engine.plan(() => {
    throw new ModelFault('It is too long.', { retryable: false, isTooLong: true });
  });
  const failed = await answered(workspace, made.id, nothing);
  assert.equal([failed.status, failed.errorMessage], ['failed', 'It is too long.']);
});

test('a turn goes on with what its model took after it waited for a person', async () => {
  const workspace = await tandem.workspace();
  const agentId = await agentOf(workspace, { requiresApproval: true });
  const { made, sizes, plan } = await longChat(workspace, ['create_todo', { title: 'Buy milk' }], agentId);
  assert.is((await answered(workspace, made.id, plan)).status, 'awaiting_input');
  const before = sizes.length;
  const { id } = await approvalOf(workspace, made.id);
  bodyOf(await workspace.call(`POST /approvals/${id}/decide`, { decision: 'approve' }));
  const { body: chat } = await settled(workspace, made.id);
  assert.is(chat.status, 'completed', chat.errorMessage);
  assert.is(sizes.length, before + 1, sizes.join(', '));
});

test('an answer with a thousand calls makes a hundred of them, and the model sees what came of those', async () => {
  const workspace = await tandem.workspace();
  const calls = Array.from({ length: 1000 }, (_, place): [string, unknown] => ['create_todo', { title: `T${place}` }]);
  let results = 0;
  const plan = engine.plan((request, asked) => {
    if (asked === 0) return use(...calls);
    const last = request.conversation.at(-1);
    results = last?.role === 'tools' ? last.results.length : 0;
    return reply('That will do.');
  });
  const { body: made } = await workspace.call('POST /chats', { message: plan });
  const { body: chat } = await settled(workspace, made.id);
  assert.is(chat.status, 'completed', chat.errorMessage);
  assert.is(results, 100);
  const { body: page } = await workspace.call('GET /todos?include=totalCount&limit=1');
  assert.is(page.totalCount, 100);
});

const addResults = `insert into messages (workspace_id, chat_id, sequence, id, turn_id, role, text, blocks)
  select $1, $2, place + 1, gen_random_uuid(), $3, case when place % 10 = 1 then 'agent' else 'system' end, 'Listed.',
    jsonb_build_array(case when place % 10 = 1
      then jsonb_build_object('type', 'text', 'text', 'I look.')
      else jsonb_build_object('type', 'tool_result', 'toolCallId', place::text, 'isError', false, 'truncated', false,
        'output', jsonb_build_object('text', repeat('"', 10000) || place)) end)
  from generate_series(1, 600) place`;

test('a turn with hundreds of long results is read on in a few statements, and holds no more than it needs', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId } = workspace;
  const turn = await heldTurn(worldOf(tandem.db), workspace);
  await tandem.db.rows(addResults, [workspaceId, turn.chatId, turn.turnId]);
  let statements = 0;
  const rows: Db['rows'] = (text, values) => {
    statements++;
    return tandem.db.rows(text, values);
  };
  const held: TurnMessage[] = [];
  const claim = { workspaceId, ...turn } as Claim;
  await readOn({ ...tandem.db, rows } as Db, claim, held);
  assert.ok(statements <= 6, `${statements} statements`);
  assert.equal(
    held.map(({ sequence }) => sequence),
    Array.from({ length: 601 }, (_, place) => place + 1),
  );
  const size = (messages: readonly TurnMessage[]) => JSON.stringify(messages).length;
  const read = size(held);
  assert.ok(read < 1_500_000, `${read} characters of 12,000,000`);
  const outputs = held.flatMap(({ blocks }) =>
    blocks.flatMap((each) => (each.type === 'tool_result' ? each.output : [])),
  );
  assert.is(outputs.length, 540);
  assert.is((outputs.at(-1) as { text: string }).text.length, 10_003, 'the latest are whole');
  assert.match((outputs[0] as { note: string }).note, /^The output was cut: .* The call is done: repeat it only if/);
  cutOutputs(held);
  assert.is(size(held), read, 'nothing is cut twice');
});

test('of what the calls of one answer return, the first is kept whole', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  for (let place = 0; place < 40; place++)
    await call('POST /todos', { title: 't'.repeat(490), content: 'c'.repeat(500) });
  const calls = Array.from({ length: 60 }, (): [string, unknown] => ['list_todos', { limit: 40 }]);
  const { body: made } = await call('POST /chats', { message: engine.plan([use(...calls), reply('Seen.')]) });
  const { body: chat } = await settled(workspace, made.id);
  assert.is(chat.status, 'completed', chat.errorMessage);
  const { body: page } = await call(`GET /chats/${made.id}/messages?limit=100`);
  const lengths: number[] = page.data.slice(2, -1).map(({ blocks: [block] }: { blocks: [{ output: unknown }] }) => {
    return JSON.stringify(block.output).length;
  });
  assert.is(lengths.length, 60);
  const [first = 0] = lengths;
  assert.ok(first > 5000 && (lengths.at(-1) ?? 0) < 2500, lengths.join());
  assert.ok(lengths.reduce((sum, length) => sum + length) < 200_000 + first + 60 * 2500, lengths.join());
});

test('what an agent said and called at great length is short in what it reads later', async () => {
  const workspace = await tandem.workspace();
  const sizes: number[] = [];
  const plan = engine.plan((request, asked) => {
    sizes.push(sizeOf(request));
    const text = `Long ${'words '.repeat(50_000)}`;
    const input = { title: 'Too long', content: 'x'.repeat(900_000) };
    if (asked === 0) return { text, toolCalls: [{ id: 'c', name: 'create_todo', input }] };
    return asked === 1 ? reply(text) : reply('Short.');
  });
  const { body: made } = await workspace.call('POST /chats', { message: plan });
  assert.is((await settled(workspace, made.id)).body.status, 'completed');
  assert.is((await answered(workspace, made.id, plan)).status, 'completed');
  assert.is(sizes.length, 3);
  assert.ok(
    sizes.every((size) => size < most),
    sizes.join(),
  );
  const { body: page } = await workspace.call(`GET /chats/${made.id}/messages`);
  assert.is(page.data[1].blocks[1].input.content.length, 900_000, 'what is kept is whole');
});

test.run();
