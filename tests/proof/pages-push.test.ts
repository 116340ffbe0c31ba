import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { notify } from '../../domain/notifications/notify.ts';
import { pageSuite, type Stage } from '../support/browser.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf, type Person, password } from '../support/people.ts';
import { startPushService } from '../support/push-service.ts';
import { until } from '../support/until.ts';
import { loopback } from '../support/webhook-world.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/*
 * Chromium without a head has no push service: the page subscribes at one on loopback, and what that decrypts is given
 * to the service worker over the protocol of the developer tools.
 */

const test = pageSuite('pages: notifications in the browser', async () => ({}), loopback, true);
const options = { serviceWorkers: 'allow' as const, permissions: ['notifications'] };

/** Replaces the push service of the browser, before the pages are loaded. */
async function subscribeAt(page: Page, subscription: object): Promise<void> {
  await page.addInitScript(`(() => {
    const of = (isOn) => isOn && {
      toJSON: () => (${JSON.stringify(subscription)}),
      unsubscribe: async () => { localStorage.removeItem('test.push'); return true; },
    };
    PushManager.prototype.getSubscription = async () => of(localStorage.getItem('test.push')) || null;
    PushManager.prototype.subscribe = async () => { localStorage.setItem('test.push', '1'); return of('1'); };
    // Without a head Chromium asks nobody.
    Notification.requestPermission = async () => 'granted';
    Object.defineProperty(Notification, 'permission', { get: () => 'granted' });
  })()`);
}

async function happen({ tandem }: Stage, { session }: Person, todoId: string) {
  await tandem.db.transaction((db) =>
    notify(
      { db, clock: () => new Date(), mail: { sends: false } },
      {
        workspaceId: session.workspace.id,
        userIds: [session.user.id],
        kind: 'mentioned',
        title: 'Grace mentions you in “Ship it”',
        text: 'Open the todo to read the comment.',
        todoId,
        dedupe: crypto.randomUUID(),
      },
    ),
  );
}

/** Gives a message to the worker, as the browser does with what its push service sends. */
async function deliver(page: Page, message: object): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) =>
    session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
      const [first] = registrations;
      if (first) resolve(first.registrationId);
    }),
  );
  await session.send('ServiceWorker.enable');
  const registrationId = await registered;
  const { origin } = new URL(page.url());
  await session.send('ServiceWorker.deliverPushMessage', { origin, registrationId, data: JSON.stringify(message) });
}

const shown = (page: Page) =>
  page.evaluate(`navigator.serviceWorker.ready.then((registration) => registration.getNotifications()).then((all) =>
    all.map(({ title, body, tag }) => ({ title, body, tag })))`) as Promise<{ title: string; tag: string }[]>;

test.promise(
  'a browser that is turned on gets what is sent, shows it once, and a press opens its page',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    let key = '';
    const pushes = await startPushService(() => key);
    try {
      const { id } = bodyOf(await call('POST /todos', { title: 'Ship it' }), 201);
      ({ applicationServerKey: key } = bodyOf(await call('GET /notifications/push-subscriptions')));
      const browser = pushes.browser();
      const { page, goTo, sees } = await stage.window({ ...options, as: ada });
      await subscribeAt(page, browser.subscription);
      await goTo('/settings/notifications', 'Notification settings');
      await page.getByRole('button', { name: 'Turn on in this browser' }).press('Enter');
      await page.getByText('are shown on this device').waitFor();
      await happen(stage, ada, id);
      const [pushed] = await browser.messages(1);
      await deliver(page, pushed?.message);
      await deliver(page, pushed?.message);
      await until(async () => (await shown(page)).length > 0);
      assert.equal(
        (await shown(page)).map(({ title }) => title),
        ['Grace mentions you in “Ship it”'],
      );
      const draft = 'typed and not sent';
      await goTo('/todos', 'Todos');
      await page.getByLabel('Title').fill(draft);
      // The window may not have loaded what opens pages: it must not miss the message for that.
      const [worker] = page.context().serviceWorkers();
      assert.ok(worker);
      await worker.evaluate(`self.registration.getNotifications().then(([notification]) =>
      void self.dispatchEvent(new NotificationEvent('notificationclick', { notification })))`);
      await sees('Ship it');
      assert.is(new URL(page.url()).pathname, `/todos/${id}`);
      await page.goBack();
      await sees('Todos');
      assert.is(await page.getByLabel('Title').inputValue(), draft);

      await goTo('/settings/notifications', 'Notification settings');
      await page.getByRole('button', { name: 'Turn off in this browser' }).click();
      await page.getByText('Get requests for approval and mentions').waitFor();
      assert.equal(bodyOf(await call('GET /notifications/push-subscriptions')).data, []);
    } finally {
      await pushes.close();
    }
  },
);

test.promise('signing out ends it, and the kinds are chosen in the settings', async (stage) => {
  const ada = await stage.person();
  const pushes = await startPushService(() => '');
  try {
    const { page, goTo, sees } = await stage.window({ ...options, as: ada });
    await subscribeAt(page, pushes.browser().subscription);
    await goTo('/settings/notifications', 'Notification settings');
    const mentions = page.getByRole('group', { name: /^You are mentioned/ });
    await mentions.getByRole('checkbox', { name: 'On devices' }).press('Space');
    await page.getByText('Your settings are saved.').waitFor();
    const settings = bodyOf(await callsOf(stage.tandem, ada)('GET /notifications/settings'));
    assert.is(settings.kinds.mentioned.push, false);
    assert.is(await page.getByRole('checkbox', { name: 'On devices' }).count(), 2);
    await page.getByRole('button', { name: 'Turn on in this browser' }).click();
    await page.getByText('are shown on this device').waitFor();
    const count = async () => {
      const text = 'select count(*)::int as count from push_subscriptions where workspace_id = $1';
      return (await stage.tandem.db.rows<{ count: number }>(text, [ada.session.workspace.id]))[0]?.count;
    };
    assert.is(await count(), 1);
    const { email } = ada;
    const next = bodyOf(await stage.tandem.call('POST /auth/sessions', { email, password }), 201);
    await page
      .context()
      .addCookies([{ name: 'tandem_session', value: next.token, url: stage.tandem.url, httpOnly: true }]);
    await page.reload();
    const ofNext = 'select 1 from push_subscriptions where credential_id = $1';
    await until(async () => (await stage.tandem.db.rows(ofNext, [next.id])).length === 1);
    assert.is(await count(), 1);
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await sees('Sign in');
    assert.is(await count(), 0);
    await until(async () => (await page.evaluate(`localStorage.getItem('test.push')`)) === null);
  } finally {
    await pushes.close();
  }
});

for (const { name, ...more } of looksOf(import.meta.url)) {
  test.promise(`a browser that blocks notifications says what to do: ${name}`, async (stage) => {
    const ada = await stage.person();
    const window = await stage.window({ ...more, as: ada });
    await window.page.addInitScript(`Object.defineProperty(Notification, 'permission', { get: () => 'denied' })`);
    await window.goTo('/settings/notifications', 'Notification settings');
    await window.page.getByText('The browser blocks notifications of this service.').waitFor();
    await look(window, `notification-settings-${name}`);
  });
}

test.run();
