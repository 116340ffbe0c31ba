import type { Page, Request } from 'playwright-core';
import { until } from './until.ts';

/** Resolves once what a page reads by `name` is held, what was under way too; `release` lets it go on. */
export type Hold = () => Promise<{ release: () => Promise<void> }>;

/**
 * Lets a test hold what a page reads by the operation `name`, in a batch of reads too. Called before the page reads.
 */
export function holdableReads(page: Page, name: string): Hold {
  const isRead = (url: URL) => url.pathname.split('/').at(-1)?.split(',').includes(name) ?? false;
  const underWay = new Set<Request>();
  page.on('request', (request) => isRead(new URL(request.url())) && underWay.add(request));
  for (const event of ['requestfinished', 'requestfailed'] as const)
    page.on(event as 'requestfinished', (request) => underWay.delete(request));
  return async () => {
    const released = Promise.withResolvers<void>();
    const held = new Set<Request>();
    await page.route(isRead, async (route) => {
      held.add(route.request());
      await released.promise;
      // A page gives up a read that it begins again.
      await route.continue().catch(() => {});
    });
    // What is under way already is not held: it ends, and shows no more than there was.
    await until(() => [...underWay].every((request) => held.has(request)));
    const release = async () => {
      released.resolve();
      await page.unroute(isRead);
    };
    return { release };
  };
}
