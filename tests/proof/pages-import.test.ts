import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { toneOf, wavOf } from '../support/audio-fixtures.ts';
import { pageSuite } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: importing files');

const vtt = 'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Shall we ship on the third?';
const srt = '1\n00:00:01,000 --> 00:00:04,000\nGrace: Yes, if the tests pass.';

const fileOf = (name: string, content: string | Buffer, mimeType = 'application/octet-stream') => ({
  name,
  mimeType,
  buffer: Buffer.from(content),
});

const importsOf = (page: Page) => page.getByRole('list', { name: 'Imports' });

/** Chooses files with the button. */
async function choose(page: Page, files: ReturnType<typeof fileOf>[]): Promise<void> {
  const [chooser] = await Promise.all([
    page.waitForEvent('filechooser'),
    page.getByRole('button', { name: 'Import files' }).press('Enter'),
  ]);
  await chooser.setFiles(files);
}

test.promise('several transcripts are imported, each refused one with its reason, and tried again', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo } = await stage.window({ as: ada, expected: /net::ERR_FAILED/ });
  await goTo('/captures', 'Captures');
  // The first answer is lost after the service has done the work.
  let isLost = false;
  await page.route(/\/trpc\/captures\.create/, async (route) => {
    if (isLost) return route.continue();
    isLost = true;
    await route.fetch();
    await route.abort();
  });
  await choose(page, [
    fileOf('planning.vtt', vtt),
    fileOf('answers.srt', srt),
    fileOf('old.txt', Buffer.from('Zo\xeb: na\xefve', 'latin1')),
    fileOf('broken.vtt', 'no cues at all'),
    fileOf('slides.pdf', 'x', 'application/pdf'),
    fileOf('nothing.txt', ''),
  ]);
  const imports = importsOf(page);
  await imports.getByRole('link', { name: 'old.txt' }).waitFor();
  const row = (name: string) => imports.getByRole('listitem').filter({ hasText: name });
  await row('slides.pdf').getByText('It is neither a transcript').waitFor();
  await row('nothing.txt').getByText('The file is empty.').waitFor();
  await row('broken.vtt').getByRole('alert').waitFor();
  await row('planning.vtt').getByText('The service cannot be reached.').waitFor();
  await page.getByRole('button', { name: 'Try again: planning.vtt' }).click();
  await imports.getByRole('link', { name: 'planning.vtt' }).waitFor();
  const { data } = bodyOf(await call('GET /captures'));
  const ids: string[] = data.map(({ id }: { id: string }) => id);
  const texts = await Promise.all(ids.map(async (id) => bodyOf(await call(`GET /captures/${id}`)).transcript));
  assert.equal(texts.sort(), ['Ada: Shall we ship on the third?', 'Grace: Yes, if the tests pass.', 'Zoë: naïve']);
  await page.getByRole('list', { name: 'Captures', exact: true }).getByRole('listitem').nth(2).waitFor();
  await page.getByRole('button', { name: 'Clear' }).click();
  await imports.waitFor({ state: 'detached' });
});

test.promise('files are dropped anywhere on the page; what is dragged and is no file is left alone', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/captures', 'Captures');
  const drag = (type: string, text: string | null) =>
    page.evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      const text = ${JSON.stringify(text)};
      if (text === null) dataTransfer.setData('text/plain', 'no file');
      else dataTransfer.items.add(new File([text], 'dropped.srt'));
      const event = new DragEvent('${type}', { dataTransfer, bubbles: true, cancelable: true });
      document.querySelector('h1').dispatchEvent(event);
      return event.defaultPrevented;
    })()`);
  const hint = page.getByText('Drop transcripts');
  // The page listens once its effects have run.
  await until(() => drag('dragover', srt));
  await hint.waitFor();
  assert.not(await drag('dragover', null));
  await drag('dragleave', srt);
  await hint.waitFor({ state: 'detached' });
  await drag('dragover', srt);
  assert.ok(await drag('drop', srt), 'the browser does not open it');
  await importsOf(page).getByRole('link', { name: 'dropped.srt' }).click();
  await page.getByText('Yes, if the tests pass.').first().waitFor();
});

test.promise('a recording is decoded, sent and can be played; a broken one makes no capture', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/captures', 'Captures');
  const stereo = wavOf(toneOf(3_000, [0, 0], 44_100), { rate: 44_100, channels: 1 });
  await choose(page, [
    fileOf('Weekly_stand-up.wav', Buffer.from(stereo), 'audio/wav'),
    fileOf('broken.m4a', 'this is no audio', 'audio/mp4'),
  ]);
  await importsOf(page).getByText('This browser cannot read the recording.').waitFor();
  const { data } = bodyOf(await call('GET /captures'));
  assert.equal(
    data.map(({ title }: { title: string }) => title),
    ['Weekly stand-up'],
  );
  await until(async () => bodyOf(await call(`GET /captures/${data[0].id}`)).mediaUrl !== null);
  const { durationSeconds } = bodyOf(await call(`GET /captures/${data[0].id}`));
  assert.is(durationSeconds, 3);
});

test.promise('a session does not end while files are imported', async (stage) => {
  const ada = await stage.person();
  const { page, goTo } = await stage.window({ as: ada });
  await goTo('/captures', 'Captures');
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/trpc\/captures\.create/, async (route) => {
    await released;
    await route.continue();
  });
  await choose(page, [fileOf('planning.vtt', vtt)]);
  await importsOf(page).getByText('Importing').waitFor();
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByText('Files are being imported in this window.').waitFor();
  release();
  await importsOf(page).getByRole('link', { name: 'planning.vtt' }).waitFor();
});

test.promise('files that wait when another person signs in are not imported as theirs', async (stage) => {
  const [ada, bob] = [await stage.person(), await stage.person('Bob')];
  const { page, goTo } = await stage.window({ as: ada });
  const context = page.context();
  const other = await context.newPage();
  await other.goto('/lists');
  await goTo('/captures', 'Captures');
  const isLive = (each: Page) => each.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
  /** The session of the browser is that of a person; the other window notices it, and says so to this one. */
  const become = async ({ session }: Person, name: string) => {
    for (const each of [other, page]) await isLive(each);
    await other.getByLabel('Name').fill('A list');
    await context.addCookies([{ name: 'tandem_session', value: session.token, url: stage.tandem.url, httpOnly: true }]);
    await other.getByRole('button', { name: 'Create list' }).click();
    for (const each of [other, page]) await each.getByRole('button', { name: `Account: ${name}` }).waitFor();
  };
  const released = Promise.withResolvers<void>();
  await page.route(/\/trpc\/captures\.create/, async (route) => {
    await released.promise;
    await route.continue();
  });
  await choose(page, [fileOf('planning.vtt', vtt), fileOf('answers.srt', srt)]);
  const imports = importsOf(page);
  await imports.getByText('Importing').waitFor();
  await become(bob, 'Bob');
  assert.is(await imports.count(), 0);
  released.resolve();
  // One after the other: what was chosen before would be there first.
  await choose(page, [fileOf('mine.txt', 'Of Bob alone')]);
  await imports.getByRole('link', { name: 'mine.txt' }).waitFor();
  assert.is(await imports.getByRole('listitem').count(), 1);
  const countOf = async (person: Person) => bodyOf(await callsOf(stage.tandem, person)('GET /captures')).data.length;
  assert.is(await countOf(bob), 1);
  await page.getByRole('link', { name: 'Todos', exact: true }).first().click();
  await become(ada, 'Ada');
  // They go on without their page.
  await until(async () => (await countOf(ada)) === 2);
  await page.getByRole('link', { name: 'Captures', exact: true }).first().click();
  for (const name of ['planning.vtt', 'answers.srt']) await imports.getByRole('link', { name }).waitFor();
  assert.equal([await imports.getByRole('listitem').count(), await countOf(ada)], [2, 2]);
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`imports are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...options, as: ada });
    await window.goTo('/captures', 'Captures');
    await choose(window.page, [fileOf('planning.vtt', vtt), fileOf('slides.pdf', 'x')]);
    await importsOf(window.page).getByRole('link', { name: 'planning.vtt' }).waitFor();
    await look(window, `captures-imports-${name}`);
    await window.page.setViewportSize({ width: 320, height: 700 });
    await look(window, `captures-imports-narrow-${name}`);
  });
}

test.run();
