import type { Page, Route } from 'playwright-core';
import type { Stage, Window } from './browser.ts';
import type { Person } from './people.ts';
import { until } from './until.ts';

/* Windows that change todos, and a service that answers as a test says. */

/** What a browser logs when a request fails. */
export const expected = /net::ERR_|Failed to load resource/;

/** A window of the list of todos whose outbox is ready. */
export async function listWindow(
  stage: Stage,
  as: Person,
  options: Parameters<Stage['window']>[0] = {},
): Promise<Window> {
  const window = await stage.window({ as, expected, ...options });
  await window.goTo('/todos', 'Todos');
  await isReady(window.page);
  return window;
}

/** Waits until the code of live updates and of the outbox is there. */
export async function isReady(page: Page): Promise<void> {
  await page.locator('.live-updates[data-state=live]').waitFor({ state: 'attached' });
  await hasLoaded(page, 'outbox');
}

/** Waits until the page has loaded the code of this name, and the files that it imports, which may come after it. */
export async function hasLoaded(page: Page, name: string): Promise<void> {
  const paths = "performance.getEntriesByType('resource').map(({ name }) => new URL(name).pathname)";
  const isCode = `path.startsWith('/assets/${name}-') && path.endsWith('.js')`;
  let code: string | undefined;
  await until(async () => {
    code = await page.evaluate<string | undefined>(`${paths}.find((path) => ${isCode})`);
    return code;
  });
  await page.evaluate(`import('${code}').then(() => {})`);
}

export const grid = (page: Page) => page.getByRole('grid', { name: 'Todos' });
export const rowOf = (page: Page, title: string) => page.getByRole('row', { name: new RegExp(`^${title}(,|$)`) });
export const pill = (page: Page, text: string | RegExp) =>
  page.locator('.live-updates').getByRole('link', { name: text });

/** Adds a todo by the line above the list. */
export async function addTodo(page: Page, line: string): Promise<void> {
  await page.getByLabel('Title').fill(line);
  await page.getByLabel('Title').press('Enter');
  // The form takes one line after the other.
  await until(async () => (await page.getByLabel('Title').inputValue()) === '');
  await page.getByRole('button', { name: 'Add todo' }).waitFor();
}

/** Marks a todo as done in the list. */
export const complete = (page: Page, title: string) => page.getByRole('checkbox', { name: `Done: ${title}` }).click();

/** Answers the writes of todos by a method; reads go on to the service. Returns how many came. */
export async function onWrite(
  page: Page,
  method: 'POST' | 'PATCH' | 'DELETE',
  answer: (route: Route, place: number) => Promise<void>,
): Promise<{ readonly count: number; end(): Promise<void> }> {
  const address = /\/api\/v1\/todos(\/[^/]+)?$/;
  let count = 0;
  const handle = (route: Route) => (route.request().method() === method ? answer(route, ++count) : route.fallback());
  await page.route(address, handle);
  return {
    get count() {
      return count;
    },
    end: () => page.unroute(address, handle),
  };
}

/** An error of the service. */
export function refusal(status: number, message: string, more: { retryAfterSeconds?: number } = {}) {
  const retryable = status === 429 || status >= 500;
  const headers = more.retryAfterSeconds === undefined ? {} : { 'Retry-After': String(more.retryAfterSeconds) };
  return { status, headers, json: { object: 'error', code: 'x', status, message, retryable, errors: [], ...more } };
}
