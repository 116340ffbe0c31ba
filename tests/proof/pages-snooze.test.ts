import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { asks, failedRun, suggest, untilFocused } from '../support/inbox-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { notifyPeople } from '../support/notification-fixtures.ts';
import { breakOperations, expectedFailures, sentenceOf } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { ScriptedEngine } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: what is put off', async () => ({ engine }));

const snoozed = ({ page }: Window) => page.getByRole('list', { name: 'Snoozed' });
const row = ({ page }: Window, text: string) => page.locator('[data-row]').filter({ hasText: text });

test.promise('a key puts a row off, and the next one has the focus; it can be brought back', async (stage) => {
  const ada = await stage.person();
  await suggest(stage, ada, 'Second idea', 'First idea');
  const window = await stage.window({ as: ada });
  const other = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo('/inbox', 'Inbox');
  await other.goTo('/inbox', 'Inbox');
  await page.getByRole('link', { name: 'Inbox 2 need you' }).waitFor();
  // The sidebar counts them as they are read, the page shows them once it knows all that needs the person.
  await row(window, 'First idea').waitFor();
  await page.keyboard.press('j');
  await untilFocused(window, 'First idea');
  // Typed at once: before the dialog is loaded.
  await page.keyboard.type('htomorrow');
  await page.getByRole('dialog', { name: 'Put off: “First idea”' }).waitFor();
  await page.getByRole('option').and(page.locator('[aria-selected=true]')).waitFor();
  await page.keyboard.press('Enter');
  await untilFocused(window, 'Second idea');
  await snoozed(window).getByText('First idea').waitFor();
  await page.getByRole('link', { name: 'Inbox 1 need you' }).waitFor();
  // The button is there for some seconds only: other windows are looked at later.
  await page.getByRole('button', { name: 'Undo' }).press('Enter');
  await page.getByRole('link', { name: 'First idea', exact: true }).waitFor();
  await other.page.getByRole('link', { name: 'Inbox 2 need you' }).waitFor();

  await page.getByRole('button', { name: 'Snooze: Second idea' }).click();
  await page.getByRole('option', { name: /^In 30 days: / }).click();
  await snoozed(window).getByText('Second idea').waitFor();
  await snoozed(other).getByText('Second idea').waitFor();
  await other.page.getByRole('link', { name: 'Inbox 1 need you' }).waitFor();
  await other.page.getByRole('button', { name: 'Bring back: Second idea' }).press('Enter');
  await page.getByRole('link', { name: 'Inbox 2 need you' }).waitFor();
  await snoozed(window).waitFor({ state: 'detached' });
});

test.promise('what is put off is back at its time, first of all, without the service', async (stage) => {
  const ada = await stage.person();
  const [, idea = ''] = await suggest(stage, ada, 'Second idea', 'First idea', 'Third idea');
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Ferns are due' });
  const call = callsOf(stage.tandem, ada);
  const [notification] = bodyOf(await call('GET /notifications')).data;
  const inAnHour = new Date(Date.now() + 3_600_000).toISOString();
  bodyOf(await call('POST /snoozes', { subjectType: 'todo', subjectId: idea, until: inAnHour }), 201);
  bodyOf(
    await call('POST /snoozes', { subjectType: 'notification', subjectId: notification.id, until: inAnHour }),
    201,
  );
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await page.clock.install();
  await goTo('/inbox', 'Inbox');
  await snoozed(window).getByText('Ferns are due').waitFor();
  await page.getByRole('link', { name: 'Inbox 2 need you' }).waitFor();
  const shows = async (...titles: string[]) => {
    const shown = page.locator('.needs .row-title a');
    await until(async () => (await shown.allTextContents()).join() === titles.join());
  };
  await shows('Third idea', 'Second idea');
  await page.getByRole('link', { name: 'Notifications none unread' }).waitFor();
  await page.clock.fastForward('01:01:00');
  await page.getByRole('link', { name: 'Inbox 3 need you' }).waitFor();
  await shows('First idea', 'Third idea', 'Second idea');
  await snoozed(window).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Mark as read: Ferns are due' }).waitFor();
});

test.promise('all that the inbox has can be put off; a refusal is said, and the row is there again', async (stage) => {
  const ada = await stage.person();
  await failedRun(stage, engine, ada, 'Compare caterers');
  await asks(stage, engine, ada, [['create_todo', { title: 'Order desks' }]], 'Researcher');
  await notifyPeople(stage.tandem.db, ada.session.workspace.id, [ada.session.user.id], { title: 'Ferns are due' });
  const [later = ''] = await suggest(stage, ada, 'Buy a boat');
  const inAYear = new Date(Date.now() + 365 * 86_400_000).toISOString();
  const other = { subjectType: 'todo', subjectId: later, until: inAYear };
  bodyOf(await callsOf(stage.tandem, ada)('POST /snoozes', other), 201);
  const window = await stage.window({ as: ada, expected: expectedFailures });
  const { page, goTo } = window;
  await goTo('/inbox', 'Inbox');
  const broken = await breakOperations(page, (id) => id === 'createSnooze', 503);
  const putOff = async (name: RegExp) => {
    await page.getByRole('button', { name }).click();
    await page.getByRole('option', { name: /^Tomorrow: / }).click();
  };
  await putOff(/^Snooze: Compare caterers/);
  await page.getByText(sentenceOf(503)).waitFor();
  await row(window, 'Compare caterers').getByRole('button', { name: 'Run again' }).waitFor();
  await broken.mend();
  // It comes back too where nothing can be read then.
  const cut = await breakOperations(page, (id) => id === 'createSnooze' || id === 'listSnoozes', 'unreachable');
  await putOff(/^Snooze: Compare caterers/);
  await page.getByText(sentenceOf('unreachable')).first().waitFor();
  await row(window, 'Compare caterers').getByRole('button', { name: 'Run again' }).waitFor();
  await cut.mend();
  await putOff(/^Snooze: Compare caterers/);
  await putOff(/^Snooze: Create/);
  await page.getByText('Nothing needs you').waitFor();
  await putOff(/^Snooze: Ferns are due/);
  await page.getByText('No notifications', { exact: true }).waitFor();
  await until(async () => bodyOf(await callsOf(stage.tandem, ada)('GET /snoozes')).data.length === 4);
  const { data } = bodyOf(await callsOf(stage.tandem, ada)('GET /snoozes'));
  const types = data.map(({ subjectType }: { subjectType: string }) => subjectType).sort();
  assert.equal(types, ['approval', 'notification', 'todo', 'todo_run']);
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`what is put off is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const [kept = '', off = ''] = await suggest(
      stage,
      ada,
      'Ask the old brewery whether the hall is free in the first week of March',
      'Compare what the three caterers offer for sixty people, with and without a dessert',
    );
    const call = callsOf(stage.tandem, ada);
    const until = new Date(Date.now() + 26 * 3_600_000).toISOString();
    bodyOf(await call('POST /snoozes', { subjectType: 'todo', subjectId: off, until }), 201);
    const window = await stage.window({ ...options, as: ada });
    const { page } = window;
    await window.goTo('/inbox', 'Inbox');
    await snoozed(window).waitFor();
    await page.locator(`[data-row="${kept}"]`).waitFor();
    assert.equal(await window.axe('all'), []);
    await look(window, `snoozed-${name}`);
    await page.getByRole('button', { name: /^Snooze: Ask/ }).click();
    await page.getByRole('option', { name: /^Tomorrow: / }).waitFor();
    assert.equal(await window.axe('all'), []);
    await look(window, `snooze-dialog-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await page.getByRole('option', { name: /^Tomorrow: / }).waitFor();
    await look(window, `snooze-dialog-320-${name}`);
    await page.keyboard.press('Escape');
    await look(window, `snoozed-320-${name}`);
  });
}

test.run();
