import { isDeepStrictEqual } from 'node:util';
import { v7 as uuid } from 'uuid';
import type { Workload } from '../harness/compare.ts';
import { type Call, newId } from '../harness/loader.ts';

/** The body of the answer to a call. @throws Error when it fails. */
export async function answerOf(url: string, call: Call): Promise<unknown> {
  const { method, root = '/api/v1', path, key, body, headers: more = {} } = call;
  const own = Object.entries(more).map(([name, value]) => [name, value.replace(newId, uuid())]);
  const typed = body !== undefined && { 'content-type': 'application/json' };
  const headers = { authorization: `Bearer ${key}`, ...typed, ...Object.fromEntries(own) };
  const response = await fetch(`${url}${root}${path}`, { method, headers, ...(body !== undefined && { body }) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text.slice(0, 300)}`);
  return JSON.parse(text);
}

/** A response without what may differ: cursors, ids and times of writes. */
function comparable(answer: unknown, method: Call['method']): unknown {
  const { nextCursor, ...rest } = answer as Record<string, unknown>;
  const page = nextCursor === undefined ? rest : { ...rest, nextCursor: nextCursor === null ? null : 'a cursor' };
  if (method === 'GET') return page;
  // The place of a new todo in the manual order is made of its id.
  const made = method === 'POST' && { id: 'new', position: 'last', createdAt: 'now' };
  return { ...page, updatedAt: 'now', version: 'next', ...made };
}

/**
 * Sends the first `count` calls of a workload to both servers and compares the bodies. @throws Error when they differ,
 * because the ratio would compare different work.
 */
export async function verify(service: string, ceiling: string, ours: Workload, theirs: Workload, count: number) {
  for (const [place, call] of ours.calls.slice(0, count).entries()) {
    const other = theirs.calls[place];
    if (!other) throw new Error(`${ours.name} has other calls for the ceiling`);
    const one = comparable(await answerOf(service, call), call.method);
    const two = comparable(await answerOf(ceiling, other), call.method);
    if (isDeepStrictEqual(one, two)) continue;
    throw new Error(
      `${ours.name}: service and ceiling return different bodies for ${call.method} ${call.path}:\n` +
        `${JSON.stringify(one).slice(0, 2000)}\n${JSON.stringify(two).slice(0, 2000)}`,
    );
  }
}
