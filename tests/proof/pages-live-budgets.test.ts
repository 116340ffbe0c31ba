import * as assert from 'uvu/assert';
import { createTandemClient, followEvents } from '../../client/index.ts';
import { pageSuite } from '../support/browser.ts';
import { medianOf } from '../support/page-cost.ts';
import { callsOf } from '../support/people.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

/*
 * How soon one browser shows what was changed in another, beside a program that receives the events. The clocks are
 * those of one machine, in ms since 1970.
 */

const test = pageSuite('pages: changes in another browser');

const rounds = 20;
const budgetMs = 500;
/** One stays: the list is there. */
const titles = Array.from({ length: rounds + 1 }, (_, place) => `Water the plants of room ${place}`);

/** Notes when keys are pressed, as `window.pressed`. */
const watchKeys = `window.pressed = [];
addEventListener('keydown', ({ timeStamp }) => window.pressed.push(performance.timeOrigin + timeStamp), true);`;

/** Notes when each open todo has left the list, as `window.left`, by its title. */
const watchList = `window.left = {};
new MutationObserver(() => {
  const shown = new Set([...document.querySelectorAll('[role=row] a')].map(({ textContent }) => textContent));
  for (const title of ${JSON.stringify(titles)}) {
    if (!shown.has(title)) window.left[title] ??= performance.timeOrigin + performance.now();
  }
}).observe(document.querySelector('[role=grid]'), { subtree: true, childList: true });`;

test.promise('a change is shown in another browser little later than a program receives its event', async (stage) => {
  const ada = await stage.person();
  bodyOf(await callsOf(stage.tandem, ada)('POST /todos/batch', { data: titles.map((title) => ({ title })) }));
  const viewport = { width: 1280, height: 1600 };
  const [first, second] = [await stage.window({ as: ada, viewport }), await stage.window({ as: ada, viewport })];
  for (const { page, goTo } of [first, second]) {
    await goTo('/todos', 'Todos');
    await page.getByText(titles[0] ?? '', { exact: true }).waitFor();
    await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
  }
  const received = new Map<string, number>();
  const stop = new AbortController();
  const client = createTandemClient({ url: stage.tandem.url, token: ada.session.token });
  const ready = Promise.withResolvers<void>();
  const options = { types: ['todo.completed' as const], signal: stop.signal, onPosition: () => ready.resolve() };
  const following = (async () => {
    for await (const { data } of followEvents(client, options)) received.set(data.id, Date.now());
  })().catch(() => {});
  await ready.promise;
  const { data: todos } = bodyOf(await callsOf(stage.tandem, ada)('GET /todos?limit=100'));
  await second.page.evaluate(watchList);
  await first.page.evaluate(watchKeys);
  await first.page.keyboard.press('j');
  const times: { page: number[]; program: number[] } = { page: [], program: [] };
  try {
    for (let round = 0; round < rounds; round++) {
      const focused = first.page.locator('[role=row]').filter({ has: first.page.locator(':focus') });
      const title =
        (await first.page.locator('[role=row]:focus a').or(focused.locator('a')).first().textContent()) ?? '';
      const id = todos.find((todo: { title: string }) => todo.title === title)?.id;
      await first.page.keyboard.press('e');
      const at = await first.page.evaluate<number>('window.pressed.at(-1)');
      await until(() => second.page.evaluate(`window.left[${JSON.stringify(title)}] !== undefined`));
      await until(() => received.has(id));
      times.page.push((await second.page.evaluate<number>(`window.left[${JSON.stringify(title)}]`)) - at);
      times.program.push((received.get(id) ?? 0) - at);
      await first.page.keyboard.press('j');
    }
  } finally {
    stop.abort();
    await following;
  }
  const [page, program] = [medianOf(times.page), medianOf(times.program)];
  const p95 = times.page.toSorted((a, b) => a - b)[Math.ceil(rounds * 0.95) - 1] ?? Number.NaN;
  process.stdout.write(
    `ms from a key to another browser, p50 / p95: ${Math.round(page)} / ${Math.round(p95)} (budget of a machine at rest: ${budgetMs}); to a program: ${Math.round(program)}\n`,
  );
  assert.ok(page <= Math.max(budgetMs, 3 * program), `${page} ms, to a program ${program} ms`);
});

test.run();
