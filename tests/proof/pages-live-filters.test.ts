import type { Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import { filterIn, listingOf, placeAt, searchOf } from '../../web/src/todos/filter.ts';
import { pageSuite } from '../support/browser.ts';
import { callsOf, password } from '../support/people.ts';
import { countOf } from '../support/proof-size.ts';
import { openStreamPassage } from '../support/stream-passage.ts';
import { changeOne, days, fill, type Parts, words } from '../support/todo-changes.ts';
import { pickOf, randomOf } from '../support/todo-oracle.ts';
import { until } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = pageSuite('pages: lists of random filters under live changes');

const rounds = countOf('PAGE_WALK_ROUNDS', { ci: 12, full: 250 });
const changesPerRound = 8;
const seed = Number(process.env.PAGE_WALK_SEED ?? Math.floor(Math.random() * 2 ** 31));

/** All rows of a list of this test are in the document. */
const tall = { width: 1280, height: 4000 };
/** Nothing is read again by the clock: what the page shows came with an event. */
const withoutPolling = 'window.setInterval = () => 0;';
const sorts = ['createdAt', 'updatedAt', 'dueDate', 'priority', 'position'] as const;

/** A random address of a list. */
function addressOf({ lists, labels, workers }: Parts, random: () => number): string {
  const pick = pickOf(random);
  const some = (values: readonly string[]) => [...new Set([pick(values), pick(values)])].join();
  const values: Record<string, () => string> = {
    status: () => some(['ready', 'in_progress', 'done', 'active']),
    priority: () => some(['urgent', 'high', 'medium', 'low', 'none']),
    todoListId: () => some(lists),
    labelId: () => some(labels),
    dueBefore: () => pick(days),
    dueAfter: () => pick(days),
    query: () => pick(words),
    sort: () => pick(sorts),
    order: () => pick(['asc', 'desc']),
    ...(random() < 0.5 ? { assigneeId: () => some([...workers, 'me']) } : { unassigned: () => 'true' }),
  };
  const path = pick(['/todos', '/todos', '/mine', '/archive', `/lists/${pick(lists)}`]);
  const chosen = Object.entries(values).filter(([name]) => random() < (['sort', 'order'].includes(name) ? 0.7 : 0.15));
  const query = new URLSearchParams(chosen.map(([name, value]): [string, string] => [name, value()]));
  return `${path}?${query}`;
}

/** REST's query of the list that a page shows. */
function queryOf(page: Page): string {
  const { pathname, search } = new URL(page.url());
  return searchOf(listingOf(placeAt(pathname, ''), filterIn(search)));
}

interface Todo {
  id: string;
  title: string;
  priority: string | null;
}

const wordsOf = ({ id, title, priority }: Todo) => `${id} ${title} ${priority ?? ''}`;

/** The rows of the list in their order. */
const shown = (page: Page) =>
  page.evaluate(`[...document.querySelectorAll('[role=grid] [role=row][data-id]')]
    .sort((a, b) => a.ariaRowIndex - b.ariaRowIndex)
    .map((row) => [
      row.dataset.id,
      row.querySelector('a').textContent,
      row.querySelector('i.priority')?.classList[1] ?? '',
    ].join(' '))`);

test.promise('what a list shows equals what the service answers, whatever its filter and its order', async (stage) => {
  process.stdout.write(`PAGE_WALK_SEED=${seed}\n`);
  const random = randomOf(seed);
  const pick = pickOf(random);
  const ada = await stage.person();
  // The changes come from another session of hers.
  const { body: session } = await stage.tandem.call('POST /auth/sessions', { email: ada.email, password });
  const call = callsOf(stage.tandem, { ...ada, session });
  const parts = await fill(call, ada.session.user.id, random);
  const passage = await openStreamPassage(stage.tandem.url);
  const options = { baseURL: passage.url, elsewhere: [passage.url], expected: /net::ERR_/, viewport: tall };
  const { page } = await stage.window({ as: ada, ...options });
  await page.addInitScript(withoutPolling);
  let most = 0;
  try {
    for (let round = 0; round < rounds; round++) {
      const address = addressOf(parts, random);
      const done: string[] = [];
      const changeSome = async () => {
        for (let change = 0; change < changesPerRound; change++) {
          if (random() < 0.15) {
            passage.cut();
            done.push('cut');
          }
          done.push(await changeOne(call, parts, random));
        }
      };
      const isEqual = async () => {
        const expected: Todo[] = bodyOf(await call(`GET /todos${queryOf(page)}&limit=100`)).data;
        most = Math.max(most, expected.length);
        const [listed, rows] = [expected.map(wordsOf), await shown(page)];
        last = { listed, rows };
        return JSON.stringify(listed) === JSON.stringify(rows);
      };
      let last = {};
      const equals = () =>
        until(
          isEqual,
          () => `seed ${seed}, round ${round}, ${page.url()}: ${JSON.stringify({ done, ...last }, null, 1)}`,
        );
      await page.goto(address);
      await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
      await changeSome();
      await equals();
      if (random() < 0.5) {
        // Changes go on while the page reads another order of the same todos.
        const changing = changeSome();
        await page.getByLabel('Sort').selectOption(pick(sorts));
        await changing;
        await equals();
      }
    }
  } finally {
    await passage.close();
  }
  assert.ok(most > 5, `no list had more than ${most} todos`);
});

test.run();
