import type { Attempt } from '../../../domain/webhooks/attempts.ts';
import type { Send } from '../../../outbound/client.ts';
import { findOutboundError, isBusy } from '../../../outbound/errors.ts';
import { type PublicOptions, publicClient } from '../../../outbound/public.ts';

/** For all of a request: the connection, the head and what is read of the body. */
const timeoutMs = 15_000;
/** What is read of an answer. */
const maxAnswerBytes = 64 * 1024;
/** What is stored of it. */
const maxStoredCharacters = 2000;
const maxStoredHeaders = 40;
const maxStoredHeaderCharacters = 500;

/** What was answered to a credential of the receiver is not shown to others. */
const hidden = new Set(['set-cookie', 'set-cookie2', 'authorization', 'proxy-authorization', 'www-authenticate']);

/**
 * The client of webhooks. `maxInFlight` requests at a time in this process; more are refused. As many to one origin:
 * endpoints of different workspaces may share one, and a slow one must not delay the others. The size of an answer is
 * no failure: it is read up to 64 KiB, and its connection is closed.
 */
export function webhookClient(allowed: readonly string[], maxInFlight: number, options: PublicOptions = {}): Send {
  const limits = {
    maxBytes: Number.MAX_SAFE_INTEGER,
    maxErrorBytes: Number.MAX_SAFE_INTEGER,
    silenceMs: timeoutMs,
    totalMs: timeoutMs,
    anyEncoding: true,
  };
  return publicClient(allowed, {
    maxInFlight,
    maxPerOrigin: maxInFlight,
    ...options,
    limits: { ...limits, ...options.limits },
  });
}

/** The beginning of a body as text. A body that ends early, or never, is cut where it was. */
async function beginningOf(response: Response): Promise<string> {
  const reader = response.body?.getReader();
  if (!reader) return '';
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  try {
    while (bytes < maxAnswerBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      chunks.push(value);
      bytes += value.byteLength;
    }
  } catch {
    // The status has arrived: what follows it does not change what came of the request.
  }
  await reader.cancel().catch(() => {});
  const text = Buffer.concat(chunks).subarray(0, maxAnswerBytes).toString('utf8');
  return [...text.slice(0, 2 * maxStoredCharacters)].slice(0, maxStoredCharacters).join('').replaceAll('\0', '\ufffd');
}

function storedHeaders(headers: Headers): Record<string, string> {
  const shown = [...headers].filter(([name]) => !hidden.has(name)).slice(0, maxStoredHeaders);
  return Object.fromEntries(shown.map(([name, value]) => [name, value.slice(0, maxStoredHeaderCharacters)]));
}

/** What is sent. */
export interface WebhookRequest {
  url: string;
  headers: Record<string, string>;
  body: string;
}

/**
 * Sends a request and returns what came of it. Follows no redirect. @throws the reason of the signal; an error that is
 * none of the connection; `OutboundError` with the fault `busy` when nothing was sent, which says nothing of the
 * receiver.
 */
export async function attemptOf(send: Send, request: WebhookRequest, signal: AbortSignal): Promise<Attempt> {
  const { url, body } = request;
  const headers = { 'content-type': 'application/json', 'user-agent': 'Tandem-Webhooks', ...request.headers };
  const sentAt = new Date().toISOString();
  const since = performance.now();
  const facts = { url, requestHeaders: headers, requestBody: body, sentAt };
  const took = () => Math.round(performance.now() - since);
  try {
    const response = await send(url, { method: 'POST', headers, body, signal });
    const responseBody = (await beginningOf(response)).toWellFormed();
    signal.throwIfAborted();
    const answer = { status: response.status, responseHeaders: storedHeaders(response.headers), responseBody };
    return { ...facts, ...answer, error: null, durationMs: took() };
  } catch (error) {
    const failure = findOutboundError(error);
    if (!failure || isBusy(failure) || signal.aborted) throw error;
    const { fault, code } = failure;
    const none = { status: null, responseHeaders: null, responseBody: null };
    return { ...facts, ...none, error: `${fault} (${code})`, durationMs: took() };
  }
}

/** A try that sent nothing, for this reason. */
export function unsentAttempt({ url, headers, body }: WebhookRequest, error: string): Attempt {
  const none = { status: null, responseHeaders: null, responseBody: null };
  const sentAt = new Date().toISOString();
  return { url, requestHeaders: headers, requestBody: body, sentAt, ...none, error, durationMs: 0 };
}
