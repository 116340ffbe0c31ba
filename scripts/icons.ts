import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

/*
 * The icons of the installed application, drawn from web/src/icon.svg in Chromium: `node scripts/icons.ts`.
 * They are checked in, so that a build needs no browser.
 */

const folder = join(import.meta.dirname, '../web/src/icons');

/** `isFilled`: without round corners, for systems that cut icons into shapes of their own. */
const icons = [
  { name: 'icon-192.png', size: 192, isFilled: false },
  { name: 'icon-512.png', size: 512, isFilled: false },
  { name: 'icon-maskable-512.png', size: 512, isFilled: true },
  { name: 'icon-apple-180.png', size: 180, isFilled: true },
] as const;

const drawing = await readFile(join(import.meta.dirname, '../web/src/icon.svg'), 'utf8');
const browser = await chromium.launch({
  executablePath: process.argv[2] ?? '/usr/bin/chromium',
  args: ['--no-sandbox'],
});
try {
  await mkdir(folder, { recursive: true });
  for (const { name, size, isFilled } of icons) {
    const page = await browser.newPage({ viewport: { width: size, height: size } });
    const svg = isFilled ? drawing.replace(' rx="8"', '') : drawing;
    await page.setContent(`<style>body { margin: 0 } svg { display: block; width: ${size}px }</style>${svg}`);
    await writeFile(join(folder, name), await page.screenshot({ omitBackground: true }));
    await page.close();
  }
} finally {
  await browser.close();
}
