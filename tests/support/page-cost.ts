import type { CDPSession, Page } from 'playwright-core';
import { until } from './until.ts';

/* What a page costs, in figures that do not depend on how busy the machine is: counts, bytes and processor time. */

/** What one page did so far; times are processor time of its main thread. */
export interface Cost {
  taskMs: number;
  layouts: number;
  styles: number;
  heapBytes: number;
}

/** Measures a page. Opened before the page is, because the clock is chosen then. */
export async function costMeter(page: Page): Promise<{ cdp: CDPSession; cost(): Promise<Cost> }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await cdp.send('Performance.enable');
  const cost = async (): Promise<Cost> => {
    await cdp.send('HeapProfiler.collectGarbage');
    const { metrics } = await cdp.send('Performance.getMetrics');
    const metricOf = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
    return {
      taskMs: metricOf('TaskDuration') * 1000,
      layouts: metricOf('LayoutCount'),
      styles: metricOf('RecalcStyleCount'),
      heapBytes: metricOf('JSHeapUsedSize'),
    };
  };
  return { cdp, cost };
}

/** How many requests lead to each of those of a page: 1 is the document, 2 what the document names. */
export async function requestDepths(page: Page): Promise<ReadonlyMap<string, number>> {
  const cdp = await page.context().newCDPSession(page);
  const depths = new Map<string, number>();
  await cdp.send('Network.enable');
  cdp.on('Network.requestWillBeSent', ({ request, initiator, documentURL }) => {
    const frames = initiator.stack?.callFrames ?? initiator.stack?.parent?.callFrames ?? [];
    const from = initiator.url ?? frames.find(({ url }) => url !== '')?.url ?? documentURL;
    depths.set(request.url, request.url === documentURL ? 1 : 1 + (depths.get(from) ?? 1));
  });
  return depths;
}

/** How far things moved by themselves (CLS), and what moved. */
export interface Shifted {
  sum: number;
  moved: string[];
}

/** Sums up layout shifts as `window.shifted`. */
export const watchShifts = `window.shifted = { sum: 0, moved: [] };
const nameOf = (node) => node?.outerHTML?.slice(0, 80) ?? node?.textContent ?? 'what is gone';
new PerformanceObserver((list) => {
  for (const { value, hadRecentInput, sources } of list.getEntries()) {
    if (hadRecentInput) continue;
    window.shifted.sum += value;
    window.shifted.moved.push(...sources.map(({ node }) => nameOf(node)));
  }
}).observe({ type: 'layout-shift', buffered: true });`;

/**
 * Notes reads, and when the first row of a list is there. Nothing is loaded when the browser is idle: it is not needed.
 */
export const watchFirstRow = `window.requestIdleCallback = () => 0;
window.reads = [];
const { fetch: send } = window;
window.fetch = (...request) => {
  window.reads.push({ name: new Request(...request).url, startTime: performance.now() });
  return send(...request);
};
new MutationObserver((_, observer) => {
  if (!document.querySelector('[role=grid] [role=row]')) return;
  window.firstRowAt = performance.now();
  observer.disconnect();
}).observe(document, { subtree: true, childList: true });`;

/**
 * The paths that a page with `watchFirstRow` asked for until a second after its first row was there, without pictures
 * and the page itself: what it reads again when it is shown is among them, what it polls is not (every 5 s at most).
 */
export async function askedForRows(page: Page): Promise<string[]> {
  await until(() => page.evaluate<boolean>('performance.now() > window.firstRowAt + 1000'));
  const asked = (from: string) =>
    page.evaluate<string[]>(
      `${from}.filter(({ startTime }) => startTime < window.firstRowAt + 1000).map(({ name }) => name)`,
    );
  // A script that was loaded ahead is listed again where it is used.
  const files = new Set(await asked(`performance.getEntriesByType('resource')`));
  const reads = await asked('window.reads');
  const paths = [...[...files].filter((url) => !reads.includes(url)), ...reads].map((url) => new URL(url).pathname);
  return paths.filter((path) => !path.endsWith('.svg'));
}

/** Notes the largest thing that was painted, as `window.paintedAt`. */
export const watchPaint = `new PerformanceObserver((list) => {
  for (const { startTime } of list.getEntries()) window.paintedAt = startTime;
}).observe({ type: 'largest-contentful-paint', buffered: true });`;

/** When the largest thing of a page was painted, and the bytes that came before it. */
export interface Paint {
  ms: number;
  bytes: { scripts: number; data: number };
}

/** What `watchPaint` noted once a list of links is shown, two frames later. */
export async function paintOf(page: Page): Promise<Paint> {
  await page.locator('main a:nth-of-type(1):visible, [role=grid] [role=row] a').first().waitFor();
  return page.evaluate(`new Promise((resolve) => {
    const sum = (name) => performance.getEntriesByType('resource')
      .filter((entry) => name.test(entry.name) && entry.responseEnd <= window.paintedAt)
      .reduce((bytes, { transferSize }) => bytes + transferSize, 0);
    const tell = () => window.paintedAt === undefined
      ? requestAnimationFrame(tell)
      : resolve({ ms: window.paintedAt, bytes: { scripts: sum(/\\.(js|css)$/), data: sum(/\\/trpc\\//) } });
    requestAnimationFrame(() => requestAnimationFrame(tell));
  })`);
}

/** Events shorter than this are not noted, in ms: browsers know no less. */
const minEventMs = 16;

/** Notes how long each key and click took until it was painted, as `window.interactions`. */
export const watchInteractions = `window.interactions = new Map();
new PerformanceObserver((list) => {
  for (const { interactionId: id, duration } of list.getEntries()) {
    if (id) window.interactions.set(id, Math.max(duration, window.interactions.get(id) ?? 0));
  }
}).observe({ type: 'event', durationThreshold: ${minEventMs} });`;

/** The time of an interaction that a share of `count` of them took at most, in ms. */
export async function slowestInteraction(page: Page, count: number, share: number): Promise<number> {
  const noted = await page.evaluate<number[]>('[...window.interactions.values()]');
  const slowest = noted.sort((a, b) => b - a);
  return slowest[count - Math.ceil(count * share)] ?? minEventMs;
}

/**
 * Waits, from the next key on, until `isShown` (an expression of the page) holds and is painted. Call it before the key
 * is pressed, and the result after it: it is the time from the key to what it paints, in ms, whatever happens in
 * between.
 */
export async function fromKeyToPaint(page: Page, isShown: string): Promise<() => Promise<number>> {
  await page.evaluate(`void (window.keyToPaint = new Promise((resolve) => {
    addEventListener('keydown', ({ timeStamp }) => {
      const look = () => {
        if (!(${isShown})) return;
        observer.disconnect();
        // After the frame that shows it.
        requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - timeStamp)));
      };
      const observer = new MutationObserver(look);
      observer.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
    }, { once: true, capture: true });
  }))`);
  return () => page.evaluate<number>('window.keyToPaint');
}

/**
 * Scrolls the window by half of its height in each of `count` frames, back and forth where it ends, on a processor of a
 * fourth of the speed. The times from frame to frame, in ms, the longest last.
 */
export async function scrolledFrames(page: Page, count: number): Promise<number[]> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 4 });
  const frames = await page.evaluate<number[]>(`new Promise((resolve) => {
    const [frames, end] = [[], () => document.documentElement.scrollHeight - innerHeight];
    let [at, step] = [performance.now(), innerHeight / 2];
    const next = (now) => {
      frames.push(now - at);
      at = now;
      if (frames.length > ${count}) return resolve(frames.slice(1));
      if (scrollY + step > end() || scrollY + step < 0) step = -step;
      scrollBy(0, step);
      requestAnimationFrame(next);
    };
    scrollTo(0, 0);
    requestAnimationFrame(next);
  })`);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate: 1 });
  await cdp.detach();
  return frames.sort((a, b) => a - b);
}

/** The middle of some figures; the upper one of two. */
export function medianOf(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
}
