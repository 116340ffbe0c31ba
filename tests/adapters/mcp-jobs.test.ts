import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { newRecording } from '../support/capture-fixtures.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { ToolAgent } from '../support/mcp-agent.ts';
import { eras, type Making } from '../support/mcp-clients.ts';
import { reply, ScriptedEngine, use } from '../support/scripted-engine.ts';

/*
 * Whole jobs through MCP alone, by an agent that reads only results and error texts, in both eras of the protocol. REST
 * is asked for nothing but what came of it.
 */
const test = suite('jobs over mcp');
const engine = new ScriptedEngine();
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({}, { engine });
});
test.after(() => tandem.close());

/** What the triage goes by: a word of the title, and what is to be done with such a todo. */
const triage = [
  ['outage', { priority: 'urgent', dueDate: '2027-01-04' }],
  ['invoice', { priority: 'high', todoListId: 'Money' }],
  ['idea', { priority: 'low' }],
  ['paid', 'complete_todo'],
  ['duplicate', 'archive_todo'],
] as const;

for (const [era, connect] of eras) {
  const hired = async (workspace: TestWorkspace, making: Making = {}) => {
    const client = await connect(tandem.url, workspace.key, making);
    return { agent: new ToolAgent(client), close: () => client.close() };
  };

  test(`${era}: thirty todos are triaged`, async () => {
    const workspace = await tandem.workspace();
    const data = Array.from({ length: 30 }, (_, i) => ({ title: `${triage[i % 5]?.[0]} number ${i}` }));
    await workspace.call('POST /todos/batch', { data });
    const { agent, close } = await hired(workspace);
    await agent.use('upsert_todo_list', { name: 'Money' });
    const before = await agent.use('list_todos');
    assert.equal([before.summary.total, before.data.length, before.hasMore], [30, 10, true]);
    for (const { id, title } of await agent.all('list_todos', { status: 'active' })) {
      const [, action] = triage.find(([word]) => title.includes(word)) ?? [];
      if (typeof action === 'string') await agent.use(action, { todoId: id });
      else await agent.use('update_todo', { todoId: id, ...action });
    }
    const { summary } = await agent.use('list_todos', { limit: 1 });
    const { total, byStatus, byPriority } = summary;
    assert.equal([total, byStatus], [24, { ready: 18, in_progress: 0, done: 6 }]);
    assert.equal(byPriority, { urgent: 6, high: 6, medium: 0, low: 6, none: 6 });
    const money = await agent.all('list_todos', { todoListId: 'money' });
    assert.ok(money.length === 6 && money.every(({ title }) => title.startsWith('invoice')));
    const due = await agent.all('list_todos', { dueBefore: '2027-01-31' });
    assert.ok(due.length === 6 && due.every(({ title }) => title.startsWith('outage')));
    const { body } = await workspace.call('GET /todos?includeArchived=true&limit=100');
    assert.is(body.data.length, 6);
    assert.equal(agent.corrected, []);
    await close();
  });

  test(`${era}: an agent does a todo, asks the person behind the client, and its work is collected`, async () => {
    const workspace = await tandem.workspace();
    const work = engine.plan([
      use(['create_todo', { title: 'Call the printer' }], ['create_todo', { title: 'Order paper' }]),
      reply('Both are on the list.'),
    ]);
    const questions: string[] = [];
    const person: Making['person'] = (message) => {
      questions.push(message);
      return { action: 'accept', content: { decision: message.includes('paper') ? 'deny' : 'approve' } };
    };
    const { agent, close } = await hired(workspace, { person });
    await agent.use('create_agent', { name: 'Clerk', description: 'Does errands.' });
    const { todo } = await agent.use('create_todo', { title: 'Prepare the flyers', assignees: [{ id: 'clerk' }] });
    const { chatId } = await agent.use('run_todo', { todoId: todo.id, message: work });
    const texts: string[] = [];
    let [afterSequence, over] = [0, false];
    while (!over) {
      const { chat, messages, hasMore, nextSequence } = await agent.use('get_chat', {
        chatId,
        afterSequence,
        waitSeconds: 50,
      });
      texts.push(
        ...messages.filter(({ role }: { role: string }) => role === 'agent').map(({ text }: { text: string }) => text),
      );
      afterSequence = nextSequence;
      over = !hasMore && !['queued', 'running'].includes(chat.status);
      if (over) assert.is(chat.status, 'completed', JSON.stringify(chat));
    }
    assert.is(questions.length, 2);
    assert.is(texts.at(-1), 'Both are on the list.');
    const { latestRun } = await agent.use('get_todo', { todoId: todo.id });
    assert.equal([latestRun.status, latestRun.summary], ['completed', 'Both are on the list.']);
    await agent.use('complete_todo', { todoId: todo.id });
    const titles = (await agent.all('list_todos')).map(({ title }) => title);
    assert.equal(titles, ['Call the printer', 'Prepare the flyers']);
    const { body } = await workspace.call('GET /approvals');
    assert.equal(new Set(body.data.map((each: { status: string }) => each.status)), new Set(['approved', 'denied']));
    assert.ok(body.data.every(({ decidedBy }: { decidedBy: string }) => decidedBy === workspace.userId));
    assert.equal(agent.corrected, []);
    await close();
  });

  test(`${era}: a long transcript is read in pieces, and searched`, async () => {
    const workspace = await tandem.workspace();
    const lines = Array.from(
      { length: 400 },
      (_, i) => `Ada: Point ${i} of the meeting – 🌱 ${'so it goes '.repeat(3)}.`,
    );
    const transcript = lines.with(333, 'Grace: We sign the contract on Thursday.').join('\n');
    await newRecording(tandem, workspace, { title: 'Board meeting', transcript });
    const { agent, close } = await hired(workspace);
    const [row] = await agent.all('list_captures', { query: 'contract thursday' });
    assert.is(row.title, 'Board meeting');
    const first = await agent.use('get_capture', { captureId: row.id });
    // What `cut` and `rest` say is enough: the part that was cut, how much of it is there, and how to continue.
    const { field, length } = first.cut[0];
    const part = field.split('.').at(-1);
    assert.match(first.rest, 'get_capture with part');
    let read = '';
    for (let more = true; more; ) {
      const { capture, cut = [] } = await agent.use('get_capture', {
        captureId: row.id,
        part,
        offset: Array.from(read).length,
      });
      read += capture[part];
      more = cut.length > 0;
    }
    assert.is(Array.from(read).length, length);
    assert.is(read, transcript);
    const found = await agent.use('get_capture', { captureId: row.id, part, find: 'sign contract' });
    assert.match(found.capture[part].slice(0, 60), 'We sign the contract');
    assert.equal(agent.corrected, []);
    await close();
  });

  test(`${era}: a skill is made, and the agent that has it uses it`, async () => {
    const workspace = await tandem.workspace();
    // As a model would: it finds the skill among its own, reads it, and does what it says.
    const asked = engine.plan(({ system, conversation }) => {
      const last = conversation.at(-1);
      if (last?.role === 'tools')
        return reply(/End with “(.*?)”/.exec(JSON.stringify(last.results))?.[1] ?? 'It says nothing.');
      const skillId = /Letters.*\(skill (\S+)\)/.exec(system)?.[1];
      return skillId ? use(['get_skill', { skillId }]) : reply('I know no such skill.');
    });
    const { agent, close } = await hired(workspace);
    await agent.use('create_agent', { name: 'Writer', requiresApproval: false });
    const { skill } = await agent.use('create_skill', {
      agentId: 'Writer',
      name: 'Letters',
      instructions: 'How to write a letter. End with “Yours, the team”.',
    });
    const answer = async () =>
      (await agent.use('create_chat', { agentId: 'Writer', message: asked, waitSeconds: 50 })).messages.at(-1).text;
    assert.is(await answer(), 'Yours, the team');
    await agent.use('update_skill', { skillId: skill.id, instructions: 'How to write a letter. End with “Bye”.' });
    assert.is(await answer(), 'Bye');
    await agent.use('update_skill', { skillId: skill.id, archived: true });
    assert.is(await answer(), 'I know no such skill.');
    assert.equal(agent.corrected, []);
    await close();
  });
}

test.run();
