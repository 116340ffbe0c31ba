import { isDeepStrictEqual } from 'node:util';
import type { Call } from './loader.ts';
import type { Workload } from './workloads.ts';

async function answerOf(url: string, { method, path, key, body }: Call): Promise<unknown> {
  const headers = { authorization: `Bearer ${key}`, ...(body !== undefined && { 'content-type': 'application/json' }) };
  const response = await fetch(`${url}/api/v1${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} answers ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** An answer without what must differ: cursors, which each signs or not, and what a write makes anew. */
function comparable(answer: unknown, method: Call['method']): unknown {
  const { nextCursor, ...rest } = answer as Record<string, unknown>;
  const page = nextCursor === undefined ? rest : { ...rest, nextCursor: nextCursor === null ? null : 'a cursor' };
  if (method === 'GET') return page;
  return { ...page, updatedAt: 'now', ...(method === 'POST' && { id: 'new', createdAt: 'now' }) };
}

/**
 * Asks both servers the first `count` calls of a workload and compares their bodies. @throws Error when they differ: then
 * the ceiling does other work than the service, and their ratio means nothing.
 */
export async function verify(service: string, ceiling: string, ours: Workload, theirs: Workload, count: number) {
  for (const [place, call] of ours.calls.slice(0, count).entries()) {
    const other = theirs.calls[place];
    if (!other) throw new Error(`${ours.name} has other calls for the ceiling`);
    const one = comparable(await answerOf(service, call), call.method);
    const two = comparable(await answerOf(ceiling, other), call.method);
    if (isDeepStrictEqual(one, two)) continue;
    throw new Error(
      `${ours.name}: the service and the ceiling answer ${call.method} ${call.path} differently:\n` +
        `${JSON.stringify(one).slice(0, 2000)}\n${JSON.stringify(two).slice(0, 2000)}`,
    );
  }
}
