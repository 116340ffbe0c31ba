import type { Locator } from 'playwright-core';
import type { Window } from './browser.ts';

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

/** Moves the focus to a field by Tab, and types. */
export async function typeInto(window: Pick<Window, 'page'>, field: Locator, text: string): Promise<void> {
  await tabTo(window, field);
  await window.page.keyboard.type(text);
}
