import { pageSuite } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';

/* A window that stays open while nothing happens in it. Its clock goes on by itself, and is turned on further. */

const test = pageSuite('pages: time that passes');

/** The beginning of today, of tomorrow …, as a browser in UTC has it. */
const dayFromNow = (days: number) => new Date(Math.floor(Date.now() / 86_400_000 + days) * 86_400_000);
const dateOf = (at: Date) => at.toISOString().slice(0, 10);

test.promise('after midnight “Today” has the todos of the new day, and the old ones are over', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const assignees = [{ id: ada.session.user.id }];
  const [today, tomorrow] = [dayFromNow(0), dayFromNow(1)];
  await call('POST /todos', { title: 'Water the ferns', assignees, dueDate: dateOf(today) });
  await call('POST /todos', { title: 'Feed the cat', assignees, dueDate: dateOf(tomorrow) });
  const { page, goTo } = await stage.window({ as: ada, timezoneId: 'UTC' });
  await page.clock.install({ time: new Date(tomorrow.getTime() - 3_600_000) });
  await goTo('/today', 'Today');
  await page.getByRole('row', { name: /^Water the ferns, due today/ }).waitFor();
  await page.getByText('1 active').waitFor();
  await page.clock.fastForward('02:00:00');
  await page.getByRole('row', { name: /^Feed the cat, due today/ }).waitFor();
  await page.getByRole('row', { name: /^Water the ferns, due 1 day over/ }).waitFor();
  await page.getByText('2 active').waitFor();
});

test.promise('an empty “Today” says what comes next', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const assignees = [{ id: ada.session.user.id }];
  const { page, goTo, sees } = await stage.window({ as: ada, timezoneId: 'UTC' });
  await goTo('/today', 'Today');
  await page.getByText('Nothing is due').waitFor();
  await call('POST /todos', { title: 'Nobody’s', assignees: [], dueDate: dateOf(dayFromNow(1)) });
  await call('POST /todos', { title: 'Feed the cat', assignees, dueDate: dateOf(dayFromNow(3)) });
  await call('POST /todos', { title: 'Water the ferns', assignees, dueDate: dateOf(dayFromNow(2)) });
  await page.getByText(/Next: Water the ferns, (in 2 days|tomorrow)\./).waitFor();
  await page.getByRole('link', { name: 'Water the ferns' }).click();
  await sees('Water the ferns');
});

test.promise('a day that a todo is due on has no time of the day', async (stage) => {
  const ada = await stage.person();
  const { body: todo } = await callsOf(stage.tandem, ada)('POST /todos', { title: 'Vote', dueDate: '2031-03-05' });
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/todos/${todo.id}`, 'Vote');
  await page.locator('time[title="Wednesday, March 5, 2031"]').first().waitFor();
});

test.promise('how long ago something was goes on while nothing is read', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { body: todo } = await call('POST /todos', { title: 'Water the ferns' });
  await call(`POST /todos/${todo.id}/comments`, { text: 'They are dry.' });
  const { page, goTo } = await stage.window({ as: ada });
  await page.clock.install({ time: new Date() });
  await goTo(`/todos/${todo.id}`, 'Water the ferns');
  const comment = page.getByRole('list', { name: 'Comments' }).locator('time');
  await comment.getByText(/^(just now|\d minutes? ago)$/).waitFor();
  await page.clock.fastForward('03:00:00');
  await comment.getByText('3 hours ago').waitFor();
});

test.run();
