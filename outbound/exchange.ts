import type { IncomingHttpHeaders } from 'node:http';
import type { Dispatcher } from 'undici';
import { OutboundError, outboundErrorOf } from './errors.ts';

/** What one request may take. */
export interface Limits {
  /** Bytes of a body that answers with 2xx. */
  maxBytes: number;
  /** Bytes of any other body. */
  maxErrorBytes: number;
  /**
   * For the connection and the head, and then for each piece of the body, in ms. A body that is not read has no time
   * limit.
   */
  silenceMs: number;
  /** For all of it, in ms. */
  totalMs: number;
  /** Also takes bodies in an encoding that was not asked for, as they are. */
  anyEncoding?: boolean;
}

/** A request in flight. */
interface ExchangeParts {
  limits: Limits;
  method: string;
  signal: AbortSignal | null;
  /** Called when something arrives. */
  onBytes?: (() => void) | undefined;
  /** Called once, when nothing more will arrive. */
  onEnd?: (() => void) | undefined;
}

type Settle = Pick<PromiseWithResolvers<Response>, 'resolve' | 'reject'>;

/** Bytes that wait for their reader before the connection is paused. */
const bufferedBytes = 256 * 1024;
/** Responses without a body (RFC 9110 §6.4.1); `Response` refuses one for them. */
const bodiless = new Set([204, 205, 304]);
const isOk = (status: number) => status >= 200 && status <= 299;
/** Encodings that a client must not pass on as they are; none is asked for. */
const compressed = /\b(gzip|deflate|br|zstd|compress)\b/i;
/**
 * The reason with which a connection is closed when its body is not needed. One for all: each would create its stack.
 */
const unwanted = new Error('The body was cancelled.');

function headersOf(raw: IncomingHttpHeaders): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(raw)) {
    for (const value of Array.isArray(values) ? values : [values]) headers.append(name, value);
  }
  return headers;
}

/**
 * One request and its response, on the events of the HTTP client. The body is one stream without layers: it is counted,
 * timed and paused here.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  readonly #parts: ExchangeParts;
  readonly #settle: Settle;
  readonly #total: NodeJS.Timeout;
  readonly #silence: NodeJS.Timeout;
  #controller: Dispatcher.DispatchController | undefined;
  #body: ReadableStreamDefaultController<Uint8Array> | undefined;
  #answered = false;
  #paused = false;
  #bytes = 0;
  #maxBytes: number;
  /** Set once it is over. */
  #reason: Error | undefined;

  constructor(parts: ExchangeParts, settle: Settle) {
    this.#parts = parts;
    this.#settle = settle;
    const { limits, signal } = parts;
    this.#maxBytes = limits.maxErrorBytes;
    this.#total = setTimeout(() => this.#fail(new OutboundError('timeout', 'TIME_LIMIT')), limits.totalMs);
    this.#silence = setTimeout(() => {
      if (!this.#paused) this.#fail(new OutboundError('timeout', 'SILENCE'));
    }, limits.silenceMs);
    this.#total.unref();
    this.#silence.unref();
    signal?.addEventListener('abort', this.#onAbort, { once: true });
  }

  readonly #onAbort = () => this.#fail(this.#parts.signal?.reason);

  /** Whether it ended now; false when it had ended before. */
  #end(reason: Error): boolean {
    if (this.#reason) return false;
    this.#reason = reason;
    clearTimeout(this.#total);
    clearTimeout(this.#silence);
    const { signal, onEnd } = this.#parts;
    signal?.removeEventListener('abort', this.#onAbort);
    onEnd?.();
    return true;
  }

  #fail(error: unknown): void {
    const reason = error instanceof Error ? error : new Error('aborted', { cause: error });
    if (!this.#end(reason)) return;
    this.#controller?.abort(reason);
    if (this.#answered) this.#body?.error(error);
    else this.#settle.reject(error);
  }

  /** Closes the connection, unless all has arrived: the parser waits for what a response without a body announces. */
  #leave(): void {
    if (this.#end(unwanted)) this.#controller?.abort(unwanted);
  }

  #arrived(): void {
    this.#silence.refresh();
    this.#parts.onBytes?.();
  }

  #read(): void {
    if (!this.#paused || this.#reason) return;
    this.#paused = false;
    this.#silence.refresh();
    this.#controller?.resume();
  }

  #openBody(): ReadableStream<Uint8Array> {
    return new ReadableStream<Uint8Array>(
      {
        start: (body) => {
          this.#body = body;
        },
        pull: () => this.#read(),
        cancel: () => this.#leave(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: bufferedBytes }),
    );
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#reason) controller.abort(this.#reason);
  }

  onResponseStart(_: Dispatcher.DispatchController, status: number, raw: IncomingHttpHeaders): void {
    // 1xx announces another head.
    if (status < 200 || this.#reason) return;
    this.#arrived();
    try {
      const hasBody = this.#parts.method !== 'HEAD' && !bodiless.has(status);
      // Of an error the status alone is worth having.
      if (hasBody && isOk(status)) this.#checkBody(raw);
      const response = new Response(hasBody ? this.#openBody() : null, { status, headers: headersOf(raw) });
      this.#answered = true;
      this.#settle.resolve(response);
      if (!hasBody) queueMicrotask(() => this.#leave());
    } catch (error) {
      this.#fail(error instanceof OutboundError ? error : new OutboundError('unreadable', 'HEAD'));
    }
  }

  #checkBody({ 'content-length': length, 'content-encoding': encoding = '' }: IncomingHttpHeaders): void {
    const { maxBytes, anyEncoding = false } = this.#parts.limits;
    this.#maxBytes = maxBytes;
    if (Number(length) > this.#maxBytes) throw tooLarge();
    if (!anyEncoding && compressed.test(encoding)) throw new OutboundError('unreadable', 'CONTENT_ENCODING');
  }

  onResponseData(controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#reason || !this.#body) return;
    this.#arrived();
    this.#bytes += chunk.byteLength;
    if (this.#bytes > this.#maxBytes) {
      this.#fail(tooLarge());
      return;
    }
    this.#body.enqueue(chunk);
    if ((this.#body.desiredSize ?? 1) > 0) return;
    this.#paused = true;
    controller.pause();
  }

  onResponseEnd(): void {
    if (this.#end(unwanted)) this.#body?.close();
  }

  onResponseError(_: unknown, error: Error): void {
    this.#fail(outboundErrorOf(error, this.#answered));
  }
}

const tooLarge = () => new OutboundError('too_large', 'SIZE_LIMIT');
