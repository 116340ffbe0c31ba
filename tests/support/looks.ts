import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Window } from './browser.ts';

/*
 * Pages, light on a desk and dark on a phone: axe finds nothing serious, and nothing is wider than the screen.
 * With SCREENSHOTS set to a folder, all four ways, and pictures of them for people to look at.
 */

const folder = process.env.SCREENSHOTS;
const desk = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const all = [
  { name: 'light-desk', colorScheme: 'light', ...desk },
  { name: 'dark-phone', colorScheme: 'dark', ...phone },
  { name: 'dark-desk', colorScheme: 'dark', ...desk },
  { name: 'light-phone', colorScheme: 'light', ...phone },
] as const;
/** How pages are looked at. */
export const looks = all.slice(0, folder ? 4 : 2).map((each) => ({ ...each, reducedMotion: 'reduce' as const }));

/** Looks at what a window shows. */
export async function look(window: Window, name: string): Promise<void> {
  await window.page.locator('.skeleton').first().waitFor({ state: 'detached' });
  if (folder) {
    await mkdir(folder, { recursive: true });
    await window.page.screenshot({ path: join(folder, `${name}.png`), fullPage: true });
  }
  assert.equal(await window.axe(), [], name);
  const tooWide = await window.page.evaluate('document.documentElement.scrollWidth - innerWidth');
  assert.ok(Number(tooWide) <= 0, `${name} is ${tooWide} px wider than the screen`);
}
