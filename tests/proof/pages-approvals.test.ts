import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { asks, cardOf, untilDecided, untilFocused } from '../support/inbox-fixtures.ts';
import { pressAtOnce } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf, startRun } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: approvals', async () => ({ engine }));

const oneSpaced = (text: string) => text.replace(/\s+/g, ' ');

test.promise(
  'the change is shown with names and present values, edited first, and carried out as edited',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const list = bodyOf(await call('POST /todo-lists', { name: 'Office' }), 201);
    const desks = bodyOf(await call('POST /todos', { title: 'Order desks', priority: 'low' }), 201);
    const chairs = bodyOf(await call('POST /todos', { title: 'Order chairs' }), 201);
    const change = { todoId: desks.id, priority: 'urgent', dueDate: '2030-01-02', todoListId: list.id };
    const calls: [string, unknown][] = [
      ['update_todo', change],
      ['complete_todo', { todoId: chairs.id }],
    ];
    const { chatId } = await asks(stage, engine, ada, calls, 'Researcher');
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo('/inbox', 'Inbox');
    const card = cardOf(window, 'Researcher wants to change the todo “Order desks”');
    await card.locator('.effect', { hasText: 'Office' }).waitFor();
    const lines = card.locator('.effect > div');
    assert.equal((await lines.allTextContents()).map(oneSpaced), [
      'Due datefrom none → to Jan 2, 2030',
      'Priorityfrom low → to urgent',
      'Listfrom Inbox → to Office',
    ]);
    const other = cardOf(window, 'Researcher wants to mark “Order chairs” as done');
    await other.locator('.effect', { hasText: 'from ready → to done' }).waitFor();
    await page.getByRole('link', { name: 'Inbox 2 need you' }).waitFor();

    await card.getByRole('button', { name: 'Edit first' }).click();
    const form = card.getByRole('form', { name: 'Edit first' });
    await form.getByLabel('Priority').selectOption('high');
    await form.getByLabel('Due date').fill('2031-05-06');
    assert.equal(await window.axe('all'), []);
    await page.reload();
    await form.getByRole('button', { name: 'Approve as edited' }).waitFor();
    assert.is(await form.getByLabel('Due date').inputValue(), '2031-05-06', 'what was typed outlives a reload');
    await form.getByText('More fields').click();
    await form.getByLabel('Assignees').fill('not JSON');
    await form.getByRole('button', { name: 'Approve as edited' }).press('Enter');
    await form.getByRole('link', { name: /Assignees must be JSON/ }).waitFor();
    await form.getByLabel('Assignees').fill('[]');
    await form.getByRole('button', { name: 'Approve as edited' }).press('Enter');
    await card.waitFor({ state: 'detached' });
    await untilFocused(window, 'Order chairs');
    await other.getByRole('button', { name: 'Approve' }).click();
    await untilDecided(stage, ada, chatId);
    await settled({ call }, chatId);
    const { priority, dueDate, todoListId, assignees } = bodyOf(await call(`GET /todos/${desks.id}`));
    assert.equal([priority, dueDate, todoListId, assignees], ['high', '2031-05-06', list.id, []]);
    assert.is(bodyOf(await call(`GET /todos/${chairs.id}`)).status, 'done');
    await page.getByText('Nothing needs you').waitFor();
    await until(() => page.evaluate('document.activeElement !== document.body'));
  },
);

test.promise(
  'a change of a list is compared with it, and the card leads to the rule by which its agent asks',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const list = bodyOf(await call('POST /todo-lists', { name: 'Office' }), 201);
    const { agentId } = await asks(
      stage,
      engine,
      ada,
      [['upsert_todo_list', { todoListId: list.id, name: 'Office, first floor' }]],
      'Researcher',
    );
    const window = await stage.window({ as: ada });
    const { page, goTo, sees } = window;
    await goTo('/inbox', 'Inbox');
    const card = cardOf(window, 'Researcher wants to change the list “Office”');
    await card.locator('.effect', { hasText: 'from Office → to Office, first floor' }).waitFor();
    assert.equal(await window.axe('all'), []);
    await card.getByRole('link', { name: 'What the agent asks about' }).press('Enter');
    await sees('Researcher');
    assert.is(new URL(page.url()).pathname, `/agents/${agentId}/approval`);
    await page.getByRole('checkbox', { name: 'Researcher asks a person before it changes anything' }).waitFor();
  },
);

/** Notes in `wasArmed` of the window that an approval said what a second press does. */
const noteArmed = `new MutationObserver(() => {
  const buttons = [...document.querySelectorAll('article button')];
  if (buttons.some(({ textContent }) => textContent === 'Press A or Enter to approve')) window.wasArmed = true;
}).observe(document.body, { subtree: true, childList: true, characterData: true })`;

test.promise(
  'the keyboard alone decides: one key is not enough to approve, and a denial takes a note',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { id } = bodyOf(await call('POST /todos', { title: 'Sell the desks' }), 201);
    const first = await asks(stage, engine, ada, [['archive_todo', { todoId: id }]]);
    const second = await asks(stage, engine, ada, [['create_todo', { title: 'Buy a boat', priority: 'high' }]]);
    const window = await stage.window({ as: ada });
    const { page, goTo, sees } = window;
    await goTo('/chats', 'Chats');
    await pressAtOnce(window, 'g', 'i');
    await sees('Inbox');
    const boat = cardOf(window, /create the todo “Buy a boat”/);
    await boat.locator('.effect', { hasText: 'Priorityhigh' }).waitFor();
    await page.keyboard.press('j');
    await untilFocused(window, 'Buy a boat');
    await page.keyboard.press('d');
    await page.locator('textarea:focus').waitFor();
    await page.keyboard.type('Too expensive');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await boat.waitFor({ state: 'detached' });
    const [denied] = bodyOf(await call(`GET /approvals?chatId=${second.chatId}`)).data;
    assert.equal([denied.status, denied.note], ['denied', 'Too expensive']);

    const desks = cardOf(window, /archive the todo “Sell the desks”/);
    await untilFocused(window, 'Sell the desks');
    // The words are there for three seconds only, which a slow machine may miss.
    await page.evaluate(noteArmed);
    await page.keyboard.press('a');
    await until(() => page.evaluate('window.wasArmed === true'));
    await desks.getByRole('button', { name: 'Approve', exact: true }).waitFor();
    assert.is(bodyOf(await call(`GET /approvals?chatId=${first.chatId}`)).data[0].status, 'pending');
    // On a slow machine the second press may come too late, and arms again.
    await until(async () => {
      await page.keyboard.press('a');
      return (await call(`GET /approvals?chatId=${first.chatId}`)).body.data[0].status === 'approved';
    });
    await settled({ call }, first.chatId);
    assert.is(bodyOf(await call(`GET /todos/${id}`)).isArchived, true);
  },
);

test.promise('two people decide differently: the second sees who decided, and loses nothing', async (stage) => {
  const [ada, grace] = [await stage.person('Ada Lovelace'), await stage.person('Grace Hopper')];
  const home = ada.session.workspace.id;
  const join = `insert into members (workspace_id, user_id, role) values ($1, $2, 'member')`;
  await stage.tandem.db.rows(join, [home, grace.session.user.id]);
  const key = grace.session.token;
  const moved = await stage.tandem.call('POST /auth/sessions/current/workspace', { workspaceId: home }, { key });
  const { chatId } = await asks(stage, engine, ada, [['create_todo', { title: 'Buy a boat' }]]);
  const window = await stage.window({ as: { ...grace, session: bodyOf(moved, 201) } });
  const { page, goTo } = window;
  await goTo(`/chats/${chatId}`, 'Furniture');
  const card = cardOf(window, /create the todo “Buy a boat”/);
  await card.getByRole('button', { name: 'Deny with a note' }).click();
  await card.getByRole('textbox').fill('No boats');
  const taken = Promise.withResolvers<void>();
  await page.route('**/trpc/approvals.decide*', async (route) => {
    await taken.promise;
    await route.continue();
  });
  const answered = page.waitForResponse((response) => response.url().includes('approvals.decide'));
  await card.getByRole('button', { name: 'Deny', exact: true }).click();
  const call = callsOf(stage.tandem, ada);
  const [{ id }] = bodyOf(await call(`GET /approvals?chatId=${chatId}`)).data;
  bodyOf(await call(`POST /approvals/${id}/decide`, { decision: 'approve', note: 'A small one' }));
  taken.resolve();
  assert.is((await answered).status(), 409);
  await card.getByText(/Ada Lovelace approved this/).waitFor();
  await card.getByText('“A small one”').waitFor();
  assert.equal(await window.axe('all'), []);
  await card.getByRole('button', { name: 'Close' }).click();
  await card.waitFor({ state: 'detached' });
  assert.is(bodyOf(await call(`GET /approvals/${id}`)).status, 'approved');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`what was changed before it was approved is shown beside what was asked: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callsOf(stage.tandem, ada);
    const list = bodyOf(await call('POST /todo-lists', { name: 'Office' }), 201);
    const desks = { title: 'Order desks', content: 'Six of them.', priority: 'low', dueDate: '2030-01-02' };
    const calls: [string, unknown][] = [
      ['create_todo', desks],
      ['create_todo', { title: 'Order chairs' }],
    ];
    const { chatId } = await asks(stage, engine, ada, calls, 'Researcher');
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo(`/chats/${chatId}`, 'Furniture');
    // By its name: those of lists are known with it.
    const card = cardOf(window, 'Researcher wants to create the todo “Order desks”');
    await card.getByRole('button', { name: 'Deny with a note' }).click();
    await card.getByRole('textbox').fill('No desks');
    const waiting = bodyOf(await call(`GET /approvals?chatId=${chatId}`)).data;
    const { id } = waiting.find(({ input }: { input: { title: string } }) => input.title === desks.title);
    const { dueDate: _, ...kept } = desks;
    const input = { ...kept, title: 'Order standing desks', priority: 'high', todoListId: list.id };
    bodyOf(await call(`POST /approvals/${id}/decide`, { decision: 'approve', input }));
    const changes = ['from Order desks → to Order standing desks', 'from low → to high', 'from not set → to Office'];
    changes.push('from Jan 2, 2030 → to not set');
    await card.getByText(/You approved this with changes/).waitFor();
    const shown = card.getByLabel('What was changed').locator('dd');
    await shown.nth(3).waitFor();
    assert.equal((await shown.allTextContents()).map(oneSpaced), changes);
    await look(window, `approval-changed-${name}`);
    await card.getByRole('button', { name: 'Close' }).click();
    const decided = page.locator('.decisions li', { hasText: 'Approved with changes' });
    // It comes by another read than what the card shows.
    await decided.locator('dd').nth(3).waitFor();
    assert.equal((await decided.locator('dd').allTextContents()).map(oneSpaced), changes);
    const step = page.locator('.step', { hasText: 'done' });
    await cardOf(window, /Order chairs/)
      .getByRole('button', { name: 'Approve', exact: true })
      .click();
    await page.getByRole('list', { name: 'Messages' }).getByText('Done.').waitFor();
    await page.locator('.fold > summary', { hasText: '2 steps' }).click();
    await step.first().locator('summary').click();
    await step.first().getByText('What the agent asked for').waitFor();
    const [made = '', asked = ''] = await step.first().locator('dd').allTextContents();
    assert.equal([JSON.parse(made), JSON.parse(asked)], [input, desks]);
    await look(window, `approved-with-changes-${name}`);
  });
}

test.promise(
  'all that a chat waits for is approved at once, after a question, and nothing of another chat',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const other = await asks(stage, engine, ada, [['create_todo', { title: 'Buy a boat' }]]);
    const titles = ['Order desks', 'Order chairs', 'Order lamps'];
    const calls = titles.map((title): [string, unknown] => ['create_todo', { title }]);
    const { chatId } = await asks(stage, engine, ada, calls);
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await goTo('/inbox', 'Inbox');
    await cardOf(window, /Buy a boat/).waitFor();
    await cardOf(window, /Order lamps/).waitFor();
    assert.is(
      await cardOf(window, /Buy a boat/)
        .getByRole('button', { name: /Approve all/ })
        .count(),
      0,
    );
    await cardOf(window, /Order lamps/)
      .getByRole('link')
      .first()
      .focus();
    await page.keyboard.press('Shift+A');
    const question = page.getByRole('alertdialog', { name: 'Approve all 3 actions?' });
    for (const title of titles) await question.getByText(title).waitFor();
    assert.equal(await window.axe(), []);
    await page.keyboard.press('Escape');
    await question.waitFor({ state: 'detached' });
    assert.is(bodyOf(await call('GET /approvals?status=pending')).data.length, 4);
    await goTo(`/chats/${chatId}`, 'Furniture');
    await page.getByRole('button', { name: 'Approve all 3' }).first().click();
    await question.getByRole('button', { name: 'Approve all' }).press('Enter');
    await page.getByText('3 actions are approved.').waitFor();
    await untilDecided(stage, ada, chatId);
    await settled({ call }, chatId);
    const made = bodyOf(await call('GET /todos')).data.map(({ title }: { title: string }) => title);
    assert.equal(made.sort(), titles.toSorted());
    assert.is(bodyOf(await call(`GET /approvals?status=pending&chatId=${other.chatId}`)).data.length, 1);
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a todo shows what its agent asks, in place: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callsOf(stage.tandem, ada);
    const todo = bodyOf(await call('POST /todos', { title: 'Furnish the office' }), 201);
    const agent = bodyOf(await call('POST /agents', { name: 'Researcher', requiresApproval: true }), 201);
    const content = 'Six of them.\n\n- oak\n- with drawers';
    const given = { title: 'Order desks', content, dueDate: '2030-01-02', assignees: [{ id: agent.id }] };
    const plan = engine.plan([{ text: '', toolCalls: [{ id: 'c0', name: 'create_todo', input: given }] }]);
    await startRun({ call }, todo.id, plan, agent.id);
    const window = await stage.window({ ...options, as: ada });
    await window.goTo(`/todos/${todo.id}`, 'Furnish the office');
    const card = cardOf(window, 'Researcher wants to create the todo “Order desks”');
    await card.locator('.effect', { hasText: 'Researcher' }).waitFor();
    await card.getByText('Details').click();
    await look(window, `approval-todo-${name}`);
    await card.getByRole('button', { name: 'Edit first' }).click();
    await card.getByRole('button', { name: 'Approve as edited' }).waitFor();
    await look(window, `approval-edit-${name}`);
  });
}

test.run();
