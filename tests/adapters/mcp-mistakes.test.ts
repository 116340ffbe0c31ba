import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newRecording, startWithoutDigests } from '../support/capture-fixtures.ts';
import type { TestService, TestWorkspace } from '../support/harness.ts';
import { GaveUp, ToolAgent } from '../support/mcp-agent.ts';
import { eras } from '../support/mcp-clients.ts';

/* Wrong calls, put right by an agent that reads nothing but the text of the errors, in both eras of the protocol. */
const test = suite('mistakes over mcp');
let tandem: TestService;

test.before(async () => {
  tandem = await startWithoutDigests();
});
test.after(() => tandem.close());

for (const [era, connect] of eras) {
  const hired = async (workspace: Pick<TestWorkspace, 'key'>, knows: Record<string, unknown> = {}) => {
    const client = await connect(tandem.url, workspace.key);
    return { agent: new ToolAgent(client, knows), close: () => client.close() };
  };

  test(`${era}: what is called wrongly is put right by what the error says`, async () => {
    const workspace = await tandem.workspace();
    const { call } = workspace;
    const made = async (route: string, body: object) => (await call(`POST ${route}`, body)).body.id as string;
    await made('/todo-lists', { name: 'Groceries' });
    const todoId = await made('/todos', { title: 'Only one', content: 'x' });
    const tess = await made('/agents', { name: 'Tess' });
    const skillId = await made(`/agents/${tess}/skills`, { name: 'Digest' });
    const chatId = await made('/chats', { message: 'Hello.' });
    await call(`POST /chats/${chatId}/cancel`);
    const { id: captureId } = await newRecording(tandem, workspace, { transcript: 'Ada: Ten euros.' });
    await call(`PATCH /agents/${tess}`, { description: 'Changed' });
    const { agent, close } = await hired(workspace, { name: 'Scout', title: 'From my person' });
    const unknown = crypto.randomUUID();
    const right = async (name: string, input: Record<string, unknown>) => {
      const before = agent.corrected.length;
      const data = await agent.use(name, input);
      assert.is(agent.corrected.length, before + 1, `${name} ${JSON.stringify(input)} was refused once or more`);
      return data;
    };
    // A value outside of an enum, twice in one call; an argument that there is not; one of the wrong kind; too much.
    assert.is((await right('list_todos', { status: 'readyish', sort: 'due' })).data.length, 1);
    assert.is((await right('create_todo', { title: 'Eggs', urgency: 'high' })).todo.title, 'Eggs');
    assert.is((await right('list_todos', { limit: '1' })).data.length, 1);
    assert.is((await right('list_todos', { assignedToMe: 'true' })).data.length, 2);
    assert.is((await right('list_agents', { limit: 500 })).data.length, 2);
    assert.is((await right('get_chat', { chatId, waitSeconds: 3600, limit: 0 })).chat.id, chatId);
    // What is missing.
    assert.is((await right('create_agent', { description: 'Looks around.' })).agent.name, 'Scout');
    assert.is((await right('create_todo', { priority: 'low' })).todo.title, 'From my person');
    // An id that is none, and one that nothing has, of every kind.
    assert.is((await right('get_todo', { todoId: 'the second one' })).todo.isArchived, false);
    for (const [name, param, id] of [
      ['complete_todo', 'todoId', undefined],
      ['stop_chat', 'chatId', chatId],
      ['get_skill', 'skillId', skillId],
      ['get_capture', 'captureId', captureId],
      ['get_agent', 'agentId', undefined],
      ['upsert_todo_list', 'todoListId', undefined],
    ] as const) {
      const [found] = Object.values(await right(name, { [param]: unknown })) as { id: string }[];
      assert.ok(found?.id !== undefined && (id === undefined || found.id === id), name);
    }
    assert.is(
      (await right('create_chat', { message: 'Look.', captureIds: [unknown], agentId: tess })).chat.agentId,
      tess,
    );
    // A name that no list has, and one that two have: a person and an agent.
    const eggs = (await right('create_todo', { title: 'Eggs', todoListId: 'Grocerys' })).todo;
    assert.is(
      (await agent.use('list_todo_lists')).data.find(({ id }: { id: string }) => id === eggs.todoListId).name,
      'Groceries',
    );
    const both = (await right('create_todo', { title: 'Who?', assignees: [{ id: 'Tess' }] })).todo;
    assert.ok([tess, workspace.userId].includes(both.assignees[0].id));
    // A cursor of another list, a day that no calendar has, a time without an offset.
    const { nextCursor } = await agent.use('list_todos', { limit: 1 });
    assert.is((await right('list_agents', { cursor: nextCursor })).hasMore, false);
    assert.is((await right('update_todo', { todoId, dueDate: '2027-02-30' })).todo.dueDate, '2026-03-01');
    assert.is((await right('list_todos', { createdSince: '2020-01-01' })).hasMore, false);
    // An agent that somebody else changed meanwhile.
    const { agent: now } = await right('update_agent', { agentId: 'Tess', instructions: 'New.', expectedVersion: 1 });
    assert.equal([now.version, now.description], [3, 'Changed']);
    // A part of a capture that was not named.
    assert.is((await right('get_capture', { captureId, offset: 5, part: 'words' })).offset, 5);
    await close();
  });

  test(`${era}: a call that cannot be made right is given up at once, and says why`, async () => {
    const workspace = await tandem.workspace();
    const reader = { ...workspace, key: await workspace.mint(['todos:read', 'chats:read', 'agents:read']) };
    const { agent, close } = await hired(reader);
    const refused = async (name: string, input: Record<string, unknown>) => {
      const error = await agent.use(name, input).catch((each: unknown) => each);
      assert.instance(error, GaveUp);
      return (error as GaveUp).refusal;
    };
    const scope = await refused('create_todo', { title: 'Eggs' });
    assert.equal([scope.code, scope.retryable], ['missing_scope', false]);
    assert.match(scope.message, /todos:write/);
    const { agent: whole, close: end } = await hired(workspace);
    await tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [workspace.workspaceId]);
    const broke = await whole.use('create_chat', { message: 'Hello.' }).catch((each: GaveUp) => each.refusal);
    assert.is(broke.code, 'insufficient_minutes');
    const taken = await whole.use('create_agent', { name: 'Assistant' }).catch((each: GaveUp) => each.refusal);
    assert.match(taken.message, /Choose another/);
    await close();
    await end();
  });
}

test.run();
