import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { newNote, newRecording } from '../support/capture-fixtures.ts';
import { until } from '../support/mail-server.ts';
import { callAs } from '../support/recording-page.ts';

const test = pageSuite('pages: working with captures', async () => ({ handlers: { onCapture: async () => {} } }));

/** Waits until the list shows exactly these. */
async function shows(list: Locator, ...names: string[]): Promise<void> {
  const expected = JSON.stringify(names);
  let last = '';
  await until(
    async () => {
      last = JSON.stringify(await list.locator('strong').allTextContents());
      return last === expected;
    },
    () => `${last} is not ${expected}`,
  );
}

/** Holds back what the page asks of one capture by its tag, and what it saves, until `release`. */
async function holdCaptures(page: Page) {
  const free = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  await page.route('**/api/v1/captures/*', async (route) => {
    asked.resolve();
    await free.promise;
    await route.continue();
  });
  return { asked: asked.promise, release: free.resolve };
}

test.promise(
  'captures are found by words, kind and tag, also after coming back, and older ones on demand',
  async (stage) => {
    const ada = await stage.person();
    const call = callAs(stage, ada);
    const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
    const { tandem } = stage;
    await newRecording(tandem, of, { title: 'Planning', transcript: 'Ada: The migration is late.', tags: ['release'] });
    await newNote({ call }, '# Names\n\nDifference engine', ['naming']);
    const archived = await newNote({ call }, '# Old names');
    await call(`DELETE /captures/${archived}`);
    const { page, goTo, sees } = await stage.window({ as: ada });
    const list = page.getByRole('list', { name: 'Captures' });
    await goTo('/captures', 'Captures');
    await shows(list, 'Names', 'Planning');
    await page.getByRole('searchbox', { name: 'Search captures' }).fill('migration');
    await shows(list, 'Planning');
    await list.getByRole('link', { name: 'Planning' }).click();
    await sees('Planning');
    await page.goBack();
    await shows(list, 'Planning');
    assert.is(await page.getByRole('searchbox').inputValue(), 'migration');
    await page.getByRole('searchbox').fill('');
    await page.getByRole('button', { name: /Kind/ }).click();
    await page.getByRole('option', { name: 'Notes' }).click();
    await shows(list, 'Names');
    await page.getByText('Include archived').click();
    await shows(list, 'Old names', 'Names');
    await page.getByRole('button', { name: /Tag/ }).click();
    await page.getByRole('option', { name: 'naming' }).click();
    await shows(list, 'Names');
    await page.getByRole('searchbox').fill('nothing like it');
    await page.getByText('No results').waitFor();
    await page.getByRole('navigation', { name: 'Work' }).getByRole('link', { name: 'Captures' }).click();
    await shows(list, 'Names', 'Planning');
    assert.is(await page.getByRole('searchbox').inputValue(), '');
    for (let place = 0; place < 25; place++) await newRecording(tandem, of, { title: `Day ${place}` });
    await goTo('/captures?type=recording', 'Captures');
    await page.getByRole('button', { name: 'Show older ones' }).click();
    await list.getByRole('link', { name: 'Planning' }).waitFor();
    assert.is(
      await list
        .getByRole('listitem')
        .filter({ has: page.locator('strong') })
        .count(),
      26,
    );
  },
);

test.promise('a note is written, changed, renamed, tagged, archived, restored and erased', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/captures/new', 'New note');
  await page.getByRole('button', { name: 'Save note' }).click();
  await page.getByRole('alert').getByText('Write something').waitFor();
  await page.getByLabel(/^Title/).fill('Names');
  await page.getByRole('textbox', { name: 'Note' }).fill('Difference **engine**');
  await page.reload();
  assert.is(await page.getByRole('textbox', { name: 'Note' }).inputValue(), 'Difference **engine**');
  await page.getByLabel('Tags').fill('naming, engines');
  await page.getByLabel('Tags').press('Enter');
  await page.getByRole('button', { name: 'Save note' }).click();
  await sees('Names');
  await page.locator('.prose strong').getByText('engine').waitFor();
  const captureId = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const read = async () => (await call(`GET /captures/${captureId}`)).body;
  assert.equal((await read()).tags, ['naming', 'engines']);

  await page.getByRole('button', { name: 'Edit' }).click();
  await page.getByRole('textbox', { name: 'Note' }).fill('Analytical engine');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.locator('.prose').getByText('Analytical engine').waitFor();
  await page.getByRole('button', { name: 'Change the title' }).click();
  await page.getByRole('textbox', { name: 'Title' }).fill('A better name');
  await page.getByRole('textbox', { name: 'Title' }).press('Enter');
  await sees('A better name');
  await page.locator('h1:focus').waitFor();
  await page.getByRole('row', { name: 'naming' }).getByRole('button').click();
  await page.getByLabel('Add tags').fill('final');
  await page.getByLabel('Add tags').press(',');
  await until(async () => (await read()).tags.join() === 'engines,final');
  assert.equal([(await read()).content, (await read()).title], ['Analytical engine', 'A better name']);

  await page.getByRole('button', { name: 'Archive' }).click();
  await page.getByText('The capture is archived.').waitFor();
  await page.getByRole('button', { name: 'Restore' }).click();
  await page.getByText('The capture is restored.').waitFor();
  assert.is((await read()).isArchived, false);
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('alertdialog').waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Erase', exact: true }).click();
  await page.getByRole('button', { name: 'Erase it' }).click();
  await sees('Captures');
  assert.is((await call(`GET /captures/${captureId}`)).status, 404);
  await goTo(`/captures/${captureId}`, 'Capture not found');
});

test.promise('tags that are changed one right after the other end as the last change has them', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const id = await newNote({ call }, '# Names', ['naming']);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/captures/${id}`, 'Names');
  const first = Promise.withResolvers<void>();
  let [asked, answered] = [0, 0];
  await page.route('**/trpc/captures.update*', async (route) => {
    if (asked++ === 0) await first.promise;
    await route.continue();
  });
  page.on('response', (response) => {
    if (response.url().includes('captures.update')) answered++;
  });
  await page.getByRole('row', { name: 'naming' }).getByRole('button').click();
  await until(() => asked === 1);
  await page.getByLabel('Add tags').fill('final');
  await page.getByLabel('Add tags').press(',');
  await page.getByRole('row', { name: 'final' }).waitFor();
  first.resolve();
  await until(() => answered === 2);
  assert.equal((await call(`GET /captures/${id}`)).body.tags, ['final']);
  assert.is(await page.getByRole('row', { name: 'naming' }).count(), 0);
});

test.promise('notes that two people write at once are asked about, and neither text is lost', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
  const { id } = await newRecording(stage.tandem, of, { title: 'Planning', notes: 'First' });
  const { page, goTo } = await stage.window({ as: ada, expected: /Failed to load resource.* 412/ });
  const stored = async () => (await call(`GET /captures/${id}`)).body.notes;
  const notes = page.getByRole('textbox', { name: 'Notes' });
  await goTo(`/captures/${id}`, 'Planning');
  for (const [mine, theirs, answer, left] of [
    ['Mine', 'Theirs', 'Keep yours', 'Mine'],
    ['Mine again', 'Theirs again', 'Take theirs', 'Theirs again'],
  ] as const) {
    const held = await holdCaptures(page);
    await notes.fill(mine);
    await held.asked;
    await call(`PATCH /captures/${id}`, { notes: theirs });
    held.release();
    await page.getByText('Somebody else changed the notes since you began.').waitFor();
    assert.equal([await stored(), await notes.inputValue()], [theirs, mine]);
    await page.getByText(`Added: ${theirs}`).waitFor();
    await page.getByRole('button', { name: answer }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.equal([await stored(), await notes.inputValue()], [left, left]);
  }
});

test.promise('the text of a note outlives a reload, and what somebody else wrote is asked about', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const id = await newNote({ call }, '# Names\n\nDifference engine');
  const { page, goTo, sees } = await stage.window({ as: ada });
  const stored = async () => (await call(`GET /captures/${id}`)).body.content;
  const text = page.getByRole('textbox', { name: 'Note' });
  const save = page.getByRole('button', { name: 'Save', exact: true });
  await goTo(`/captures/${id}`, 'Names');
  await page.getByRole('button', { name: 'Edit' }).click();
  await text.fill('Mine');
  await page.reload();
  await sees('Names');
  await page.getByText('This is not saved yet. You typed it before.').waitFor();
  assert.is(await text.inputValue(), 'Mine');

  const held = await holdCaptures(page);
  await save.click();
  await held.asked;
  await call(`PATCH /captures/${id}`, { content: 'Theirs' });
  held.release();
  await page.getByText('Somebody else changed the note since you began.').waitFor();
  assert.equal([await stored(), await text.inputValue()], ['Theirs', 'Mine']);
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await save.click();
  await page.locator('.prose').getByText('Mine', { exact: true }).waitFor();
  assert.is(await stored(), 'Mine');

  await page.getByRole('button', { name: 'Edit' }).click();
  await text.fill('Sent');
  const again = await holdCaptures(page);
  await save.click();
  await again.asked;
  await text.fill('Sent, and more');
  again.release();
  await until(async () => (await stored()) === 'Sent');
  await page.getByRole('button', { name: 'Saving…' }).waitFor({ state: 'detached' });
  assert.is(await text.inputValue(), 'Sent, and more');
  await page.getByRole('button', { name: 'Cancel' }).click();
  await page.locator('.prose').getByText('Sent', { exact: true }).waitFor();
});

test.promise('the Enter that ends a composition adds no tag', async (stage) => {
  const { page, goTo } = await stage.window({ as: await stage.person() });
  await goTo('/captures/new', 'New note');
  const tags = page.getByLabel('Tags');
  await tags.fill('なま');
  for (const composing of [{ isComposing: true }, { keyCode: 229 }])
    await tags.dispatchEvent('keydown', { key: 'Enter', ...composing });
  await tags.fill('名前');
  await tags.press('Enter');
  await page.getByRole('row', { name: '名前' }).waitFor();
  assert.is(await page.getByRole('row').count(), 1);
});

test.promise(
  'suggestions are dismissed, notes are saved as they are typed, and come up where they change',
  async (stage) => {
    const ada = await stage.person();
    const call = callAs(stage, ada);
    const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
    const { id } = await newRecording(stage.tandem, of, { title: 'Planning', status: 'processing' });
    const { page, goTo } = await stage.window({ as: ada });
    await goTo(`/captures/${id}`, 'Planning');
    await page.getByRole('status').getByText('The capture is being processed').waitFor();
    await page.getByRole('textbox', { name: 'Notes' }).fill('Ask Grace');
    await page.getByText('Saved', { exact: true }).waitFor();
    assert.is((await call(`GET /captures/${id}`)).body.notes, 'Ask Grace');
    const { body: todo } = await call('POST /todos', { title: 'Ask about the date', captureId: id });
    const { db } = stage.tandem;
    await db.rows(`update todos set is_suggested = true, source = 'auto_suggested' where id = $1`, [todo.id]);
    const digested = `update captures set status = 'completed', summary = $2, updated_at = now() where id = $1`;
    await db.rows(digested, [id, 'They met.\n\n<img src=x onerror=alert(1)>']);
    // What was changed by hand is in no event: this one has the page read it.
    assert.is((await call(`PATCH /captures/${id}`, { tags: ['team'] })).status, 200);
    await page.getByText('They met.').waitFor();
    await page.getByText('<img src=x onerror=alert(1)>').waitFor();
    await page.getByRole('button', { name: 'Dismiss: Ask about the date' }).click();
    await page.getByText('The suggestion is dismissed.').waitFor();
    await page.getByRole('heading', { name: 'Suggested todos' }).waitFor({ state: 'detached' });
    assert.equal((await call(`GET /todos?captureId=${id}`)).body.data, []);
  },
);

test.promise('a todo of a capture leads to its page, and says in words when it is due', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
  const { id } = await newRecording(stage.tandem, of, { title: 'Planning' });
  const { body: todo } = await call('POST /todos', { title: 'Send the offer', dueDate: '2031-02-03', captureId: id });
  const { db } = stage.tandem;
  await db.rows(`update todos set is_suggested = true, source = 'auto_suggested' where id = $1`, [todo.id]);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/inbox', 'Inbox');
  await page.getByText('Due Feb 3, 2031').waitFor();
  await goTo(`/captures/${id}`, 'Planning');
  await page.getByText('Due Feb 3, 2031').waitFor();
  await page.getByRole('button', { name: 'Accept: Send the offer' }).click();
  await page.getByRole('list', { name: 'Todos', exact: true }).getByRole('link', { name: 'Send the offer' }).click();
  await sees('Send the offer');
});

test.promise('a failure is shown with its reason, and can be retried from the page', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
  const { id } = await newRecording(stage.tandem, of, {
    title: 'Planning',
    status: 'failed',
    transcript: 'Ada: Hello.',
  });
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/captures/${id}`, 'Planning');
  await page.getByRole('alert').getByText('It broke.').waitFor();
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.getByRole('status').getByText('The capture is being processed').waitFor();
  assert.is((await call(`GET /captures/${id}`)).body.status, 'processing');
});

test.run();
