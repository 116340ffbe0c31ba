import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { asks, failedRun, suggest, untilFocused } from '../support/inbox-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { breakOperations, expectedFailures } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf, held, startRun } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
const test = pageSuite('pages: inbox and runs', async () => ({ engine }));

test.promise('the keyboard goes through all that needs a person, and the focus is never lost', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const [, kept = '', dropped = ''] = await suggest(stage, ada, 'Third idea', 'Second idea', 'First idea');
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Ferns are due' });
  const window = await stage.window({ as: ada });
  const { page, goTo, sees } = window;
  await goTo('/inbox', 'Inbox');
  await page.getByRole('link', { name: 'Inbox 3 need you' }).waitFor();
  await page.getByRole('link', { name: 'First idea', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Mark as read: Ferns are due' }).waitFor();
  await page.keyboard.press('j');
  await untilFocused(window, 'First idea');
  await page.keyboard.press('n');
  await untilFocused(window, 'Second idea');
  await page.keyboard.press('y');
  await untilFocused(window, 'Third idea');
  await until(async () => bodyOf(await call(`GET /todos/${dropped}`)).isArchived);
  await until(async () => !bodyOf(await call(`GET /todos/${kept}`)).isSuggested);
  assert.is(bodyOf(await call(`GET /todos/${kept}`)).isArchived, false);
  await page.getByRole('link', { name: 'Inbox 1 need you' }).waitFor();

  await page.keyboard.press('j');
  await untilFocused(window, 'Ferns are due');
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Mark as unread: Ferns are due' }).waitFor();
  await page.keyboard.press('u');
  await page.getByRole('button', { name: 'Mark as read: Ferns are due' }).waitFor();
  await page.getByRole('button', { name: 'Mark all as read' }).click();
  await page.getByRole('button', { name: 'Mark as unread: Ferns are due' }).waitFor();
  await page.keyboard.press('k');
  await untilFocused(window, 'Third idea');
  await page.keyboard.press('Enter');
  await sees('Third idea');
});

test.promise('notifications stay while what else the inbox shows fails and is read again', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const todo = bodyOf(await call('POST /todos', { title: 'Water the ferns' }), 201);
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Ferns are due' });
  const { page, goTo } = await stage.window({ as: ada, expected: expectedFailures });
  // What fails is not repeated by the clock too: the button would be busy then.
  await page.addInitScript('window.setInterval = () => 0;');
  const row = page.getByText('Ferns are due', { exact: true });
  for (const [id, ask] of [
    ['listRuns', () => page.getByRole('button', { name: 'Try again' }).click()],
    ['listSnoozes', () => call('POST /snoozes', { subjectType: 'todo', subjectId: todo.id, until: tomorrow })],
  ] as const) {
    const broken = await breakOperations(page, (each) => each === id, 503);
    await goTo('/inbox', 'Inbox');
    await row.waitFor();
    await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
    const held = await breakOperations(page, (each) => each === id, 'slow');
    await ask();
    await held.asked;
    assert.ok(await row.isVisible(), id);
    if (id === 'listRuns')
      await page.getByRole('button', { name: 'Trying again…' }).and(page.locator(':focus')).waitFor();
    await broken.mend();
    await held.mend();
  }
});

test.promise('a run that failed needs a person until it is run again', async (stage) => {
  const ada = await stage.person();
  const { todo } = await failedRun(stage, engine, ada, 'Compare caterers');
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/inbox', 'Inbox');
  await page.getByText('The model is not available. Try again later.').first().waitFor();
  await page.getByRole('link', { name: 'Compare caterers', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Run again: Compare caterers' }).click();
  await page.getByText('The agent works on “Compare caterers”.').waitFor();
  await page.getByText('Nothing needs you').waitFor();
  const { data } = bodyOf(await callsOf(stage.tandem, ada)(`GET /todos/${todo.id}/runs`));
  assert.is(data.length, 2);
  await goTo(`/todos/${todo.id}`, 'Compare caterers');
  await page.getByRole('list', { name: 'Earlier runs' }).getByText('Failed').waitFor();
});

test.promise('runs are listed with what they came to, filtered by the address, and stopped', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  await failedRun(stage, engine, ada, 'Compare caterers');
  const agentId = await agentOf({ call }, { name: 'Researcher' });
  const done = bodyOf(await call('POST /todos', { title: 'Find a hall' }), 201);
  await startRun({ call }, done.id, engine.plan([reply('The old brewery.')]), agentId);
  await until(async () => bodyOf(await call(`GET /todos/${done.id}`)).latestRun.status === 'completed');
  const step = held(reply('Never.'));
  const open = bodyOf(await call('POST /todos', { title: 'Book a band' }), 201);
  await startRun({ call }, open.id, engine.plan(step.script), agentId);
  await step.asked();
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/runs', 'Runs');
  const running = page.getByRole('list', { name: 'Running now' });
  const runs = page.getByRole('list', { name: 'Runs' });
  await running.getByRole('link', { name: 'Book a band', exact: true }).waitFor();
  await runs.getByText('The old brewery.').waitFor();
  const titles = () => runs.locator('strong').allTextContents();
  await until(async () => (await titles()).join() === 'Find a hall,Compare caterers');
  await page.getByLabel('Result').selectOption('Failed or took too long');
  await until(async () => (await titles()).join() === 'Compare caterers');
  assert.is(new URL(page.url()).search, '?status=failed,timed_out');
  await goTo(`/runs?agentId=${agentId}&trigger=manual&since=2020-01-01`, 'Runs');
  await runs.getByText('The old brewery.').waitFor();
  await until(async () => (await titles()).join() === 'Find a hall');
  await page.getByLabel('Result').selectOption('Stopped');
  await page.getByRole('button', { name: 'Show all runs' }).waitFor();
  await page.getByRole('button', { name: 'Stop: Book a band' }).click();
  await page.getByText('No agent is at work').waitFor();
  await until(async () => (await titles()).join() === 'Book a band');
  assert.is(bodyOf(await call(`GET /todos/${open.id}`)).latestRun.status, 'cancelled');
});

const narrowest = { width: 320, height: 640 };

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the inbox and the runs are accessible and fit, empty and full: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    for (const [path, heading, empty] of [
      ['/inbox', 'Inbox', 'Nothing needs you'],
      ['/runs', 'Runs', 'No runs yet'],
    ] as const) {
      await goTo(path, heading);
      await page.getByText(empty).waitFor();
      await look(window, `${path.slice(1)}-empty-${name}`);
    }
    await suggest(stage, ada, 'Ask the old brewery whether the hall is free in the first week of March');
    await failedRun(stage, engine, ada, 'Compare three caterers');
    const calls: [string, unknown][] = [['create_todo', { title: 'Order desks', priority: 'high' }]];
    await asks(stage, engine, ada, calls, 'Researcher');
    const ids = [ada.session.workspace.id, [ada.session.user.id]] as const;
    await notifyPeople(stage.tandem.db, ...ids);
    await goTo('/inbox', 'Inbox');
    for (const part of ['“Order desks”', 'Ask the old brewery', 'Compare three caterers', 'Water the plants'])
      await page.locator('[data-row]').filter({ hasText: part }).first().waitFor();
    assert.equal(await window.axe('all'), []);
    await look(window, `inbox-${name}`);
    await page.getByRole('button', { name: 'Edit first' }).click();
    await page.getByRole('button', { name: 'Approve as edited' }).waitFor();
    await page.setViewportSize(narrowest);
    await look(window, `inbox-narrow-${name}`);
    await goTo('/runs', 'Runs');
    await page.getByRole('list', { name: 'Runs' }).waitFor();
    await look(window, `runs-narrow-${name}`);
    await page.setViewportSize(options.viewport);
    assert.equal(await window.axe('all'), []);
    await look(window, `runs-${name}`);
  });
}

test.run();
