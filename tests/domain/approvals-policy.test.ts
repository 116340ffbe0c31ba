import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { toolsOf } from '../../adapters/operations.ts';
import { approvalReason } from '../../domain/approvals/policy.ts';
import type { Scope } from '../../domain/scopes.ts';
import { toolRouter } from '../../routers/tools/index.ts';

const test = suite('who must agree');

type ToolFacts = Parameters<typeof approvalReason>[0];

const chatId = '0190aaaa-bbbb-7ccc-8ddd-000000000001';
const todoId = '0190aaaa-bbbb-7ccc-8ddd-00000000000a';
const other = '0190aaaa-bbbb-7ccc-8ddd-000000000003';
const given = { chatId, todoId, hasSubTodos: false };
const careful = { requiresApproval: true };
const free = { requiresApproval: false };

/** What an agent may do to the todo or the chat it was given, without asking. */
const ofItsOwn: Record<string, object> = {
  update_todo: { todoId },
  complete_todo: { todoId },
  reopen_todo: { todoId },
  archive_todo: { todoId },
  unarchive_todo: { todoId },
  send_chat_message: { chatId },
  stop_chat: { chatId },
};

/** The tools of SPEC that write, by scope: the policy must be right for them before they are there. */
const writing: Record<string, Scope> = {
  create_todo: 'todos:write',
  update_todo: 'todos:write',
  complete_todo: 'todos:write',
  reopen_todo: 'todos:write',
  archive_todo: 'todos:write',
  unarchive_todo: 'todos:write',
  run_todo: 'todos:write',
  create_chat: 'chats:write',
  send_chat_message: 'chats:write',
  stop_chat: 'chats:write',
  create_agent: 'agents:write',
  update_agent: 'agents:write',
  create_skill: 'agents:write',
  update_skill: 'agents:write',
  update_capture: 'captures:write',
  upsert_todo_list: 'todos:write',
};

const specified: ToolFacts[] = Object.entries(writing).map(([name, scope]) => ({
  name,
  readOnly: false,
  scopes: [scope],
}));
const known = toolsOf(toolRouter);
const tools: ToolFacts[] = [...known, ...specified.filter(({ name }) => known.every((each) => each.name !== name))];

/** Every way to name, or not to name, what an agent was given. */
const inputs: [string, unknown][] = [
  ['its own todo', { todoId }],
  ['its own todo in capitals', { todoId: todoId.toUpperCase() }],
  ['its own chat', { chatId }],
  ['both', { todoId, chatId }],
  ['another todo', { todoId: other }],
  ['another chat', { chatId: other }],
  ['its chat as a todo', { todoId: chatId, chatId: todoId }],
  ['nothing', {}],
  ['null ids', { todoId: null, chatId: null }],
  ['no object', null],
  ['text', 'todoId'],
  ['a list', [todoId]],
];

test('every tool of SPEC that is there is known to the table', () => {
  for (const { name, readOnly } of known) {
    assert.is(
      readOnly || name in writing,
      true,
      `${name}: add it to this table, and to the policy if it is of its own`,
    );
  }
  assert.ok(known.length >= 10);
});

for (const tool of tools) {
  const always = tool.scopes.includes('agents:write');
  const expected = tool.readOnly ? 'never' : always ? 'always' : 'with requiresApproval';

  test(`${tool.name} needs an approval ${expected}${tool.name in ofItsOwn ? ', but not on what the agent was given' : ''}`, () => {
    for (const [name, input] of inputs) {
      const reason = approvalReason(tool, input, careful, given);
      const [key, id] = Object.entries(ofItsOwn[tool.name] ?? {})[0] ?? ['', ''];
      const named = (input as Record<string, unknown> | null)?.[key];
      const isOwn = key !== '' && typeof named === 'string' && named.toLowerCase() === id;
      assert.is(reason !== null, !tool.readOnly && !isOwn, name);
      assert.is(approvalReason(tool, input, free, given) !== null, always && !tool.readOnly, name);
      if (reason !== null) assert.match(reason, /^[A-Z].{20,}\.$/);
    }
  });

  test(`${tool.name} is nobody’s own when the agent was given no todo`, () => {
    if (tool.readOnly || 'chatId' in (ofItsOwn[tool.name] ?? {})) return;
    for (const [name, input] of inputs) {
      assert.ok(approvalReason(tool, input, careful, { ...given, todoId: null }), name);
    }
  });
}

const update = specified.find(({ name }) => name === 'update_todo') as ToolFacts;

test('a change of its own todo that could put another agent to work needs one', () => {
  for (const field of [
    { assignees: [{ id: 'Scribe' }] },
    { assignees: [] },
    { schedule: { every: 'day' } },
    { schedule: null },
    { clear: ['schedule'] },
    { schedulePaused: false },
    { run: true },
  ]) {
    assert.ok(approvalReason(update, { todoId, title: 'x', ...field }, careful, given), JSON.stringify(field));
    assert.is(approvalReason(update, { todoId, ...field }, free, given), null);
  }
  for (const field of [
    { title: 'x' },
    { status: 'done' },
    { content: null },
    { todoListId: other },
    { dueDate: null },
    { clear: ['dueDate', 'content'] },
  ]) {
    assert.is(approvalReason(update, { todoId, ...field }, careful, given), null, JSON.stringify(field));
  }
});

test('archiving its own todo, or bringing it back, needs one when sub-todos go with it', () => {
  for (const tool of specified) {
    const reason = (agent: typeof careful, hasSubTodos: boolean) =>
      approvalReason(tool, { todoId }, agent, { ...given, hasSubTodos });
    const isAsked = ['archive_todo', 'unarchive_todo'].includes(tool.name);
    if (isAsked) assert.match(reason(careful, true) ?? '', 'sub-todos');
    else assert.is(reason(careful, true), reason(careful, false), tool.name);
    assert.is(reason(free, true), reason(free, false), tool.name);
  }
});

test('starting another agent on its own todo, or in a chat about it, needs one', () => {
  for (const name of ['run_todo', 'create_chat']) {
    const tool = specified.find((each) => each.name === name) as ToolFacts;
    assert.ok(approvalReason(tool, { todoId, agentId: other, message: 'x' }, careful, given), name);
  }
});

test('the reason for an approval is named: limits of agents, other agents at work, or what was not given', () => {
  const agent = specified.find(({ name }) => name === 'update_agent') as ToolFacts;
  assert.match(approvalReason(agent, {}, free, given) ?? '', 'changes an agent or a skill');
  assert.match(approvalReason(update, { todoId, assignees: [] }, careful, given) ?? '', 'another agent to work');
  assert.match(approvalReason(update, { todoId: other }, careful, given) ?? '', 'that it works on');
});

test('no tool lets an agent decide, or see, what it asked for', () => {
  for (const { name, scopes } of known) {
    assert.not.match(name, /approv|decide/);
    assert.ok(scopes.length > 0);
  }
});

test.run();
