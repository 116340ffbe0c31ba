import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { hasLoaded, isReady } from '../support/outbox-pages.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages without a connection');

const expected = /net::ERR_INTERNET_DISCONNECTED/;
const offline = 'You are offline. Text that you type is kept';
const unreachable = 'The service cannot be reached.';

test.promise(
  'a page says that it is offline, shows what is added at once, and sends it once it is online',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { page, goTo } = await stage.window({ as: ada, expected });
    await goTo('/todos', 'Todos');
    // The code that keeps what is added comes after the page.
    await isReady(page);
    await page.getByText('No open todos').waitFor();
    await page.context().setOffline(true);
    await page.getByText(offline).waitFor();
    await page.getByLabel('Title').fill('Written in a tunnel');
    await page.getByRole('button', { name: 'Add todo' }).click();
    await page.getByRole('grid', { name: 'Todos' }).getByText('Written in a tunnel').waitFor();
    await page.getByRole('link', { name: 'Offline: 1 change waits' }).waitFor();
    assert.is(await page.getByLabel('Title').inputValue(), '');
    await page.context().setOffline(false);
    await page.getByText(offline).waitFor({ state: 'detached' });
    await until(async () => bodyOf(await call('GET /todos')).data.length === 1);
    await page.getByRole('link', { name: /change waits/ }).waitFor({ state: 'detached' });
    await page.getByRole('grid', { name: 'Todos' }).getByText('Written in a tunnel').waitFor();
  },
);

test.promise(
  'what cannot be read offline says so instead of loading for ever, and is read when online',
  async (stage) => {
    const { page, goTo, sees } = await stage.window({ as: await stage.person(), expected });
    await goTo('/todos', 'Todos');
    // The code of the pages that are likely next is loaded when the browser is idle.
    await hasLoaded(page, 'chats-page');
    // The data of the list is there, and the stream of events stays open.
    await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
    await page.context().setOffline(true);
    await page.getByRole('link', { name: 'Chats' }).click();
    await sees('Chats');
    await page.getByText(unreachable).waitFor();
    await page.context().setOffline(false);
    await page.getByText('No chats yet').waitFor();
  },
);

test.run();
