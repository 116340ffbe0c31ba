import { existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { type Browser, launch, type Page } from 'puppeteer-core';
import { until } from './until.ts';

/*
 * The second browser: a Firefox as people have it, over WebDriver BiDi. Playwright needs a Firefox of its own, which
 * distributions do not have.
 */

const names = ['firefox-esr', 'firefox'];
/** How long one step of a page may take on a slow, busy machine. */
const maxStepMs = 60_000;

/** The Firefox of this machine: `FIREFOX_PATH`, or the first on the PATH. */
export function findFirefox(): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const found = names.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return process.env.FIREFOX_PATH ?? found;
}

/** Starts it without a screen. It asks no other host for anything. */
export function launchFirefox(executablePath: string): Promise<Browser> {
  return launch({
    browser: 'firefox',
    executablePath,
    headless: true,
    timeout: maxStepMs,
    protocolTimeout: maxStepMs,
    extraPrefsFirefox: {
      'network.captive-portal-service.enabled': false,
      'network.connectivity-service.enabled': false,
    },
  });
}

/** A page, with what went wrong in it. */
export interface FirefoxPage {
  page: Page;
  faults: string[];
  /** Waits for an element of the CSS selector in which the text is. */
  sees(selector: string, text: string): Promise<void>;
  /** Presses keys one after the other. */
  press(...keys: Parameters<Page['keyboard']['press']>[0][]): Promise<void>;
}

/** Opens a window that notes errors of its scripts and breaches of its policy. */
export async function openPage(browser: Browser): Promise<FirefoxPage> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  page.setDefaultTimeout(maxStepMs);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`fault: ${error}`));
  page.on('console', (message) => {
    if (message.type() === 'error') faults.push(`console: ${message.text()}`);
  });
  return {
    page,
    faults,
    sees: (selector, text) => {
      const all = `[...document.querySelectorAll(${JSON.stringify(selector)})]`;
      const isShown = `${all}.some((each) => each.textContent.includes(${JSON.stringify(text)}))`;
      // While another page is loaded there is nothing to ask.
      return until(
        () => page.evaluate(isShown).catch(() => false),
        () => `“${text}” in ${selector} of ${page.url()}`,
      );
    },
    press: async (...keys) => {
      for (const key of keys) await page.keyboard.press(key);
    },
  };
}
