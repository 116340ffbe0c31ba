import { createHash, createHmac } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';

/** A request as it arrived, with the header lines that its signature covers. */
export interface SignedRequest {
  method: string;
  /** Path and query, as sent. */
  url: string;
  headers: IncomingHttpHeaders;
  body: Uint8Array;
}

const sha256 = (data: string | Uint8Array) => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest();

/** RFC 3986: everything but unreserved characters. */
const encode = (text: string) =>
  encodeURIComponent(text).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`);

const byCode = ([a]: string[], [b]: string[]) => ((a ?? '') < (b ?? '') ? -1 : 1);

/**
 * What is wrong with the Signature Version 4 of a request, as AWS describes it for S3; null when it holds. The payload
 * must be signed too. https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html
 */
export function signatureFault(request: SignedRequest, secretAccessKey: string): string | null {
  const { headers, method, body } = request;
  const given =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/([^,]+), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      headers.authorization ?? '',
    );
  if (!given) return 'no signature';
  const [, , scope = '', signedHeaders = '', signature] = given;
  const hash = String(headers['x-amz-content-sha256']);
  if (hash !== sha256(body)) return 'another payload';
  const names = signedHeaders.split(';');
  const mustBeSigned = ['host', ...Object.keys(headers).filter((name) => name.startsWith('x-amz-'))];
  if (!mustBeSigned.every((name) => names.includes(name))) return 'a header that must be signed is not';
  const [path = '', search = ''] = request.url.split('?');
  const canonicalPath = path.split('/').map((each) => encode(decodeURIComponent(each)));
  const query = search === '' ? [] : search.split('&').map((pair) => pair.split('=').map(decodeURIComponent));
  const canonicalQuery = query.map(([name = '', value = '']) => [encode(name), encode(value)]).sort(byCode);
  const lines = names.map(
    (name) =>
      `${name}:${String(headers[name] ?? '')
        .trim()
        .replace(/ +/g, ' ')}\n`,
  );
  const canonical = [
    method,
    canonicalPath.join('/'),
    canonicalQuery.map((pair) => pair.join('=')).join('&'),
    lines.join(''),
    signedHeaders,
    hash,
  ].join('\n');
  const [date = '', region = '', service = '', end = ''] = scope.split('/');
  const toSign = ['AWS4-HMAC-SHA256', headers['x-amz-date'], scope, sha256(canonical)].join('\n');
  const key = [region, service, end].reduce(hmac, hmac(`AWS4${secretAccessKey}`, date));
  return hmac(key, toSign).toString('hex') === signature ? null : 'another signature';
}
