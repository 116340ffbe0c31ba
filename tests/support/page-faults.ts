import type { Page, Route } from 'playwright-core';
import { sampleOf } from '../../adapters/rest/openapi/sample-failures.ts';
import { type ErrorCode, errorBody, Failure } from '../../domain/errors.ts';
import { operationsOfRequest } from './page-operations.ts';
import { isFull } from './proof-size.ts';

/* What may happen to a request of a page, other than the answer that it wants. */

const codeOf = {
  402: 'insufficient_minutes',
  412: 'resource_conflict',
  429: 'rate_limit_exceeded',
  503: 'internal_error',
} as const satisfies Record<number, ErrorCode>;

type Status = keyof typeof codeOf;

/** `unreachable`: no connection, as after `kill -9`; `slow`: no answer until the fault is mended; else this status. */
export type Fault = 'unreachable' | 'slow' | Status;

const passing: readonly Fault[] = ['unreachable', 429, 503];
const final: readonly Fault[] = [402, 412];
export const faults: readonly Fault[] = ['slow', ...passing, ...final];

/**
 * The faults that the flow at a place of a list is tried with: all, or in CI one of each kind, another one in each
 * place.
 */
export function faultsAt(place: number): readonly Fault[] {
  if (isFull) return faults;
  const at = (list: readonly Fault[]) => list.filter((_, index) => index === place % list.length);
  return ['slow', ...at(passing), ...at(final)];
}

/** What the browser logs about failures that a test causes. */
export const expectedFailures = /Failed to load resource|net::ERR_|Cache\.add\(\) failed/;

/** The error object that the service sends with a status. */
function problemOf(status: Status) {
  const failure = new Failure(sampleOf(codeOf[status], status));
  return errorBody(failure, 'req_test', 'http://127.0.0.1/docs/errors');
}

/** What a page says about a fault: the sentence of the service, or that there is none. */
export function sentenceOf(fault: Fault): string {
  if (fault === 'slow') return '';
  return fault === 'unreachable' ? 'The service cannot be reached.' : problemOf(fault).message;
}

/** The error of one call of tRPC. */
function wrapped(status: Status) {
  const problem = problemOf(status);
  return { error: { message: problem.message, code: -32000, data: { code: 'ERROR', httpStatus: status, problem } } };
}

/** Answers a request of which `isBroken` says for each call whether it fails. */
async function refuse(route: Route, isBroken: readonly boolean[], status: Status): Promise<void> {
  const isRest = new URL(route.request().url()).pathname.startsWith('/api/');
  if (isRest || isBroken.every(Boolean)) {
    const body = isRest ? problemOf(status) : wrapped(status);
    return route.fulfill({ status, json: body });
  }
  const answer = await route.fetch();
  const results: unknown[] = await answer.json();
  const json = results.map((result, place) => (isBroken[place] ? wrapped(status) : result));
  await route.fulfill({ response: answer, status: 207, json });
}

/** Operations that fail from now on. */
export interface Broken {
  /** Waits until a page has called one of them. */
  asked: Promise<void>;
  /** Lets the operations work again. */
  mend(): Promise<void>;
}

/** Breaks the operations of which `breaks` is true in all requests of a page; other calls of a batch are answered. */
export async function breakOperations(page: Page, breaks: (id: string) => boolean, fault: Fault): Promise<Broken> {
  const asked = Promise.withResolvers<void>();
  const mended = Promise.withResolvers<void>();
  const handle = async (route: Route) => {
    const request = route.request();
    const isBroken = operationsOfRequest(request.method(), request.url()).map(breaks);
    if (!isBroken.some(Boolean)) return route.fallback();
    asked.resolve();
    if (fault === 'unreachable') return route.abort('connectionrefused');
    // The page may have given up the request, or may be closed.
    if (fault !== 'slow') return refuse(route, isBroken, fault).catch(() => {});
    await mended.promise;
    await route.continue().catch(() => {});
  };
  const addresses = /\/(trpc|api\/v1)\//;
  await page.route(addresses, handle);
  const mend = async () => {
    mended.resolve();
    await page.unroute(addresses, handle);
  };
  return { asked: asked.promise, mend };
}

/**
 * Has what ends the session of a page, at an address like `pattern`, answered only after another request got 401. The
 * service gets it at once, and not from the browser, which would have the cookies of the answer early.
 */
export async function answerLate(page: Page, pattern: RegExp): Promise<void> {
  await page.route(pattern, async (route) => {
    const refused = page.waitForResponse((answer) => answer.status() === 401);
    const request = route.request();
    const [headers, body] = [await request.allHeaders(), request.postData()];
    const answer = await fetch(request.url(), { method: 'POST', headers, body });
    await refused;
    const text = await answer.text();
    await route.fulfill({ status: answer.status, headers: Object.fromEntries(answer.headers), body: text });
  });
}
