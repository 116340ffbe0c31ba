import type { Browser } from 'puppeteer-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildWeb } from '../../scripts/build-web.ts';
import { findFirefox, launchFirefox, openPage } from '../support/firefox.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { newAccount, password } from '../support/people.ts';
import { until } from '../support/until.ts';

/* The main flows once in Firefox: another engine, another keyboard, another stream. */

const test = suite('pages: in Firefox');
const executablePath = findFirefox();
if (!executablePath) {
  const missing = 'No Firefox on this machine. Install it, or set FIREFOX_PATH.';
  if (process.env.CI === 'true') throw new Error(missing);
  process.stdout.write(`${missing} Skipped.\n`);
}
const promise = (title: string, run: () => Promise<void>) =>
  executablePath ? test(title, run) : test.skip(title, () => {});

let tandem: TestService;
let browser: Browser;

test.before(async () => {
  if (!executablePath) return;
  await buildWeb();
  tandem = await startTestService();
  browser = await launchFirefox(executablePath);
});
test.after(async () => {
  await browser?.close();
  await tandem?.close();
});

promise('a person signs in, writes a todo, peeks, opens it, edits it and sees what others change', async () => {
  const ada = await newAccount(tandem);
  const key = ada.session.token;
  const { page, faults, sees, press } = await openPage(browser);
  await page.goto(`${tandem.url}/todos`);
  await sees('h1', 'Sign in');
  await page.type('input[name=email]', ada.email);
  await page.type('input[name=password]', password);
  await press('Enter');
  await sees('h1', 'Todos');

  await page.waitForSelector('input[name=title]');
  await press('c');
  await page.waitForSelector('input[name=title]:focus');
  await page.keyboard.type('Call the bank tomorrow !high');
  await press('Escape', 'Enter');
  await sees('[role=row]', 'Call the bank');
  // The page shows it before the service has it.
  const stored = async () => (await tandem.call('GET /todos', undefined, { key })).body.data;
  await until(async () => (await stored()).length > 0);
  const [todo, ...others] = await stored();
  assert.equal([others.length, todo.priority], [0, 'high']);

  await press('Tab', 'j');
  await page.waitForSelector('[role=row]:focus');
  await press(' ');
  await sees('h2', 'Call the bank');
  await press('Escape');
  await page.waitForSelector('[role=row]:focus');
  await press('Enter');
  await sees('h1', 'Call the bank');
  await page.locator('::-p-aria([name="Edit"][role="button"])').click();
  await page.locator('textarea[aria-label=Text]').fill('About the **card**');
  await page.locator('::-p-aria([name="Save"][role="button"])').click();
  await sees('.prose strong', 'card');

  // What another client does arrives over the stream.
  await page.waitForSelector('.live-updates[data-state=live]');
  await tandem.call(`PATCH /todos/${todo.id}`, { title: 'Call the other bank' }, { key });
  await sees('h1', 'Call the other bank');
  assert.equal(faults, []);
  await page.browserContext().close();
});

promise('an agent is asked and allowed what it wants to do', async () => {
  const ada = await newAccount(tandem);
  const key = ada.session.token;
  const { body: agents } = await tandem.call('GET /agents', undefined, { key });
  await tandem.call(`PATCH /agents/${agents.data[0].id}`, { requiresApproval: true }, { key });
  const { page, faults, sees, press } = await openPage(browser);
  const cookie = { name: 'tandem_session', value: key, domain: new URL(tandem.url).hostname, httpOnly: true };
  await page.browserContext().setCookie({ ...cookie, path: '/', secure: false });
  await page.goto(`${tandem.url}/chats`);
  await sees('h1', 'Chats');
  await page.locator('textarea[name=message]').fill('Create a todo: call the bank tomorrow, urgent');
  await press('Enter');
  await sees('article h2', 'Assistant wants to create the todo');
  await page.locator('::-p-aria([name="Approve"][role="button"])').click();
  await until(async () => {
    const { body } = await tandem.call('GET /todos', undefined, { key });
    return body.data.length === 1;
  });
  await sees('#content', 'Approved');
  assert.equal(faults, []);
  await page.browserContext().close();
});

test.run();
