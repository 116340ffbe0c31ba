import * as assert from 'uvu/assert';
import { pageSuite } from '../support/browser.ts';
import { sendDelta } from '../support/chat-fixtures.ts';
import { addMessages, cutStreams, openChat, sentTexts } from '../support/chat-pages.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: a chat', undefined, { AGENT_CONCURRENCY: '0' });

test.promise('messages arrive once and whole over a stream that is cut at random lines', async (stage) => {
  const { page, agent, call, path } = await openChat(stage, { script: cutStreams });
  const cuts = () => page.evaluate<number>('window.cuts');
  const texts: string[] = [];
  // Until enough streams were cut in the middle of a turn.
  for (let number = 1; (await cuts()) < 4 || number < 12; number++) {
    texts.push(`Number **${number}** of the answer.`);
    await agent.write(texts.at(-1) ?? '');
    const shown = page.locator('.messages > li').filter({ hasText: `Number ${number} of` });
    await shown.waitFor();
  }
  await agent.finish('That is all.');
  await page.getByText('Answered').waitFor();
  // The state may be known before the stream, which was cut, brings the last message.
  await page.locator('.message.agent .prose').getByText('That is all.').waitFor();
  const shown = await page.locator('.message.agent .prose').allInnerTexts();
  assert.equal(shown, [...texts.map((text) => text.replaceAll('**', '')), 'That is all.']);
  const { body } = await call(`GET ${path}/messages?limit=100`);
  assert.is(body.data.length, texts.length + 2);
});

test.promise('a table of an answer is one, and scrolls where a phone is too narrow for it', async (stage) => {
  const { page, agent, window } = await openChat(stage, { viewport: { width: 360, height: 740 } });
  const head = '| Todo | Owner | Due | Hours | Where |\n|---|---|:-:|--:|---|\n';
  const row = '| Send the **contract** | Ada Lovelace | tomorrow | 2 | https://example.com/contracts/2027 |';
  await agent.finish(`These are due:\n\n${head}${row}\n\nAnything else?`);
  const table = page.getByRole('table');
  await table.getByRole('columnheader', { name: 'Owner' }).waitFor();
  assert.equal(await table.getByRole('cell').allInnerTexts(), [
    ...['Send the contract', 'Ada Lovelace', 'tomorrow', '2', 'https://example.com/contracts/2027'],
  ]);
  const scrolls = `(() => {
    const { scrollWidth, clientWidth } = document.querySelector('table').parentElement;
    return [scrollWidth > clientWidth, document.documentElement.scrollWidth > innerWidth];
  })()`;
  assert.equal(await page.evaluate(scrolls), [true, false]);
  assert.equal(await window.axe('all'), []);
});

test.promise('at 400 % zoom a chat can be read, and the drawer has its links', async (stage) => {
  const open = await openChat(stage, { viewport: { width: 320, height: 256 } });
  await addMessages(stage.tandem, open, 10);
  const { page } = open;
  await page.reload();
  await page.getByText('Message number 10').waitFor();
  await page.evaluate('window.scrollTo(0, 0)');
  // Below the window, as the end of the page is, and not over the messages.
  const isBelow = 'document.querySelector(".dock").getBoundingClientRect().top >= innerHeight';
  await until(() => page.evaluate<boolean>(isBelow));
  await page.getByRole('button', { name: 'Open the navigation' }).click();
  await page.getByRole('dialog', { name: 'Navigation' }).getByRole('link', { name: 'Schedules' }).click();
  await page.getByRole('heading', { level: 1, name: 'Schedules' }).waitFor();
});

const watchRows = `(() => {
  window.changes = 0;
  // How long ago something was is written anew each minute.
  const isTime = ({ target }) => (target.closest ? target : target.parentElement)?.closest('time');
  const watch = new MutationObserver((records) => { window.changes += records.filter((each) => !isTime(each)).length; });
  for (const row of document.querySelectorAll('.messages > li'))
    watch.observe(row, { subtree: true, childList: true, characterData: true, attributes: true });
})()`;

test.promise(
  'open text grows in an element of its own, is announced in sentences, and becomes a message',
  async (stage) => {
    const { page, agent, chatId, window } = await openChat(stage);
    await agent.write('I look at the **list**.');
    // Once the parser and the names are loaded too.
    await page.locator('.message.agent .prose strong').waitFor();
    await page.locator('.message.agent .message-head', { hasText: 'Assistant' }).waitFor();
    await page.evaluate(watchRows);
    const text = 'Two todos are *due*. '.repeat(30);
    const open = page.locator('.message.open');
    // The first piece is repeated until the stream is open: earlier ones reach nobody.
    await until(async () => {
      await sendDelta(stage.tandem, { chatId, sequence: 3, offset: 0, text: text.slice(0, 5) });
      return (await open.count()) > 0;
    });
    for (let offset = 5; offset < text.length; offset += 5)
      await sendDelta(stage.tandem, { chatId, sequence: 3, offset, text: text.slice(offset, offset + 5) });
    const plain = text.replaceAll('*', '').trim();
    await until(async () => (await open.locator('.prose').innerText()) === plain);
    assert.is(await open.locator('em').count(), 30);
    assert.is(await page.evaluate('window.changes'), 0, 'settled messages are not rendered again');
    const live = page.locator('.conversation > [aria-live]');
    await until(async () => /^(Two todos are due\. ?)+$/.test((await live.textContent()) ?? ''));
    assert.equal(await window.axe('all'), []);
    await agent.finish(text);
    await open.waitFor({ state: 'detached' });
    await page.getByText('Answered').waitFor();
    const last = page.locator('.message.agent').last().locator('.prose');
    await until(async () => (await last.innerText()) === plain);
  },
);

test.promise('Esc stops the agent; text written meanwhile waits until the person sends it', async (stage) => {
  const chat = await openChat(stage);
  const { page, call, path } = chat;
  const field = page.getByLabel('Message', { exact: true });
  await page.locator('#content').getByText('At work').waitFor();
  await field.focus();
  await page.keyboard.type('First line');
  await page.keyboard.press('Shift+Enter');
  await page.keyboard.type('second line');
  const composed = `document.activeElement.dispatchEvent(
    new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true, cancelable: true }))`;
  assert.is(await page.evaluate(composed), true, 'the key that ends a composition does not send');
  await page.keyboard.press('Enter');
  await page.getByText('Queued until this turn ends').waitFor();
  assert.is(await field.inputValue(), '');
  await page.keyboard.press('Escape');
  await page.getByText('Stopped').waitFor();
  assert.is(bodyOf(await call(`GET ${path}`)).status, 'cancelled');
  await page.getByText('Queued: not sent yet').waitFor();
  await page.getByRole('button', { name: 'Edit' }).press('Enter');
  await until(async () => (await field.inputValue()) === 'First line\nsecond line');
  await page.locator('textarea:focus').waitFor();
  await page.keyboard.press('Enter');
  await page.locator('#content').getByText('At work').waitFor();
  await field.fill('Something else');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Stop and send now' }).press('Enter');
  await until(async () => (await sentTexts(chat)).length === 3);
  assert.equal((await sentTexts(chat)).slice(1), ['First line\nsecond line', 'Something else']);
  await page.getByRole('list', { name: 'Queued messages' }).waitFor({ state: 'detached' });
});

test.promise('queued text is sent once although the page is reloaded and answers are lost', async (stage) => {
  const chat = await openChat(stage, { expected: /status of 503|net::ERR_/ });
  const { page, agent } = chat;
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('And next week?');
  await field.press('Enter');
  await field.fill('Not finished');
  await page.getByText('Queued until this turn ends').waitFor();
  await page.reload();
  await page.getByText('Queued until this turn ends').waitFor();
  assert.is(await field.inputValue(), 'Not finished');
  // The service takes the message, and its answer is lost: twice, the second time with the page.
  let lost = 0;
  await page.route('**/trpc/chats.sendMessage*', async (route) => {
    if (lost >= 2) return route.continue();
    await route.fetch();
    lost++;
    if (lost === 1) await route.fulfill({ status: 503, contentType: 'text/plain', body: 'later' });
    else await route.abort('connectionreset');
  });
  await agent.finish('Nothing is due.');
  await page.getByText('It is tried again by itself.').waitFor();
  await until(() => lost === 2);
  await page.reload();
  await page.locator('.message.user').getByText('And next week?').waitFor();
  await page.getByRole('list', { name: 'Queued messages' }).waitFor({ state: 'detached' });
  assert.equal(await sentTexts(chat), ['What is due this week?', 'And next week?']);
  assert.is(await page.locator('.message.user').count(), 2);
});

test.promise(
  'what is queued is sent at the end of the turn on other pages too, and asked about before it is lost',
  async (stage) => {
    const chat = await openChat(stage);
    const { page, agent, window } = chat;
    const field = page.getByLabel('Message', { exact: true });
    const queue = async (text: string) => {
      await field.fill(text);
      await field.press('Enter');
      await page.getByRole('list', { name: 'Queued messages' }).getByText(text).waitFor();
    };
    await queue('And next week?');
    await queue('And next month?');
    await page.getByRole('link', { name: 'Todos', exact: true }).first().click();
    await window.sees('Todos');
    await agent.finish('Nothing is due.');
    await until(async () => (await sentTexts(chat)).length === 2);
    // A reload of another page forgets nothing, and its reload is asked about.
    const asked: string[] = [];
    page.on('dialog', (dialog) => {
      asked.push(dialog.type());
      void dialog.accept();
    });
    await page.reload();
    await window.sees('Todos');
    assert.equal(asked, ['beforeunload']);
    await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
    await page.getByRole('button', { name: /^Account: / }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Sign out and discard changes?' });
    await dialog.getByText('A message is not stored by the service yet.').waitFor();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await agent.finish('Nor then.');
    await until(async () => (await sentTexts(chat)).length === 3);
    assert.equal((await sentTexts(chat)).slice(1), ['And next week?', 'And next month?']);
  },
);

test.promise('what is queued in a chat that is erased meanwhile is refused, and can be withdrawn', async (stage) => {
  const { page, call, path, window } = await openChat(stage, { expected: /404/ });
  const field = page.getByLabel('Message', { exact: true });
  await field.fill('And next week?');
  await field.press('Enter');
  const queued = page.getByRole('list', { name: 'Queued messages' });
  await queued.getByText('And next week?').waitFor();
  await page.getByRole('link', { name: 'Todos', exact: true }).first().click();
  await window.sees('Todos');
  bodyOf(await call(`DELETE ${path}?permanent=true`), 200);
  const refused = `Object.entries(sessionStorage).some(([name, value]) =>
    name.endsWith('.outbox') && value.includes('"state":"refused"'))`;
  await until(() => page.evaluate<boolean>(refused));
  await page.getByRole('link', { name: 'Chats 1 not sent' }).waitFor();
  await window.goTo('/changes', 'Unsent changes');
  const row = page.getByRole('list', { name: 'Unsent messages' }).getByRole('listitem');
  await row.getByText('Refused').waitFor();
  await row.getByText('And next week?').waitFor();
  assert.is(await page.getByText('No unsent changes').count(), 0);
  await row.getByRole('link').click();
  await window.sees('Chat not found');
  await queued.getByText(/^Not sent: /).waitFor();
  assert.is(await queued.getByRole('button', { name: 'Send now' }).count(), 0);
  await queued.getByRole('button', { name: 'Withdraw' }).click();
  await queued.waitFor({ state: 'detached' });
  await page.goBack();
  await page.getByText('No unsent changes').waitFor();
});

test.promise('two thousand messages are a window of rows, older ones are read in place', async (stage) => {
  const chat = await openChat(stage);
  const { page, agent } = chat;
  await agent.end({ outcome: 'completed' });
  await addMessages(stage.tandem, chat, 2_000);
  await page.reload();
  const rows = page.locator('.messages > li');
  const visible = `[...document.querySelectorAll('.messages > li')]
    .find((row) => row.getBoundingClientRect().bottom > 60)?.dataset.key`;
  // What is scrolled is drawn in a frame, and what was measured then in the next one.
  const drawn = 'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))';
  await rows.getByText('Message number 2000').waitFor();
  await until(() => page.evaluate('scrollY + innerHeight >= document.documentElement.scrollHeight - 2'));
  const toTop = `(() => {
    scrollTo(0, 0);
    const rows = document.querySelectorAll('.messages > li');
    return [rows.length, Number(rows[0]?.getAttribute('aria-setsize') ?? rows.length)];
  })()`;
  let most = 0;
  for (let known = 0; known < 2_000; ) {
    let now = known;
    await until(async () => {
      const [shown, all] = await page.evaluate<[number, number]>(toTop);
      most = Math.max(most, shown);
      now = all;
      return all > known;
    });
    known = now;
  }
  await page.locator('.older').waitFor({ state: 'detached' });
  await page.evaluate('scrollTo(0, 0)');
  await rows.getByText('What is due this week?').waitFor();
  assert.ok(most <= 220, `${most} rows at once`);
  await until(async () => (await rows.count()) < 60);
  const toEnd = page.getByRole('button', { name: 'Go to the end' });
  await toEnd.press('Enter');
  await rows.getByText('Message number 2000').waitFor();
  await page.locator('textarea:focus').waitFor();
  await until(async () => (await rows.count()) < 60);
  await toEnd.waitFor({ state: 'detached' });
  // Away from the end, what is new is counted and moves nothing.
  await page.evaluate('scrollBy(0, -2000)');
  await toEnd.waitFor();
  // Rows that are measured as they come into view move the page.
  let before: unknown;
  await until(async () => {
    const last = before;
    await page.evaluate(drawn);
    before = await page.evaluate(visible);
    return before !== undefined && before === last;
  });
  bodyOf(await chat.call(`POST ${chat.path}/messages`, { message: 'One more' }), 202);
  await agent.write('On it.');
  await page.getByRole('button', { name: '2 new: go to the end' }).waitFor();
  assert.is(await page.evaluate(visible), before);
  await page.getByRole('button', { name: '2 new: go to the end' }).click();
  await rows.getByText('On it.').waitFor();
});

for (const viewport of [
  { width: 1280, height: 800 },
  { width: 360, height: 740 },
]) {
  test.promise(`the composer stays where it is at the end of a chat, ${viewport.width} px wide`, async (stage) => {
    const chat = await openChat(stage, { viewport });
    const { page, agent } = chat;
    await addMessages(stage.tandem, chat, 30);
    await agent.finish('That is all.');
    const last = page.locator('.message.agent .prose').getByText('That is all.');
    await last.waitFor();
    const placeAt = async (top: string) => {
      await page.evaluate(`scrollTo(0, ${top})`);
      return page.evaluate<number>('Math.round(document.querySelector(".dock").getBoundingClientRect().bottom)');
    };
    const [above, atEnd] = [await placeAt('300'), await placeAt('document.documentElement.scrollHeight')];
    assert.ok(Math.abs(above - atEnd) <= 4, `${above} px from the top, and ${atEnd} at the end`);
  });
}

test.run();
