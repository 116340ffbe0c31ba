import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: changes of one todo');

test.promise('what is typed outlives a reload, and a change meanwhile is said and asked about', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft', content: 'One' }), 201);
  const other = bodyOf(await call('POST /todos', { title: 'Other', content: 'Other text' }), 201);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo(`/todos/${id}`, 'Draft');
  const text = page.getByRole('textbox', { name: 'Text' });
  const title = page.getByRole('textbox', { name: 'Title' });
  await page.getByRole('button', { name: 'Edit' }).click();
  await text.fill('Two');
  await title.fill('Typed');
  await page.reload();
  await sees('Draft');
  await page.getByText('This title is not saved yet.').waitFor();
  await page.getByText('This text is not saved yet.').waitFor();
  assert.equal([await title.inputValue(), await text.inputValue()], ['Typed', 'Two']);
  assert.is(await page.getByText('Somebody else changed').count(), 0);

  bodyOf(await call(`PATCH /todos/${id}`, { content: 'Theirs' }));
  await page.reload();
  await page.getByText('Somebody else changed the text since you began.').waitFor();
  await page.getByRole('button', { name: 'Save title' }).click();
  await sees('Typed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByText('Somebody else changed the text at the same time.').waitFor();
  assert.is(bodyOf(await call(`GET /todos/${id}`)).content, 'Theirs');
  await page.getByRole('button', { name: 'Take theirs' }).click();
  await text.waitFor({ state: 'detached' });
  await page.getByText('Theirs', { exact: true }).waitFor();

  await title.fill('Left');
  await goTo(`/todos/${other.id}`, 'Other');
  assert.is(await title.inputValue(), 'Other');
  await goTo(`/todos/${id}`, 'Typed');
  assert.is(await title.inputValue(), 'Left');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.reload();
  await sees('Typed');
  await until(async () => (await title.inputValue()) === 'Typed');
});

test.run();
