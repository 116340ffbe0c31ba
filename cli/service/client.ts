import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from '../credentials/connection.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, exitCodes, Refused } from '../model/failure.ts';
import { causeOf, isRetryable, isTemporary, isUncertain, mayHaveArrived, Retries } from '../model/retries.ts';
import { oneLine } from '../terminal/safe.ts';
import { bodyOf, errorOf, redirection, seeEvents } from './answers.ts';
import type { Answer, Calls, RequestParts } from './calls.ts';

export interface ClientOptions {
  connection: Connection;
  version: string;
  /** Timeout of one request, in ms. */
  timeoutMs: number;
  /** Whether failed requests are retried. */
  retries: boolean;
  /** Prints a line about progress; `isVerbose`: only with --verbose. */
  report(line: string, isVerbose?: boolean): void;
}

/** Headers that --verbose shows. */
const shownHeaders = [
  'etag',
  'x-request-id',
  'idempotency-replayed',
  'ratelimit-remaining',
  'retry-after',
  'deprecation',
  'sunset',
];

function pathOf({ path, id }: CatalogueOperation, values: Readonly<Record<string, string>> = {}): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = values[name];
    if (value === undefined) throw new Error(`${id} needs ${name}`);
    return encodeURIComponent(value);
  });
}

/** Sends requests to one service, and retries them where that is safe. */
export class Client implements Calls {
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#options = options;
  }

  canCall(operation: CatalogueOperation): boolean {
    return this.#options.connection.has(operation.access);
  }

  async send(operation: CatalogueOperation, parts: RequestParts): Promise<Answer> {
    const idempotencyKey = operation.keyed ? (parts.idempotencyKey ?? randomUUID()) : undefined;
    const given = parts.idempotencyKey !== undefined;
    const { response, text } = await this.#withRetries(
      operation,
      { ...parts, idempotencyKey },
      given,
      async (signal, headers) => {
        const response = await this.#fetch(operation, parts, signal, headers);
        return { response, text: response.ok ? await response.text() : '' };
      },
    );
    return { status: response.status, headers: response.headers, body: await bodyOf(operation, text) };
  }

  async open(
    operation: CatalogueOperation,
    parts: RequestParts,
    stop: AbortSignal,
    lastEventId: string,
  ): Promise<Response> {
    const once = async (limit: AbortSignal, headers: Record<string, string>) => {
      // The timeout applies until the response begins; the stream itself has no limit.
      const headersTimeout = new AbortController();
      const giveUp = () => headersTimeout.abort(limit.reason);
      limit.addEventListener('abort', giveUp);
      const resume = lastEventId === '' ? {} : { 'Last-Event-ID': lastEventId };
      const all = { ...headers, ...resume, Accept: 'text/event-stream' };
      const response = await this.#fetch(operation, parts, AbortSignal.any([headersTimeout.signal, stop]), all);
      if (response.ok) {
        await seeEvents(response);
        limit.removeEventListener('abort', giveUp);
      }
      return { response };
    };
    return (await this.#withRetries(operation, parts, false, once, stop)).response;
  }

  async #fetch(
    operation: CatalogueOperation,
    { path, query = {}, body }: RequestParts,
    signal: AbortSignal,
    headers: Record<string, string>,
  ) {
    const { connection, report } = this.#options;
    const search = new URLSearchParams(query).toString();
    const url = `${connection.url}/api/v1${pathOf(operation, path)}${search && `?${search}`}`;
    report(`> ${operation.method} ${url}`, true);
    const response = await fetch(url, {
      method: operation.method,
      headers,
      redirect: 'manual',
      signal,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const shown = shownHeaders.filter((name) => response.headers.has(name));
    report(`< ${response.status}${shown.map((name) => ` ${name}: ${response.headers.get(name)}`).join(';')}`, true);
    if (response.headers.get('deprecation') !== null) {
      const sunset = oneLine(response.headers.get('sunset') ?? 'an unspecified date');
      report(`Deprecated: this operation stops working on ${sunset}.`);
    }
    const address = response.headers.get('location');
    if (response.status >= 300 && response.status < 400 && address !== null) {
      throw redirection(connection.url, new URL(address, url), pathOf(operation, path));
    }
    return response;
  }

  /** Repeats a request while the outcome is temporary and retries remain. @throws Refused, CliFailure. */
  async #withRetries<Got extends { response: Response }>(
    operation: CatalogueOperation,
    parts: RequestParts,
    isKeyGiven: boolean,
    once: (signal: AbortSignal, headers: Record<string, string>) => Promise<Got>,
    stop?: AbortSignal,
  ): Promise<Got> {
    const { connection, retries, report } = this.#options;
    const schedule = new Retries(retries ? {} : { maxTries: 1 });
    const safely = parts.idempotencyKey && `--idempotency-key ${parts.idempotencyKey}`;
    /** Whether an attempt of a write may have been processed. */
    let mayBeDone = false;
    const uncertainHints = () =>
      mayBeDone
        ? ['The request may or may not have been processed.', ...(safely ? [`To retry safely: ${safely}`] : [])]
        : [];
    let isKeyShown = isKeyGiven || !safely;
    const again = async (why: string, headers?: Headers) => {
      const wait = schedule.next(headers);
      if (wait === undefined) return false;
      if (mayBeDone && !isKeyShown) report(`The response was lost. To retry safely if this stops: ${safely}`);
      isKeyShown ||= mayBeDone;
      report(`${why} Retrying in ${Math.ceil(wait / 1000)} s …`, wait < 2000);
      await sleep(wait, undefined, stop && { signal: stop });
      return true;
    };
    let renewed = false;
    for (;;) {
      const bearer = await connection.bearer((parts.as ?? operation).access);
      const limit = AbortSignal.timeout(this.#limitMs(parts));
      let got: Got;
      try {
        got = await once(limit, this.#headers(parts, bearer));
      } catch (error) {
        if (error instanceof CliFailure || stop?.aborted) throw error;
        mayBeDone ||= operation.method !== 'GET' && mayHaveArrived(error);
        if (isRetryable(operation, error) && (await again('Connection lost.'))) continue;
        throw this.#unreachable(error, limit.aborted, uncertainHints());
      }
      const { response } = got;
      if (response.ok) return got;
      const body = await errorOf(response);
      const isStale = response.status === 401 && !renewed;
      if (isStale && (await connection.renew(bearer))) {
        renewed = true;
        continue;
      }
      mayBeDone ||= operation.method !== 'GET' && isUncertain(response.status);
      const why = response.status === 429 ? 'Too many requests.' : 'The service is unavailable.';
      if (isTemporary(operation, response.status, body.reason) && (await again(why, response.headers))) continue;
      const hints = [...connection.hints((parts.as ?? operation).access, response.status, body), ...uncertainHints()];
      if (!mayBeDone && response.status >= 500 && safely && !isKeyGiven) hints.push(`To retry safely: ${safely}`);
      throw new Refused(response.status, body, hints);
    }
  }

  /** Timeout in ms: a request with `waitSeconds` may be held that much longer. */
  #limitMs({ body, query }: RequestParts): number {
    const held = Number(body?.waitSeconds ?? query?.waitSeconds ?? 0);
    return this.#options.timeoutMs + (Number.isFinite(held) ? held * 1000 : 0);
  }

  #headers({ body, idempotencyKey, ifMatch }: RequestParts, bearer: string | null): Record<string, string> {
    const { version } = this.#options;
    return {
      Accept: 'application/json',
      'User-Agent': `Tandem-CLI/${version} node/${process.versions.node} ${process.platform}`,
      ...(bearer !== null && { Authorization: `Bearer ${bearer}` }),
      ...(body !== undefined && { 'Content-Type': 'application/json' }),
      ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
      ...(ifMatch !== undefined && { 'If-Match': ifMatch }),
    };
  }

  #unreachable(error: unknown, timedOut: boolean, uncertainHints: readonly string[]): CliFailure {
    const { url } = this.#options.connection;
    const { code, message } = causeOf(error);
    const seconds = Math.round(this.#options.timeoutMs / 1000);
    const why = timedOut ? `no response within ${seconds} s (--timeout)` : message || code;
    const hints = [...uncertainHints, ...(code === 'ECONNREFUSED' ? ['Is the service running at this address?'] : [])];
    return new CliFailure(exitCodes.unreachable, `${url} cannot be reached: ${oneLine(why)}.`, hints);
  }
}
