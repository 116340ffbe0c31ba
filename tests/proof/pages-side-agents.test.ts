import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { asks } from '../support/inbox-fixtures.ts';
import { look, looksOf } from '../support/looks.ts';
import { callsOf } from '../support/people.ts';
import { reply, ScriptedEngine, settled } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { bodyOf, held, untilStatus } from '../support/work-fixtures.ts';

const engine = new ScriptedEngine();
const test = pageSuite('pages: agents in the sidebar', async () => ({ engine }));

for (const { name, ...options } of looksOf(import.meta.url)) {
  test.promise(`each agent says what it does, and the chats what waits to be sent: ${name}`, async (stage) => {
    const ada = await stage.person('Ada Lovelace');
    const call = callsOf(stage.tandem, ada);
    const atWork = held(reply('Six desks.'));
    const plan = engine.plan(atWork.script);
    const { id: agentId } = bodyOf(await call('POST /agents', { name: 'Accountant' }), 201);
    const asked = { message: `Count them: ${plan}`, agentId, title: 'Desks' };
    const { id: chatId } = bodyOf(await call('POST /chats', asked), 201);
    await untilStatus({ call }, chatId, 'running');
    await atWork.asked();
    await asks(stage, engine, ada, [['create_todo', { title: 'Order desks' }]], 'Researcher');
    const window = await stage.window({ ...options, as: ada });
    const { page, goTo, sees } = window;
    const isPhone = 'isMobile' in options;
    await goTo(`/chats/${chatId}`, 'Desks');
    await page.getByRole('textbox', { name: /Message/ }).fill('And chairs?');
    await page.keyboard.press('Enter');
    await page.getByText('Queued until this turn ends').waitFor();

    const chats = page.getByRole('navigation').getByRole('link', { name: 'Chats 1 waits' });
    await chats.waitFor();
    if (isPhone) await page.getByRole('button', { name: 'Open the navigation' }).click();
    const side = page.getByRole('navigation', { name: 'Work' });
    const agents = side.getByRole('list', { name: 'Agents' });
    await agents.getByRole('link', { name: 'Accountant At work' }).waitFor();
    await agents.getByRole('link', { name: 'Researcher Needs you' }).waitFor();
    await agents.getByRole('link', { name: 'Assistant Idle' }).scrollIntoViewIfNeeded();
    await look(window, `side-agents-${name}`);
    await agents.getByRole('link', { name: 'Accountant At work' }).click();
    await sees('Accountant');
    // The queued message follows by itself, and nothing is left to say.
    atWork.release();
    await chats.waitFor({ state: 'detached' });
    if (isPhone) await page.getByRole('button', { name: 'Open the navigation' }).click();
    await settled({ call }, chatId);
    await agents.getByRole('link', { name: 'Accountant Idle' }).waitFor();
    assert.is(await agents.getByRole('link').count(), 3);
  });
}

for (const [name, options] of [
  ['on a phone', { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }],
  ['in the collapsed sidebar', { viewport: { width: 1280, height: 900 } }],
] as const) {
  test.promise(`what waits to be sent is a number as any other ${name}`, async (stage) => {
    const ada = await stage.person();
    await asks(stage, engine, ada, [['create_todo', { title: 'Order desks' }]]);
    const call = callsOf(stage.tandem, ada);
    const atWork = held(reply('Six desks.'));
    const { id } = bodyOf(await call('POST /chats', { message: `Count: ${engine.plan(atWork.script)}` }), 201);
    await atWork.asked();
    const window = await stage.window({ ...options, as: ada });
    const { page } = window;
    await page.addInitScript("localStorage.setItem('tandem.sidebar', 'collapsed')");
    await page.goto(`/chats/${id}`);
    await page.getByRole('textbox', { name: /Message/ }).fill('And chairs?');
    await page.keyboard.press('Enter');
    const navigation = page.getByRole('navigation', { name: /Main pages|Work/ });
    await navigation.getByRole('link', { name: 'Inbox 1 need you' }).locator('.count').waitFor();
    await navigation.getByRole('link', { name: 'Chats 1 waits' }).waitFor();
    await look(window, `side-waits-${name.replaceAll(' ', '-')}`);
    const places = await page.evaluate(`['/inbox', '/chats'].map((to) => {
      const link = document.querySelector('nav a[href="' + to + '"]');
      const around = link.getBoundingClientRect();
      const { left, top, width, height } = link.querySelector('.count').getBoundingClientRect();
      return [left - around.left, top - around.top, width, height].map(Math.round);
    })`);
    const [inbox, chats] = places as number[][];
    assert.equal(chats, inbox);
    atWork.release();
    await settled({ call }, id);
  });
}

test.promise('a message that is sent at once is not counted, one that the service did not take is', async (stage) => {
  const ada = await stage.person();
  const call = callsOf(stage.tandem, ada);
  const atWork = held(reply('Six desks.'));
  const { id } = bodyOf(await call('POST /chats', { message: `Count: ${engine.plan(atWork.script)}` }), 201);
  await atWork.asked();
  const { page } = await stage.window({ as: ada, expected: /503/ });
  await page.goto(`/chats/${id}`);
  const field = page.getByRole('textbox', { name: /Message/ });
  await field.fill('And chairs?');
  await page.keyboard.press('Enter');
  const waits = page.getByRole('link', { name: 'Chats 1 waits' });
  await waits.waitFor();
  atWork.release();
  await waits.waitFor({ state: 'detached' });
  await page.locator('.message.agent').nth(1).waitFor();
  await page.getByText('Answered').waitFor();

  const refusal = Promise.withResolvers<void>();
  const second = Promise.withResolvers<void>();
  let asked = 0;
  await page.route(/chats\.sendMessage/, async (route) => {
    asked += 1;
    if (asked > 1) return second.promise.then(() => route.fallback());
    await refusal.promise;
    await route.fulfill({ status: 503, contentType: 'text/plain', body: 'later' });
  });
  await field.fill('And lamps?');
  await page.keyboard.press('Enter');
  await until(() => asked === 1);
  const shown = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))';
  await page.evaluate(shown);
  assert.is(await page.locator('.side-link[href="/chats"] .count').count(), 0);
  refusal.resolve();
  await waits.waitFor();
  second.resolve();
  await waits.waitFor({ state: 'detached' });
  await page.locator('.message.user').getByText('And lamps?').waitFor();
});

test.run();
