import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { newChat } from '../support/chat-fixtures.ts';
import { addMessages, openChat, sentTexts, workspaceOf } from '../support/chat-pages.ts';
import { tabTo } from '../support/keyboard.ts';
import { darkPhone, look, looksOf } from '../support/looks.ts';
import { breakOperations } from '../support/page-faults.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: chats and their states', undefined, { AGENT_CONCURRENCY: '0' });

test.promise('chats are listed by state, archived with a way back, and read page by page', async (stage) => {
  const ada = await stage.person();
  const workspace = workspaceOf(stage, ada);
  const todo = bodyOf(await workspace.call('POST /todos', { title: 'Launch' }), 201);
  const first = await newChat(stage.tandem, workspace, { title: 'Plan the launch', todoId: todo.id });
  await first.agent.ask();
  for (let number = 1; number <= 25; number++) {
    const { agent } = await newChat(stage.tandem, workspace, { title: `Chat ${number}` });
    await agent.end({ outcome: 'completed' });
  }
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/chats', 'Chats');
  const list = page.getByRole('list', { name: 'Chats', exact: true });
  const entries = list.getByRole('listitem').filter({ has: page.locator('.row-title') });
  await until(async () => (await entries.count()) >= 20);
  await page.getByRole('button', { name: 'Show older ones' }).click();
  await until(async () => (await entries.count()) === 26);
  await page.getByLabel('State').selectOption('awaiting_input');
  await until(async () => (await entries.count()) === 1);
  assert.is(new URL(page.url()).search, '?status=awaiting_input');
  await list.getByText('Needs you').waitFor();
  assert.is(await list.getByRole('link', { name: 'Its todo' }).getAttribute('href'), `/todos/${todo.id}`);
  await page.getByRole('button', { name: 'Archive: Plan the launch' }).press('Enter');
  await page.getByText('No chats in this state').waitFor();
  assert.ok(bodyOf(await workspace.call(`GET ${first.path}`)).isArchived);
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await list.getByText('Plan the launch').waitFor();
  await list.getByRole('link', { name: 'Plan the launch' }).press('Enter');
  await page.getByRole('link', { name: 'Launch' }).waitFor();
});

test.promise('a chat with another agent about a todo is begun and led by the keyboard alone', async (stage) => {
  const ada = await stage.person();
  const { call } = workspaceOf(stage, ada);
  const agent = bodyOf(await call('POST /agents', { name: 'Researcher' }), 201);
  const todo = bodyOf(await call('POST /todos', { title: 'Compare the offers' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/chats', 'Chats');
  const field = page.getByLabel('Message', { exact: true });
  await page.getByText('About a todo or captures').focus();
  await page.keyboard.press('Enter');
  const todos = page.locator('select[name="todoId"]');
  await todos.locator('option', { hasText: 'Compare the offers' }).waitFor({ state: 'attached' });
  await todos.focus();
  // One key each: a select takes keys that come more than a second apart for the begin of another name.
  await page.keyboard.press('C');
  await page.getByLabel('Agent', { exact: true }).focus();
  await page.keyboard.press('R');
  await field.focus();
  await page.keyboard.type('Which is the cheapest?');
  await page.keyboard.press('Enter');
  await page.getByText('With Researcher').waitFor();
  await page.locator('#content').getByText('At work').waitFor();
  const [chat] = bodyOf(await call('GET /chats')).data;
  assert.equal([chat.agentId, chat.todoId], [agent.id, todo.id]);
});

test.promise('a failed turn says why and is tried again, an answer in words replaces approvals', async (stage) => {
  const chat = await openChat(stage);
  const { page, agent } = chat;
  await agent.end({ outcome: 'failed', errorMessage: 'The model did not answer.' });
  await page.getByText('The model did not answer.').waitFor();
  await page.getByText('The built-in engine answers here').waitFor();
  await page.getByRole('button', { name: 'Try again' }).press('Enter');
  await until(async () => (await sentTexts(chat)).length === 2);
  assert.equal(await sentTexts(chat), ['What is due this week?', 'What is due this week?']);
  await page.locator('#content').getByText('At work').waitFor();
  await page.getByLabel('Message', { exact: true }).fill('Only tomorrow');
  await page.keyboard.press('Enter');
  await page.getByText('Queued until this turn ends').waitFor();
  await agent.ask();
  await page.getByText('Answering in words replaces the open approval.').waitFor();
  await page.getByRole('heading', { name: 'Assistant wants to create the todo “Buy milk”' }).waitFor();
  assert.is((await sentTexts(chat)).length, 2, 'what was queued does not replace an approval by itself');
  await page.getByRole('button', { name: 'Send now' }).press('Enter');
  await until(async () => (await sentTexts(chat)).length === 3);
  await page
    .getByRole('heading', { name: 'Assistant wants to create the todo “Buy milk”' })
    .waitFor({ state: 'detached' });
});

const limited = {
  status: 429,
  code: 'rate_limit_exceeded',
  message: 'Too many requests.',
  retryable: true,
  // Long enough to see what is said until then.
  retryAfterSeconds: 15,
  errors: [],
};

test.promise(
  'a message that is refused with 429 is kept, and sent after the time that the service asks for',
  async (stage) => {
    const chat = await openChat(stage);
    const { page, agent } = chat;
    await agent.end({ outcome: 'completed' });
    await page.getByText('Answered').waitFor();
    const tries: number[] = [];
    await page.route(/chats\.sendMessage/, async (route) => {
      tries.push(Date.now());
      if (tries.length > 1) return route.fallback();
      const data = { code: 'ERROR', httpStatus: 429, problem: limited };
      await route.fulfill({ status: 429, json: { error: { message: limited.message, code: -32000, data } } });
    });
    await page.getByLabel('Message', { exact: true }).fill('And tomorrow?');
    await page.keyboard.press('Enter');
    const queued = page.getByRole('list', { name: 'Queued messages' });
    // One look at all of it: on a slow machine it may be sent before a second one.
    await queued
      .getByRole('listitem')
      .filter({ hasText: 'And tomorrow?' })
      .filter({ hasText: /Too many requests\. It is sent again by itself at/ })
      .filter({ has: page.getByRole('button', { name: 'Edit' }) })
      .filter({ hasNot: page.getByRole('button', { name: 'Send now' }) })
      .waitFor();
    await until(async () => (await sentTexts(chat)).length === 2);
    assert.equal(await sentTexts(chat), ['What is due this week?', 'And tomorrow?']);
    const [first = 0, second = 0] = tries;
    assert.ok(second - first >= limited.retryAfterSeconds * 1_000, `sent again after ${second - first} ms`);
  },
);

test.promise(
  'where no agent minutes are left, a message and a new chat lead to what they were used for',
  async (stage) => {
    const { page, agent, window } = await openChat(stage);
    await agent.end({ outcome: 'completed' });
    await page.getByText('Answered').waitFor();
    const isRefused = (id: string) => id === 'sendMessage' || id === 'createChat';
    await breakOperations(page, isRefused, 402);
    await page.getByLabel('Message', { exact: true }).fill('And tomorrow?');
    await page.keyboard.press('Enter');
    const queued = page.getByRole('list', { name: 'Queued messages' });
    await queued.getByText('And tomorrow?').waitFor();
    await queued.getByRole('link', { name: 'See the agent minutes' }).waitFor();
    await window.goTo('/chats', 'Chats');
    await page.getByLabel('Message', { exact: true }).fill('Another question');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByRole('link', { name: 'See the agent minutes' }).press('Enter');
    await window.sees('Usage');
  },
);

test.promise('a chat is renamed by the keyboard alone, and keeps its name', async (stage) => {
  const { page, window, call, path } = await openChat(stage);
  const rename = page.getByRole('button', { name: 'Rename' });
  await tabTo(window, rename);
  await page.keyboard.press('Enter');
  const title = page.getByRole('dialog', { name: 'Rename the chat' }).getByRole('textbox', { name: 'Title' });
  await title.and(page.locator(':focus')).waitFor();
  assert.is(await title.inputValue(), 'This week');
  assert.equal(await window.axe(), []);
  await page.keyboard.type('What is due');
  await page.keyboard.press('Enter');
  await window.sees('What is due');
  await rename.and(page.locator(':focus')).waitFor();
  assert.is(bodyOf(await call(`GET ${path}`)).title, 'What is due');
});

const calls = [
  { type: 'tool_call' as const, id: 'c1', name: 'list_todos', title: 'List todos', input: { status: 'active' } },
  { type: 'tool_call' as const, id: 'c2', name: 'create_todo', title: 'Create a todo', input: { title: 'Buy milk' } },
].map((each) => ({ ...each, requiresApproval: false, approvalId: null }));
const todoId = '018f0000-0000-7000-8000-000000000000';
const results = [
  { type: 'tool_result' as const, toolCallId: 'c1', isError: true, output: { message: 'The list is archived.' } },
  {
    type: 'tool_result' as const,
    toolCallId: 'c2',
    isError: false,
    output: { todo: { id: todoId, title: 'Buy milk' } },
  },
].map((each) => ({ ...each, truncated: false }));

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`chats can be used by everyone: ${name}`, async (stage) => {
    const chat = await openChat(stage, options);
    const { page, window, agent } = chat;
    await agent.write('', calls);
    await page.getByText('in progress').first().waitFor();
    await agent.write('', results);
    await agent.write('Here is **what I did**:\n\n1. I read the list.\n2. I made a todo.\n\n```\nmilk\n```');
    // The steps are folded once the turn goes on behind them.
    await page.locator('.messages').getByText('what I did').waitFor();
    await page.getByText('2 steps, 1 failed').click();
    await page.getByText('The list is archived.').waitFor();
    assert.is(await page.getByRole('link', { name: 'Buy milk' }).getAttribute('href'), `/todos/${todoId}`);
    await page.getByText('Create a todo: done').click();
    await page.getByText('Input of create_todo').waitFor();
    await page.getByLabel('Message', { exact: true }).fill('And the bread?');
    await page.keyboard.press('Enter');
    await page.getByText('Queued until this turn ends').waitFor();
    await look(window, `chat-working-${name}`);
    await agent.ask();
    await page.locator('#content').getByText('Needs you').waitFor();
    await look(window, `chat-asking-${name}`);
    await window.goTo('/chats', 'Chats');
    await page.getByText('About a todo or captures').click();
    await look(window, `chats-list-${name}`);
    await window.goTo(`/chats/${todoId}`, 'Chat not found');
    await look(window, `chat-missing-${name}`);
    await window.page.setViewportSize({ width: 320, height: 640 });
    await window.goTo(chat.path, 'This week');
    await page.locator('#content').getByText('Needs you').waitFor();
    await look(window, `chat-320-${name}`);
  });
}

test.promise('Enter begins a new line where the person chose so, and Ctrl or ⌘ and Enter send', async (stage) => {
  const chat = await openChat(stage);
  const { page, window, path } = chat;
  await window.goTo('/settings/appearance', 'Appearance');
  await page.getByRole('checkbox', { name: /^Enter sends a message/, checked: true }).focus();
  await page.keyboard.press('Space');
  await page.getByText('It begins a new line. ⌘ or Ctrl and Enter send.').waitFor();
  assert.equal(await window.axe('all'), []);
  await window.goTo(path, 'This week');
  const field = page.getByLabel('Message', { exact: true });
  await field.focus();
  await page.keyboard.type('First line');
  await page.keyboard.press('Enter');
  await page.keyboard.type('second line');
  assert.is(await field.inputValue(), 'First line\nsecond line');
  await page.keyboard.press('ControlOrMeta+Enter');
  await page.getByText('Queued until this turn ends').waitFor();
  assert.is(await field.inputValue(), '');
});

/** A visual viewport whose height a test sets, as a keyboard does. */
const ownViewport = `Object.defineProperty(window, 'visualViewport', {
  value: Object.assign(new EventTarget(), { width: innerWidth, height: innerHeight, offsetTop: 0, offsetLeft: 0, pageTop: 0, pageLeft: 0, scale: 1 }),
})`;

test.promise('on a phone the composer is above the keyboard', async (stage) => {
  const chat = await openChat(stage, { ...darkPhone, script: ownViewport });
  const { page } = chat;
  // Longer than the screen, and not at the end: there the composer stands below the messages, wherever they end.
  await addMessages(stage.tandem, chat, 30);
  await page.reload();
  await page.getByLabel('Message', { exact: true }).focus();
  const edge = (selector: string, side: 'top' | 'bottom') =>
    page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().${side}`);
  const isAt = async (height: number) => {
    let bottom = 0;
    await until(
      async () => {
        await page.evaluate('scrollTo(0, 0)');
        bottom = await edge('.dock', 'bottom');
        return Math.abs(bottom - height) <= 1;
      },
      () => `the composer ends at ${bottom}, not at ${height}`,
    );
  };
  const setHeight = (height: string) =>
    page.evaluate(`visualViewport.height = ${height}; visualViewport.dispatchEvent(new Event('resize'))`);
  const bar = await edge('.bottom-bar', 'top');
  assert.ok(bar > 700, String(bar));
  await isAt(bar);
  await setHeight('450');
  await isAt(450);
  await setHeight('innerHeight');
  await isAt(bar);
});

test.run();
