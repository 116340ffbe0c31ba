import { createHash, randomBytes } from 'node:crypto';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { S3Settings } from '../../media/storage/s3-requests.ts';
import { signatureFault } from './s3-signature.ts';

/*
 * A store that speaks S3, as far as audio needs it: signatures (version 4) are checked, lists come in pages, ranges and
 * multipart uploads keep S3's rules. What it promises is what AWS documents for each operation.
 * https://docs.aws.amazon.com/AmazonS3/latest/API/API_Operations_Amazon_Simple_Storage_Service.html
 */

/**
 * An error of the store, a connection reset before it acts, a lost answer, half an answer and a reset, half of one and
 * then nothing, no answer, an error in a 200, a byte now and then without an end, 64 MiB of nothing.
 */
export type S3Fault = 503 | 429 | 'reset' | 'lost' | 'cut' | 'stuck' | 'silent' | 'error-in-200' | 'drip' | 'bloated';

export interface S3Request {
  method: string;
  url: string;
  headers: IncomingHttpHeaders;
}

export interface TestS3 {
  settings: S3Settings;
  /** Requests that came, in order. */
  seen: S3Request[];
  /** Uploads that were begun and neither finished nor aborted. */
  uploads: ReadonlyMap<string, unknown>;
  /** The next `times` requests that `to` matches (against `METHOD url`) fail so. */
  failNext(kind: S3Fault, to: RegExp, times?: number): void;
  close(): Promise<void>;
}

interface Answer {
  status: number;
  headers?: Record<string, string | number>;
  body?: Uint8Array | string;
}

interface Upload {
  key: string;
  parts: Map<number, Buffer>;
}

const smallestPart = 5 * 2 ** 20;
const tagOf = (body: Uint8Array) => `"${createHash('md5').update(body).digest('hex')}"`;
const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const xml = (text: string): Answer => ({
  status: 200,
  headers: { 'content-type': 'application/xml' },
  body: `<?xml version="1.0" encoding="UTF-8"?>\n${text}`,
});
const refusal = (status: number, code: string): Answer => ({
  ...xml(`<Error><Code>${code}</Code><Message>No &amp; no.</Message><RequestId>1</RequestId></Error>`),
  status,
});

/** One bucket in memory. */
function createBucket() {
  const objects = new Map<string, Buffer>();
  const uploads = new Map<string, Upload>();

  const list = (query: URLSearchParams): Answer => {
    const [prefix, most] = [query.get('prefix') ?? '', Number(query.get('max-keys') ?? 1000)];
    const token = query.get('continuation-token');
    const after = token === null ? '' : Buffer.from(token.slice(2), 'base64').toString();
    const keys = [...objects.keys()].filter((key) => key.startsWith(prefix) && key > after).sort();
    const page = keys.slice(0, Math.min(most, 1000));
    const more = page.length < keys.length;
    const contents = page.map(
      (key) => `<Contents><Key>${escaped(key)}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
    // Tokens of AWS hold characters that must be escaped in XML or in an address.
    const next = more ? `&+${Buffer.from(page.at(-1) ?? '').toString('base64')}` : '';
    return xml(
      `<ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><IsTruncated>${more}</IsTruncated>${
        more ? `<NextContinuationToken>${escaped(next)}</NextContinuationToken>` : ''
      }${contents.join('')}</ListBucketResult>`,
    );
  };

  const get = (key: string, headers: IncomingHttpHeaders): Answer => {
    const object = objects.get(key);
    if (!object) return refusal(404, 'NoSuchKey');
    const etag = tagOf(object);
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag) return refusal(412, 'PreconditionFailed');
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(headers.range ?? '') ?? [];
    if (first === undefined) return { status: 200, headers: { etag, 'content-length': object.length }, body: object };
    const [start, end] = [Number(first), last ? Math.min(Number(last), object.length - 1) : object.length - 1];
    if (start >= object.length) return refusal(416, 'InvalidRange');
    const range = { 'content-range': `bytes ${start}-${end}/${object.length}`, 'content-length': end + 1 - start };
    return { status: 206, headers: { etag, ...range }, body: object.subarray(start, end + 1) };
  };

  const complete = (id: string, upload: Upload, body: Buffer): Answer => {
    const named = [...body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>(.*?)<\/ETag>/g)];
    const parts = named.map(([, number, tag]) => ({ part: upload.parts.get(Number(number)), tag }));
    if (parts.length === 0) return refusal(400, 'MalformedXML');
    if (parts.some(({ part, tag }) => !part || tagOf(part) !== tag)) return refusal(400, 'InvalidPart');
    const whole = parts.map(({ part }) => part as Buffer);
    if (whole.slice(0, -1).some((part) => part.length < smallestPart)) return refusal(400, 'EntityTooSmall');
    objects.set(upload.key, Buffer.concat(whole));
    uploads.delete(id);
    return xml(`<CompleteMultipartUploadResult><Key>${escaped(upload.key)}</Key></CompleteMultipartUploadResult>`);
  };

  const inUpload = (method: string, key: string, query: URLSearchParams, body: Buffer): Answer => {
    const id = query.get('uploadId') ?? '';
    const upload = uploads.get(id);
    if (upload?.key !== key) return refusal(404, 'NoSuchUpload');
    if (method === 'POST') return complete(id, upload, body);
    if (method === 'DELETE') {
      uploads.delete(id);
      return { status: 204 };
    }
    upload.parts.set(Number(query.get('partNumber')), body);
    return { status: 200, headers: { etag: tagOf(body) } };
  };

  const answer = (method: string, key: string, query: URLSearchParams, headers: IncomingHttpHeaders, body: Buffer) => {
    if (key === '') return query.get('list-type') === '2' ? list(query) : refusal(501, 'NotImplemented');
    if (query.has('uploadId')) return inUpload(method, key, query, body);
    if (query.has('uploads')) {
      const id = randomBytes(8).toString('hex');
      uploads.set(id, { key, parts: new Map() });
      return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
    }
    if (method === 'GET' || method === 'HEAD') return get(key, headers);
    if (method === 'DELETE') objects.delete(key);
    else objects.set(key, body);
    return method === 'DELETE' ? { status: 204 } : { status: 200, headers: { etag: tagOf(body) } };
  };
  return { answer, uploads };
}

async function bodyOf(message: IncomingMessage): Promise<Buffer> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces);
}

function drip(reply: ServerResponse): void {
  const timer = setInterval(() => reply.write(' '), 10);
  reply.on('close', () => clearInterval(timer));
}

/** Starts one on loopback, with one bucket; `localhost` and names below it are its hosts. */
export async function startS3(): Promise<TestS3> {
  const name = 'audio-test';
  const secretAccessKey = 'the-secret/of+the=tests';
  const bucket = createBucket();
  const seen: S3Request[] = [];
  const faults: { kind: S3Fault; to: RegExp; left: number }[] = [];

  const judge = (request: S3Request, body: Buffer): Answer => {
    const { method, url, headers } = request;
    const fault = signatureFault({ ...request, body }, secretAccessKey);
    if (fault) return refusal(403, 'SignatureDoesNotMatch');
    const address = new URL(url, 'http://localhost');
    const hosted = /^([\w-]+)\.localhost:/.exec(headers.host ?? '')?.[1];
    const path = decodeURIComponent(address.pathname).slice(1);
    const [named = '', ...rest] = path.split('/');
    if ((hosted ?? named) !== name) return refusal(404, 'NoSuchBucket');
    return bucket.answer(method, hosted ? path : rest.join('/'), address.searchParams, headers, body);
  };

  const serve = async (message: IncomingMessage, reply: ServerResponse) => {
    const { method = '', url = '', headers } = message;
    const body = await bodyOf(message);
    seen.push({ method, url, headers });
    const met = faults.find(({ to, left }) => left > 0 && to.test(`${method} ${url}`));
    if (met) met.left--;
    if (met?.kind === 'silent') return;
    if (met?.kind === 'reset') return message.socket.destroy();
    const faultAnswers: Partial<Record<S3Fault, Answer>> = {
      503: refusal(503, 'SlowDown'),
      429: refusal(429, 'TooManyRequests'),
      'error-in-200': refusal(200, 'InternalError'),
    };
    const answer = (met && faultAnswers[met.kind]) ?? judge({ method, url, headers }, body);
    if (met?.kind === 'lost') return message.socket.destroy();
    if (met?.kind === 'drip') return drip(reply);
    if (met?.kind === 'bloated') return reply.end(Buffer.alloc(64 * 2 ** 20, ' '));
    reply.writeHead(answer.status, answer.headers);
    const sent = method === 'HEAD' ? undefined : answer.body;
    if (met?.kind !== 'cut' && met?.kind !== 'stuck') return reply.end(sent);
    reply.write(Buffer.from(sent ?? '').subarray(0, (sent?.length ?? 0) / 2), () => {
      if (met.kind === 'cut') message.socket.destroy();
    });
  };

  const server = createServer((message, reply) => {
    serve(message, reply).catch(() => message.socket.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const settings: S3Settings = {
    endpoint: `http://localhost:${(server.address() as AddressInfo).port}`,
    region: 'eu-test-1',
    bucket: name,
    accessKeyId: 'AKIDOFTHETESTS',
    secretAccessKey,
    prefix: 'tandem/',
    pathStyle: true,
  };
  return {
    settings,
    seen,
    uploads: bucket.uploads,
    failNext: (kind, to, times = 1) => faults.push({ kind, to, left: times }),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
