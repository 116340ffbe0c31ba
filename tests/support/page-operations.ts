import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BrowserContext } from 'playwright-core';
import { operations } from './described.ts';

/*
 * Which operations pages reach. `tests/fixtures/page-operations.json` names for each operation of a session one suite
 * of page tests that reaches it; this suite fails when it no longer does. Every suite is checked by itself, so that
 * neither the order of the files nor the number of processes matters, and one file can be run alone.
 */

const byName = new Map(operations.map(({ name, id }) => [name, id]));
/** Those without a parameter first: `/todos/summary` before `/todos/{todoId}`. */
const byRoute = operations
  .toSorted((a, b) => a.pathParameters.length - b.pathParameters.length)
  .map(({ method, path, id }) => ({
    id,
    method,
    path: new RegExp(`^/api/v1${path.replace(/\{\w+\}/g, '[^/]+')}/?$`),
  }));

/** The ids of the operations that a request of a page calls: several of a tRPC batch, one over REST, or none. */
export function operationsOfRequest(method: string, url: string): string[] {
  const { pathname } = new URL(url);
  if (pathname.startsWith('/trpc/')) {
    const names = decodeURIComponent(pathname.slice('/trpc/'.length)).split(',');
    return names.flatMap((name) => byName.get(name) ?? []);
  }
  const route = byRoute.find((each) => each.method === method && each.path.test(pathname));
  return route ? [route.id] : [];
}

/** Notes in `seen` which operations were answered without an error in the windows of a context. */
export function noteOperations(context: BrowserContext, seen: Set<string>): void {
  context.on('response', (response) => {
    if (!response.ok()) return;
    for (const id of operationsOfRequest(response.request().method(), response.url())) seen.add(id);
  });
}

/** With PAGE_OPERATIONS set to a folder, writes there what the pages of a suite reached. */
export async function keepOperations(suiteName: string, seen: ReadonlySet<string>): Promise<void> {
  const folder = process.env.PAGE_OPERATIONS;
  if (folder === undefined) return;
  await mkdir(folder, { recursive: true });
  const file = join(folder, `${suiteName.replaceAll(/\W+/g, '-')}.json`);
  await writeFile(file, `${JSON.stringify({ suiteName, reached: [...seen].sort() }, null, 2)}\n`);
}
