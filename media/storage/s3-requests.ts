import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { findOutboundError } from '../../outbound/errors.ts';
import { operatorClient } from '../../outbound/operator.ts';
import { textOf } from './s3-xml.ts';
import { StoreFault } from './store.ts';

/** A bucket of a store with S3's protocol. */
export interface S3Settings {
  /** Address without the bucket; it may have a path. */
  endpoint: string;
  region: string;
  bucket: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** Precedes every key: empty, or ends in `/`. */
  prefix: string;
  /** The bucket in the path, or as the first label of the host. */
  pathStyle: boolean;
}

/** Timeouts and retries of requests to the store. */
export interface S3Timeouts {
  /** The most tries of one request. */
  maxTries: number;
  /** The first pause, in ms; each one is twice the last, at most 5 s, less a random share. */
  firstPauseMs: number;
  /** For the head of an answer, and for each piece of its body. */
  silenceMs: number;
  /** For one answer as a whole; a longer transfer continues with another request. */
  totalMs: number;
}

export const defaultTimeouts: S3Timeouts = {
  maxTries: 6,
  firstPauseMs: 200,
  silenceMs: 30_000,
  totalMs: 3_600_000,
};

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

/** Bytes of an object: more than a recording may have. */
const maxObjectBytes = 2 ** 33;
/** Bytes of any other answer; a list of 1,000 objects has far fewer. */
const maxTextBytes = 2 ** 24;
const maxErrorBytes = 2 ** 18;

const passing = (status: number) => status >= 500 || status === 429 || status === 408;

/** The fault for a request that failed on its way. @throws `error` if it is of another kind */
function faultOf(error: unknown, failed: string): StoreFault {
  const found = findOutboundError(error);
  if (!found) throw error;
  return new StoreFault(`The audio store ${failed} (${found.code}).`);
}

function passingFault(error: unknown): StoreFault {
  if (error instanceof StoreFault) return error;
  throw error;
}

const counts = (status: number, { accept }: S3Request) =>
  (status >= 200 && status < 300) || accept?.includes(status) === true;

function answerOf(response: Response, label: string): S3Answer {
  const body = async function* () {
    try {
      for await (const piece of response.body ?? []) yield piece;
    } catch (error) {
      throw faultOf(error, `broke off its answer to ${label}`);
    }
  };
  const text = async () => {
    const pieces: Uint8Array[] = [];
    let bytes = 0;
    for await (const piece of body()) {
      bytes += piece.byteLength;
      if (bytes > maxTextBytes) throw new StoreFault(`The audio store sent too long an answer to ${label}.`);
      pieces.push(piece);
    }
    return Buffer.concat(pieces).toString('utf8');
  };
  const close = async () => {
    await response.body?.cancel().catch(() => {});
  };
  return { status: response.status, headers: response.headers, body, text, close };
}

/** Signed requests to one bucket (AWS Signature Version 4), repeated while a fault may pass. */
export function s3Client(settings: S3Settings, timeouts: S3Timeouts) {
  const { accessKeyId, secretAccessKey, region, bucket } = settings;
  const { silenceMs, totalMs } = timeouts;
  const transfer = operatorClient({ maxBytes: maxObjectBytes, maxErrorBytes, silenceMs, totalMs });
  const signingKeys = new Map<string, ArrayBuffer>();
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

  const send = async (request: S3Request, label: string): Promise<S3Answer> => {
    const { method, body } = request;
    // Over plain http only this hash ensures that what arrives is what was sent.
    const hash = createHash('sha256')
      .update(body ?? '')
      .digest('hex');
    const { AwsV4Signer } = await import('aws4fetch');
    const signer = new AwsV4Signer({
      method,
      url: addressOf(request).href,
      headers: { ...request.headers, 'x-amz-content-sha256': hash },
      accessKeyId,
      secretAccessKey,
      region,
      service: 's3',
      cache: signingKeys,
    });
    const { url, headers } = await signer.sign();
    const response = await transfer(url, {
      method,
      headers,
      ...(body && { body: body as Uint8Array<ArrayBuffer> }),
    });
    return answerOf(response, label);
  };

  const refused = async (answer: S3Answer, label: string): Promise<StoreFault> => {
    const code = textOf(await answer.text().catch(() => ''), 'Code')?.replace(/\W/g, '');
    const described = code ? `${answer.status} ${code.slice(0, 60)}` : answer.status;
    return new StoreFault(`The audio store answered ${described} to ${label} in bucket ${bucket}.`);
  };

  /**
   * Sends the request until there is a valid answer. `read` takes what is needed of it and is tried again with the
   * whole when it throws a StoreFault. @throws StoreFault with the code of the store, never its words: they repeat what
   * was signed
   */
  return async function ask<T>(request: S3Request, read: (answer: S3Answer) => Promise<T>): Promise<T> {
    const label = `${request.method} ${request.path === '' ? '(list)' : request.path}`;
    for (let tried = 1; ; tried++) {
      const answer = await send(request, label).catch((error: unknown) => faultOf(error, `did not answer ${label}`));
      let fault: StoreFault;
      if (answer instanceof StoreFault) fault = answer;
      else if (counts(answer.status, request)) {
        const taken = await read(answer).catch(passingFault);
        if (!(taken instanceof StoreFault)) return taken;
        fault = taken;
      } else {
        fault = await refused(answer, label);
        if (!passing(answer.status)) throw fault;
      }
      if (tried >= timeouts.maxTries) throw new StoreFault(`${fault.message} (Tried ${tried} times.)`);
      await sleep(Math.min(5000, timeouts.firstPauseMs * 2 ** (tried - 1)) * (0.5 + Math.random() / 2));
    }
  };
}
