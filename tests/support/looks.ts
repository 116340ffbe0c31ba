import { mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import * as assert from 'uvu/assert';
import type { Window } from './browser.ts';
import { isFull } from './proof-size.ts';

/*
 * Pages, light on a desk or dark on a phone: axe finds nothing serious, and nothing is wider than the screen. In the
 * full size of proofs in both ways. With SCREENSHOTS set to a folder, all four, and pictures of them for people to look
 * at.
 */

const folder = process.env.SCREENSHOTS;
const desk = { viewport: { width: 1280, height: 900 } };
const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const reducedMotion = 'reduce';
export const lightDesk = { name: 'light-desk', colorScheme: 'light', reducedMotion, ...desk } as const;
export const darkPhone = { name: 'dark-phone', colorScheme: 'dark', reducedMotion, ...phone } as const;
const all = [
  lightDesk,
  darkPhone,
  { name: 'dark-desk', colorScheme: 'dark', reducedMotion, ...desk },
  { name: 'light-phone', colorScheme: 'light', reducedMotion, ...phone },
] as const;

/** How the pages of a test file are looked at: of the files, half are looked at in each of the two ways in CI. */
export function looksOf(file: string) {
  const sum = [...basename(file)].reduce((total, each) => total + each.charCodeAt(0), 0);
  if (folder) return all;
  return isFull ? all.slice(0, 2) : all.slice(sum % 2, (sum % 2) + 1);
}

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
