import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { newRecording } from '../support/capture-fixtures.ts';
import { darkPhone, lightDesk, look } from '../support/looks.ts';
import { until } from '../support/mail-server.ts';
import { password } from '../support/people.ts';
import { brokenLine, callAs, clock, overLine, recorded, secondsRecorded, status } from '../support/recording-page.ts';

const test = pageSuite('pages: what may happen to a recording', async () => ({
  handlers: { onCapture: async () => {} },
  intakeTimes: { returnMs: 0 },
}));

const start = (page: Page) => page.getByRole('button', { name: 'Start recording' }).click();
const stop = (page: Page) => page.getByRole('button', { name: 'Stop and save' }).click();

/** Has the browser answer a page that asks for the microphone with this fault. */
const refuseMicrophone = (page: Page, fault: string) =>
  page.addInitScript(`navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', '${fault}'))`);

/** Counts the chunks of audio of a page as `encodedChunks`. How long each one is depends on what else is done. */
const countChunks = `{
  const { start } = MediaRecorder.prototype;
  globalThis.encodedChunks = 0;
  MediaRecorder.prototype.start = function (sliceMs) {
    this.addEventListener('dataavailable', ({ data }) => void (data.size > 0 && (encodedChunks += 1)));
    start.call(this, sliceMs);
  };
}`;

test.promise('without a usable microphone the page describes what to do, and nothing is recorded', async (stage) => {
  const ada = await stage.person();
  for (const [fault, message] of [
    ['NotAllowedError', 'The browser blocks the microphone'],
    ['NotFoundError', 'No microphone found'],
    ['NotReadableError', 'The microphone is not available'],
  ] as const) {
    const shown = await stage.window({ ...lightDesk, as: ada });
    const { page, goTo } = shown;
    await refuseMicrophone(page, fault);
    await goTo('/record', 'Record');
    await start(page);
    await page.getByRole('alert').getByText(message).waitFor();
    await look(shown, `record-${fault}`);
    await page.getByRole('button', { name: 'Start recording' }).waitFor();
  }
  const { body } = await callAs(stage, ada)('GET /captures');
  assert.equal(body.data, []);
});

test.promise('a browser that makes no WebM says so, and offers a note instead', async (stage) => {
  const { page, goTo, sees } = await stage.window({ as: await stage.person() });
  await page.addInitScript('MediaRecorder.isTypeSupported = () => false');
  await goTo('/record', 'Record');
  await page.getByText('This browser cannot record here').waitFor();
  assert.is(await page.getByRole('button', { name: 'Start recording' }).count(), 0);
  await page.getByRole('link', { name: 'Write a note' }).click();
  await sees('New note');
});

test.promise('without agent minutes nothing starts, and the page says why', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/record', 'Record');
  await stage.tandem.db.rows('update workspaces set agent_minutes = 0 where id = $1', [ada.session.workspace.id]);
  await start(page);
  await page.getByRole('alert').getByText('minutes').waitFor();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  assert.equal((await call('GET /captures')).body.data, []);
});

test.promise('who is not signed in comes back after the sign-in, and may record then', async (stage) => {
  const ada = await stage.person();
  const { page, goTo, sees } = await stage.window();
  await goTo('/record', 'Sign in');
  assert.is(new URL(page.url()).searchParams.get('next'), '/record');
  const session = { name: 'tandem_session', value: ada.session.token, url: stage.tandem.url, httpOnly: true };
  await page.context().addCookies([session]);
  await page.reload();
  await sees('Record');
  await start(page);
  await status(page, 'Audio is saved while you speak').waitFor();
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('A recording is running in this window. Stop it first.').waitFor();
  await page.getByRole('link', { name: 'Captures' }).click();
  await sees('Captures');
  await page.getByRole('list', { name: 'Captures' }).getByText('Recording', { exact: true }).first().waitFor();
  await page.getByRole('link', { name: /Recording in progress/ }).click();
  await sees('Record');
  await stop(page);
  await sees('Untitled recording');
});

test.promise('a page that is loaded again goes on with its recording, and keeps what was typed', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const shown = await stage.window({ ...lightDesk, as: ada });
  const { page, goTo, sees } = shown;
  const asked: string[] = [];
  page.on('dialog', (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await goTo('/record', 'Record');
  await start(page);
  await recorded(page, 1);
  await page.getByLabel('Notes').fill('Typed just before');
  await page.reload();
  assert.equal(asked, ['beforeunload']);
  await page.getByRole('heading', { name: 'Your recording was interrupted' }).waitFor();
  await look(shown, 'record-interrupted');
  await page.getByRole('button', { name: 'Resume recording' }).click();
  await status(page, 'Audio is saved while you speak').waitFor();
  assert.is(await page.getByLabel('Notes').inputValue(), 'Typed just before');
  await recorded(page, 2);
  await stop(page);
  await sees('Untitled recording');
  const captureId = new URL(page.url()).pathname.split('/').at(-1);
  const { body } = await call(`GET /captures/${captureId}`);
  assert.equal([body.status, body.notes], ['processing', 'Typed just before']);
  assert.is(await page.evaluate('JSON.stringify({ ...sessionStorage })'), '{}');
  await goTo('/record', 'Record');
  assert.is(await page.getByText('was interrupted').count(), 0);
  await start(page);
  await recorded(page, 1);
  await page.reload();
  await page.getByRole('button', { name: 'Finish' }).click();
  await page.getByText('The capture is being processed').waitFor();
});

test.promise(
  'audio that the service no longer takes is saved as another recording, whole',
  overLine(async (stage, line) => {
    const ada = await stage.person();
    const call = callAs(stage, ada);
    const shown = await stage.window({ ...darkPhone, as: ada, expected: brokenLine });
    const { page, goTo, sees } = shown;
    await page.addInitScript(countChunks);
    await goTo('/record', 'Record');
    await page.getByLabel(/^Title/).fill('Stand-up');
    await start(page);
    await status(page, 'Audio is saved while you speak').waitFor();
    line.cut();
    await status(page, 'Connection lost').waitFor();
    const { body: before } = await call('GET /captures');
    // What was saved before may be long on a slow machine.
    await recorded(page, (await secondsRecorded(page)) + 5);
    await page.getByText('Not saved yet', { exact: true }).waitFor();
    await call(`POST /captures/${before.data[0].id}/stop`);
    await page.getByRole('heading', { name: 'The recording has ended' }).waitFor();
    await page.getByText(/The last \d+ seconds are only in this window/).waitFor();
    await look(shown, 'record-unsaved');
    const downloads = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download the audio' }).click();
    assert.is((await downloads).suggestedFilename(), 'recording.webm');
    line.mend();
    await page.getByRole('button', { name: 'Save as another recording' }).click();
    await sees('Stand-up');
    const { body: after } = await call('GET /captures');
    assert.equal(
      after.data.map((each: { status: string; title: string }) => [each.status, each.title]),
      [
        ['processing', 'Stand-up'],
        ['processing', 'Stand-up'],
      ],
    );
    const text = `select chunks from recordings where capture_id = any($1) order by opened_at`;
    const rows = await stage.tandem.db.rows<{ chunks: number }>(text, [
      after.data.map((each: { id: string }) => each.id),
    ]);
    const [first = 0, second = 0] = rows.map(({ chunks }) => chunks);
    // Those of the first one, and what came after them.
    const encoded = await page.evaluate<number>('encodedChunks');
    assert.ok(first < second && second === encoded, `${first} chunks, then ${second} of ${encoded}`);
  }),
);

test.promise(
  'audio that is only in this window is not lost by signing out, and gets into no other workspace',
  overLine(async (stage, line) => {
    const ada = await stage.person();
    const call = callAs(stage, ada);
    const home = (await call('GET /workspaces')).body.data[0];
    const other = (await call('POST /workspaces', { name: 'Elsewhere' })).body;
    const { page, goTo, sees } = await stage.window({ as: ada, expected: brokenLine });
    const capturesIn = (workspaceId: string) =>
      stage.tandem.db.rows('select id from captures where workspace_id = $1', [workspaceId]);
    const switchTo = async (from: string, to: string) => {
      await page.getByRole('button', { name: `Workspace: ${from}` }).click();
      await page.getByRole('menuitemradio', { name: to }).click();
      await page.getByRole('button', { name: `Workspace: ${to}` }).waitFor();
    };
    await goTo('/record', 'Record');
    await start(page);
    await status(page, 'Audio is saved while you speak').waitFor();
    line.cut();
    await status(page, 'Connection lost').waitFor();
    await recorded(page, (await secondsRecorded(page)) + 5);
    await call(`POST /captures/${(await call('GET /captures')).body.data[0].id}/stop`);
    await page.getByText(/The last \d+ seconds are only in this window/).waitFor();
    line.mend();

    await page.getByRole('button', { name: /^Account:/ }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByText('The end of a recording is only in this window. Save or discard it first').waitFor();
    await switchTo(home.name, 'Elsewhere');
    await page.getByRole('button', { name: 'Save as another recording' }).click();
    await page.getByRole('alert').getByText('It was recorded in another workspace').waitFor();
    assert.equal(await capturesIn(other.id), []);

    await switchTo('Elsewhere', home.name);
    await page.getByRole('button', { name: 'Save as another recording' }).click();
    await sees('Untitled recording');
    assert.is((await capturesIn(home.id)).length, 2);
  }),
);

test.promise(
  'a recording goes on when the connection breaks while the browser is in another workspace',
  overLine(async (stage, line) => {
    const ada = await stage.person();
    const call = callAs(stage, ada);
    const other = (await call('POST /workspaces', { name: 'Elsewhere' })).body;
    const { body: again } = await stage.tandem.call('POST /auth/sessions', { email: ada.email, password });
    const { body: moved } = await stage.tandem.call(
      'POST /auth/sessions/current/workspace',
      { workspaceId: other.id },
      { key: again.token },
    );
    const expected = /^WebSocket connection to |Failed to load resource/;
    const { page, goTo } = await stage.window({ as: ada, expected });
    await goTo('/record', 'Record');
    await start(page);
    await status(page, 'Audio is saved while you speak').waitFor();
    const { id } = (await call('GET /captures')).body.data[0];
    // As another window of this browser does that switches the workspace.
    await page
      .context()
      .addCookies([{ name: 'tandem_session', value: moved.token, url: stage.tandem.url, httpOnly: true }]);
    const refused = page.waitForResponse((answer) => answer.url().includes('captures') && answer.status() >= 400);
    line.cut();
    await refused;
    line.mend();
    await stop(page);
    await until(async () => (await call(`GET /captures/${id}`)).body.status === 'processing');
    assert.is(await page.getByText('Its capture was erased.').count(), 0);
  }),
);

test.promise('a microphone that is unplugged pauses the recording, which goes on with the next one', async (stage) => {
  const { page, goTo, sees } = await stage.window({ as: await stage.person() });
  await page.addInitScript(`const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices);
    navigator.mediaDevices.getUserMedia = async (asked) => (window.opened = await open(asked));`);
  await goTo('/record', 'Record');
  await start(page);
  await recorded(page, 1);
  await page.evaluate("opened.getAudioTracks()[0].dispatchEvent(new Event('ended'))");
  await page.getByRole('alert').getByText('The microphone was disconnected').waitFor();
  await page.getByRole('button', { name: 'Resume' }).click();
  await page.getByText('The microphone was disconnected').waitFor({ state: 'detached' });
  await recorded(page, 2);
  await stop(page);
  await sees('Untitled recording');
});

test.promise('notes typed before a recording stay its own, and go with the person who signs out', async (stage) => {
  const ada = await stage.person();
  const call = callAs(stage, ada);
  const of = { workspaceId: ada.session.workspace.id, userId: ada.session.user.id };
  const { id } = await newRecording(stage.tandem, of, { title: 'Planning', notes: 'Of the planning' });
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/record', 'Record');
  await page.getByLabel('Notes').fill('For the next one');
  await page.getByText('Saved once the recording starts').waitFor();
  await page.getByRole('link', { name: 'Captures' }).click();
  await page.getByRole('link', { name: 'Planning' }).click();
  await sees('Planning');
  assert.is(await page.getByRole('textbox', { name: 'Notes' }).inputValue(), 'Of the planning');
  await goTo('/record', 'Record');
  assert.is(await page.getByLabel('Notes').inputValue(), 'For the next one');
  assert.is((await call(`GET /captures/${id}`)).body.notes, 'Of the planning');
  await page.getByRole('button', { name: /^Account:/ }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await sees('Sign in');
  assert.is(await page.evaluate('JSON.stringify({ ...sessionStorage })'), '{}');
});

test.promise('a recording that falls silent is ended by the service, and the page says so', async (stage) => {
  const ada = await stage.person();
  const { page, goTo, sees } = await stage.window({ as: ada });
  await goTo('/record', 'Record');
  await start(page);
  await recorded(page, 1);
  await page.getByRole('button', { name: 'Pause' }).click();
  await status(page, 'Paused').waitFor();
  const old = `update recordings set last_audio_at = now() - interval '6 minutes', opened_at = now() - interval '9 minutes'
    where workspace_id = $1`;
  await until(async () => {
    await stage.tandem.db.rows(old, [ada.session.workspace.id]);
    return (await page.getByText('It was paused for five minutes.').count()) > 0;
  });
  // The service may have ended it before it acknowledged the last chunk: that one is then kept until it is discarded.
  const [another, discard] = ['New recording', 'Discard'].map((name) =>
    page.getByRole('button', { name, exact: true }),
  );
  await another?.or(discard ?? another).waitFor();
  if ((await discard?.count()) === 1) {
    await discard?.click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Discard' }).click();
  } else await another?.click();
  await page.getByRole('button', { name: 'Start recording' }).waitFor();
  assert.is(await clock(page).innerText(), '0:00');
  await page.getByRole('link', { name: 'Captures' }).click();
  await sees('Captures');
});

test.run();
