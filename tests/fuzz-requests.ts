import fc, { type Arbitrary } from 'fast-check';
import { z } from 'zod';
import type { Operation } from '../adapters/operations.ts';
import { alter, garbage, type Schema, spoiled, validOf, validText } from './arbitraries.ts';

/** A request about to be sent: everything below the REST root. */
export interface FuzzRequest {
  operationId: string;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | Uint8Array | undefined;
  credential: 'full' | 'reader' | 'garbage' | 'none';
}

const methods = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'];
const rawBodies = [
  '',
  'null',
  '[]',
  '"a"',
  '7',
  '{',
  '{"title":}',
  '{"title":"\\ud800"}',
  '{"a":1,"a":2}',
  '\ufeff{}',
  '{"__proto__":{}}',
];
const rawQueries = [
  '&&==&',
  'limit=1&limit=2',
  '%zz',
  'limit=%',
  'limit[]=1',
  '__proto__[a]=b',
  'a=b=c',
  'query=%ff%fe',
  'limit=１',
];
const rawPaths = [
  '',
  '/',
  '//',
  '/%00',
  '/%2e%2e%2f',
  '/%zz',
  '/\u{1f980}',
  `/${'x'.repeat(600)}`,
  '?',
  '/todos/',
  '/TODOS',
];

/** A header set to something, or left out. */
function maybe(name: string, values: string[]): Arbitrary<Record<string, string>> {
  const set = fc.constantFrom(...values).map((value) => ({ [name]: value }));
  return fc.oneof({ weight: 4, arbitrary: fc.constant({}) }, { weight: 1, arbitrary: set });
}

const sentHeaders = fc
  .tuple(
    maybe('idempotency-key', ['k1', 'k2', '"quoted"', '', ' ', 'é', 'x'.repeat(256), '"open', 'a,b']),
    maybe('if-match', ['*', '"x"', 'W/"x"', '', ',,,', 'x'.repeat(2000)]),
    maybe('if-none-match', ['*', '"x"', '']),
    maybe('accept', ['application/problem+json', '*/*', 'text/html', '', 'garbage;;q=']),
  )
  .map((parts): Record<string, string> => Object.assign({}, ...parts));
const contentTypes = [
  'text/plain',
  'application/json; charset=latin1',
  'multipart/form-data; boundary=x',
  'application/xml',
  '/',
];

function queryText(fields: Record<string, unknown>): string {
  const scalar = (value: unknown) =>
    encodeURIComponent((typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed());
  const pairs = Object.entries(fields).map(
    ([name, value]) => `${scalar(name)}=${scalar(Array.isArray(value) ? value.join() : value)}`,
  );
  return pairs.length > 0 ? `?${pairs.join('&').slice(0, 4000)}` : '';
}

/** Requests to an operation: most of them valid or nearly, some garbage from the first byte. `ids` exist. */
export function requestOf(operation: Operation, ids: () => string[]): Arbitrary<FuzzRequest> {
  const schema = z.toJSONSchema(operation.input, { io: 'input', unrepresentable: 'any' }) as Schema;
  const valid = validOf(schema, schema, ids) as Arbitrary<Record<string, unknown>>;
  const inQuery = operation.method === 'GET' || operation.method === 'DELETE';
  const rarely = <Value>(perMille: number, value: Arbitrary<Value>) =>
    fc.oneof({ weight: 1000 - perMille, arbitrary: fc.constant(undefined) }, { weight: perMille, arbitrary: value });
  return fc
    .record({
      input: fc.oneof(
        { weight: 4, arbitrary: valid },
        { weight: 4, arbitrary: fc.tuple(valid, alter).map(([value, change]) => spoiled(value, change)) },
        { weight: 1, arbitrary: garbage },
      ),
      path: fc.record(
        Object.fromEntries(operation.pathParameters.map((name) => [name, validText({ format: 'uuid' }, ids)])),
      ),
      rawPath: rarely(40, fc.constantFrom(...rawPaths)),
      rawQuery: rarely(40, fc.constantFrom(...rawQueries)),
      rawBody: rarely(60, fc.oneof(fc.constantFrom(...rawBodies), fc.uint8Array({ maxLength: 50 }))),
      huge: rarely(3, fc.constant(true)),
      method: rarely(30, fc.constantFrom(...methods)),
      headers: sentHeaders,
      contentType: rarely(40, fc.constantFrom(...contentTypes)),
      credential: fc.oneof(
        { weight: 20, arbitrary: fc.constant('full' as const) },
        { weight: 1, arbitrary: fc.constantFrom('reader' as const, 'garbage' as const, 'none' as const) },
      ),
    })
    .map(
      ({
        input,
        path,
        rawPath,
        rawQuery,
        rawBody,
        huge,
        method = operation.method,
        headers,
        contentType,
        credential,
      }) => {
        const isFields = typeof input === 'object' && input !== null && !Array.isArray(input);
        const fields: Record<string, unknown> = isFields ? { ...input } : { [String(input).slice(0, 50)]: input };
        const { waitSeconds } = fields;
        // Long waits would be granted.
        if (typeof waitSeconds === 'number' && waitSeconds > 1 && waitSeconds <= 120) fields.waitSeconds = 1;
        let route: string = operation.path;
        for (const name of operation.pathParameters) {
          const value = typeof fields[name] === 'string' ? (fields[name] as string) : String(path[name]);
          route = route.replace(`{${name}}`, encodeURIComponent(value.toWellFormed().slice(0, 300)) || 'x');
          delete fields[name];
        }
        const query = rawQuery !== undefined ? `?${rawQuery}` : inQuery ? queryText(fields) : '';
        const bodiless = method === 'GET' || method === 'HEAD' || (inQuery && rawBody === undefined);
        const json = JSON.stringify(isFields ? fields : input);
        const body = bodiless ? undefined : huge ? `{"title":"${'x'.repeat(1_100_000)}"}` : (rawBody ?? json);
        const type = body === undefined ? {} : { 'content-type': contentType ?? 'application/json' };
        return {
          operationId: operation.id,
          method,
          path: (rawPath ?? route) + query,
          headers: { ...type, ...headers },
          body,
          credential,
        };
      },
    );
}
