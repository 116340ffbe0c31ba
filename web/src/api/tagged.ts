import { type Actor, actingAs } from './acting.ts';
import { noteWrite } from './answers.ts';
import { inTime } from './in-time.ts';
import { ProblemError, problemIn } from './problem.ts';

/*
 * Resources with their entity tags, over REST: the typed client shows no headers. A change names the tag of what it was
 * made of (`If-Match`), so that it is refused with 412 where another client was faster.
 */

/** A resource and the tag of this version of it. */
export interface Tagged<Resource> {
  resource: Resource;
  tag: string;
}

async function exchange<Resource>(path: string, init: RequestInit, send?: typeof inTime): Promise<Tagged<Resource>> {
  const type = init.body ? { 'Content-Type': 'application/json' } : {};
  const headers = { Accept: 'application/json', ...type, ...init.headers };
  const fetched = (signal = init.signal) => fetch(`/api/v1${path}`, { ...init, headers, signal: signal ?? null });
  const response = await (send ? send(fetched, init.signal) : fetched()).catch((error: unknown) => {
    throw error instanceof ProblemError ? error : new ProblemError(problemIn(null, 0));
  });
  const body: unknown = await response.json().catch(() => null);
  if (!response.ok || body === null) throw new ProblemError(problemIn(body, response.status));
  noteWrite(response.headers.get('Tandem-Event'));
  return { resource: body as Resource, tag: response.headers.get('ETag') ?? '*' };
}

/**
 * Reads a resource, such as that at `/todos/{id}`, in the session of `actor` where one is given. @throws ProblemError
 */
export function readTagged<Resource>(path: string, signal: AbortSignal, actor?: Actor): Promise<Tagged<Resource>> {
  return exchange(path, { signal, ...(actor && { headers: actingAs(actor) }) }, inTime);
}

/** What a request carries beside its address. */
interface Sent {
  /** The version that it is about (`If-Match`). */
  tag?: string | undefined;
  /** The same for every repetition of the request (`Idempotency-Key`). */
  key?: string | undefined;
  body?: object | undefined;
  /** For whom it is sent; by default the person of this window. */
  actor?: Actor | undefined;
}

/** After this time without an answer a request has failed, in ms. */
const answerMs = 60_000;

/**
 * Sends a change: the request names its address, such as `DELETE /todos/{id}`. @throws ProblemError, 412 when the
 * resource has another tag.
 */
export function sendTagged<Resource>(
  request: `${'POST' | 'PATCH' | 'DELETE'} ${string}`,
  { tag, key, body, actor }: Sent,
): Promise<Tagged<Resource>> {
  const [method = '', path = ''] = request.split(' ');
  const headers = {
    ...actingAs(actor),
    ...(tag !== undefined && { 'If-Match': tag }),
    ...(key !== undefined && { 'Idempotency-Key': key }),
  };
  const signal = AbortSignal.timeout(answerMs);
  return exchange(path, { method, headers, signal, ...(body && { body: JSON.stringify(body) }) });
}

/**
 * Archives, erases or restores a resource if it still has the tag: the request names its address, such as
 * `DELETE /todos/{id}`. @throws ProblemError, 412 when it has another one.
 */
export async function actTagged(request: `${'POST' | 'DELETE'} ${string}`, tag: string): Promise<void> {
  const [method = '', path = ''] = request.split(' ');
  await exchange(path, { method, headers: { ...actingAs(), 'If-Match': tag } });
}

/** Changes a resource if it still has the tag. @throws ProblemError, 412 when it has another one. */
export function changeTagged<Resource>(path: string, tag: string, change: object): Promise<Tagged<Resource>> {
  return exchange(path, { method: 'PATCH', headers: { ...actingAs(), 'If-Match': tag }, body: JSON.stringify(change) });
}
