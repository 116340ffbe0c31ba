import * as assert from 'uvu/assert';
import { pageSuite, type Stage } from '../support/browser.ts';
import { sendDelta } from '../support/chat-fixtures.ts';
import { addMessages, openChat } from '../support/chat-pages.ts';
import { costMeter } from '../support/page-cost.ts';
import { until } from '../support/until.ts';

/* What a long chat costs while its agent answers: as much as a short one, for each piece of text and for each key. */

const test = pageSuite('pages: budgets of a chat', undefined, { AGENT_CONCURRENCY: '0' });

/** Rounds, and what each of them has. */
const rounds = 4;
const pieces = 30;
const keys = 40;
/** Times the cost in a short chat. */
const maxRatio = 2.5;
const maxNodes = 1_000;

const knownRows = `(() => {
  scrollTo(0, 0);
  const [row] = document.querySelectorAll('.messages > li');
  return Number(row?.getAttribute('aria-setsize') ?? document.querySelectorAll('.messages > li').length);
})()`;

/** A chat of so many messages, all of them read. Each `round` is the processor time in ms of a piece and of a key. */
async function measuredChat(stage: Stage, count: number) {
  const chat = await openChat(stage, { viewport: { width: 1280, height: 900 } });
  const { page, chatId } = chat;
  await addMessages(stage.tandem, chat, count);
  const { cost } = await costMeter(page);
  await page.reload();
  const rows = page.locator('.messages > li');
  await rows.getByText(`Message number ${count}`).waitFor();
  await until(async () => (await page.evaluate<number>(knownRows)) >= count);
  const field = page.getByLabel('Message', { exact: true });
  await field.focus();
  await page.evaluate('scrollTo(0, document.documentElement.scrollHeight)');
  await rows.getByText(`Message number ${count}`).waitFor();

  const text = 'One two, *three* four. '.repeat(2 * rounds * pieces);
  const length = 24;
  const shown = '(document.querySelector(".message.open .prose")?.textContent.length ?? 0)';
  const send = (offset: number) =>
    sendDelta(stage.tandem, { chatId, sequence: count + 1, offset, text: text.slice(offset, offset + length) });
  // The first piece is repeated until the stream is open: earlier ones reach nobody.
  await until(async () => {
    await send(0);
    return (await page.evaluate<number>(shown)) > 0;
  });
  let [piece, typed] = [0, ''];
  const round = async () => {
    const begun = await cost();
    for (const last = piece + pieces; piece < last; ) {
      const before = await page.evaluate<number>(shown);
      await send(++piece * length);
      await until(async () => (await page.evaluate<number>(shown)) > before);
    }
    const written = await cost();
    for (let key = 0; key < keys; key++) await page.keyboard.press('a');
    typed += 'a'.repeat(keys);
    await until(async () => (await field.inputValue()) === typed);
    return { piece: (written.taskMs - begun.taskMs) / pieces, key: ((await cost()).taskMs - written.taskMs) / keys };
  };
  const size = async () => ({
    nodes: await page.evaluate<number>('document.querySelectorAll(".messages *").length'),
    heapBytes: (await cost()).heapBytes,
  });
  return { round, size };
}

test.promise('two thousand messages make neither an answer nor typing more work than twenty', async (stage) => {
  const [short, long] = [await measuredChat(stage, 20), await measuredChat(stage, 2_000)];
  // In turn, and the best of each: what else the machine does makes one of them dearer, never cheaper.
  const [shorts, longs] = [[await short.round()], [await long.round()]];
  for (let each = 1; each < rounds; each++) {
    shorts.push(await short.round());
    longs.push(await long.round());
  }
  const ratio = (name: 'piece' | 'key') =>
    Math.min(...longs.map((each) => each[name])) / Math.min(...shorts.map((each) => each[name]));
  const { nodes, heapBytes } = await long.size();
  const figures = [
    ['processor time for each piece of an answer, times that in a short chat', ratio('piece'), maxRatio],
    ['processor time for each key, times that in a short chat', ratio('key'), maxRatio],
    ['nodes of messages', nodes, maxNodes],
    ['MB of heap', heapBytes / 1e6, 80],
  ] as const;
  for (const [what, figure, budget] of figures) {
    process.stdout.write(`${what}: ${Number(figure.toPrecision(3))} of ${budget}\n`);
    assert.ok(figure <= budget, `${what}: ${figure} is more than ${budget}`);
  }
});

test.run();
