import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { openSession } from '../../domain/accounts/open-session.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { hold, releaseAll, untilBlocked } from '../support/locks.ts';
import { reply, ScriptedEngine, settled, untilAnswer, use } from '../support/scripted-engine.ts';

const test = suite('what agents may do');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after.each(releaseAll);
test.after(() => tandem.close());

const titlesOf = (page: { data: { title: string }[] }) => page.data.map(({ title }) => title);

async function carefulAgent({ call }: TestWorkspace): Promise<string> {
  const { body } = await call('POST /agents', { name: `Careful ${crypto.randomUUID()}` });
  assert.is(body.requiresApproval, true);
  return body.id;
}

interface Note {
  id: string;
  content: string | null;
  priority: string | null;
}

/** A todo that no agent was given. */
async function foreignTodo({ call }: TestWorkspace): Promise<Note> {
  const body = { title: 'Not yours', content: 'Keep me', priority: 'high' };
  return (await call('POST /todos', body)).body;
}

// What a model may write as arguments, and what of it differs once it went through the database as JSON.
const disguises: Record<string, (todoId: string) => Record<string, unknown>> = {
  'a number beyond all numbers': (todoId) => ({ todoId, content: Number.POSITIVE_INFINITY }),
  'no number at all': (todoId) => ({ todoId, priority: Number.NaN }),
  'NUL in a text': (todoId) => ({ todoId, content: 'Gone\0' }),
  'half a character': (todoId) => ({ todoId, content: 'Gone \ud800' }),
  'NUL in the name of a field': (todoId) => ({ todoId, 'content\0': 'Gone' }),
  'NUL in the id': (todoId) => ({ todoId: `${todoId}\0`, content: 'Gone' }),
  'an undefined field': (todoId) => ({ todoId, content: 'Gone', colour: undefined }),
};

for (const [name, input] of Object.entries(disguises)) {
  test(`arguments with ${name} get past nobody: what runs is what was judged`, async () => {
    const workspace = await tandem.workspace();
    const todo = await foreignTodo(workspace);
    const agentId = await carefulAgent(workspace);
    const plan = engine.plan([use(['update_todo', input(todo.id)]), reply('Done.')]);
    const { body: chat } = await workspace.call('POST /chats', { message: plan, agentId });
    await settled(workspace, chat.id);
    const { body: now } = await workspace.call(`GET /todos/${todo.id}`);
    assert.equal([now.content, now.priority], [todo.content, todo.priority]);
  });
}

test('an agent that is set to ask asks for what it had planned before and not yet done', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  const { body: agent } = await call('POST /agents', { name: 'Free', requiresApproval: false });
  // New todos wait for their list: the first call has begun and the second has not when the agent is changed.
  const lists = 'select 1 from todo_lists where workspace_id = $1 for update';
  let release = () => Promise.resolve();
  const plan = engine.plan(async (_, asked) => {
    if (asked > 0) return asked === 1 ? use(['create_todo', { title: 'Third' }]) : reply('Done.');
    release = (await hold(lists, [workspaceId])).release;
    return use(['create_todo', { title: 'First' }], ['create_todo', { title: 'Second' }]);
  });
  const { body: made } = await call('POST /chats', { message: plan, agentId: agent.id });
  await untilBlocked('%insert into todos%');
  await call(`PATCH /agents/${agent.id}`, { requiresApproval: true });
  await release();
  const { body: chat } = await settled(workspace, made.id);
  assert.is(chat.status, 'awaiting_input', 'it asks for the third');
  assert.equal(titlesOf((await call('GET /todos')).body), ['First']);
  const { body: page } = await call(`GET /chats/${made.id}/messages`);
  const [refused] = page.data[3].blocks;
  assert.is(refused.isError, true);
  assert.match(refused.output.message, /A person must agree/);
});

/** What an agent that asks first, at work on its own todo, tries to get past a person. */
const tries: Record<string, (own: string, other: string, agent: string) => [tool: string, input: unknown]> = {
  'completes another todo': (_, other) => ['complete_todo', { todoId: other }],
  'names another todo in capitals': (_, other) => ['update_todo', { todoId: other.toUpperCase(), content: 'Gone' }],
  'names its own todo and another in one list': (own, other) => ['update_todo', { todoId: [own, other], content: 'X' }],
  'names another todo by its title': () => ['update_todo', { todoId: 'Not yours', content: 'Gone' }],
  'adds a second id under another name': (own, other) => ['update_todo', { todoId: own, id: other, content: 'Gone' }],
  'adds a second id in the prototype': (own, other) => [
    'update_todo',
    JSON.parse(`{"todoId":"${own}","__proto__":{"todoId":"${other}"},"content":"Gone"}`),
  ],
  'assigns its own todo to another agent': (own, _, agent) => [
    'update_todo',
    { todoId: own, assignees: [{ id: agent }] },
  ],
  'assigns it by name': (own) => ['update_todo', { todoId: own, assignees: [{ id: 'Assistant' }] }],
  'has another agent run another todo': (_, other, agentId) => ['run_todo', { todoId: other, agentId }],
  'asks another agent': (_, other) => ['create_chat', { message: `Complete ${other}` }],
  'asks another agent about its own todo': (todoId) => ['create_chat', { message: 'Do it for me', todoId }],
  'makes a todo that another agent runs': (_, __, agent) => [
    'create_todo',
    { title: 'New', assignees: [{ id: agent }], run: true },
  ],
};

test('no combination of tools gets a write of an agent that asks first past a person', async () => {
  const workspace = await tandem.workspace();
  const other = await foreignTodo(workspace);
  const agentId = await carefulAgent(workspace);
  const { body: helper } = await workspace.call('POST /agents', { name: 'Helper', requiresApproval: false });
  for (const [name, attempt] of Object.entries(tries)) {
    const { body: own } = await workspace.call('POST /todos', { title: 'Own' });
    const word = engine.plan([use(attempt(own.id, other.id, helper.id)), reply('Done.')]);
    const { body: run } = await workspace.call(`POST /todos/${own.id}/runs`, { agentId, message: word });
    const { body: chat } = await settled(workspace, run.chatId);
    const { body: page } = await workspace.call(`GET /chats/${run.chatId}/messages?limit=100`);
    const results = page.data.flatMap(({ blocks }: { blocks: { type: string; isError?: boolean }[] }) =>
      blocks.filter(({ type }) => type === 'tool_result'),
    );
    const worked = results.filter(({ isError }: { isError: boolean }) => !isError);
    assert.equal(worked, [], `${name}: nothing worked`);
    assert.is(chat.status, results.length > 0 ? 'completed' : 'awaiting_input', name);
    await workspace.call(`POST /chats/${run.chatId}/cancel`);
  }
  const { body: now } = await workspace.call(`GET /todos/${other.id}`);
  assert.equal(now, other, 'the other todo is as it was');
  const { body: chats } = await workspace.call('GET /chats?limit=100');
  assert.is(chats.data.length, Object.keys(tries).length, 'and no other agent was asked');
});

/** Lets a script continue. */
function gate() {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { open, opened };
}

test('the agents of a person who is removed from the workspace do nothing more', async () => {
  const workspace = await tandem.workspace();
  const { workspaceId, call } = workspace;
  const userId = await workspace.member();
  const { token } = await openSession(tandem.db, { workspaceId, userId, client: 'test' });
  const { open, opened } = gate();
  const plan = engine.plan(async (_, asked) => {
    if (asked === 1) await opened;
    return use(['create_todo', { title: `Todo ${asked}` }]);
  });
  const { body: made } = await call('POST /chats', { message: plan }, { key: token });
  await untilAnswer(
    () => call(`GET /chats/${made.id}`),
    ({ body }) => body.messageCount === 3,
  );
  const removal = `DELETE /workspaces/${workspaceId}/members/${userId}`;
  assert.is((await call(removal, undefined, { key: await workspace.session() })).status, 200);
  open();
  const { body: chat } = await settled(workspace, made.id);
  assert.is(chat.status, 'failed');
  assert.match(chat.errorMessage, /no longer a member/);
  assert.equal(titlesOf((await call('GET /todos')).body), ['Todo 0'], 'only what was before');

  const again = engine.plan([reply('Here I am.')]);
  await call(`POST /chats/${made.id}/messages`, { message: again });
  assert.is((await settled(workspace, made.id)).body.status, 'completed', 'it goes on for somebody else');
});

test.run();
