import { once } from 'node:events';
import { connect as connectSocket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import * as assert from 'uvu/assert';
import { hashSecret } from '../../db/secrets.ts';
import { errorCodes } from '../../domain/errors.ts';
import type { Answer, TestService } from './harness.ts';
import { within } from './until.ts';

/* What holds for every response of the service, and ways to ask that `fetch` does not offer. */

const envelope = 'object type title status code detail message param requestId retryable docUrl errors'.split(' ');
const extras = 'reason allowedValues requiredScopes currentVersion retryAfterSeconds'.split(' ');
const headerShapes: Record<string, RegExp> = {
  'x-request-id': /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}$/,
  'ratelimit-limit': /^[1-9]\d*$/,
  'ratelimit-remaining': /^\d+$/,
  'ratelimit-reset': /^([1-9]|[1-5]\d|60)$/,
  'ratelimit-policy': /^"default";q=[1-9]\d*;w=60$/,
  ratelimit: /^"default";r=\d+;t=\d+$/,
};

/** Holds a response to the frame: request id, both sets of rate-limit headers, and an error to the whole envelope. */
export function assertFrame(answer: Answer, about = ''): Answer {
  const { status, headers, body } = answer;
  const description = `${about} ${status} ${answer.text.slice(0, 300)}`;
  for (const [name, shape] of Object.entries(headerShapes)) assert.match(headers.get(name) ?? '', shape, description);
  if (status < 400) return answer;
  const keys = Object.keys(body);
  assert.equal(keys.filter((key) => !extras.includes(key)).sort(), envelope.toSorted(), description);
  assert.ok(body.code in errorCodes, description);
  assert.is(body.object, 'error');
  assert.is(body.status, status);
  assert.is(body.requestId, headers.get('x-request-id'));
  assert.is(body.title, errorCodes[body.code as keyof typeof errorCodes]);
  assert.is(body.detail, body.message);
  assert.is(body.type, body.docUrl);
  assert.ok(body.docUrl.endsWith(`/docs/errors#${body.code}`), description);
  assert.is(body.param, body.errors[0]?.param ?? null);
  assert.not.match(answer.text, /\bselect\b.*\bfrom\b|\binsert into\b|node_modules|\.ts:\d+/);
  return answer;
}

/** An error body without what differs from request to request. */
export function sameFor({ body }: Answer): object {
  const { requestId: _, ...rest } = body;
  return rest;
}

/** The answer to a plain `fetch`, read whole. */
export async function ask(url: string, init: RequestInit = {}): Promise<Answer> {
  const response = await fetch(url, init);
  const text = await response.text();
  const json = response.headers.get('content-type')?.includes('json') && text !== '';
  return { status: response.status, headers: response.headers, text, body: json ? JSON.parse(text) : undefined };
}

/** Sends bytes as they are to a server that closes the connection when it has answered, and reads until then. */
export async function exchange(port: number, bytes: string | Buffer): Promise<Answer> {
  const socket = connectSocket(port, '127.0.0.1');
  const chunks: Buffer[] = [];
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('data', (chunk) => chunks.push(chunk));
    socket.on('error', (error: NodeJS.ErrnoException) => (error.code === 'ECONNREFUSED' ? reject(error) : resolve()));
    socket.on('close', () => resolve());
  });
  socket.write(bytes);
  await within(() => `an end of the answer to ${String(bytes).slice(0, 80)}`, closed).finally(() => socket.destroy());
  const raw = Buffer.concat(chunks).toString();
  const [head = '', text = ''] = raw.split(/\r\n\r\n(.*)/s);
  const [line = '', ...fields] = head.split('\r\n');
  const headers = new Headers(
    fields.map((field): [string, string] => {
      const [name = '', value = ''] = field.split(/: ?(.*)/s);
      return [name, value];
    }),
  );
  const json = headers.get('content-type')?.includes('json') && text !== '';
  return { status: Number(line.split(' ')[1] ?? 0), headers, text, body: json ? JSON.parse(text) : undefined };
}

/** Sends bytes, and leaves once they are on their way. */
export async function abandon(port: number, bytes: string): Promise<void> {
  const socket = connectSocket(port, '127.0.0.1');
  const closed = once(socket, 'close');
  socket.resume().end(bytes);
  await within(() => 'an end of the connection', closed);
}

/** Takes back an API key as its owner would. */
export async function revoke({ db }: TestService, key: string): Promise<void> {
  await db.rows('update credentials set revoked_at = now() where secret_hash = $1', [hashSecret(key)]);
}

/** Seconds until the minute of the request counts ends, by the clock of the database. */
export async function secondsLeft({ db }: Pick<TestService, 'db'>): Promise<number> {
  const text = `select extract(epoch from date_trunc('minute', now()) + interval '1 minute' - now())::float8 as left`;
  return (await db.rows<{ left: number }>(text, []))[0]?.left ?? 0;
}

/**
 * What `work` resolves to within one minute of the request counts; begun again where a slow machine let a minute end.
 */
export async function withinMinute<Result>(
  { db }: Pick<TestService, 'db'>,
  work: () => Promise<Result>,
): Promise<Result> {
  const minute = async () =>
    (await db.rows<{ at: string }>(`select date_trunc('minute', now())::text as at`, []))[0]?.at;
  for (;;) {
    await inOneWindow({ db }, 12);
    const begun = await minute();
    const result = await work();
    if ((await minute()) === begun) return result;
  }
}

/** Waits until work of so many seconds fits into the current minute. */
export async function inOneWindow(service: Pick<TestService, 'db'>, seconds = 5): Promise<void> {
  const left = await secondsLeft(service);
  if (left < seconds) await sleep(left * 1000 + 50);
}
