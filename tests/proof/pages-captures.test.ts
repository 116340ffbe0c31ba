import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { newNote, newRecording } from '../support/capture-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import type { Person } from '../support/people.ts';

const test = pageSuite('pages: captures', async () => ({ handlers: { onCapture: async () => {} } }));

/** Calls as a person. */
function callsOf({ tandem }: Stage, { session }: Person) {
  const call = (route: string, body?: unknown) => tandem.call(route, body, { key: session.token });
  return { call, workspaceId: session.workspace.id, userId: session.user.id };
}

const transcript = `Ada: Shall we ship on the third? The release notes are almost done, and the tests have been green for a week.

Grace: Yes, if the migration passes on the copy of the production data. I would like to see the numbers first.

Ada: Then let us decide on Friday. I will send the list of open questions to everybody before that.`;

const summary = `## Decisions

- The release is on **3 March**, if the migration passes.
- Grace looks at the numbers first; see https://example.com/numbers.

Open: who tells the customers?`;

test.promise('a summary that says the same as its note is not shown beside it', async (stage) => {
  const ada = await stage.person();
  const { call } = callsOf(stage, ada);
  const [same, other] = [await newNote({ call }, 'Call the bank.'), await newNote({ call }, 'Water the ferns.')];
  const set = 'update captures set summary = $2 where id = $1';
  await stage.tandem.db.rows(set, [same, 'Call the bank.']);
  await stage.tandem.db.rows(set, [other, 'About ferns.']);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo(`/captures/${other}`, 'Water the ferns.');
  await page.getByRole('heading', { name: 'Summary' }).waitFor();
  await goTo(`/captures/${same}`, 'Call the bank.');
  await page.getByRole('heading', { name: 'Note', exact: true }).waitFor();
  assert.is(await page.getByRole('heading', { name: 'Summary' }).count(), 0);
});

/** A recording that was worked on, with a suggestion and an accepted todo. */
async function plannedRelease(stage: Stage, ada: Person) {
  const { call, workspaceId, userId } = callsOf(stage, ada);
  const recorded = {
    title: 'Planning of the spring release',
    subtitle: 'Ada and Grace agree on the date and on who tests',
    tags: ['planning', 'release'],
    notes: 'TODO: send the open questions',
    summary,
    transcript,
  };
  const { id } = await newRecording(stage.tandem, { workspaceId, userId }, recorded);
  const accepted = await call('POST /todos', { title: 'Write the release notes', captureId: id });
  const suggested = await call('POST /todos', { title: 'Send the open questions to everybody', captureId: id });
  const text = `update todos set is_suggested = true, source = 'auto_suggested' where id = $1`;
  await stage.tandem.db.rows(text, [suggested.body.id]);
  return { id, accepted: accepted.body.id, suggested: suggested.body.id };
}

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`captures are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const of = callsOf(stage, ada);
    const shown = await stage.window({ ...options, as: ada });
    await shown.goTo('/captures', 'Captures');
    await shown.page.getByText('No captures yet').waitFor();
    await look(shown, `captures-empty-${name}`);
    const { id } = await plannedRelease(stage, ada);
    const noteId = await newNote(of, '# Names for the engine\n\n- Difference\n- [ ] ask Charles\n\n> Later!', [
      'naming',
    ]);
    await newRecording(stage.tandem, of, { status: 'processing', tags: ['planning'] });
    const failed = await newRecording(stage.tandem, of, { status: 'failed', title: 'Stand-up' });
    await shown.goTo('/captures', 'Captures');
    await shown.page.getByRole('link', { name: 'Stand-up' }).waitFor();
    await look(shown, `captures-${name}`);
    await shown.goTo(`/captures/${id}`, 'Planning of the spring release');
    await shown.page.getByText('Send the open questions to everybody').waitFor();
    await look(shown, `capture-${name}`);
    await shown.goTo(`/captures/${noteId}`, 'Names for the engine');
    await look(shown, `capture-note-${name}`);
    await shown.goTo(`/captures/${failed.id}`, 'Stand-up');
    await shown.page.getByRole('button', { name: 'Try again' }).waitFor();
    await look(shown, `capture-failed-${name}`);
    await shown.goTo('/captures/new', 'New note');
    await look(shown, `note-new-${name}`);
    await shown.goTo('/record', 'Record');
    await shown.page.getByRole('button', { name: 'Start recording' }).waitFor();
    await look(shown, `record-${name}`);
  });
}

test.run();
