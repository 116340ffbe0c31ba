import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineAnswer } from '../../engine/engine.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { eras, type Form, type Making, oldClient } from '../support/mcp-clients.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';

const test = suite('mcp asks the person behind the client');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

const approve: Form = { action: 'accept', content: { decision: 'approve' } };
const order = (title: string) => use(['create_todo', { title }]);

/** Records what a person is asked; their answers are `replies`, one after the other, the last one again and again. */
function personWho(...replies: (Form | ((message: string) => Form))[]) {
  const seen: string[] = [];
  const person: Making['person'] = (message) => {
    const next = replies[Math.min(seen.length, replies.length - 1)] ?? approve;
    seen.push(message);
    return typeof next === 'function' ? next(message) : next;
  };
  return { seen, person };
}

async function titles({ call }: Pick<TestWorkspace, 'call'>): Promise<string[]> {
  const { body } = await call('GET /todos?order=asc');
  return body.data.map((each: { title: string }) => each.title);
}

/** The approvals of the workspace, oldest first. */
async function approvals({ call }: Pick<TestWorkspace, 'call'>) {
  return (await call('GET /approvals?limit=100')).body.data.reverse();
}

async function careful(workspace: TestWorkspace, ...answers: EngineAnswer[]) {
  await workspace.call('POST /agents', { name: 'Careful' });
  return { message: engine.plan(answers), agentId: 'Careful' };
}

for (const [era, connect] of eras) {
  test(`${era}: what an agent asks for is decided by the person, and the same call brings the reply`, async () => {
    const workspace = await tandem.workspace();
    const chat = await careful(workspace, order('Order desks'), reply('Ordered.'));
    const { seen, person } = personWho({ action: 'accept', content: { decision: 'approve', note: 'Three.' } });
    const client = await connect(tandem.url, workspace.key, { person });
    const { isError, data, text } = await client.call('create_chat', { ...chat, waitSeconds: 50 });
    assert.is(isError, false, text);
    assert.equal(seen, [
      [
        'The agent “Careful” asks for your approval.',
        'It wants to: Create a todo (create_todo)',
        'Why it must ask: This agent asks before every change, except changes to the todo and the chat that it works on.',
        'With:',
        '  title: "Order desks"',
      ].join('\n'),
    ]);
    const [approval] = await approvals(workspace);
    assert.equal([approval.status, approval.decidedBy, approval.note], ['approved', workspace.userId, 'Three.']);
    assert.equal(data.asked, [{ approvalId: approval.id, outcome: 'approved' }]);
    assert.equal([data.chat.status, data.messages.at(-1).text], ['completed', 'Ordered.']);
    assert.equal(data.pendingApprovals, []);
    assert.equal(await titles(workspace), ['Order desks']);
    assert.is((await workspace.call('GET /chats')).body.data.length, 1, 'one chat, however often the call was sent');
    await client.close();
  });

  test(`${era}: run_todo, send_chat_message and get_chat ask too, and start nothing twice`, async () => {
    const workspace = await tandem.workspace();
    const { message } = await careful(
      workspace,
      order('One'),
      reply('One.'),
      order('Two'),
      reply('Two.'),
      order('Three'),
      reply('Three.'),
    );
    const { seen, person } = personWho(approve);
    const client = await connect(tandem.url, workspace.key, { person });
    const todoId = (await workspace.call('POST /todos', { title: 'Orders' })).body.id;
    const ran = await client.call('run_todo', { todoId, agentId: 'Careful', message, waitSeconds: 50 });
    assert.equal([ran.data.run.status, ran.data.run.summary, ran.data.chat.status], ['completed', 'One.', 'completed']);
    assert.equal(ran.data.messages.at(-1).text, 'One.');
    const { chatId } = ran.data;
    const sent = await client.call('send_chat_message', { chatId, message: 'More.', waitSeconds: 50 });
    assert.equal([sent.data.chat.status, sent.data.messages.at(-1).text], ['completed', 'Two.']);
    await workspace.call(`POST /chats/${chatId}/messages`, { message: 'And more.' });
    await settled(workspace, chatId);
    const { nextSequence } = sent.data;
    const got = await client.call('get_chat', { chatId, afterSequence: nextSequence, waitSeconds: 50 });
    assert.equal([got.data.chat.status, got.data.messages.at(-1).text], ['completed', 'Three.']);
    assert.is(seen.length, 3);
    assert.equal(await titles(workspace), ['Orders', 'One', 'Two', 'Three']);
    assert.is((await workspace.call(`GET /todos/${todoId}/runs`)).body.data.length, 1);
    const { data: messages } = (await workspace.call(`GET /chats/${chatId}/messages?limit=100`)).body;
    assert.is(messages.filter(({ text }: { text: string }) => text === 'More.').length, 1);
    await client.close();
  });

  test(`${era}: what is denied does not happen, and who declines or says nothing clear decides nothing`, async () => {
    const unclear: Form[] = [
      { action: 'decline' },
      { action: 'cancel' },
      { action: 'accept' },
      { action: 'decline', content: { decision: 'approve' } },
    ];
    for (const form of [{ action: 'accept', content: { decision: 'deny', note: 'Too dear.' } } as Form, ...unclear]) {
      const workspace = await tandem.workspace();
      const chat = await careful(workspace, order('Order gold'), reply('Well.'));
      const { seen, person } = personWho(form);
      const client = await connect(tandem.url, workspace.key, { person });
      const { data } = await client.call('create_chat', { ...chat, waitSeconds: 50 });
      const [approval] = await approvals(workspace);
      const denied = form.content?.decision === 'deny';
      assert.equal([approval.status, approval.note], denied ? ['denied', 'Too dear.'] : ['pending', null]);
      assert.is(data.chat.status, denied ? 'completed' : 'awaiting_input');
      assert.equal([data.asked.length, data.asked[0].outcome], [1, denied ? 'denied' : 'undecided']);
      assert.is(data.pendingApprovals.length, denied ? 0 : 1);
      if (!denied) assert.match(data.asked[0].message, /still pending/);
      assert.is(seen.length, 1, 'asked once');
      assert.equal(await titles(workspace), []);
      await client.close();
    }
  });

  test(`${era}: several approvals are asked one by one, some at once`, async () => {
    const workspace = await tandem.workspace();
    const all = ['A', 'B', 'C', 'D', 'E', 'F', 'G'];
    const chat = await careful(
      workspace,
      use(...all.map((title) => ['create_todo', { title }] as [string, unknown])),
      reply('Done.'),
    );
    const { seen, person } = personWho((message) =>
      message.includes('"C"') ? { action: 'accept', content: { decision: 'deny' } } : approve,
    );
    const client = await connect(tandem.url, workspace.key, { person });
    const { data } = await client.call('create_chat', { ...chat, waitSeconds: 50 });
    assert.is(seen.length, 7);
    assert.equal(data.asked.map(({ outcome }: { outcome: string }) => outcome).sort(), [
      ...Array(6).fill('approved'),
      'denied',
    ]);
    assert.is(data.chat.status, 'completed');
    assert.equal(
      (await titles(workspace)).sort(),
      all.filter((title) => title !== 'C'),
    );
    await client.close();
  });

  test(`${era}: nobody is asked whose client shows no forms or whose credential may not decide`, async () => {
    const workspace = await tandem.workspace();
    const reader = await workspace.mint(['chats:read']);
    const writer = await workspace.mint(['chats:read', 'chats:write']);
    const skill = use(['create_agent', { name: 'Helper' }]);
    const [plain, limits] = [
      await careful(workspace, order('Order desks'), reply('Done.')),
      await careful(workspace, skill, reply('Done.')),
    ];
    const started = async ({ message }: { message: string }) => {
      const { body } = await workspace.call('POST /chats', {
        message,
        agentId: (await workspace.call('GET /agents')).body.data[0].id,
      });
      await settled(workspace, body.id);
      return body.id as string;
    };
    const [orders, agents] = [await started(plain), await started(limits)];
    const { seen, person } = personWho(approve);
    const ask = async (key: string, chatId: string, making: Making = { person }) => {
      const client = await connect(tandem.url, key, making);
      const { data } = await client.call('get_chat', { chatId });
      await client.close();
      return data;
    };
    for (const data of [await ask(workspace.key, orders, {}), await ask(reader, orders), await ask(writer, agents)]) {
      assert.equal([data.chat.status, data.pendingApprovals.length, data.asked], ['awaiting_input', 1, undefined]);
    }
    assert.equal(seen, []);
    assert.equal((await ask(writer, orders)).asked[0].outcome, 'approved');
    assert.equal((await ask(workspace.key, agents)).asked[0].outcome, 'approved');
    assert.is(seen.length, 2);
  });

  test(`${era}: nobody is asked before they could read what led to it`, async () => {
    const workspace = await tandem.workspace();
    const chat = await careful(workspace, order('Order desks'), reply('Done.'));
    const agentId = (await workspace.call('GET /agents')).body.data[0].id;
    const { body } = await workspace.call('POST /chats', { message: chat.message, agentId });
    await settled(workspace, body.id);
    const { seen, person } = personWho(approve);
    const client = await connect(tandem.url, workspace.key, { person });
    const { data } = await client.call('get_chat', { chatId: body.id, limit: 1 });
    assert.equal([data.hasMore, data.pendingApprovals.length, seen], [true, 1, []]);
    const next = await client.call('get_chat', { chatId: body.id, limit: 1, afterSequence: data.nextSequence });
    assert.equal([seen.length, next.data.asked[0].outcome], [1, 'approved']);
    await client.close();
  });
}

test('a credential that ends while the person is asked leaves the work that was begun: the call does not fail', async () => {
  const workspace = await tandem.workspace();
  const chat = await careful(workspace, order('Order desks'), reply('Ordered.'));
  const key = await workspace.mint(['chats:read', 'chats:write', 'todos:write']);
  const revoke = `update credentials set revoked_at = now() where workspace_id = $1 and kind = 'api_key' and scopes = $2`;
  const person: Making['person'] = async () => {
    await tandem.db.rows(revoke, [workspace.workspaceId, ['chats:read', 'chats:write', 'todos:write']]);
    return approve;
  };
  const client = await oldClient(tandem.url, key, { person });
  const { isError, data, text } = await client.call('create_chat', { ...chat, waitSeconds: 50 });
  assert.is(isError, false, text);
  assert.equal([data.chat.status, data.pendingApprovals.length], ['awaiting_input', 1]);
  assert.is((await workspace.call('GET /chats')).body.data.length, 1);
  await client.close();
});

test('a decision that was made elsewhere in the meantime is not overruled, nor reported as approved', async () => {
  for (const [, connect] of eras) {
    const workspace = await tandem.workspace();
    const chat = await careful(workspace, order('Order desks'), reply('Understood.'));
    const person: Making['person'] = async () => {
      const [{ id }] = await approvals(workspace);
      await workspace.call(`POST /approvals/${id}/decide`, { decision: 'deny' });
      return approve;
    };
    const client = await connect(tandem.url, workspace.key, { person });
    const { data } = await client.call('create_chat', { ...chat, waitSeconds: 50 });
    assert.is(data.chat.status, 'completed');
    assert.is.not(data.asked[0].outcome, 'approved');
    assert.is((await approvals(workspace))[0].status, 'denied');
    assert.equal(await titles(workspace), []);
    await client.close();
  }
});

test.run();
