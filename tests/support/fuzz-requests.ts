import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import type { Operation } from '../../adapters/operations.ts';
import { alter, garbage, type IdsFor, nastyTexts, type Schema, spoiled, validOf, validText } from './arbitraries.ts';
import { hostileCapture } from './hostile-bodies.ts';

/** Who sends a request. */
export type Sender = 'full' | 'reader' | 'session' | 'app' | 'garbage' | 'none';

/** A request about to be sent. */
export interface FuzzRequest {
  transport: 'rest' | 'trpc' | 'mcp';
  /** Of the operation or tool that it means to reach. */
  operationId: string;
  method: string;
  /** Path and query as they go over the wire, one byte a character. */
  target: string;
  /** In their order; a name may come twice. */
  headers: [name: string, value: string][];
  body: string | Uint8Array | undefined;
  sender: Sender;
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const deep = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
const deepObject = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
/** Bodies as they come from programs that are broken or mean harm. */
const rawBodies = [
  '',
  'null',
  '[]',
  '"a"',
  '7',
  '{',
  '{"title":}',
  '{"title":"\\ud800"}',
  '{"title":"a\\u0000b"}',
  '{"title":"a\u0000b"}',
  '{"a":1,"a":2}',
  '{"title":"a","title":"b"}',
  '\ufeff{}',
  '{"__proto__":{}}',
  '{"__proto__":{"title":"x"},"constructor":{"prototype":{"x":1}}}',
  '{"title":"x","__proto__":null}',
  '{"toString":1,"hasOwnProperty":2,"then":3}',
  `{"title":${'9'.repeat(5000)}}`,
  '{"priority":1e999999,"limit":-1e999999}',
  '{"title":-0}',
  `{"title":${deep(20_000)}}`,
  deep(100_000),
  deepObject(50_000),
  `{${Array.from({ length: 20_000 }, (_, place) => `"k${place}":1`).join()}}`,
  `{"data":[${'{},'.repeat(50_000)}{}]}`,
  `{"ids":[${'"x",'.repeat(50_000)}"x"]}`,
];
const invalidUtf8 = [
  Uint8Array.of(0xff, 0xfe),
  Buffer.concat([Buffer.from('{"title":"'), Buffer.from([0xc3, 0x28, 0xed, 0xa0, 0x80]), Buffer.from('"}')]),
  Buffer.from('{"title":"x"}', 'utf16le'),
];
const rawQueries = [
  '&&==&',
  'limit=1&limit=2',
  '%zz',
  'limit=%',
  'limit[]=1',
  '__proto__[a]=b',
  '__proto__=1&constructor=2',
  'a=b=c',
  'query=%ff%fe',
  'query=\xff\xfe',
  'query=%00',
  'query=a%00b&tags=%00',
  'tags=a,%00,b',
  'cursor=%00',
  'query=%ed%a0%80',
  'limit=%EF%BC%91',
  'limit=1e1&limit=0x10',
  `limit=${'9'.repeat(400)}`,
  `query=${'%F0%9F%91%A9%E2%80%8D'.repeat(100)}`,
  Array.from({ length: 500 }, (_, place) => `a${place}=1`).join('&'),
];
const rawPaths = [
  '/api/v1',
  '/api/v1/',
  '/api/v1//',
  '/api/v1/%00',
  '/api/v1/%2e%2e%2f',
  '/api/v1/../../etc/passwd',
  '/api/v1/%zz',
  '/api/v1/\xf0\x9f\xa6\x80',
  `/api/v1/${'x'.repeat(600)}`,
  '/api/v1/?',
  '/api/v1/todos/',
  '/api/v1/TODOS',
  '/api/v1/todos/%ff',
  '/api/v1/chats/%00/stream',
];

/** A header set to something, or left out; rarely twice. */
function maybe(name: string, values: string[]): Arbitrary<[string, string][]> {
  const value = fc.constantFrom(...values);
  const once = value.map((each): [string, string][] => [[name, each]]);
  const twice = fc.tuple(value, value).map((both) => both.map((each): [string, string] => [name, each]));
  return fc.oneof(
    { weight: 40, arbitrary: fc.constant<[string, string][]>([]) },
    { weight: 9, arbitrary: once },
    { weight: 1, arbitrary: twice },
  );
}

const sentHeaders = fc
  .tuple(
    maybe('idempotency-key', ['k1', 'k2', '"quoted"', '', ' ', '\xe9', 'x'.repeat(256), '"open', 'a,b', '__proto__']),
    maybe('if-match', ['*', '"x"', 'W/"x"', '', ',,,', 'x'.repeat(2000)]),
    maybe('if-none-match', ['*', '"x"', '']),
    maybe('accept', ['application/problem+json', '*/*', 'text/html', '', 'garbage;;q=']),
    maybe('authorization', ['Bearer', 'Basic YTpi', 'Bearer  x', `Bearer ${'a'.repeat(4000)}`]),
    maybe('cookie', ['tandem_session=x', 'tandem_session=', '=;=;', 'a=\xff']),
    maybe('x-forwarded-for', ['127.0.0.1', "1'; drop table todos", '::1, x']),
    maybe('origin', ['null', 'https://example.com', 'x']),
    maybe('last-event-id', ['1', '-1', 'x', '9'.repeat(30)]),
    maybe('x-request-id', ['x', '\xff']),
    maybe('accept-language', ['xx-'.repeat(200)]),
  )
  .map((parts) => parts.flat());
const contentTypes = [
  'text/plain',
  'application/json; charset=latin1',
  'application/json;;;',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/x-www-form-urlencoded',
  '/',
  '',
];

const scalarText = (value: unknown) => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));
const encoded = (text: string) => encodeURIComponent(text.toWellFormed());

function queryText(fields: Record<string, unknown>): string {
  const pairs = Object.entries(fields).map(([name, value]) => {
    const text = Array.isArray(value) ? value.map(scalarText).join() : scalarText(value);
    return `${encoded(name)}=${encoded(text)}`;
  });
  // Cut in the middle of an escape, some are no UTF-8 any more.
  return pairs.length > 0 ? `?${pairs.join('&').slice(0, 4000)}` : '';
}

/** A value, one time in `1000 / perMille`. */
export function rarely<Value>(perMille: number, value: Arbitrary<Value>): Arbitrary<Value | undefined> {
  return fc.oneof(
    { weight: 1000 - perMille, arbitrary: fc.constant(undefined) },
    { weight: perMille, arbitrary: value },
  );
}

/** Fields of the shape that an input has: most of them valid or nearly, some garbage. */
export function inputOf(input: z.ZodType, ids: IdsFor): Arbitrary<unknown> {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const valid = validOf(schema, schema, ids) as Arbitrary<Record<string, unknown>>;
  const nasty = fc.tuple(valid, fc.nat(), fc.constantFrom(...nastyTexts)).map(([value, at, text]) => {
    const texts = Object.keys(value).filter((name) => typeof value[name] === 'string');
    const name = texts[at % (texts.length || 1)];
    return name === undefined ? value : { ...value, [name]: text };
  });
  return fc
    .oneof(
      { weight: 4, arbitrary: valid },
      { weight: 1, arbitrary: nasty },
      { weight: 3, arbitrary: fc.tuple(valid, alter).map(([value, change]) => spoiled(value, change)) },
      { weight: 1, arbitrary: garbage },
    )
    .map(withoutWaiting);
}

/** Long waits would be granted. */
function withoutWaiting(input: unknown): unknown {
  const { waitSeconds } = (input ?? {}) as { waitSeconds?: unknown };
  const isLong = typeof waitSeconds === 'number' && waitSeconds > 1 && waitSeconds <= 120;
  return isLong ? { ...(input as object), waitSeconds: 1 } : input;
}

/** Whoever may call an operation, and now and then somebody else. */
export function senderOf(access: Operation['access'] | 'tool'): Arbitrary<Sender> {
  const usual: Sender = access === 'session' || access === 'key_management' ? 'session' : 'full';
  const others: Sender[] = ['full', 'reader', 'session', 'app', 'garbage', 'none'];
  return fc.oneof({ weight: 20, arbitrary: fc.constant(usual) }, { weight: 2, arbitrary: fc.constantFrom(...others) });
}

/** Bodies that are no text of JSON, or too much of it. */
export const strangeBody: Arbitrary<string | Uint8Array> = fc.oneof(
  { weight: 20, arbitrary: fc.constantFrom(...rawBodies) },
  { weight: 3, arbitrary: fc.constantFrom(...invalidUtf8) },
  { weight: 3, arbitrary: fc.uint8Array({ maxLength: 50 }) },
  { weight: 1, arbitrary: fc.constant(`{"title":"${'x'.repeat(1_100_000)}"}`) },
);

/** REST requests to an operation: most of them valid or nearly, some garbage from the first byte. */
export function requestOf(operation: Operation, ids: IdsFor): Arbitrary<FuzzRequest> {
  const inQuery = operation.method === 'GET' || operation.method === 'DELETE';
  const isCapture = operation.id === 'createCapture';
  const input = inputOf(operation.input, ids);
  return fc
    .record({
      input: isCapture ? fc.oneof(input, hostileCapture) : input,
      path: fc.record(
        Object.fromEntries(operation.pathParameters.map((name) => [name, validText({ format: 'uuid' }, ids, name)])),
      ),
      rawPath: rarely(30, fc.constantFrom(...rawPaths)),
      rawQuery: rarely(40, fc.constantFrom(...rawQueries)),
      rawBody: rarely(60, strangeBody),
      method: rarely(30, fc.constantFrom(...methods)),
      headers: sentHeaders,
      contentType: rarely(40, fc.constantFrom(...contentTypes)),
      sender: senderOf(operation.access),
    })
    .map(({ input, path, rawPath, rawQuery, rawBody, method = operation.method, headers, contentType, sender }) => {
      const isFields = typeof input === 'object' && input !== null && !Array.isArray(input);
      const fields: Record<string, unknown> = isFields ? { ...input } : { [String(input).slice(0, 50)]: input };
      let route: string = operation.path;
      for (const name of operation.pathParameters) {
        const value = typeof fields[name] === 'string' ? (fields[name] as string) : String(path[name]);
        route = route.replace(`{${name}}`, encodeURIComponent(value.toWellFormed().slice(0, 300)) || 'x');
        delete fields[name];
      }
      const query = rawQuery !== undefined ? `?${rawQuery}` : inQuery ? queryText(fields) : '';
      const bodiless = method === 'GET' || method === 'HEAD' || (inQuery && rawBody === undefined);
      const body = bodiless ? undefined : (rawBody ?? JSON.stringify(isFields ? fields : input));
      const type: [string, string][] = body === undefined ? [] : [['content-type', contentType ?? 'application/json']];
      const target = (rawPath ?? `/api/v1${route}`) + query;
      return {
        operationId: operation.id,
        transport: 'rest' as const,
        method,
        target,
        headers: [...type, ...headers],
        body,
        sender,
      };
    });
}
