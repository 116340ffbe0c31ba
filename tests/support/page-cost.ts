import type { CDPSession, Page } from 'playwright-core';

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
