import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { playAgent, sendDelta } from '../support/chat-fixtures.ts';
import { openBetween, openPrompt, type Prompt } from '../support/cli-world.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('following agents with the client');
let tandem: TestService;
let workspace: TestWorkspace;
let prompt: Prompt;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0', LOG_LEVEL: 'error' });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
  prompt = openPrompt(tandem.url, workspace.key);
});
test.after.each(() => prompt.close());
test.after(() => tandem.close());

/** The newest chat of the workspace, and its agent. */
async function newestChat() {
  const { body } = await workspace.call('GET /chats');
  const { id } = body.data[0] as { id: string };
  return { id, agent: playAgent(tandem, workspace.workspaceId, id) };
}

/** Starts a command that follows, and waits until it does. */
async function following(...args: string[]) {
  const running = prompt.start(args);
  await running.until(/^Chat [0-9a-f-]{36}$/m);
  return { running, ...(await newestChat()) };
}

test('--wait shows what the agent says and does as it comes, and ends with it', async () => {
  const { running, agent } = await following('chats', 'create', 'What is due?', '--wait');
  await agent.write('Let me look.', [
    { type: 'text', text: 'Let me look.' },
    {
      type: 'tool_call',
      id: 'call_1',
      name: 'list_todos',
      title: 'List todos',
      input: { limit: 5 },
      requiresApproval: false,
      approvalId: null,
    },
  ]);
  await running.until(/→ list_todos/);
  await agent.finish('Nothing \u001b[31mis due.');
  const { code, out } = await running.ended;
  assert.is(code, 0);
  assert.is(out, 'Let me look.\n→ list_todos {"limit":5}\nNothing ␛[31mis due.\n');
});

test('the exit code is the outcome, and the next commands are printed', async () => {
  const failed = await following('chats', 'create', 'A', '--wait');
  await failed.agent.end({ outcome: 'failed', errorMessage: 'The model did not answer.' });
  const { code, err } = await failed.running.ended;
  assert.is(code, 9);
  assert.match(err, `failed\nDetails: tandem chats get ${failed.id}`);
  const stopped = await following('chats', 'send', failed.id, 'Again', '--wait');
  assert.is((await prompt.run(['chats', 'cancel', stopped.id])).code, 0);
  assert.is((await stopped.running.ended).code, 11);
});

test('an approval is printed with the commands that decide it, and --wait continues after the decision', async () => {
  const { running, agent, id } = await following('chats', 'create', 'Buy milk', '--wait');
  const approvalId = await agent.ask();
  const asked = await running.ended;
  assert.is(asked.code, 10);
  assert.match(
    asked.err,
    `Approval requested: Create a todo {"title":"Buy milk"}\n  tandem approvals decide ${approvalId} approve --wait\n`,
  );
  const decided = prompt.start(['approvals', 'decide', approvalId, 'approve', '--wait']);
  await decided.until(/^Chat /m);
  await tandem.db.rows(`update chats set status = 'running' where id = $1`, [id]);
  await agent.finish('I made it.');
  const { code, out } = await decided.ended;
  assert.is(code, 0, out);
  assert.match(out, 'I made it.\n');
  assert.not.match(out, 'May I?');
});

test('Ctrl-C stops following, not the agent', async () => {
  const { running, id, agent } = await following('chats', 'create', 'A long story', '--wait');
  running.interrupt();
  const { code, err } = await running.ended;
  assert.is(code, 130);
  assert.match(err, `The agent continues.\nFollow it again: tandem chats follow ${id}\n`);
  assert.is((await workspace.call(`GET /chats/${id}`)).body.status, 'running');
  const again = prompt.start(['chats', 'follow', id]);
  await again.until(/> A long story/);
  await agent.finish('The end.');
  assert.match((await again.ended).out, 'The end.\n');
});

test('a lost connection is resumed: no message is repeated or missed', async () => {
  let cuts = 0;
  const between = await openBetween(tandem.url, (_, { url = '' }) =>
    url.includes('/stream') && cuts++ < 2 ? 900 : undefined,
  );
  try {
    const { body } = await workspace.call('POST /chats', { message: 'Count' });
    const agent = playAgent(tandem, workspace.workspaceId, body.id);
    const options = { environment: { TANDEM_URL: between.url } };
    const running = prompt.start(['chats', 'follow', body.id, '--json'], options);
    for (const word of ['one', 'two', 'three', 'four', 'five']) await agent.write(word.repeat(20));
    await agent.finish('six');
    const { code, out, err } = await running.ended;
    assert.is(code, 0, err);
    const events = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const messages = events.filter(({ event }) => event === 'message');
    assert.equal(
      messages.map(({ id }) => id),
      [1, 2, 3, 4, 5, 6, 7],
    );
    assert.equal(messages.at(-1).data.text, 'six');
    assert.equal(events.at(-1), { event: 'done', data: { status: 'completed' } });
    const streams = between.seen.filter(({ route }) => route.includes('/stream'));
    assert.is(streams.length, 3, 'it was cut twice');
    assert.ok(Number(streams[2]?.headers['last-event-id']) > 0, 'it went on behind what it had');
  } finally {
    await between.close();
  }
});

test('following continues when the service was away and is back', async () => {
  let streams = 0;
  const between = await openBetween(tandem.url, (_, { url = '', socket }) => {
    if (!url.includes('/stream')) return undefined;
    streams++;
    if (streams === 1) return 600;
    if (streams > 3) return undefined;
    socket.destroy();
    return true;
  });
  try {
    const { body } = await workspace.call('POST /chats', { message: 'Count' });
    const agent = playAgent(tandem, workspace.workspaceId, body.id);
    const options = { environment: { TANDEM_URL: between.url } };
    const running = prompt.start(['chats', 'follow', body.id, '--no-retry'], options);
    await agent.write('one');
    await agent.finish('two');
    const { code, out, err } = await running.ended;
    assert.is(code, 0, err);
    assert.is(out, '> Count\none\ntwo\n');
    assert.is(streams, 4);
  } finally {
    await between.close();
  }
});

test('provisional text is for terminals alone: what is piped comes whole', async () => {
  const { running, id, agent } = await following('chats', 'create', 'Tell', '--wait');
  await sendDelta(tandem, { chatId: id, sequence: 2, offset: 0, text: 'Once upon' });
  await agent.finish('Once upon a time.');
  assert.is((await running.ended).out, 'Once upon a time.\n');
});

test('with --json what is waited for is the resource at the end, with the messages of the agent', async () => {
  const started = prompt.start(['chats', 'create', 'Hello', '--wait', '--json']);
  await until(async () => (await workspace.call('GET /chats')).body.data.length > 0);
  const { id, agent } = await newestChat();
  await agent.finish('Good morning.');
  const created = await started.ended;
  const { messages, ...shown } = created.json;
  assert.equal(shown, (await workspace.call(`GET /chats/${id}`)).body);
  const { body: all } = await workspace.call(`GET /chats/${id}/messages`);
  assert.equal(messages, all.data);
  assert.equal(
    messages.map(({ text }: { text: string }) => text),
    ['Hello', 'Good morning.'],
  );
  const sending = prompt.start(['chats', 'send', id, 'Again', '--wait', '--json']);
  await until(async () => (await workspace.call(`GET /chats/${id}`)).body.status === 'running');
  await agent.finish('Good evening.');
  const { json, code, err } = await sending.ended;
  assert.is(code, 0, err);
  const { replies, ...run } = json;
  assert.equal(run, {
    object: 'chat_run',
    chatId: id,
    status: 'completed',
    messageSequence: 3,
    timedOut: false,
  });
  assert.equal(
    replies.map(({ text }: { text: string }) => text),
    ['Good evening.'],
  );
});

test('the run of a todo is followed from its start, or later by the todo', async () => {
  const { json: todo } = await prompt.run(['todos', 'create', 'Count the chairs', '--json']);
  const none = await prompt.run(['todos', 'follow', todo.id]);
  assert.is(none.code, 5);
  assert.match(none.err, `Start one: tandem todos run ${todo.id} --wait`);
  const { running, agent } = await following('todos', 'run', todo.id, '--wait');
  const later = prompt.start(['todos', 'follow', todo.id]);
  await later.until(/^Chat /m);
  await agent.finish('There are six.');
  for (const each of [running, later]) {
    const { code, out } = await each.ended;
    assert.is(code, 0);
    assert.is(out, 'There are six.\n');
  }
  const again = prompt.start(['todos', 'run', todo.title, '--wait', '--json', '--fields', 'status,messages']);
  await until(async () => (await workspace.call(`GET /todos/${todo.id}`)).body.latestRun.status === 'running');
  await (await newestChat()).agent.finish('Still six.');
  const { json } = await again.ended;
  assert.equal(Object.keys(json), ['status', 'messages']);
  assert.equal([json.status, json.messages.at(-1).text], ['completed', 'Still six.']);
  const finished = await prompt.run(['todos', 'runs', todo.id, '--json']);
  assert.is(finished.json.data[0].status, 'completed');
});

test.run();
