import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Email } from '../../domain/mail.ts';
import { buildWeb } from '../../scripts/build-web.ts';
import type { ServiceParts } from '../../server/service-parts.ts';
import pageOperations from '../fixtures/page-operations.json' with { type: 'json' };
import { startTestService, type TestService } from './harness.ts';
import { keepOperations, noteOperations } from './page-operations.ts';
import { newAccount, type Person, temporaryDirectory } from './people.ts';
import { isFull } from './proof-size.ts';
import { until } from './until.ts';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable'];
const shells = ['chromium-headless-shell', 'chrome-headless-shell'];
const quiet = '--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync';
const unasked = '--disable-background-networking --disable-component-update';
/**
 * Playwright's own list of features, which a second one would replace, and the pages of the address bar: Chromium loads
 * them in a process of their own for each context, a quarter of what a window costs.
 */
const unusedFeatures = [
  'AvoidUnnecessaryBeforeUnloadCheckSync,DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable',
  'LensOverlay,MediaRouter,PaintHolding,ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect',
  'OptimizationHints,NetworkTimeServiceQuerying,AimEnabled,PreconnectToSearch,WebUIOmniboxPopup,WebUIOmniboxAimPopup',
].join();
/** A microphone that beeps, which every page may use without being asked. */
const microphone = '--use-fake-device-for-media-stream --use-fake-ui-for-media-stream';
export const chromiumArgs = `${quiet} ${unasked} ${microphone} --disable-features=${unusedFeatures}`.split(' ');
const axeSource = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/**
 * The Chromium of this machine: `CHROMIUM_PATH`, or the first on the PATH. `isWhole`: with what Chromium has around its
 * windows, which takes a seventh more processor time.
 */
export function findChromium(isWhole = true): string | undefined {
  const folders = (process.env.PATH ?? '').split(delimiter);
  const wanted = isWhole ? names : [...shells, ...names];
  const found = wanted.flatMap((name) => folders.map((folder) => join(folder, name))).find((path) => existsSync(path));
  return process.env.CHROMIUM_PATH ?? found;
}

/** Holds back what pages ask for, so that a test which counts on a quick service fails each time. */
const delayRequests = (context: BrowserContext, milliseconds: number) =>
  context.route(
    () => true,
    async (route) => {
      if (route.request().resourceType() === 'fetch') await setTimeout(milliseconds);
      await route.fallback();
    },
  );

/**
 * What moves is painted sixty times a second, which is a seventh of a processor for each window with an agent at work.
 */
const defaults: BrowserContextOptions = { serviceWorkers: 'block', reducedMotion: isFull ? null : 'reduce' };

type Findings = 'grave' | 'all' | 'colours';

/** A browser window of one person, and what went wrong in it. */
export interface Window {
  page: Page;
  /** Opens a page of the service and waits until its heading is there. */
  goTo(path: string, heading: string): Promise<void>;
  /** Waits for the heading of the page. */
  sees(heading: string): Promise<void>;
  /**
   * Findings of axe on what is shown, or on a part of it: serious and critical ones; all, those of best practice too;
   * or about colours.
   */
  axe(which?: Findings, part?: string): Promise<string[]>;
}

/** What a test of the pages works with. */
export interface Stage {
  tandem: TestService;
  /** `elsewhere`: origins that its pages may lead to. `expected`: warnings of the browser that are no fault. */
  window(options?: BrowserContextOptions & { as?: Person; elsewhere?: string[]; expected?: RegExp }): Promise<Window>;
  /** A new account, made over the API. */
  person(name?: string): Promise<Person>;
  /** Waits for an email to `to` in the outbox and returns the path of its link. */
  linkInEmail(to: string): Promise<string>;
}

interface Finding {
  id: string;
  impact: string | null;
  nodes: { html: string; failureSummary: string }[];
}

/**
 * Rules about a whole page: while a dialog is open, what is behind it is hidden from everyone. axe leaves them out
 * itself where it recognizes the dialog, which depends on what is painted at the edges of the window.
 */
const pageRules = ', rules: { "landmark-one-main": { enabled: false }, "page-has-heading-one": { enabled: false } }';

async function findingsOf(page: Page, which: Findings = 'grave', part?: string): Promise<string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axeSource);
  const isCovered = await page.evaluate('document.querySelector(".overlay [role$=dialog]") !== null');
  const rules = which === 'colours' ? ', runOnly: ["color-contrast"]' : isCovered ? pageRules : '';
  const violations = (await page.evaluate(
    `axe.run(${part === undefined ? 'document' : JSON.stringify(part)}, { resultTypes: ["violations"]${rules} }).then((result) => result.violations)`,
  )) as Finding[];
  const isCounted = ({ impact }: Finding) => which !== 'grave' || impact === 'serious' || impact === 'critical';
  return violations
    .filter(isCounted)
    .flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html} ${node.failureSummary}`));
}

/** The browser logs it for pages that register one where a test has not asked for it: `page.route` would see less. */
const blockedWorker = 'Service Worker registration blocked by Playwright';

const refusal = /Failed to load resource: the server responded with a status of 4\d\d/;

/** Notes what a page must never do: faults, breaches of its policy, requests to elsewhere. */
function watch(page: Page, origins: string[], expected: RegExp, faults: string[]): void {
  page.on('pageerror', (error) => faults.push(`fault: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (text === blockedWorker) return;
    if (['error', 'warning'].includes(message.type()) && !refusal.test(text) && !expected.test(text))
      faults.push(`console: ${text}`);
  });
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (!origins.includes(url.origin) && url.protocol !== 'data:') faults.push(`request to ${url.origin}`);
  });
}

/** A page that hangs is named, with a picture, before the runner ends the test. */
const maxTestMs = 10 * 60_000;
/** How long one step of a page may take on a slow, busy machine. */
const maxStepMs = 180_000;

/** @throws Error when `work` takes more than `maxTestMs`. */
async function inTime(work: Promise<void>): Promise<void> {
  const timer = new AbortController();
  const late = setTimeout(maxTestMs, undefined, { signal: timer.signal, ref: false }).then(() => {
    throw new Error(`this took more than ${maxTestMs / 60_000} minutes`);
  });
  late.catch(() => {});
  await Promise.race([work, late]).finally(() => timer.abort());
}

async function outboxOf(directory: string): Promise<Email[]> {
  const text = await readFile(join(directory, 'outbox.jsonl'), 'utf8').catch(() => '');
  // The last one may still be written.
  return text
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as Email);
}

/**
 * Tests in a real browser, each in windows of its own. Without Chromium they are skipped, with a line that says so; not
 * when `CI` is true. A test fails too when a page logs an error, breaches its policy or asks another host for anything.
 * `isWhole`: they need what a headless shell does not have, such as notifications and forms that lead to another site.
 */
export function pageSuite(
  name: string,
  parts: () => Promise<Partial<ServiceParts>> = async () => ({}),
  environment: Record<string, string> = {},
  isWhole = false,
) {
  const test = suite(name);
  const executablePath = findChromium(isWhole);
  if (!executablePath) {
    const missing = `No Chromium on this machine to run “${name}” in. Install it, or set CHROMIUM_PATH.`;
    if (process.env.CI === 'true') throw new Error(missing);
    process.stdout.write(`${missing} Skipped.\n`);
  }
  let tandem: TestService;
  let browser: Browser;
  const directory = temporaryDirectory();
  const seen = new Set<string>();
  const promised = Object.entries(pageOperations.reached).flatMap(([id, suiteName]) =>
    suiteName === name ? [id] : [],
  );

  test.before(async () => {
    if (!executablePath) return;
    await buildWeb();
    tandem = await startTestService({ DATA_DIR: directory.path, ...environment }, await parts());
    browser = await chromium.launch({ executablePath, args: chromiumArgs });
  });
  test.after(async () => {
    await browser?.close();
    await tandem?.close();
    directory.remove();
  });

  const person: Stage['person'] = (name = 'Ada') => newAccount(tandem, { name });
  const linkInEmail: Stage['linkInEmail'] = async (to) => {
    let link: string | undefined;
    await until(
      async () => {
        const email = (await outboxOf(directory.path)).findLast((each) => each.to === to);
        link = email && /^https?:\/\/[^/]+(\/\S+)$/m.exec(email.text)?.[1];
        return link;
      },
      () => `no email with a link to ${to} was sent`,
    );
    return link ?? '';
  };

  const inBrowser = (run: (stage: Stage) => Promise<void>) => async () => {
    const faults: string[] = [];
    const contexts: BrowserContext[] = [];
    const window: Stage['window'] = async ({ as, elsewhere = [], expected = /^$/, ...options } = {}) => {
      const context = await browser.newContext({ baseURL: tandem.url, ...defaults, ...options });
      contexts.push(context);
      noteOperations(context, seen);
      context.setDefaultTimeout(maxStepMs);
      if (process.env.PAGES_DELAY_MS) await delayRequests(context, Number(process.env.PAGES_DELAY_MS));
      if (as)
        await context.addCookies([
          { name: 'tandem_session', value: as.session.token, url: tandem.url, httpOnly: true },
        ]);
      const page = await context.newPage();
      watch(page, [tandem.url, ...elsewhere], expected, faults);
      const sees = (heading: string) => page.getByRole('heading', { level: 1, name: heading, exact: true }).waitFor();
      const goTo = async (path: string, heading: string) => {
        await page.goto(path);
        await sees(heading);
      };
      return { page, goTo, sees, axe: (which, part) => findingsOf(page, which, part) };
    };
    try {
      await inTime(run({ tandem, window, person, linkInEmail }));
      assert.equal(faults, []);
    } catch (error) {
      const pages = contexts.flatMap((context) => context.pages());
      // A page on its way to another has no picture: what is reported stays the failure of the test.
      await pages
        .at(-1)
        ?.screenshot({ path: join(tmpdir(), 'tandem-page-failed.png') })
        .catch(() => {});
      if (error instanceof Error) error.message += `\n  at ${pages.map((page) => page.url())} ${faults.join('\n  ')}`;
      throw error;
    } finally {
      // A window that is under way to another site may never close.
      await Promise.race([Promise.all(contexts.map((context) => context.close())), setTimeout(5_000)]);
    }
  };

  const reaches = async () => {
    await keepOperations(name, seen);
    const missing = promised.filter((id) => !seen.has(id));
    assert.equal(missing, [], 'tests/fixtures/page-operations.json says that these pages reach them');
  };

  return {
    promise: (title: string, run: (stage: Stage) => Promise<void>) =>
      executablePath ? test(title, inBrowser(run)) : test.skip(title, () => {}),
    run: () => {
      if (executablePath) test('the pages reach the operations that this suite promises', reaches);
      test.run();
    },
  };
}
