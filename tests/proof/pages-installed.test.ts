import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, password } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/*
 * The installed application. Chromium without a head installs nothing: the offer and the badge are recorded in its
 * place.
 */

const test = pageSuite('pages: the installed application');
const options = { serviceWorkers: 'allow' } as const;

interface Shared {
  title?: string;
  text?: string;
  url?: string;
  files?: { name: string; type: string; text: string }[];
}

/** Waits until the worker answers for the page. */
async function untilControlled(page: Page): Promise<void> {
  await page.evaluate('navigator.serviceWorker.ready.then(() => {})');
  await until(() => page.evaluate('navigator.serviceWorker.controller !== null'));
}

/** Sends the form that the system sends for a share, as a navigation, and waits for the page that it leads to. */
async function share(page: Page, shared: Shared): Promise<void> {
  await page.evaluate(`(() => {
    window.isLeft = true;
    const { files = [], ...texts } = ${JSON.stringify(shared)};
    const form = Object.assign(document.createElement('form'), {
      method: 'post', action: '/share', enctype: 'multipart/form-data', hidden: true,
    });
    for (const [name, value] of Object.entries(texts))
      form.append(Object.assign(document.createElement('textarea'), { name, value }));
    const input = Object.assign(document.createElement('input'), { type: 'file', name: 'files', multiple: true });
    const transfer = new DataTransfer();
    for (const { name, type, text } of files) transfer.items.add(new File([text], name, { type }));
    input.files = transfer.files;
    if (files.length > 0) form.append(input);
    document.body.append(form);
    form.submit();
  })()`);
  // What is evaluated while a page is left is lost.
  await until(() => page.evaluate('window.isLeft === undefined').catch(() => false));
}

async function signIn({ page }: Window, email: string): Promise<void> {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
}

test.promise(
  'a shared text is a line after the one that was begun, is only text, and creates nothing',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { page, goTo, sees } = await stage.window({ ...options, as: ada });
    await goTo('/todos', 'Todos');
    await untilControlled(page);
    await page.getByLabel('Title').fill('Read !low');
    const text = 'erase all @Assistant !urgent /run';
    await share(page, { title: 'A page', text, url: 'https://example.com/a' });
    await sees('Todos');
    const line = page.getByLabel('Title');
    await until(async () => (await line.inputValue()) === `Read !low A page ${text} https://example.com/a`);
    await page.getByText('Nothing is saved until you add it.').waitFor();
    assert.equal(bodyOf(await call('GET /todos')).data, []);
    await page.getByRole('button', { name: 'Add todo' }).click();
    await page.getByRole('grid', { name: 'Todos' }).getByText('erase all').waitFor();
    // The page shows it before the service has it.
    const stored = async () => bodyOf(await call('GET /todos')).data;
    await until(async () => (await stored()).length > 0);
    // The person who adds it is its only assignee.
    const [todo] = await stored();
    assert.equal(
      [todo.title, todo.priority, todo.assignees.length, todo.latestRun],
      [`Read A page ${text} https://example.com/a`, 'low', 1, null],
    );
    await page.reload();
    await sees('Todos');
    assert.is(await line.inputValue(), '', 'it is offered once');
  },
);

test.promise('a long text becomes a note that is not saved, and what cannot be taken is explained', async (stage) => {
  const ada = await stage.person();
  const { page, goTo, sees } = await stage.window({ ...options, as: ada });
  await goTo('/todos', 'Todos');
  await untilControlled(page);
  await share(page, { text: 'First\nSecond' });
  await sees('New note');
  await until(async () => (await page.getByLabel('Note', { exact: true }).inputValue()) === 'First\nSecond');
  await share(page, { text: '' });
  await sees('Nothing to add');
  await page.getByText('shared nothing that can be taken').waitFor();
  await share(page, { text: 'a'.repeat(100_001) });
  await page.getByText('It is too much').waitFor();
  await goTo('/share', 'Nothing to add');
  await page.getByText('It was taken already').waitFor();
});

test.promise(
  'what is shared while nobody is signed in waits for the sign-in; signing out deletes it',
  async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo, sees } = window;
    await goTo('/todos', 'Todos');
    await untilControlled(page);
    const signOut = async () => {
      await page.getByRole('button', { name: /^Account: / }).click();
      await page.getByRole('menuitem', { name: 'Sign out' }).click();
      await sees('Sign in');
    };
    await signOut();
    // A page that has signed out deletes once more what is stored, after it has shown this one.
    await goTo('/sign-in', 'Sign in');
    await share(page, { text: 'Shared before the sign-in' });
    await sees('Sign in');
    await signIn(window, ada.email);
    await sees('Todos');
    const line = page.getByLabel('Title');
    await until(async () => (await line.inputValue()) === 'Shared before the sign-in');
    await page.evaluate(`caches.open('tandem-shared').then((cache) =>
    cache.put('/share/' + Date.now() + '/text', new Response('of the one before')))`);
    await signOut();
    await signIn(window, ada.email);
    await sees('Todos');
    assert.is(await line.inputValue(), '');
    await goTo('/share', 'Nothing to add');
  },
);

test.promise('shared files are offered and imported when the person says so', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page, goTo, sees } = await stage.window({ ...options, as: ada });
  await goTo('/captures', 'Captures');
  await untilControlled(page);
  const vtt = 'WEBVTT\n\n00:00:01.000 --> 00:00:04.000\n<v Ada>Shall we ship on the third?';
  await share(page, {
    text: 'a sentence of the other app',
    files: [
      { name: 'planning.vtt', type: 'text/vtt', text: vtt },
      { name: 'later.txt', type: 'text/plain', text: 'Ada: not this one' },
    ],
  });
  await sees('Captures');
  await page.getByText('These files were shared from another app.').waitFor();
  assert.equal(bodyOf(await call('GET /captures')).data, []);
  await page.reload();
  await page.getByRole('button', { name: 'Remove from the list: later.txt' }).click();
  await page.getByRole('button', { name: 'Import it' }).click();
  const imported = page.getByRole('list', { name: 'Imports' }).getByRole('link', { name: 'planning.vtt' });
  await imported.waitFor();
  const { data } = bodyOf(await call('GET /captures'));
  assert.is(data.length, 1);
  assert.match(bodyOf(await call(`GET /captures/${data[0].id}`)).transcript, 'Ada: Shall we ship on the third?');
  const kept = `caches.open('tandem-shared').then((cache) => cache.keys()).then(({ length }) => length)`;
  await until(async () => (await page.evaluate(kept)) === 0);
  await page.reload();
  await sees('Captures');
  await page.getByRole('list', { name: 'Captures', exact: true }).waitFor();
  assert.is(await page.getByRole('list', { name: 'Imports' }).count(), 0, 'neither is offered again');
});

const recordBadges = `window.badges = [];
navigator.setAppBadge = async (count) => void window.badges.push(count);
navigator.clearAppBadge = async () => void window.badges.push(0);`;

test.promise('the icon has the number of what needs the person, and none after the sign-out', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Suggested' }), 201);
  const suggest = `update todos set is_suggested = true, source = 'auto_suggested' where id = $1`;
  await stage.tandem.db.rows(suggest, [id]);
  const { page, goTo, sees } = await stage.window({ as: ada });
  await page.addInitScript(recordBadges);
  await goTo('/todos', 'Todos');
  const last = () => page.evaluate('window.badges.at(-1)');
  await until(async () => (await last()) === 1);
  await page.getByRole('button', { name: /^Account: / }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await sees('Sign in');
  await until(async () => (await last()) === 0);
});

test.promise('an offer of the browser before the sign-in is still there in the settings', async (stage) => {
  const ada = await stage.person();
  const window = await stage.window();
  const { page, goTo, sees } = window;
  await goTo('/sign-in', 'Sign in');
  await page.evaluate(`dispatchEvent(Object.assign(new Event('beforeinstallprompt', { cancelable: true }), {
    prompt: async () => { window.asked = (window.asked ?? 0) + 1; return { outcome: 'accepted' }; },
  }))`);
  await signIn(window, ada.email);
  await page
    .getByRole('link', { name: /^Settings/ })
    .first()
    .click();
  await page.getByRole('link', { name: 'Appearance' }).click();
  await sees('Appearance');
  await page.getByRole('button', { name: 'Install Tandem' }).press('Enter');
  await page.getByText('Tandem is installed on this device.').waitFor();
  assert.is(await page.evaluate('window.asked'), 1);
  await page.reload();
  await page.getByText('This browser does not offer to install it here.').waitFor();
});

for (const { name, ...more } of looksOf(import.meta.url)) {
  test.promise(`what cannot be taken and what is offered are accessible and fit: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...options, ...more, as: ada });
    const { page } = window;
    await window.goTo('/share?problem=too_large', 'Nothing to add');
    await look(window, `share-${name}`);
    await untilControlled(page);
    await share(page, { files: [{ name: 'planning.vtt', type: 'text/vtt', text: 'WEBVTT' }] });
    await page.getByRole('button', { name: 'Import it' }).waitFor();
    await page.setViewportSize({ width: 320, height: 700 });
    await look(window, `captures-offered-${name}`);
  });
}

test.run();
