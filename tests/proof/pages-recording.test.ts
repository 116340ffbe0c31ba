import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { newRecording } from '../support/capture-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { until } from '../support/mail-server.ts';
import { joinedSession } from '../support/people.ts';
import { brokenLine, callAs, clock, overLine, recorded, status } from '../support/recording-page.ts';

const test = pageSuite('pages: recording');

/** As much of HTMLAudioElement as is looked at. */
interface Audio {
  duration: number;
  currentTime: number;
  play(): Promise<void>;
  load(): void;
}

/** How long the audio is, once the player knows. */
async function secondsOf(player: Locator): Promise<number> {
  await until(() => player.evaluate((audio: Audio) => Number.isFinite(audio.duration)));
  return player.evaluate((audio: Audio) => audio.duration);
}

test.promise(
  'audio and notes are saved through a pause and a lost connection, and can be played afterwards',
  overLine(async (stage, line) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callAs(stage, ada);
    const { page, goTo } = await stage.window({ as: ada, expected: brokenLine });
    await goTo('/record', 'Record');
    await page.getByLabel(/^Title/).fill('Planning');
    await page.getByRole('button', { name: 'Start recording' }).press('Enter');
    await status(page, 'Audio is saved while you speak').waitFor();
    await page.getByLabel('Notes').fill('TODO: send the open questions to everybody');
    await recorded(page, 1);
    await until(async () => Number(await page.locator('meter').getAttribute('value')) > 0);
    await page.getByRole('button', { name: /Microphone/ }).click();
    await page.getByRole('option', { name: 'Fake Audio Input 2' }).click();
    await page.getByRole('button', { name: 'Pause' }).click();
    await status(page, 'Paused').waitFor();
    const paused = await clock(page).innerText();
    line.cut();
    await status(page, 'Connection lost').waitFor();
    assert.is(await clock(page).innerText(), paused);
    await page.getByRole('button', { name: 'Resume' }).click();
    await status(page, 'without a connection').waitFor();
    await recorded(page, 3);
    line.mend();
    await status(page, 'Audio is saved while you speak').waitFor();
    await page.getByText('Saved', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop and save' }).press('Space');
    await page.getByRole('heading', { level: 1, name: 'Planning' }).waitFor();
    await page.locator('h1:focus').waitFor();
    await page
      .getByRole('listitem')
      .getByText(/^(just now|\d+ minutes? ago)$/)
      .waitFor();
    const captureId = new URL(page.url()).pathname.split('/').at(-1);
    const player = page.getByLabel('Audio of this recording');
    await player.waitFor();
    const seconds = await secondsOf(player);
    assert.ok(seconds > 2, `${seconds} s are heard`);
    await player.evaluate((audio: Audio) => audio.play());
    await until(() => player.evaluate((audio: Audio) => audio.currentTime > 0.2));
    // 16 minutes later the link has ended.
    const link = await player.getAttribute('src');
    await page.evaluate('Date.now = ((now) => () => now() + 16 * 60_000)(Date.now)');
    await page.route(link ?? '', (route) => route.fulfill({ status: 404 }));
    await player.evaluate((audio: Audio) => audio.load());
    await until(async () => (await player.getAttribute('src')) !== link);
    assert.is(await secondsOf(player), seconds);
    await page.getByRole('button', { name: /^Accept: send the open questions/i }).click();
    await page
      .getByRole('list', { name: 'Todos', exact: true })
      .getByText(/send the open questions/i)
      .waitFor();
    const { body: todos } = await call('GET /todos');
    assert.match(todos.data[0].title, /send the open questions to everybody/i);
    assert.is(todos.data[0].captureId, captureId);
    const { body: capture } = await call(`GET /captures/${captureId}`);
    assert.is(capture.status, 'completed');
    assert.is(capture.notes, 'TODO: send the open questions to everybody');
    assert.ok(Math.abs(capture.durationSeconds - seconds) <= 1);
  }),
);

test.promise('the next person of a window gets nothing of the recordings of the one before', async (stage) => {
  const [ada, bob] = [await stage.person(), await stage.person('Bob')];
  const home = ada.session.workspace.id;
  const call = callAs(stage, ada);
  const of = { workspaceId: home, userId: ada.session.user.id };
  const { id } = await newRecording(stage.tandem, of, { title: 'Planning', notes: 'Of the planning' });
  const token = await joinedSession(stage.tandem, bob, home);
  const { page, goTo, sees } = await stage.window({ as: ada, expected: /Failed to load resource/ });
  page.on('dialog', (dialog) => void dialog.accept());
  const become = (value: string) =>
    page.context().addCookies([{ name: 'tandem_session', value, url: stage.tandem.url, httpOnly: true }]);
  const isBob = () => page.getByRole('button', { name: 'Account: Bob' }).waitFor();
  const typed = () => page.evaluate<string>('JSON.stringify({ ...sessionStorage })');
  const notes = page.getByRole('textbox', { name: 'Notes' });
  const start = page.getByRole('button', { name: 'Start recording' });

  // What is typed before a recording, without another load of the page.
  await goTo('/record', 'Record');
  await page.getByLabel(/^Title/).fill('A title of Ada');
  await notes.fill('A note of Ada');
  await become(token);
  await start.click();
  await isBob();
  await until(async () => (await page.getByLabel(/^Title/).inputValue()) === '');
  assert.is(await notes.inputValue(), '');
  await until(async () => !(await typed()).includes('of Ada'));

  // Notes of a capture that could not be saved.
  await become(ada.session.token);
  await goTo(`/captures/${id}`, 'Planning');
  await page.route(/\/captures\//, (route) => route.abort());
  await notes.fill('Notes of Ada');
  await page.getByText('Not saved yet').waitFor();
  await become(token);
  await page.unroute(/\/captures\//);
  await page.reload();
  await isBob();
  await sees('Planning');
  assert.is(await notes.inputValue(), 'Of the planning');
  await until(async () => !(await typed()).includes('of Ada'));
  assert.is((await call(`GET /captures/${id}`)).body.notes, 'Of the planning');

  // A recording that a reload interrupts, with the token to go on with it; it is its person's still.
  await become(ada.session.token);
  await goTo('/record', 'Record');
  await start.click();
  await recorded(page, 1);
  await page.reload();
  await page.getByText('was interrupted').waitFor();
  await become(token);
  await page.reload();
  await isBob();
  await until(async () => !(await typed()).includes('resumeToken'));
  assert.is(await page.getByText('was interrupted').count(), 0);
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(
    `the recorder is accessible and fits while it records: ${name}`,
    overLine(async (stage, line) => {
      const ada = await stage.person('Ada Lovelace');
      const shown = await stage.window({ ...options, as: ada, expected: brokenLine });
      const { page, goTo } = shown;
      await goTo('/record', 'Record');
      await page.getByRole('button', { name: 'Start recording' }).click();
      await recorded(page, 1);
      await page.getByLabel('Notes').fill('Ask Grace about the numbers.');
      await look(shown, `recording-${name}`);
      line.cut();
      await status(page, 'Connection lost').waitFor();
      await look(shown, `recording-lost-${name}`);
      await page.getByRole('link', { name: 'Chats', exact: true }).click();
      await page.getByRole('link', { name: /Recording in progress/ }).click();
      line.mend();
      await page.getByRole('button', { name: 'Stop and save' }).click();
      await page.getByLabel('Audio of this recording').waitFor();
      await look(shown, `recorded-${name}`);
    }),
  );
}

test.run();
