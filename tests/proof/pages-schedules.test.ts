import * as assert from 'uvu/assert';
import { dayByKey } from '../../web/src/schedules/month.ts';
import { pageSuite, type Stage } from '../support/browser.ts';
import { holdableReads } from '../support/held-reads.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: schedules');

const fail = `update todo_schedules set status = 'error', consecutive_failures = 2, error_code = $2, error_message = $3,
  error_at = now() where todo_id = $1`;

/** A todo each day, one each week, one whose schedule failed, one that is paused, and one in a year. */
async function scheduled({ tandem }: Stage, person: Person) {
  const call = callsOf(tandem, person);
  const agent = await agentOf({ call }, { name: 'Scout' });
  const todo = async (title: string, schedule: object, more: object = {}): Promise<string> =>
    bodyOf(await call('POST /todos', { title, schedule, ...more }), 201).id;
  const daily = await todo('Water the ferns', { every: 'day', at: '09:00', timezone: 'UTC' });
  await todo(
    'Weekly digest',
    { every: 'week', on: ['fri'], at: '16:00', timezone: 'Asia/Tokyo' },
    { assignees: [{ id: agent }] },
  );
  const failed = await todo('Call the bank', { every: 'day', at: '10:00', timezone: 'UTC' }, { assignees: [] });
  await tandem.db.rows(fail, [failed, 'no_assignee', 'Nobody is assigned to this todo. Assign an agent or a person.']);
  const paused = await todo('Clean the pond', { every: 'day', at: '11:00', timezone: 'UTC' });
  bodyOf(await call(`PATCH /todos/${paused}`, { schedulePaused: true }));
  await todo('Renew the contract', { runAt: new Date(Date.now() + 200 * 86_400_000).toISOString() });
  return { call, daily, failed, paused };
}

test.promise('what failed comes first; times are skipped and done, and schedules paused and resumed', async (stage) => {
  const ada = await stage.person('Ada');
  const { call, daily, failed, paused } = await scheduled(stage, ada);
  const { page, goTo, sees } = await stage.window({ as: ada, timezoneId: 'Europe/Berlin' });
  await goTo('/schedules', 'Schedules');
  const failures = page.getByRole('list', { name: 'Failed schedules' });
  await failures.getByText('Nobody is assigned to this todo.').waitFor();
  assert.is(await page.getByRole('heading', { level: 2 }).first().textContent(), 'Needs somebody');
  await page.getByText('16:00 in Asia/Tokyo').first().waitFor();
  await page.getByText('Scout runs it').first().waitFor();
  await page.getByText('From here on more is planned than is shown').waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await until(async () => Number(await page.evaluate('document.documentElement.scrollWidth')) <= 320);
  await page.getByRole('list', { name: 'Later' }).getByText('Renew the contract').waitFor();

  const planned = async (): Promise<{ plannedAt: string; status: string }[]> =>
    bodyOf(await call(`GET /todos/${daily}/occurrences`)).data;
  const [first] = await planned();
  await page.getByRole('button', { name: 'Skip the next time of Water the ferns' }).click();
  await page.getByText('This time of “Water the ferns” is skipped.').waitFor();
  const statusOf = async (at: string | undefined) =>
    (await planned()).find(({ plannedAt }) => plannedAt === at)?.status;
  assert.is(await statusOf(first?.plannedAt), 'skipped');
  const [second] = await planned();
  await page.getByRole('button', { name: 'Done: the next time of Water the ferns' }).click();
  await page.getByText('This time of “Water the ferns” is done.').waitFor();
  assert.is(await statusOf(second?.plannedAt), 'done');

  const pause = page.getByRole('button', { name: 'Pause the schedule of Water the ferns' });
  await pause.click();
  await page.getByRole('list', { name: 'Paused schedules' }).getByText('Water the ferns').waitFor();
  await page.locator('h1:focus').waitFor();
  const stateOf = async (id: string) => bodyOf(await call(`GET /todos/${id}`)).scheduleStatus;
  assert.is(await stateOf(daily), 'disabled');
  await page.getByRole('button', { name: 'Resume the schedule of Clean the pond' }).click();
  await until(async () => (await stateOf(paused)) === 'pending');
  await failures.getByRole('link', { name: 'Assign somebody' }).click();
  await sees('Call the bank');
  assert.ok(page.url().endsWith(`/todos/${failed}`));
});

test.promise(
  'a time that was settled elsewhere is refused with a sentence, and the agenda is read again',
  async (stage) => {
    const ada = await stage.person();
    const { call, daily } = await scheduled(stage, ada);
    const { page, goTo } = await stage.window({ as: ada });
    const holdAgenda = holdableReads(page, 'todos.list');
    await goTo('/schedules', 'Schedules');
    const skip = page.getByRole('button', { name: 'Skip the next time of Water the ferns' });
    await skip.waitFor();
    const [next] = bodyOf(await call(`GET /todos/${daily}/occurrences`)).data;
    // The page does not read the agenda again before it is refused.
    const { release } = await holdAgenda();
    bodyOf(await call(`PATCH /todos/${daily}/occurrences/${next.id}`, { status: 'done' }));
    await skip.click();
    await page.getByText('This time has passed or was settled already.').waitFor();
    await release();
    const [after] = bodyOf(await call(`GET /todos/${daily}/occurrences`)).data;
    assert.is(after.status, 'upcoming', 'the one after is left alone');
  },
);

test.promise(
  'a month is walked by keys, in the zone of the workspace, and a day shows all that is planned',
  async (stage) => {
    const ada = await stage.person('Ada');
    const { call, daily } = await scheduled(stage, ada);
    const { session } = ada;
    bodyOf(await call(`PATCH /workspaces/${session.workspace.id}`, { timezone: 'Asia/Tokyo' }));
    const { page, goTo } = await stage.window({ as: ada, timezoneId: 'Europe/Berlin' });
    for (const hour of ['01', '02', '03', '04'])
      bodyOf(
        await call('POST /todos', {
          title: `At ${hour}`,
          schedule: { every: 'day', at: `${hour}:00`, timezone: 'Asia/Tokyo' },
        }),
        201,
      );
    await goTo('/schedules', 'Schedules');
    await page.getByRole('link', { name: 'Month', exact: true }).click();
    await page.getByText('Times are those of Asia/Tokyo.').waitFor();
    const grid = page.getByRole('grid');
    await grid.and(page.locator('[aria-busy="false"]')).waitFor();
    const dayOf = (add: number) => {
      const format = new Intl.DateTimeFormat('sv', { timeZone: 'Asia/Tokyo' });
      return format.format(new Date(Date.now() + add * 86_400_000));
    };
    const focused = () => page.evaluate('document.activeElement.dataset.day');
    await grid.locator('[aria-current="date"]').focus();
    assert.is(await focused(), dayOf(0));
    assert.is(await grid.locator('td[tabindex="0"]').count(), 1);
    let at = dayOf(0);
    for (const key of ['ArrowDown', 'ArrowRight', 'End', 'PageDown', 'ArrowUp', 'Home']) {
      at = dayByKey(key, at) ?? '';
      await page.keyboard.press(key);
      await until(async () => (await focused()) === at);
    }
    const later = grid.locator(`[data-day="${at}"]`);
    await grid.and(page.locator('[aria-busy="false"]')).waitFor();
    await until(async () => (await later.textContent())?.includes('6 planned, 01:00 At 01, 02:00 At 02') === true);
    await later.getByText('+3').waitFor();
    await page.keyboard.press('Enter');
    await later.and(page.locator('[aria-selected="true"]')).waitFor();
    const name = new Intl.DateTimeFormat('en', { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' });
    const day = page.getByRole('list', { name: name.format(new Date(`${at}T00:00:00Z`)) });
    // Nine o'clock of UTC.
    await day
      .getByRole('listitem')
      .filter({ hasText: 'Water the ferns' })
      .getByText('18:00', { exact: true })
      .waitFor();
    assert.is(await day.locator(':scope > li').count(), 6);
    await page.reload();
    await day.getByText('Water the ferns').waitFor();
    bodyOf(await call(`PATCH /todos/${daily}`, { schedulePaused: true }));
    await page.getByRole('button', { name: 'Today' }).click();
    await until(async () => (await grid.locator(`[data-day="${dayOf(0)}"]`).getAttribute('aria-selected')) === 'true');
    assert.ok(await page.getByRole('button', { name: 'The month before' }).isDisabled());
  },
);

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`the page of schedules is accessible and fits: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const window = await stage.window({ ...options, as: ada });
    await window.goTo('/schedules', 'Schedules');
    await window.page.getByText('Nothing is scheduled').waitFor();
    await look(window, `schedules-empty-${name}`);
    await scheduled(stage, ada);
    await window.goTo('/schedules', 'Schedules');
    await window.page.getByText('Renew the contract').waitFor();
    await look(window, `schedules-${name}`);
    await window.page.getByRole('link', { name: 'Month', exact: true }).click();
    await window.page.locator('table[aria-busy="false"]').waitFor();
    await look(window, `schedules-month-${name}`);
    await window.page.setViewportSize({ width: 320, height: 700 });
    await look(window, `schedules-month-narrow-${name}`);
  });
}

test.run();
