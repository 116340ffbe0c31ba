import type { Locator } from 'playwright-core';
import * as assert from 'uvu/assert';
import { pageSuite, type Stage, type Window } from '../support/browser.ts';
import { tabTo } from '../support/keyboard.ts';
import { look, looksOf } from '../support/looks.ts';
import type { Person } from '../support/people.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { loopback, refusal, unlimited } from '../support/webhook-world.ts';

const test = pageSuite('pages: webhooks', async () => unlimited, loopback);

/** Runs `work` with a receiver of its own. */
async function withReceiver(work: (receiver: Receiver) => Promise<void>): Promise<void> {
  const receiver = await startReceiver();
  try {
    await work(receiver);
  } finally {
    await receiver.close();
  }
}

/** An endpoint made over the API; returns its id. */
async function newEndpoint({ tandem }: Stage, { session }: Person, url: string, more: object = {}): Promise<string> {
  const params = { url, types: ['todo.created'], ...more };
  const { status, body, text } = await tandem.call('POST /webhook-endpoints', params, { key: session.token });
  assert.is(status, 201, text);
  return body.id;
}

const listOf = ({ page }: Window, name: string) => page.getByRole('list', { name });

test.promise('an endpoint is added by the keyboard alone, tested, and its request and answer are read', async (stage) =>
  withReceiver(async (receiver) => {
    receiver.answer('/hook', (response) => response.writeHead(200, { 'x-receiver': 'ledger' }).end('thank you'));
    const window = await stage.window({ as: await stage.person('Ada') });
    const { page, goTo, sees } = window;
    const press = async (element: Locator, key: string) => {
      await tabTo(window, element);
      await page.keyboard.press(key);
    };
    await goTo('/settings/webhooks', 'Webhooks');
    await page.getByText('No webhook endpoints yet').waitFor();
    await press(page.getByRole('link', { name: 'Add endpoint' }), 'Enter');
    await sees('Add a webhook endpoint');
    await tabTo(window, page.getByLabel('Address'));
    await page.keyboard.type(receiver.url('/hook'));
    await press(page.getByRole('checkbox', { name: 'Todo completed' }), 'Space');
    await press(page.locator('summary', { hasText: 'Chats and approvals' }), 'Enter');
    await press(page.getByRole('checkbox', { name: 'Approval requested' }), 'Space');
    await press(page.getByRole('button', { name: 'Add endpoint' }), 'Enter');
    await sees('The endpoint is ready');
    assert.match((await page.getByTestId('webhook-secret').textContent()) ?? '', /^whsec_/);
    await press(page.getByRole('link', { name: 'I have stored it' }), 'Enter');
    await sees('Webhook endpoint');
    assert.is(await page.getByTestId('webhook-secret').count(), 0, 'the secret is shown once');
    await press(page.getByRole('button', { name: 'Send a test' }), 'Enter');
    await receiver.received('/hook', 1);
    const row = listOf(window, 'Deliveries').getByRole('listitem').filter({ hasText: 'webhook.test' }).first();
    await row.getByText('Delivered').waitFor();
    await press(row.locator('summary'), 'Enter');
    await row.getByText('thank you').waitFor();
    await row.getByText('x-receiver: ledger').waitFor();
    await row.getByText('webhook-signature: v1,').waitFor();
    await page.getByRole('checkbox', { name: 'Todo completed' }).waitFor();
    assert.ok(await page.getByRole('checkbox', { name: 'Approval requested' }).isChecked());
    assert.is(receiver.at('/hook').length, 1);
  }),
);

test.promise('what the service refuses is shown at its field; no type at all is refused by the page', async (stage) => {
  const { page, goTo } = await stage.window({ as: await stage.person() });
  await goTo('/settings/webhooks/new', 'Add a webhook endpoint');
  await page.getByLabel('Address').fill('https://10.0.0.1/hook');
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  await page.getByRole('alert').getByText('Choose at least one type of events').waitFor();
  await page.getByText('Everything').click();
  await page.getByRole('button', { name: 'Add endpoint' }).click();
  const address = page.getByLabel('Address');
  await page.getByRole('alert').getByRole('link').click();
  await address.and(page.locator(':focus')).waitFor();
  assert.is(await address.getAttribute('aria-invalid'), 'true');
  assert.is(await address.inputValue(), 'https://10.0.0.1/hook');
});

test.promise('a failed delivery says why, is sent again, and the endpoint is changed and given a new secret', (stage) =>
  withReceiver(async (receiver) => {
    receiver.answer('/hook', refusal(503));
    const ada = await stage.person();
    const key = ada.session.token;
    const endpointId = await newEndpoint(stage, ada, receiver.url('/hook'), {
      types: ['todo.created', 'member.removed'],
    });
    const window = await stage.window({ as: ada });
    const { page, goTo } = window;
    await stage.tandem.call('POST /todos', { title: 'Secret plan' }, { key });
    await receiver.received('/hook', 1);
    await goTo('/settings/webhooks', 'Webhooks');
    await listOf(window, 'Webhook endpoints').getByText('Failing').waitFor();
    await listOf(window, 'Webhook endpoints').getByText('answered 503').waitFor();
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    await page.getByText('Deliveries have failed since').waitFor();
    const row = listOf(window, 'Deliveries').getByRole('listitem').filter({ hasText: 'todo.created' }).first();
    await row.getByText('Answered 503').waitFor();
    await row.getByText('Next try').waitFor();
    receiver.answer('/hook', 204);
    await row.getByRole('button', { name: 'Send again: todo.created' }).click();
    await row.getByText('Delivered').waitFor();
    const [first, second] = receiver.at('/hook').map(({ headers }) => headers['webhook-id']);
    assert.is(first, second);
    await page.getByText('Deliveries have failed since').waitFor({ state: 'detached' });

    await page.getByLabel('Note').fill('The ledger');
    // What another window changes meanwhile stays.
    const wider = ['todo.created', 'member.removed', 'todo.deleted'];
    await stage.tandem.call(`PATCH /webhook-endpoints/${endpointId}`, { types: wider, ordered: true }, { key });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The endpoint is saved.').waitFor();
    const { body: saved } = await stage.tandem.call(`GET /webhook-endpoints/${endpointId}`, undefined, { key });
    assert.equal([saved.description, saved.types, saved.ordered], ['The ledger', wider, true]);

    await page.getByRole('button', { name: 'New secret' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'New secret' }).click();
    assert.match((await page.getByTestId('webhook-secret').textContent()) ?? '', /^whsec_/);
    await page.getByText('signed with the previous secret too').waitFor();
    await page.getByRole('button', { name: 'Send a test' }).click();
    const [, , signedTwice] = await receiver.received('/hook', 3);
    assert.is(String(signedTwice?.headers['webhook-signature']).split(' ').length, 2);
  }),
);

test.promise('an endpoint that answered 410 says so; enabled again it gets what it missed, and is removed', (stage) =>
  withReceiver(async (receiver) => {
    receiver.answer('/hook', 410);
    const ada = await stage.person();
    const key = ada.session.token;
    const endpointId = await newEndpoint(stage, ada, receiver.url('/hook'));
    await stage.tandem.call('POST /todos', { title: 'a' }, { key });
    const disabled = async () =>
      (await stage.tandem.call(`GET /webhook-endpoints/${endpointId}`, undefined, { key })).body;
    await until(async () => !(await disabled()).enabled);
    const window = await stage.window({ as: ada });
    const { page, goTo, sees } = window;
    await goTo('/notifications', 'Notifications');
    await page.getByRole('link', { name: /^The webhook to 127\.0\.0\.1:\d+ was disabled$/ }).click();
    await sees('Webhooks');
    await page.getByRole('link', { name: receiver.url('/hook') }).click();
    await page.getByText('It answered 410 Gone').waitFor();
    assert.is(await page.getByRole('button', { name: 'Send a test' }).count(), 0);
    receiver.answer('/hook', 204);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('The endpoint is enabled.').waitFor();
    await page.getByRole('button', { name: 'Send again what failed' }).click();
    await page.getByText('What was not delivered since then is sent again.').waitFor();
    await receiver.received('/hook', 2);
    await listOf(window, 'Deliveries').getByText('Delivered').waitFor();
    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disable' }).click();
    await page.getByText('A person switched it off.').waitFor();
    await page.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Remove endpoint' }).click();
    await sees('Webhooks');
    await page.getByText('No webhook endpoints yet').waitFor();
    await goTo(`/settings/webhooks/${endpointId}`, 'Endpoint not found');
  }),
);

test.promise('a list that cannot be read says so and is read again', async (stage) => {
  const { page, goTo } = await stage.window({ as: await stage.person(), expected: /ERR_FAILED/ });
  const address = '**/trpc/**webhookEndpoints.list**';
  let asked = 0;
  await page.route(address, (route) => {
    asked += 1;
    return route.abort();
  });
  await page.goto('/settings/webhooks');
  await page.getByText('The service cannot be reached.').waitFor();
  const before = asked;
  await page.getByRole('button', { name: 'Try again' }).click();
  await until(() => asked > before);
  await page.unroute(address);
  await page.getByText('No webhook endpoints yet').waitFor();
  await goTo('/settings/webhooks/nonsense', 'Endpoint not found');
});

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`every page of webhooks is accessible and fits: ${name}`, (stage) =>
    withReceiver(async (receiver) => {
      receiver.answer('/fails', refusal(503));
      receiver.answer('/gone', 410);
      const ada = await stage.person('Ada Lovelace');
      const window = await stage.window({ ...options, as: ada });
      const { page, goTo, sees } = window;
      await goTo('/settings/webhooks', 'Webhooks');
      await page.getByText('No webhook endpoints yet').waitFor();
      await look(window, `webhooks-empty-${name}`);
      await newEndpoint(stage, ada, receiver.url('/fine'), { types: ['*'], description: 'The ledger' });
      const failing = await newEndpoint(stage, ada, receiver.url('/fails'));
      await newEndpoint(stage, ada, receiver.url('/gone'));
      for (const title of ['a', 'b']) {
        await stage.tandem.call('POST /todos', { title }, { key: ada.session.token });
      }
      await receiver.received('/fails', 2);
      await goTo('/settings/webhooks', 'Webhooks');
      const list = listOf(window, 'Webhook endpoints');
      await list.getByText('Failing').waitFor();
      await list.getByText('Disabled').waitFor();
      await list.getByText('It answered 410 Gone').waitFor();
      await look(window, `webhooks-${name}`);
      await goTo(`/settings/webhooks/${failing}`, 'Webhook endpoint');
      const row = listOf(window, 'Deliveries').getByRole('listitem').first();
      await row.getByText('Answered 503').waitFor();
      await row.locator('summary').click();
      await row.getByText('webhook-signature: v1,').waitFor();
      await look(window, `webhook-${name}`);
      await goTo('/settings/webhooks/new', 'Add a webhook endpoint');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await page.getByRole('alert').waitFor();
      await look(window, `webhook-new-refused-${name}`);
      await page.getByLabel('Address').fill(receiver.url('/fine'));
      await page.getByRole('checkbox', { name: 'Todo created' }).focus();
      await page.keyboard.press('Space');
      await page.getByRole('button', { name: 'Add endpoint' }).click();
      await sees('The endpoint is ready');
      await look(window, `webhook-secret-${name}`);
    }),
  );
}

test.run();
