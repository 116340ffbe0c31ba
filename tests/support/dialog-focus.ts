import type { Locator, Page } from 'playwright-core';
import * as assert from 'uvu/assert';
import type { Window } from './browser.ts';
import { breakOperations, sentenceOf } from './page-faults.ts';
import { until } from './until.ts';

/* Dialogs of the pages: how they are opened and left, and where the focus is then. */

/**
 * Lets a test have the next frame at once, as a busy browser has it: before the effects of what was just rendered.
 * `hastyFrames.begin()`, `hastyFrames.end()`. Frames that are asked for in one come at their usual time.
 */
export const hastyFrames = `{
  const request = requestAnimationFrame;
  let isHasty = false;
  globalThis.requestAnimationFrame = (act) => {
    if (!isHasty) return request(act);
    queueMicrotask(() => {
      isHasty = false;
      act(performance.now());
      isHasty = true;
    });
    return 0;
  };
  globalThis.hastyFrames = { begin: () => { isHasty = true; }, end: () => { isHasty = false; } };
}`;

/** The open dialog. */
export const overlay = (page: Page) => page.locator('[role=dialog], [role=alertdialog]');
/** Waits until the focus is in the open dialog: keys pressed before are not for it. */
export const focusInside = (page: Page) =>
  until(() => page.evaluate('document.activeElement.closest("[role$=dialog]") !== null'));
/** A button by its whole name. */
export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
/** A dialog, how it is opened and how it is confirmed. */
export interface Way {
  name: string;
  open: (page: Page) => Promise<void>;
  opener: (page: Page) => Locator;
  confirm: (page: Page) => Promise<void>;
  /** The operation that may fail, of a dialog that waits for one. */
  operation?: string;
  /** What has the focus once it is confirmed, if not what opened it. */
  after?: (page: Page) => Locator;
  /** Is gone then. */
  goes?: (page: Page) => Locator;
}

const waits = (locator: Locator) =>
  locator.waitFor().then(
    () => true,
    () => false,
  );

/** Leaves the dialog in each way, lets it fail, and confirms it; returns where the focus was not as it must be. */
async function faultsOf({ page }: Window, way: Way): Promise<string[]> {
  const found: string[] = [];
  const { name, open, opener, confirm, operation, after = opener, goes } = way;
  const sees = async (what: string, wanted: Locator) => {
    await overlay(page).waitFor({ state: 'detached' });
    await until(() => page.evaluate('document.activeElement !== document.body')).catch(() => {});
    if (await waits(wanted.and(page.locator(':focus')))) return;
    found.push(`${name}, ${what}: ${await page.evaluate('document.activeElement.outerHTML.slice(0, 200)')}`);
  };
  const openAgain = async () => {
    await open(page);
    await overlay(page).waitFor();
    await focusInside(page);
  };
  await openAgain();
  await page.keyboard.press('Escape');
  await sees('closed by Escape', opener(page));
  await openAgain();
  const cancel = overlay(page).getByRole('button', { name: 'Cancel' });
  await ((await cancel.count()) > 0 ? cancel.click() : page.keyboard.press('Escape'));
  await sees('cancelled', opener(page));
  await openAgain();
  if (operation) {
    const { mend } = await breakOperations(page, (id) => id === operation, 503);
    await confirm(page);
    await overlay(page).getByText(sentenceOf(503)).first().waitFor();
    const isInside = await page.evaluate('document.activeElement.closest("[role$=dialog]") !== null');
    if (!isInside) found.push(`${name}, failed: outside of the dialog`);
    await mend();
    await page.keyboard.press('Escape');
    await sees('left after a failure', opener(page));
    await openAgain();
  }
  await page.evaluate('hastyFrames.begin()');
  await confirm(page);
  await overlay(page).waitFor({ state: 'detached' });
  await page.evaluate('hastyFrames.end()');
  await goes?.(page).waitFor({ state: 'detached' });
  await sees('confirmed', after(page));
  return found;
}

/** Looks at ways to dialogs of one page. */
export async function lookAtFocus(window: Window, path: string, title: string, ...ways: Way[]): Promise<void> {
  await window.goTo(path, title);
  const found: string[] = [];
  for (const way of ways) found.push(...(await faultsOf(window, way)));
  assert.equal(found, []);
}
