import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { cardOf, untilFocused } from '../support/inbox-fixtures.ts';
import { press, pressAtOnce, tabTo, typeInto } from '../support/keyboard.ts';
import { password, temporaryDirectory } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { startProcess } from '../support/processes.ts';
import { until } from '../support/until.ts';

/* From the link that a first start prints to work that an agent has done: with the keyboard, and no address typed. */

const test = pageSuite('pages: a newcomer');

test.promise(
  'an account, the first todo, its run by the Assistant, and the approval: by the keyboard',
  async (stage) => {
    const directory = temporaryDirectory();
    // Without DATABASE_URL: PostgreSQL in the data directory, as `npm start` has it.
    const settings = { DATABASE_URL: '', DATA_DIR: directory.path, PORT: String(await freePort()) };
    const service = await startProcess(settings);
    try {
      const link = /http\S+\/welcome#token=\S+/.exec(service.output())?.[0] ?? '';
      const key = /shown only this once: (\S+)/.exec(service.output())?.[1] ?? '';
      const window = await stage.window({ baseURL: service.url, elsewhere: [service.url] });
      const { page, goTo, sees } = window;
      const addresses: string[] = [];
      page.on('request', (request) => {
        if (request.isNavigationRequest()) addresses.push(new URL(request.url()).pathname);
      });
      await goTo(link, 'Welcome to Tandem');
      await typeInto(window, page.getByLabel('Your name'), 'Ada Lovelace');
      await typeInto(window, page.getByLabel('Email address'), 'ada@example.com');
      await typeInto(window, page.getByLabel('Password', { exact: true }), password);
      await press(window, 'Enter');
      await sees('Welcome');

      // The Assistant is to ask first.
      await pressAtOnce(window, 'g', 'c');
      await sees('Chats');
      await tabTo(window, page.getByRole('checkbox', { name: 'Assistant asks a person before it changes anything' }));
      await press(window, 'Space');
      await page.getByText('Assistant asks before it changes anything.').waitFor();

      await press(window, 'c');
      await sees('Todos');
      await page.locator('input[name="title"]:focus').waitFor();
      await page.keyboard.type('Create a todo to call the bank @Ass');
      await page.getByRole('option', { name: '@Assistant' }).waitFor();
      await press(window, 'Enter');
      await page.keyboard.type('/run');
      await press(window, 'Enter');
      const list = page.getByRole('grid', { name: 'Todos' });
      await list.getByText('Create a todo to call the bank').waitFor();

      await page.getByRole('link', { name: 'Inbox 1 need you' }).waitFor();
      // The field of the next todo has the focus, and takes what is typed.
      await press(window, 'Tab');
      await pressAtOnce(window, 'g', 'i');
      await sees('Inbox');
      await cardOf(window, /^Assistant wants to create the todo/).waitFor();
      await press(window, 'j');
      await untilFocused(window, 'Assistant wants to create the todo');
      // On a slow machine the second press may come too late, and arms again.
      await until(async () => {
        await press(window, 'a');
        return (await service.call('GET /approvals?status=pending', key)).body.data.length === 0;
      });
      await page.getByText('Nothing needs you').waitFor();
      await pressAtOnce(window, 'g', 'a');
      await sees('Todos');
      await list.getByText('Call the bank', { exact: true }).waitFor();
      await until(async () => (await service.call('GET /runs', key)).body.data[0]?.status === 'completed');
      await press(window, 'j');
      await page.locator('[role=row]:focus[aria-label^="Call the bank"]').waitFor();
      await press(window, 'e');
      await page.getByRole('row', { name: /^Call the bank, .*done/ }).waitFor();
      assert.equal(addresses, ['/welcome'], 'one page was loaded, from the link');
      await page.context().close();
    } finally {
      await service.stop();
      directory.remove();
    }
  },
);

test.run();
