import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { breakOperations } from '../support/page-faults.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine, use } from '../support/scripted-engine.ts';
import { setColumns } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf, held, startRun } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: the schedule of a todo, and agents', async () => ({ engine }));

const daily = { every: 'day', at: '09:00', timezone: 'UTC' };

/** A person with a todo, and how to read it. */
async function withTodo(stage: Stage, fields: Record<string, unknown> = {}) {
  const ada = await stage.person('Ada Lovelace');
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Water the plants', ...fields }), 201);
  const read = async () => bodyOf(await call(`GET /todos/${id}`));
  return { ada, call, id, read };
}

const isLoaded = ({ page }: Window) =>
  page.evaluate('performance.getEntriesByType("resource").some(({ name }) => name.includes("schedule-card"))');
const focusIsOn = ({ page }: Window, text: string) => page.locator('button:focus', { hasText: text }).waitFor();

test.promise('a schedule is set, paused and removed by the keyboard, and shown before it is saved', async (stage) => {
  const { ada, call, id, read } = await withTodo(stage);
  bodyOf(await call(`PATCH /workspaces/${ada.session.workspace.id}`, { timezone: 'Europe/Berlin' }));
  const window = await stage.window({ as: ada, timezoneId: 'America/New_York' });
  const { page, goTo, sees } = window;
  await goTo(`/todos/${id}`, 'Water the plants');
  const add = page.getByRole('button', { name: 'Add a schedule' });
  await add.waitFor();
  assert.is(await isLoaded(window), false);
  await add.focus();
  await page.keyboard.press('Enter');
  await page.locator('input[name=form]:focus').waitFor();
  await page.getByRole('checkbox', { name: 'Mon' }).focus();
  await page.keyboard.press('Space');
  await page.getByText('Every week on Monday at 09:00 (Europe/Berlin)').waitFor();
  const times = page.getByRole('list', { name: 'Next times' }).getByRole('listitem');
  assert.is(await times.filter({ hasText: '09:00' }).filter({ hasText: 'your time' }).count(), 5);
  assert.equal(await window.axe('all'), []);

  await page.reload();
  await sees('Water the plants');
  await page.getByText('This schedule is not saved yet.').waitFor();
  assert.ok(await page.getByRole('checkbox', { name: 'Mon' }).isChecked());
  await page.getByLabel('Time', { exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('The schedule is saved.').waitFor();
  await focusIsOn(window, 'Change');
  const saved = await read();
  assert.equal([saved.rrule, saved.timezone], ['FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0', 'Europe/Berlin']);
  await page.getByText('Every week on Monday at 09:00 (Europe/Berlin)').waitFor();

  const pause = page.getByRole('switch', { name: 'Paused' });
  await pause.focus();
  await page.keyboard.press('Space');
  await page.getByText('The schedule is paused.').waitFor();
  assert.is((await read()).scheduleStatus, 'disabled');
  await until(async () => pause.isChecked());
  await page.keyboard.press('Space');
  await page.getByText('The schedule continues.').waitFor();
  assert.is((await read()).scheduleStatus, 'pending');
  await page.getByRole('button', { name: 'Remove: the schedule' }).press('Enter');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Remove' }).press('Enter');
  await page.getByText('The schedule is removed.').waitFor();
  assert.is((await read()).scheduleType, null);
  await add.waitFor();
});

test.promise('a schedule that is saved as it is does not begin anew', async (stage) => {
  const { ada, call, id, read } = await withTodo(stage);
  const startAt = new Date(Date.now() + 9 * 86_400_000).toISOString();
  const rrule = 'FREQ=DAILY;INTERVAL=3;BYHOUR=9;BYMINUTE=0;COUNT=4';
  const { page, goTo } = await stage.window({ as: ada });
  const save = page.getByRole('button', { name: 'Save schedule' });
  for (const schedule of [
    { rrule, timezone: 'UTC', startAt },
    { ...daily, count: 10 },
  ]) {
    bodyOf(await call(`PATCH /todos/${id}`, { schedule }));
    const before = await read();
    await goTo(`/todos/${id}`, 'Water the plants');
    await page.getByRole('button', { name: 'Change' }).click();
    await save.click();
    await page.getByText('The schedule is saved.').waitFor();
    await save.waitFor({ state: 'detached' });
    assert.equal(await read(), before);
  }
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Time', { exact: true }).fill('10:00');
  await save.click();
  await page.getByRole('alert').getByRole('link', { name: 'Enter how many times' }).click();
  await page.locator('input[name="schedule.count"]:focus').fill('6');
  await save.click();
  await until(async () => (await read()).rrule.endsWith('BYHOUR=10;BYMINUTE=0;COUNT=6'));
});

test.promise('a rule with what the clocks do to it, never a late answer, and one time in its zone', async (stage) => {
  const { ada, id, read } = await withTodo(stage);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Water the plants');
  await page.getByRole('button', { name: 'Add a schedule' }).click();
  await page.getByRole('radio', { name: 'On these dates' }).check();
  await page.getByLabel('Time zone').selectOption('Europe/Berlin');
  const rule = page.getByRole('textbox', { name: 'Rule' });
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Enter a rule' }).click();
  await page.locator('input[name="schedule.rrule"]:focus').waitFor();
  await rule.fill('FREQ=DAILY;BYHOUR=9;BYMINUTE=0,5');
  await page.getByText('Times must be at least 15 minutes apart.').waitFor();
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.locator('#app [role=alert]', { hasText: 'Times must be at least 15 minutes apart.' }).waitFor();
  assert.is((await read()).scheduleType, null);
  await rule.fill('FREQ=YEARLY;BYMONTH=1,7;BYMONTHDAY=1;BYHOUR=9;BYMINUTE=0');
  await page.getByText('the clocks of Europe/Berlin go back by 1 hour.').first().waitFor();
  await page.getByText('the clocks of Europe/Berlin go forward by 1 hour.').first().waitFor();

  const late = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  await page.route(/todos\.previewSchedule/, async (route) => {
    const isLate = route.request().postData()?.includes('BYHOUR=8') ?? false;
    if (isLate) await late.promise;
    await route.continue().catch(() => {});
    if (isLate) answered.resolve();
  });
  const asked = page.waitForRequest((request) => request.postData()?.includes('BYHOUR=8') ?? false);
  await rule.fill('FREQ=DAILY;BYHOUR=8;BYMINUTE=0');
  await asked;
  await rule.fill('FREQ=DAILY;BYHOUR=7;BYMINUTE=0');
  await page.getByText('Every day at 07:00').waitFor();
  late.resolve();
  await answered.promise;
  await rule.fill('FREQ=DAILY;BYHOUR=6;BYMINUTE=0');
  await page.getByText('Every day at 06:00').waitFor();
  assert.is(await page.getByText('Every day at 08:00').count(), 0, 'an answer that comes late is not shown');

  await page.getByRole('radio', { name: 'Once' }).check();
  await page.getByLabel('Date and time').fill('2099-07-01T09:30');
  await page.getByText('Once, on 1 July 2099 at 09:30 (Europe/Berlin)').waitFor();
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByText('The schedule is saved.').waitFor();
  assert.is((await read()).nextRunAt, '2099-07-01T07:30:00.000Z');
});

test.promise('a schedule that somebody else set meanwhile is not replaced without asking', async (stage) => {
  const { ada, call, id, read } = await withTodo(stage, { schedule: daily });
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo(`/todos/${id}`, 'Water the plants');
  await page.getByRole('button', { name: 'Change' }).click();
  await page.getByLabel('Time', { exact: true }).fill('10:00');
  bodyOf(await call(`PATCH /todos/${id}`, { schedule: { ...daily, at: '11:00' } }));
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByText('Somebody else changed the schedule at the same time.').waitFor();
  await page.getByText('Yours: every day at 10:00 (UTC)').waitFor();
  assert.match((await read()).rrule, 'BYHOUR=11');
  const slow = await breakOperations(page, (each) => each === 'updateTodo', 'slow');
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await slow.asked;
  await page.getByLabel('Time', { exact: true }).fill('12:00');
  await slow.mend();
  // What was typed meanwhile stays, and goes on from what was kept.
  await until(() => page.evaluate('Object.values(sessionStorage).join().includes("BYHOUR=10")'));
  assert.match((await read()).rrule, 'BYHOUR=10');
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByText('The schedule is saved.').waitFor();
  assert.match((await read()).rrule, 'BYHOUR=12');
});

test.promise('a schedule that is saved as it was, but that somebody else changed, is no saved one', async (stage) => {
  const { ada, call, id, read } = await withTodo(stage, { schedule: daily });
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Water the plants');
  await page.getByRole('button', { name: 'Change' }).click();
  bodyOf(await call(`PATCH /todos/${id}`, { title: 'Water the roses', schedule: { ...daily, at: '11:00' } }));
  await sees('Water the roses');
  await page.getByRole('button', { name: 'Save schedule' }).click();
  await page.getByText('Somebody else changed the schedule at the same time.').waitFor();
  await page.getByText('Yours: every day at 09:00 (UTC)').waitFor();
  assert.match((await read()).rrule, 'BYHOUR=11');
});

test.promise('what is typed while a schedule is being saved stays, and is saved after it', async (stage) => {
  const { ada, id, read } = await withTodo(stage, { schedule: daily });
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Water the plants');
  const time = page.getByLabel('Time', { exact: true });
  const save = page.getByRole('button', { name: 'Save schedule' });
  await page.getByRole('button', { name: 'Change' }).click();
  for (const [first, second, isLeft] of [
    ['10:00', '11:00', false],
    ['12:00', '13:00', true],
  ] as const) {
    const slow = await breakOperations(page, (each) => each === 'updateTodo', 'slow');
    await time.fill(first);
    await save.click();
    await slow.asked;
    if (isLeft) {
      await page.getByRole('navigation').getByRole('link', { name: 'Chats', exact: true }).first().click();
      await sees('Chats');
      await page.goBack();
      await sees('Water the plants');
    }
    await time.fill(second);
    await slow.mend();
    await until(async () => (await read()).rrule.includes(`BYHOUR=${Number.parseInt(first, 10)}`));
    await save.waitFor();
    assert.is(await time.inputValue(), second);
  }
  await save.click();
  await page.getByText('The schedule is saved.').waitFor();
  assert.match((await read()).rrule, 'BYHOUR=13');
});

/** Sets the error that the schedule of a todo met at its last time. */
function failWith({ tandem }: Stage, todoId: string, code: string, message: string) {
  const text = `update todo_schedules set status = 'error', consecutive_failures = 2, error_code = $2, error_message = $3,
    error_at = now() where todo_id = $1`;
  return tandem.db.rows(text, [todoId, code, message]);
}

test.promise('an error has its remedy, and single times are ticked off and skipped', async (stage) => {
  const { ada, id, read } = await withTodo(stage, { schedule: daily, assignees: [] });
  await failWith(stage, id, 'no_assignee', 'Nobody is assigned to this todo. Assign an agent or a person.');
  const window = await stage.window({ as: ada });
  const { page, goTo } = window;
  await goTo(`/todos/${id}`, 'Water the plants');
  await page.getByText('Nobody is assigned to this todo.').waitFor();
  await page.getByText('2 times in a row').waitFor();
  await page.locator('.assignees:not(.labels) input').first().waitFor();
  await page.getByRole('button', { name: 'Assign somebody' }).click();
  await page.locator('.assignees:not(.labels) input:focus').waitFor();

  const rows = page.getByRole('region', { name: 'Planned times' }).getByRole('listitem');
  const first = (await read()).nextRunAt;
  await rows.getByRole('button', { name: /^Skip: / }).click();
  await page.getByText(/is skipped\.$/).waitFor();
  await until(async () => (await rows.count()) === 2);
  await rows.filter({ hasText: 'Skipped' }).and(page.locator(':focus')).waitFor();
  const second = (await read()).nextRunAt;
  assert.is(Date.parse(second) - Date.parse(first), 86_400_000);
  await rows.getByRole('button', { name: /^Done: / }).click();
  await page.getByText(/is done\.$/).waitFor();
  await until(async () => (await rows.count()) === 3);
  assert.ok(Date.parse((await read()).nextRunAt) > Date.parse(second));
});

test.promise('a suggestion is accepted or dismissed on its page, which shows the minutes saved', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const suggest = async (title: string) => {
    const { id } = bodyOf(await call('POST /todos', { title }), 201);
    await setColumns(stage.tandem, id, { is_suggested: true, source: 'auto_suggested' });
    return { id, read: async () => bodyOf(await call(`GET /todos/${id}`)) };
  };
  const [wanted, unwanted] = [await suggest('Send the report'), await suggest('Buy a boat')];
  await setColumns(stage.tandem, wanted.id, {
    minutes_saved: 25,
    minutes_saved_reason: 'Three offers were read.',
    minutes_saved_confidence: 'low',
    updated_at: new Date(Date.now() + 1_000).toISOString(),
  });
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${wanted.id}`, 'Send the report');
  await page.getByText('25 min saved, with low confidence: Three offers were read.').waitFor();
  await page.getByText(/^Changed /).waitFor();
  await page.getByText('Suggested', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Accept' }).press('Enter');
  await page.getByText('Suggested', { exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Archive' }).waitFor();
  await until(async () => (await wanted.read()).isSuggested === false);
  assert.is((await wanted.read()).isArchived, false);
  await goTo(`/todos/${unwanted.id}`, 'Buy a boat');
  await page.getByRole('button', { name: 'Dismiss' }).press('Enter');
  await page.getByText('The todo is archived.').waitFor();
  await until(async () => (await unwanted.read()).isArchived);
});

test.promise('a run is followed to its summary, and one that waits for a person says so', async (stage) => {
  const ada = await stage.person();
  const caller = { call: callsOf(stage.tandem, ada) };
  const agentId = await agentOf(caller);
  const { id } = bodyOf(await caller.call('POST /todos', { title: 'Compare offers' }), 201);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Compare offers');
  await page.getByRole('button', { name: 'Add a schedule' }).waitFor();
  assert.is(await page.getByRole('region', { name: 'Work of an agent' }).count(), 0);
  const work = held(reply('The second one is **cheaper**.'));
  const run = await startRun(caller, id, engine.plan(work.script), agentId);
  await work.asked();
  const card = page.getByRole('region', { name: 'Work of an agent' });
  await card.getByText('At work').waitFor();
  assert.is(await card.getByRole('link', { name: 'Open the chat' }).getAttribute('href'), `/chats/${run.chatId}`);
  work.release();
  await card.getByText('Finished').waitFor();
  await card.locator('strong', { hasText: 'cheaper' }).waitFor();

  const careful = await agentOf(caller, { requiresApproval: true });
  const asks = engine.plan([use(['create_todo', { title: 'Buy' }]), reply('Asked.')]);
  await startRun(caller, id, asks, careful);
  await card.getByText('Needs you').waitFor();
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`a schedule and its editor can be used by everyone: ${name}`, async (stage) => {
    const { ada, id } = await withTodo(stage, { schedule: { ...daily, timezone: 'Asia/Tokyo' } });
    await failWith(stage, id, 'insufficient_minutes', 'The workspace has no agent minutes left, so no agent started.');
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo } = window;
    await goTo(`/todos/${id}`, 'Water the plants');
    await page.getByText('Every day at 09:00 (Asia/Tokyo)').waitFor();
    await page.getByRole('region', { name: 'Planned times' }).waitFor();
    await look(window, `schedule-${name}`);
    await page.getByRole('button', { name: 'Change' }).click();
    await page.getByLabel('Unit').selectOption('week');
    await page.getByText('Every week').first().waitFor();
    await look(window, `schedule-editor-${name}`);
    await page.setViewportSize({ width: 320, height: 640 });
    await look(window, `schedule-narrow-${name}`);
  });
}

test.run();
