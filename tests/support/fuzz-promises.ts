import * as assert from 'uvu/assert';
import type { Operation } from '../../adapters/operations.ts';
import { errorCodes } from '../../domain/errors.ts';
import type { FuzzRequest } from './fuzz-requests.ts';
import type { Received } from './fuzz-wire.ts';

/* What every response promises, whatever was sent. */

const everywhere = [304, 400, 401, 403, 405, 413, 415, 429];
const others = [200, 201, 202, 204, 402, 404, 409, 412];
const envelope = 'code detail docUrl errors message object param requestId retryable status title type'.split(' ');

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire
type Any = any;

function assertEnvelope({ status, headers, text }: Received, error: Any = JSON.parse(text)): void {
  for (const field of envelope) assert.ok(field in error, `no ${field} in ${text.slice(0, 500)}`);
  assert.equal([error.object, error.requestId], ['error', headers.get('x-request-id')]);
  assert.ok(error.code in errorCodes && error.code !== 'internal_error', text.slice(0, 500));
  assert.is(error.param, error.errors[0]?.param ?? null);
  assert.ok(error.message.length > 0 && error.message.length < 5000, text.slice(0, 300));
  if (status >= 400) assert.is(error.status, status);
}

function assertFrame({ headers }: Received): void {
  for (const name of ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset']) {
    assert.match(headers.get(name) ?? '', /^\d+$/, name);
  }
  assert.match(headers.get('x-request-id') ?? '', /^[0-9a-f-]{36}$/);
  assert.match(headers.get('ratelimit') ?? '', /^"default";r=\d+;t=\d+$/);
}

/** Whether the response may be the page that a browser gets at an address of no operation. */
function mayBePage({ method, headers }: FuzzRequest, { status }: Received): boolean {
  const accepts = headers.some(([name, value]) => name.toLowerCase() === 'accept' && value.includes('text/html'));
  return method === 'GET' && status === 404 && accepts;
}

function assertRest(operation: Operation, request: FuzzRequest, answer: Received): void {
  const { method, target } = request;
  const { status, headers, text } = answer;
  const path = `/api/v1${operation.path}`.replace(/\/$/, '/?').replaceAll(/\{\w+\}/g, '[^/?]+');
  const here = method === operation.method && new RegExp(`^${path}(\\?|$)`).test(target);
  const allowed = [...everywhere, ...(here ? [operation.status, ...operation.statuses] : others)];
  assert.ok(allowed.includes(status), `${status} is not documented: ${text.slice(0, 300)}`);
  if (method === 'HEAD' || status === 304 || status === 204) {
    assert.is(text, '');
    return;
  }
  if (operation.stream && here && status === 200) {
    assert.match(headers.get('content-type') ?? '', /^text\/event-stream/);
    assert.ok(text.startsWith('retry: 2000\n\n'), text.slice(0, 100));
    return;
  }
  // Another operation may have this address, and answers in JSON.
  if (!here && mayBePage(request, answer) && headers.get('content-type')?.startsWith('text/html')) return;
  assert.match(headers.get('content-type') ?? '', /^application\/(problem\+)?json/);
  if (status >= 400) assertEnvelope(answer);
  else if (here) {
    const body = JSON.parse(text);
    assert.equal(operation.output.parse(body), body, 'the body has fields that its schema does not know');
  }
}

function assertTrpc({ method }: FuzzRequest, answer: Received): void {
  const { headers, text } = answer;
  if (method === 'HEAD' || /event-stream|jsonl/.test(headers.get('content-type') ?? '')) return;
  const body: Any = JSON.parse(text);
  for (const { error } of Array.isArray(body) ? body : [body]) {
    if (!error) continue;
    assert.ok(error.data.httpStatus < 500, text.slice(0, 500));
    assertEnvelope({ ...answer, status: 0 }, error.data.problem);
  }
}

/** JSON-RPC 2.0 §5.1: an error on the side of the server. */
const internalError = -32603;

function assertMcp(answer: Received): void {
  const { status, headers, text } = answer;
  if (text === '') {
    assert.ok([200, 202].includes(status), `${status} without a body`);
    return;
  }
  if (headers.get('content-type')?.includes('event-stream')) {
    assert.not.match(text, new RegExp(`"code":${internalError}|internal_error`));
    return;
  }
  const body: Any = JSON.parse(text);
  if (body.object === 'error') {
    assertEnvelope(answer, body);
    return;
  }
  for (const message of Array.isArray(body) ? body : [body]) {
    assert.is(message.jsonrpc, '2.0', text.slice(0, 500));
    assert.is.not(message.error?.code, internalError, text.slice(0, 500));
    const { isError, structuredContent, content } = message.result ?? {};
    if (!isError) continue;
    const { code } = structuredContent ?? JSON.parse(content[0].text);
    assert.ok(code in errorCodes && code !== 'internal_error', text.slice(0, 500));
  }
}

/** Holds a response to what all promise. `operation` is what a REST request meant. @throws Error */
export function assertPromises(operation: Operation | undefined, request: FuzzRequest, answer: Received): void {
  const { status, text } = answer;
  assert.ok(status >= 200 && status < 500, `${status} ${text.slice(0, 500)}`);
  assertFrame(answer);
  if (request.transport === 'mcp') assertMcp(answer);
  else if (request.transport === 'trpc') assertTrpc(request, answer);
  else if (operation) assertRest(operation, request, answer);
}
