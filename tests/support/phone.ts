import type { Page } from 'playwright-core';

/*
 * A phone on a slow line, of the same speed whatever the machine is and does: the processor is slowed down by what is
 * left.
 */

/** What the yardstick takes a page on a core of the machine of the budgets that does nothing else, in ms. */
const yardstickMs = 7;
/** How many times slower than that core a phone is (as Lighthouse has it). */
const timesSlower = 4;
const yardsticks = 7;

/** Work of the kinds that a page does first: a program is read, objects are made and sorted, elements are made. */
const yardstick = `(() => {
  const times = Array.from({ length: ${yardsticks} }, (_, round) => {
    const from = performance.now();
    const source = Array.from({ length: 600 }, (_, n) => 'const f' + n + '_' + round + ' = (a) => a.map((b) => b + ' + n + ');').join('');
    new Function(source + 'return 1')();
    const rows = Array.from({ length: 12000 }, (_, n) => ({ key: ((n * 7919) % 12007).toString(36), n }));
    rows.sort((one, two) => (one.key < two.key ? -1 : 1));
    const list = document.createElement('ul');
    for (const { key } of rows.slice(0, 1500)) list.append(Object.assign(document.createElement('li'), { textContent: key }));
    return performance.now() - from;
  });
  return Math.min(...times);
})()`;

/** How many times slower a page is to be made, so that it is as slow as the phone on a quiet machine; at least 1. */
async function throttlingOf(page: Page): Promise<number> {
  const ms = await page.evaluate<number>(yardstick);
  return Math.max(1, (timesSlower * yardstickMs) / ms);
}

/**
 * A phone on a slow line: 150 ms to the service and back, 1.6 Mbit/s. Returns how many times slower its processor is
 * made.
 */
export async function emulateSlowPhone(page: Page): Promise<number> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Network.enable');
  await cdp.send('Network.emulateNetworkConditions', {
    offline: false,
    latency: 150,
    downloadThroughput: (1.6 * 1024 * 1024) / 8,
    uploadThroughput: (750 * 1024) / 8,
  });
  const rate = await throttlingOf(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate });
  return rate;
}
