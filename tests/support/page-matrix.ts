import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import pages from '../../web/pages.json' with { type: 'json' };
import type { Window } from './browser.ts';
import { isFull } from './proof-size.ts';

/* Every page, light and dark, on a desk, on a phone and on the narrowest screen. */

const folder = process.env.SCREENSHOTS;

const desk = { width: 1280, height: 900 };
const phone = { width: 390, height: 844 };
const narrowest = { width: 320, height: 640 };

/**
 * How each page is looked at, in this order. The structure of a page depends on the width and its colours on the theme:
 * all rules of axe run once for each width, those about colours in the other theme as well in the full size of proofs.
 */
const all = [
  { name: 'light-1280', colorScheme: 'light', viewport: desk, rules: 'all' },
  { name: 'dark-1280', colorScheme: 'dark', viewport: desk, rules: 'colours' },
  { name: 'dark-390', colorScheme: 'dark', viewport: phone, rules: 'all' },
  { name: 'light-390', colorScheme: 'light', viewport: phone, rules: 'colours' },
  { name: 'light-320', colorScheme: 'light', viewport: narrowest, rules: 'none' },
] as const;
const views = all.filter(({ rules }) => isFull || rules !== 'colours');

/** An address of web/pages.json with its parameters replaced, such as `/todos/{id}`. */
export interface Place {
  pattern: string;
  path: string;
}

type Layout = 'bare' | 'app' | 'work' | 'settings';

/** All addresses of these layouts. @throws Error for a parameter that `ids` does not have. */
export function placesOf(layouts: readonly Layout[], ids: Readonly<Record<string, string>>): Place[] {
  const chosen = Object.values(pages).filter(({ layout }) => layouts.some((each) => each === layout));
  return chosen
    .flatMap(({ addresses }) => addresses)
    .map((pattern) => {
      const path = pattern.replace(/:(\w+)/g, (_, name: string) => {
        const id = ids[name];
        if (id === undefined)
          throw new Error(`No :${name} for ${pattern}: add one to tests/support/sample-workspace.ts`);
        return id;
      });
      return { pattern, path };
    });
}

interface PageOfAddress {
  page: string;
  usesMicrophone: boolean;
}

/** The page that shows a path, if one does: one whose address is the path itself before one with parameters. */
function pageAt(path: string): PageOfAddress | undefined {
  const { pathname } = new URL(path, 'http://localhost');
  const known = Object.entries(pages).flatMap(([page, { addresses, ...more }]) =>
    addresses.map((pattern) => ({ page, pattern, usesMicrophone: 'usesMicrophone' in more })),
  );
  const matches = (pattern: string) => new RegExp(`^${pattern.replace(/:\w+/g, '[^/]+')}$`).test(pathname);
  return known.find(({ pattern }) => pattern === pathname) ?? known.find(({ pattern }) => matches(pattern));
}

/**
 * Shows another page as a link does, in the document that is open: the code of the pages and of axe is compiled
 * already. What a document is needed for is opened in a new one: the first
 * page, the microphone, and a page after itself, of which nothing would say that it has changed.
 */
export async function show({ page }: Window, path: string): Promise<void> {
  const [from, to] = [pageAt(page.url()), pageAt(path)];
  if (!from || !to || from.page === to.page || to.usesMicrophone) {
    await page.goto(path);
    return;
  }
  await page.evaluate(`for (const heading of document.querySelectorAll('h1')) heading.dataset.left = '';
    history.pushState(null, '', ${JSON.stringify(path)});
    dispatchEvent(new PopStateEvent('popstate'));`);
  await page.locator('h1[data-left]').first().waitFor({ state: 'detached' });
}

/** Waits until what the page reads is shown, and what it changed is painted. */
export async function untilShown({ page }: Window): Promise<void> {
  await page.getByRole('heading', { level: 1 }).first().waitFor();
  await page.locator('.skeleton').first().waitFor({ state: 'detached' });
  await page.evaluate('new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))');
}

/** What is wrong with the page that a window shows, in any view of it. */
export async function faultsOf(window: Window, name: string): Promise<string[]> {
  const { page, axe } = window;
  const found: string[] = [];
  for (const { name: view, colorScheme, viewport, rules } of views) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.setViewportSize(viewport);
    await untilShown(window);
    const tooWide = Number(await page.evaluate('document.documentElement.scrollWidth - innerWidth'));
    if (tooWide > 0) found.push(`${name} ${view}: ${tooWide} px wider than the screen`);
    if (rules !== 'none') found.push(...(await axe(rules)).map((finding) => `${name} ${view}: ${finding}`));
    if (folder === undefined) continue;
    await mkdir(folder, { recursive: true });
    const file = `${name.replaceAll(/\W+/g, '-')}-${view}.png`;
    await page.screenshot({ path: join(folder, file), fullPage: true });
  }
  await page.setViewportSize(desk);
  return found;
}
