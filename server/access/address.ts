import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Operation } from '../../adapters/operations.ts';
import { type Failure, invalid } from '../../domain/errors.ts';
import { shown } from '../../domain/field-errors.ts';

/**
 * Requires one `Host` header, or none before HTTP/1.1. With two, Node would use the first and a proxy perhaps the
 * other.
 * @throws Failure 400 (RFC 9112 §3.2).
 */
export function requireHost({ raw }: FastifyRequest, _: FastifyReply, done: () => void): void {
  const { rawHeaders, httpVersion } = raw;
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    if (rawHeaders[index]?.toLowerCase() === 'host') hosts++;
  }
  if (hosts > 1) throw invalid('Host', 'Send one Host header.');
  if (hosts === 0 && httpVersion === '1.1') throw invalid('Host', 'HTTP/1.1 needs a Host header.');
  done();
}

const notUtf8 = 'must be UTF-8 that is percent-encoded';

/** Whether the percent-encoded bytes of `text` are UTF-8. A `%` that encodes nothing stands for itself. */
function isUtf8(text: string): boolean {
  return (text.match(/(?:%[0-9a-f]{2})+/gi) ?? []).every(decodes);
}

function decodes(text: string): boolean {
  try {
    return decodeURIComponent(text) !== undefined;
  } catch {
    return false;
  }
}

/**
 * Requires that every name and value of a query is UTF-8: the parser would replace other bytes by U+FFFD, which changes
 * the meaning of the request.
 * @throws Failure 400 with the name of the parameter.
 */
export function requireUtf8({ raw }: FastifyRequest, _: FastifyReply, done: () => void): void {
  const { url = '' } = raw;
  const start = url.indexOf('?');
  const pairs = start === -1 || !/%[89a-f]/i.test(url) ? [] : url.slice(start + 1).split('&');
  for (const pair of pairs) {
    if (isUtf8(pair)) continue;
    const [name = ''] = pair.split('=');
    const param = shown(decodes(name) ? decodeURIComponent(name.replaceAll('+', ' ')) : name);
    throw invalid(param, `${param}: ${notUtf8}`);
  }
  done();
}

/**
 * The failure for a path that cannot be decoded, so that no route matches it. `param` is the path parameter at fault,
 * if the rest of the path is that of an operation.
 */
export function unreadablePath(operations: readonly Operation[], prefix: string) {
  const templates = operations.map(({ path }) => `${prefix}${path}`.split('/'));
  return (url: string): Failure => {
    const segments = (url.split('?')[0] ?? '').split('/');
    const fits = (template: readonly string[]) =>
      template.length === segments.length &&
      template.every((step, place) => step.startsWith('{') || step === segments[place]);
    const place = segments.findIndex((segment) => !decodes(segment));
    const step = templates.find(fits)?.[place];
    const param = step?.slice(1, -1) ?? null;
    return invalid(param, param === null ? 'The path is not UTF-8 that is percent-encoded.' : `${param}: ${notUtf8}`);
  };
}
