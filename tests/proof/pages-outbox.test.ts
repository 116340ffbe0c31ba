import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import {
  addTodo,
  complete,
  expected,
  grid,
  hasLoaded,
  isReady,
  listWindow,
  onWrite,
  pill,
  refusal,
  rowOf,
} from '../support/outbox-pages.ts';
import { callsOf } from '../support/people.ts';
import { freePort } from '../support/ports.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { unsent, untilStored } from '../support/stored-pages.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: changes at once and without a connection');

interface Listed {
  title: string;
  status: string;
}

test.promise(
  'what is created and changed offline outlives a reload, and the service gets exactly that',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    bodyOf(await call('POST /todos', { title: 'There before' }), 201);
    const window = await listWindow(stage, ada, { serviceWorkers: 'allow' });
    const { page, sees } = window;
    await rowOf(page, 'There before').waitFor();
    await untilStored(window, 'There before');
    for (const name of ['todo-page', 'changes-page']) await hasLoaded(page, name);
    await untilStored(window, 'There before');
    await page.context().setOffline(true);
    for (const title of ['One', 'Two', 'Three !high']) await addTodo(page, title);
    await rowOf(page, 'Three').waitFor();
    await complete(page, 'There before');
    await rowOf(page, 'Two').getByRole('link').click();
    await sees('Two');
    await page.getByRole('textbox', { name: 'Title' }).fill('Second');
    await page.getByRole('textbox', { name: 'Title' }).press('Enter');
    await sees('Second');
    await page.getByText('This todo is in this browser alone.').waitFor();
    await page.locator('a.back').click();
    await sees('Todos');
    await page.reload();
    await pill(page, 'Offline: 5 changes wait').waitFor();
    for (const title of ['One', 'Second', 'Three']) await rowOf(page, title).waitFor();
    assert.is(await page.getByRole('checkbox', { name: 'Done: There before' }).getAttribute('aria-checked'), 'true');
    await pill(page, /wait/).click();
    await sees('Unsent changes');
    assert.is(
      await page
        .getByRole('list', { name: 'Unsent changes' })
        .getByRole('button', { name: /^Discard/ })
        .count(),
      5,
    );
    await page.context().setOffline(false);
    await page.getByText('No unsent changes').waitFor();
    const { data } = bodyOf(await call('GET /todos?status=ready,in_progress,done'));
    const found = data.map(({ title, status }: Listed) => `${title} ${status}`).sort();
    assert.equal(found, ['One ready', 'Second ready', 'There before done', 'Three ready']);
    assert.is(await unsent(window), '[]');
  },
);

test.promise('a change is shown before the service answers, and nothing is said before it has', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  bodyOf(await call('POST /todos', { title: 'Held back' }), 201);
  const { page } = await listWindow(stage, ada);
  const release = Promise.withResolvers<void>();
  const writes = await onWrite(page, 'PATCH', async (route) => {
    await release.promise;
    await route.continue();
  });
  await complete(page, 'Held back');
  await page.getByRole('checkbox', { name: 'Done: Held back', checked: true }).waitFor();
  await until(() => writes.count === 1);
  const created = await onWrite(page, 'POST', async (route) => {
    await release.promise;
    await route.continue();
  });
  await addTodo(page, 'Shown at once');
  await rowOf(page, 'Shown at once').waitFor();
  await until(() => created.count === 1);
  assert.equal(
    bodyOf(await call('GET /todos')).data.map(({ title, status }: Listed) => [title, status]),
    [['Held back', 'ready']],
  );
  assert.is(await page.getByText('“Held back” is done.').count(), 0);
  release.resolve();
  await page.getByText('“Shown at once” is on the list.').or(page.getByText('“Held back” is done.')).first().waitFor();
  await until(async () => bodyOf(await call('GET /todos?status=done')).data.length === 1);
  await until(async () => bodyOf(await call('GET /todos?status=ready')).data.length === 1);
  assert.equal([writes.count, created.count], [1, 1]);
});

test.promise('of a field that others changed meanwhile a person is asked; other fields are merged', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft' }), 201);
  const { page, goTo, sees } = await listWindow(stage, ada);
  await goTo(`/todos/${id}`, 'Draft');
  await isReady(page);
  await page.context().setOffline(true);
  const title = page.getByRole('textbox', { name: 'Title' });
  await title.fill('Mine');
  await title.press('Enter');
  await page.getByLabel('Priority').selectOption('high');
  await pill(page, 'Offline: 2 changes wait').waitFor();
  bodyOf(await call(`PATCH /todos/${id}`, { title: 'Theirs', dueDate: '2030-01-02' }));
  await page.context().setOffline(false);
  await page.getByText('Somebody else changed the title at the same time.').waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).priority === 'high');
  const now = bodyOf(await call(`GET /todos/${id}`));
  assert.equal([now.title, now.dueDate], ['Theirs', '2030-01-02']);
  await pill(page, '1 change needs you').click();
  await sees('Unsent changes');
  await page.getByText('Theirs: Theirs').waitFor();
  await page.getByRole('button', { name: 'Keep yours' }).click();
  await page.getByText('No unsent changes').waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).title === 'Mine');
});

test.promise(
  'where a todo was erased while a person decides, “Keep yours” says that it is not stored',
  async (stage) => {
    const ada = await stage.person();
    const call = callsOf(stage.tandem, ada);
    const { id } = bodyOf(await call('POST /todos', { title: 'Draft' }), 201);
    const { page, goTo, sees } = await listWindow(stage, ada);
    await goTo(`/todos/${id}`, 'Draft');
    await isReady(page);
    await page.context().setOffline(true);
    await page.getByLabel('Priority').selectOption('high');
    await pill(page, 'Offline: 1 change waits').waitFor();
    bodyOf(await call(`PATCH /todos/${id}`, { priority: 'urgent' }));
    await page.context().setOffline(false);
    await pill(page, '1 change needs you').click();
    await sees('Unsent changes');
    assert.is((await call(`DELETE /todos/${id}?permanent=true`)).status, 200);
    await page.getByRole('button', { name: 'Keep yours' }).click();
    await page.getByText('There is no todo with this id').waitFor();
    await page.getByText('No unsent changes').waitFor();
  },
);

test.promise('a service that is killed before the answer makes exactly one todo', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { hostname } = new URL(stage.tandem.url);
  const settings = { PORT: String(await freePort()), NODE_ENV: 'test' };
  let service = await startProcess(settings);
  try {
    const url = `http://${hostname}:${settings.PORT}`;
    const window = await stage.window({ as: ada, expected, baseURL: url, elsewhere: [url] });
    const { page } = window;
    await window.goTo('/todos', 'Todos');
    await isReady(page);
    const keys: (string | undefined)[] = [];
    const writes = await onWrite(page, 'POST', async (route, place) => {
      keys.push(route.request().headers()['idempotency-key']);
      if (place > 1) return route.continue();
      assert.is((await route.fetch()).status(), 201);
      service.child.kill('SIGKILL');
      await service.exited;
      await route.abort();
    });
    await addTodo(page, 'Only one');
    await pill(page, '1 change waits').waitFor();
    await rowOf(page, 'Only one').waitFor();
    service = await startProcess(settings);
    await pill(page, /wait/).waitFor({ state: 'detached' });
    assert.ok(writes.count >= 2);
    assert.is(new Set(keys).size, 1);
    assert.is(bodyOf(await call('GET /todos')).data.length, 1);
    assert.is(await grid(page).getByText('Only one').count(), 1);
  } finally {
    await stopProcesses();
  }
});

test.promise('of two windows one sends, and the other takes over when it is closed', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { page } = await listWindow(stage, ada);
  const context = page.context();
  const second = await context.newPage();
  await second.goto('/todos');
  await isReady(second);
  // The window and the key: what a window sends again, as a busy service may need it, counts once.
  const sent = new Set<string>();
  context.on('request', (request) => {
    if (request.method() !== 'POST' || !request.url().endsWith('/api/v1/todos')) return;
    sent.add(`${[page, second].indexOf(request.frame().page())} ${request.headers()['idempotency-key']}`);
  });
  await context.setOffline(true);
  await addTodo(second, 'From the second');
  for (const each of [page, second]) {
    await pill(each, 'Offline: 1 change waits').waitFor();
    await rowOf(each, 'From the second').waitFor();
  }
  await context.setOffline(false);
  await until(async () => (await unsent({ page })) === '[]');
  for (const each of [page, second]) await pill(each, /wait/).waitFor({ state: 'detached' });
  assert.is(sent.size, 1);
  await context.setOffline(true);
  await addTodo(second, 'After it is closed');
  await pill(page, 'Offline: 1 change waits').waitFor();
  await page.close();
  await context.setOffline(false);
  await until(async () => (await unsent({ page: second })) === '[]');
  assert.is(sent.size, 2);
  assert.is(bodyOf(await call('GET /todos')).data.length, 2);
});

test.promise('402 takes the field back with the sentence; refused text stays within reach', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Draft' }), 201);
  const { page, goTo, sees } = await listWindow(stage, ada);
  const minutes = await onWrite(page, 'PATCH', (route) => route.fulfill(refusal(402, 'No agent minutes are left.')));
  await complete(page, 'Draft');
  await page.getByText('No agent minutes are left.').waitFor();
  await page.getByRole('checkbox', { name: 'Done: Draft', checked: false }).waitFor();
  assert.is(await pill(page, /change/).count(), 0);
  await minutes.end();

  const refused = await onWrite(page, 'PATCH', (route) => route.fulfill(refusal(400, 'This title is not allowed.')));
  await goTo(`/todos/${id}`, 'Draft');
  await isReady(page);
  await page.getByRole('textbox', { name: 'Title' }).fill('Long thought about');
  await page.getByRole('textbox', { name: 'Title' }).press('Enter');
  await page.getByText('This title is not allowed.').waitFor();
  await sees('Draft');
  assert.is(await page.getByRole('textbox', { name: 'Title' }).inputValue(), 'Long thought about');
  await pill(page, '1 change needs you').click();
  await sees('Unsent changes');
  await page.getByText('Refused', { exact: true }).waitFor();
  await page.getByText('title: Long thought about').waitFor();
  assert.is(refused.count, 1, 'leaving the field does not send again what was refused');
  await refused.end();
  await page.getByRole('button', { name: /^Send again/ }).click();
  await page.getByText('No unsent changes').waitFor();
  assert.is(bodyOf(await call(`GET /todos/${id}`)).title, 'Long thought about');
});

test.promise('503 and 429 keep the change, which is sent again, and not before Retry-After', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const { id } = bodyOf(await call('POST /todos', { title: 'Patient' }), 201);
  const { page } = await listWindow(stage, ada);
  const times: number[] = [];
  const retryAfterSeconds = 3;
  await onWrite(page, 'PATCH', async (route, place) => {
    times.push(performance.now());
    if (place === 1) return route.fulfill(refusal(503, 'The database cannot be reached.'));
    if (place === 2) return route.fulfill(refusal(429, 'Too many requests.', { retryAfterSeconds }));
    return route.continue();
  });
  await complete(page, 'Patient');
  await pill(page, '1 change waits').waitFor();
  await page.getByRole('checkbox', { name: 'Done: Patient', checked: true }).waitFor();
  await until(async () => bodyOf(await call(`GET /todos/${id}`)).status === 'done');
  await pill(page, /wait/).waitFor({ state: 'detached' });
  assert.is(times.length, 3);
  assert.ok((times[2] ?? 0) - (times[1] ?? 0) >= retryAfterSeconds * 1000, 'not before Retry-After');
});

test.run();
