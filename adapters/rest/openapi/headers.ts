import type { oas31 } from 'zod-openapi';
import { mayLag, type Operation } from '../../operations.ts';

const whole: oas31.SchemaObject = { type: 'integer', minimum: 0 };
const words: oas31.SchemaObject = { type: 'string' };

function header(description: string, schema: oas31.SchemaObject, example: unknown): oas31.HeaderObject {
  return { description, schema, example };
}

/** Every response header of the service: `components.headers`. */
export const responseHeaders = {
  'X-Request-Id': header(
    'Identifies the request; equal to `requestId` in an error. Quote it to support.',
    { type: 'string', format: 'uuid' },
    '019ca8b1-c880-7d2a-9f3e-5b8c1e4a7d60',
  ),
  'RateLimit-Limit': header('Requests allowed in the current one-minute window.', whole, 300),
  'RateLimit-Remaining': header('Requests left in the window.', whole, 299),
  'RateLimit-Reset': header('Seconds until the window resets.', whole, 37),
  'RateLimit-Policy': header(
    'The quota, in the format of the IETF draft on rate-limit headers.',
    words,
    '"default";q=300;w=60',
  ),
  RateLimit: header('What is left of the quota, and the seconds until it resets.', words, '"default";r=299;t=37'),
  'Retry-After': header('Seconds to wait before the next request.', whole, 37),
  'WWW-Authenticate': header('The kind of credential to send.', words, 'Bearer realm="tandem"'),
  ETag: header(
    'Strong entity tag of the resource: send it as `If-Match` to change only what you have read, as `If-None-Match` to read only what changed.',
    words,
    '"Vn5yUxWlzRkK0Nq1d8PbTgEoC2s"',
  ),
  Age: header(
    'The age in seconds that the answer may have at most; absent when it is current. Only where the request accepts one by `Cache-Control: max-stale`.',
    whole,
    1,
  ),
  'Tandem-Sequence': header(
    'A position in the log of events. The response contains every change up to it: follow the log from there (`afterSequence`).',
    whole,
    4711,
  ),
  'Tandem-Event': header(
    'The id of the event of this change, the last one of those that the credential may read; absent when there is none. A replayed answer has that of the first request.',
    { type: 'string', format: 'uuid' },
    '019ca8b1-c880-7d2a-9f3e-5b8c1e4a7d61',
  ),
  'Idempotency-Replayed': header(
    '`true` when this is the stored answer to an earlier request with the same `Idempotency-Key`; otherwise absent.',
    { type: 'string', const: 'true' },
    'true',
  ),
  Deprecation: header('The operation is deprecated.', { type: 'string', const: 'true' }, 'true'),
  Sunset: header('When the operation stops working (RFC 8594).', words, 'Tue, 01 Sep 2026 00:00:00 GMT'),
  Link: header('The deprecation policy.', words, '<https://tandem.test/docs/deprecation>; rel="deprecation"'),
} satisfies Record<string, oas31.HeaderObject>;

type HeaderName = keyof typeof responseHeaders;

const always: HeaderName[] = [
  'X-Request-Id',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
  'RateLimit-Policy',
  'RateLimit',
];
const onDeprecated: HeaderName[] = ['Deprecation', 'Sunset', 'Link'];

/** The headers of one response: those of every response, and `more`. */
export function headersOf(operation: Pick<Operation, 'deprecated'>, ...more: HeaderName[]): oas31.HeadersObject {
  const names = [...always, ...(operation.deprecated ? onDeprecated : []), ...more];
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/**
 * Request headers, each documented once: `components.parameters`. Without examples: generated clients would send those.
 */
export const requestHeaders = {
  IdempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes the request safe to repeat: for 24 hours, a request with the same key and body gets the first answer instead of acting twice. 1 to 255 printable characters; a UUID is a good choice.',
    schema: { type: 'string', minLength: 1, maxLength: 255 },
  },
  IfMatch: {
    name: 'If-Match',
    in: 'header',
    description: 'Entity tags: the change happens only if one of them is current. Otherwise 412, and nothing changes.',
    schema: { type: 'string' },
  },
  IfNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Entity tags you know: if one of them is current, the answer is 304 without a body.',
    schema: { type: 'string' },
  },
  CacheControl: {
    name: 'Cache-Control',
    in: 'header',
    description:
      'With `max-stale=N` you accept an answer that is up to N seconds old (RFC 9111). Where the service has a standby of its database, that may answer, and the answer has `Age`. Without it, and wherever there is none, the answer is current.',
    schema: { type: 'string' },
  },
  LastEventId: {
    name: 'Last-Event-ID',
    in: 'header',
    description:
      'To resume: the last `id` that you received. The stream continues after it. An `EventSource` sends it automatically.',
    schema: { type: 'string' },
  },
} satisfies Record<string, oas31.ParameterObject>;

/** The request headers that an operation reads. */
export function requestHeadersOf(operation: Operation): oas31.ReferenceObject[] {
  const { keyed, etag, method, statuses, stream } = operation;
  const names: (keyof typeof requestHeaders)[] = [];
  if (keyed) names.push('IdempotencyKey');
  if (etag && statuses.includes(412)) names.push('IfMatch');
  if (etag && method === 'GET') names.push('IfNoneMatch');
  if (mayLag(operation)) names.push('CacheControl');
  if (stream) names.push('LastEventId');
  return names.map((name) => ({ $ref: `#/components/parameters/${name}` }));
}
