import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { textOf } from './s3-xml.ts';
import { StoreFault } from './store.ts';

/** A bucket of a store that speaks S3's protocol. */
export interface S3Settings {
  /** Address without the bucket; it may have a path. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Stands before every key: empty, or ends in `/`. */
  prefix: string;
  /** The bucket in the path, or as the first label of the host. */
  pathStyle: boolean;
}

/** How long the store is waited for. */
export interface S3Patience {
  /** How often one thing is asked for at most. */
  tries: number;
  /** The first pause, in ms; each one is twice the last, at most 5 s, less a random share. */
  firstPauseMs: number;
  /** For the head of an answer, and for each piece of its body. */
  silenceMs: number;
}

export const usualPatience: S3Patience = { tries: 6, firstPauseMs: 200, silenceMs: 30_000 };

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Below the bucket, the settings' prefix included; empty for the bucket itself. */
  path: string;
  query?: Record<string, string>;
  headers?: Record<string, string>;
  body?: Uint8Array;
  /** Statuses that are answers beside 2xx. */
  accept?: readonly number[];
}

/** An answer whose body is read in time, or not at all. */
export interface S3Answer {
  status: number;
  headers: Headers;
  text(): Promise<string>;
  /** Ends the transfer when it is left early. @throws StoreFault when it breaks off or falls silent */
  body(): AsyncGenerator<Uint8Array>;
  /** Gives the connection back. */
  close(): Promise<void>;
}

const passing = (status: number) => status >= 500 || status === 429 || status === 408;

/** Why a connection failed, without its address. */
function reasonOf(error: unknown): string {
  const { cause, name } = error as { cause?: { code?: string; name?: string }; name?: string };
  return cause?.code ?? cause?.name ?? name ?? 'unknown';
}

function unanswered(error: unknown, what: string): StoreFault {
  return new StoreFault(`The audio store did not answer ${what} (${reasonOf(error)}).`);
}

function passingFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  throw error;
}

const counts = (status: number, { accept }: S3Request) =>
  (status >= 200 && status < 300) || accept?.includes(status) === true;

/** Runs `work` and aborts it when it takes longer than `ms`. */
async function inTime<T>(ms: number, controller: AbortController, work: () => Promise<T>): Promise<T> {
  const timer = setTimeout(() => controller.abort(new Error('silent')), ms);
  try {
    return await work();
  } finally {
    clearTimeout(timer);
  }
}

function answerOf(response: Response, controller: AbortController, silenceMs: number, what: string): S3Answer {
  const body = async function* () {
    const reader = response.body?.getReader();
    if (!reader) return;
    try {
      for (;;) {
        const { done, value } = await inTime(silenceMs, controller, () => reader.read()).catch((error: unknown) => {
          throw new StoreFault(`The audio store broke off its answer to ${what} (${reasonOf(error)}).`);
        });
        if (done) return;
        yield value;
      }
    } finally {
      await reader.cancel().catch(() => {});
    }
  };
  const text = async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of body()) pieces.push(piece);
    return Buffer.concat(pieces).toString('utf8');
  };
  const close = async () => {
    await response.body?.cancel().catch(() => {});
  };
  return { status: response.status, headers: response.headers, body, text, close };
}

/** Signed requests to one bucket (AWS Signature Version 4), repeated while a fault may pass. */
export function s3Client(settings: S3Settings, patience: S3Patience) {
  const { accessKeyId, secretAccessKey, region, bucket } = settings;
  const signer = new AwsClient({ accessKeyId, secretAccessKey, region, service: 's3', retries: 0 });
  const base = new URL(settings.endpoint);
  if (!settings.pathStyle) base.host = `${bucket}.${base.host}`;
  const root = base.pathname.replace(/\/+$/, '') + (settings.pathStyle ? `/${bucket}` : '');

  const addressOf = ({ path, query = {} }: S3Request) => {
    const address = new URL(base);
    address.pathname = path === '' ? root || '/' : [root, ...path.split('/').map(encodeURIComponent)].join('/');
    // `+` for a space would be signed as a plus.
    address.search = Object.entries(query)
      .map((pair) => pair.map(encodeURIComponent).join('='))
      .join('&');
    return address;
  };

  const send = async (request: S3Request, what: string): Promise<S3Answer> => {
    const { method, body } = request;
    const controller = new AbortController();
    // Over plain http only this keeps what arrives to what was sent.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const headers = { ...request.headers, 'x-amz-content-sha256': hash };
    const signed = await signer.sign(addressOf(request), {
      method,
      headers,
      ...(body && { body: body as Uint8Array<ArrayBuffer> }),
    });
    // Ranges are of the bytes themselves. Set after signing: proxies of some providers rewrite this header.
    signed.headers.set('accept-encoding', 'identity');
    const response = await inTime(patience.silenceMs, controller, () =>
      fetch(signed, { signal: controller.signal, redirect: 'manual' }),
    );
    return answerOf(response, controller, patience.silenceMs, what);
  };

  const refused = async (answer: S3Answer, what: string): Promise<StoreFault> => {
    const code = textOf(await answer.text().catch(() => ''), 'Code')?.replace(/\W/g, '');
    const said = code ? `${answer.status} ${code.slice(0, 60)}` : answer.status;
    return new StoreFault(`The audio store answered ${said} to ${what} in bucket ${bucket}.`);
  };

  /**
   * Asks until there is an answer that counts. `read` takes what is needed of it and is tried again with the whole
   * when it throws a StoreFault. @throws StoreFault with the code of the store, never its words: they repeat what was
   * signed
   */
  return async function ask<T>(request: S3Request, read: (answer: S3Answer) => Promise<T>): Promise<T> {
    const what = `${request.method} ${request.path === '' ? '(list)' : request.path}`;
    for (let tried = 1; ; tried++) {
      const answer = await send(request, what).catch((error: unknown) => unanswered(error, what));
      let fault: StoreFault;
      if (answer instanceof StoreFault) fault = answer;
      else if (counts(answer.status, request)) {
        const taken = await read(answer).catch(passingFault);
        if (!(taken instanceof StoreFault)) return taken;
        fault = taken;
      } else {
        fault = await refused(answer, what);
        if (!passing(answer.status)) throw fault;
      }
      if (tried >= patience.tries) throw new StoreFault(`${fault.message} (Tried ${tried} times.)`);
      await sleep(Math.min(5000, patience.firstPauseMs * 2 ** (tried - 1)) * (0.5 + Math.random() / 2));
    }
  };
}
