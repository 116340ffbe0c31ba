import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { promisify } from 'node:util';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { password, temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';

/* README's first five minutes, as it is written there: the printed link, an account, a todo by curl, an approval. */

const test = pageSuite('the first five minutes');
const run = promisify(execFile);

/** The commands of README's part “The first five minutes”. */
async function commands(): Promise<string[]> {
  const readme = await readFile(new URL('../../README.md', import.meta.url), 'utf8');
  const part = /## The first five minutes\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
  return [...part.matchAll(/```sh\n([\s\S]*?)```/g)].map(([, text = '']) => text);
}

/** Walks through README's part with a service that has just been started for the first time. `seen` looks at a page. */
async function walk(
  stage: Stage,
  service: ServiceProcess,
  options: Parameters<Stage['window']>[0],
  seen: (window: Window, page: string) => Promise<void>,
): Promise<void> {
  const link = /http\S+\/welcome#token=\S+/.exec(service.output())?.[0] ?? '';
  const key = /shown only this once: (\S+)/.exec(service.output())?.[1] ?? '';
  const window = await stage.window({ ...options, baseURL: service.url, elsewhere: [service.url] });
  const { page, sees, goTo } = window;

  await goTo(link, 'Welcome to Tandem');
  assert.is(new URL(page.url()).hash, '', 'the token leaves the address bar');
  await page.getByLabel('Your name').fill('Ada Lovelace');
  await page.getByLabel('Email address').fill('ada@example.com');
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Create account' }).click();
  await sees('Welcome');
  await seen(window, 'welcome-new');
  await page.getByRole('link', { name: 'Skip to the todos' }).click();
  await sees('Todos');
  await page.getByText('No open todos').waitFor();
  await seen(window, 'todos-empty');

  const [, curl = ''] = await commands();
  assert.match(curl, 'curl');
  await run('sh', ['-ec', curl], { cwd: tmpdir(), env: { ...process.env, TANDEM: service.url, KEY: key } });
  const list = page.getByRole('grid', { name: 'Todos' });
  await list.getByText('Write the report').waitFor();
  await seen(window, 'todos');

  await page.getByRole('link', { name: 'Ask the Assistant' }).click();
  await sees('Chats');
  const asksFirst = page.getByRole('checkbox', { name: 'Assistant asks a person before it changes anything' });
  await asksFirst.focus();
  await page.keyboard.press('Space');
  await page.getByText('Assistant asks before it changes anything.').waitFor();
  await seen(window, 'chats');
  await page.getByLabel('Message').fill('Create a todo: call the bank tomorrow, urgent');
  await page.getByRole('button', { name: 'Ask', exact: true }).click();
  await page.getByRole('heading', { name: /^Assistant wants to create the todo/ }).waitFor();
  await page.locator('#content').getByText('Needs you').waitFor();
  await seen(window, 'chat-approval');
  const titles = async () => {
    const { body } = await service.call('GET /todos', key);
    return body.data.map(({ title }: { title: string }) => title);
  };
  assert.equal(await titles(), ['Write the report'], 'nothing is changed before the approval');
  await page.getByRole('button', { name: 'Approve' }).focus();
  await page.keyboard.press('Enter');
  await page.getByText('Answered').waitFor();
  await page.getByText('Approved', { exact: true }).waitFor();
  await seen(window, 'chat-answered');
  await page.getByRole('link', { name: 'Todos', exact: true }).click();
  await sees('Todos');
  await list.getByText(/call the bank/i).waitFor();
  assert.is((await titles()).length, 2);
  await list.getByRole('checkbox', { name: /^Done: call the bank/i }).click();
  // What is done leaves the list when the focus does.
  await page.getByRole('row', { name: /^call the bank.*no longer in this list$/i }).waitFor();
  await page.getByRole('heading', { name: 'Todos', level: 1 }).click();
  await list.getByText(/call the bank/i).waitFor({ state: 'detached' });
  // Before the service stops: the page reads its list again and again.
  await page.context().close();
}

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`from the printed link to an approved action: ${name}`, async (stage) => {
    const directory = temporaryDirectory();
    // Without DATABASE_URL: PostgreSQL in the data directory, as `npm start` has it.
    const settings = { DATABASE_URL: '', DATA_DIR: directory.path, PORT: String(await freePort()) };
    const service = await startProcess(settings);
    try {
      await walk(stage, service, options, (window, page) => look(window, `${page}-${name}`));
    } finally {
      await service.stop();
      directory.remove();
    }
  });
}

test.run();
