import type { Locator, Page } from 'playwright-core';
import type { Window } from './browser.ts';
import { until } from './until.ts';

/** More than any page has controls. */
const maxPresses = 200;

/** Moves the focus to an element by Tab alone. @throws Error when Tab does not reach it. */
export async function tabTo({ page }: Pick<Window, 'page'>, element: Locator, key = 'Tab'): Promise<void> {
  await element.waitFor();
  for (let presses = 0; presses < maxPresses; presses++) {
    if ((await element.and(page.locator(':focus')).count()) > 0) return;
    await page.keyboard.press(key);
  }
  throw new Error(`${key} does not reach ${element}`);
}

/** Presses keys one after the other. */
export async function press({ page }: Pick<Window, 'page'>, ...keys: string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/**
 * Presses keys that belong together as one sequence, all before the page answers to the first: it forgets a key after
 * two seconds, which a busy machine may need for one press.
 */
export async function pressAtOnce({ page }: Pick<Window, 'page'>, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/**
 * Waits until an open menu has the focus, on this entry: its code may be loaded yet, and keys before are not for it.
 */
export async function onEntry({ page }: Pick<Window, 'page'>, name: string): Promise<void> {
  const entry = page.locator('[role=menu]:focus-within [role=menuitem][data-focused]', { hasText: name });
  await until(
    async () => (await entry.count()) > 0,
    () => `the menu has no focus on ${name}`,
  );
}

/** Chooses an entry of the menu that opens, once that has the focus: as it opens, it takes it to its first entry. */
export async function chooseEntry({ page }: Pick<Window, 'page'>, name: string): Promise<void> {
  await page.locator('[role=menu]:focus-within [role=menuitem][data-focused]').waitFor({ state: 'attached' });
  await page.getByRole('menuitem', { name }).press('Enter');
}

/** Moves the focus to a field by Tab, and types. */
export async function typeInto(window: Pick<Window, 'page'>, field: Locator, text: string): Promise<void> {
  await tabTo(window, field);
  await window.page.keyboard.type(text);
}

/** Pastes lines into what has the focus. */
export const paste = (page: Page, lines: readonly string[]) =>
  page.evaluate(
    `(() => { const data = new DataTransfer(); data.setData('text/plain', ${JSON.stringify(lines.join('\n'))});
      document.activeElement.dispatchEvent(new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })); })()`,
  );
