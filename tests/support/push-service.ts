import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

/* A push service on loopback, and the browser behind it: it checks the sender (RFC 8292) and decrypts (RFC 8291). */

/** The message in a body, for the browser with these keys. @throws Error when it was encrypted for another one. */
export function decryptMessage(body: Buffer, browser: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + (body[20] ?? 0));
  const derive = (input: Uint8Array, with_: Uint8Array, info: Uint8Array, length: number) =>
    new Uint8Array(hkdfSync('sha256', input, with_, info, length));
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), browser.getPublicKey(), sender]);
  const input = derive(browser.computeSecret(sender), auth, info, 32);
  const key = derive(input, salt, Buffer.from('Content-Encoding: aes128gcm\0'), 16);
  const nonce = derive(input, salt, Buffer.from('Content-Encoding: nonce\0'), 12);
  const record = body.subarray(21 + sender.length);
  const decipher = createDecipheriv('aes-128-gcm', key, nonce).setAuthTag(record.subarray(-16));
  const plain = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()]);
  const end = plain.lastIndexOf(2);
  return plain.subarray(0, end);
}

/** A message as the browser gets it. */
export interface Pushed {
  headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  message: any;
}

/** A browser with a subscription. */
export interface PushBrowser {
  subscription: { endpoint: string; keys: { p256dh: string; auth: string } };
  received: Pushed[];
  /** How the push service answers from now on; 201 unless set. */
  answer: number;
  /** Requests that arrived, whatever they were answered. */
  requests: number;
  /** Resolves with all messages once there are `count`. */
  messages(count: number): Promise<Pushed[]>;
}

/** Whether a request is signed by the key of the service, for this push service and not too long. */
function isGenuine(authorization: string, applicationServerKey: string, origin: string): boolean {
  const [, head = '', claims = '', signature = '', key = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(authorization) ?? [];
  if (key !== applicationServerKey) return false;
  const point = Buffer.from(key, 'base64url');
  const x = point.toString('base64url', 1, 33);
  const y = point.toString('base64url', 33);
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const { aud, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  const isInTime = exp > Date.now() / 1000 && exp <= Date.now() / 1000 + 24 * 3600;
  const signed = Buffer.from(`${head}.${claims}`);
  const options = { key: publicKey, dsaEncoding: 'ieee-p1363' } as const;
  return aud === origin && isInTime && verify('sha256', signed, options, Buffer.from(signature, 'base64url'));
}

/** Starts a push service; the service must allow 127.0.0.1. Messages without a valid signature get 403. */
export async function startPushService(applicationServerKey: () => string) {
  const browsers = new Map<string, PushBrowser & { pair: ECDH; auth: Buffer }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const browser = browsers.get(request.url ?? '');
      if (!browser) return response.writeHead(404).end();
      browser.requests += 1;
      const { authorization = '' } = request.headers;
      if (!isGenuine(authorization, applicationServerKey(), origin())) return response.writeHead(403).end();
      if (browser.answer < 300) {
        const message = JSON.parse(decryptMessage(Buffer.concat(chunks), browser.pair, browser.auth).toString());
        browser.received.push({ headers: request.headers, message });
      }
      response.writeHead(browser.answer).end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    browser: (): PushBrowser => {
      const pair = createECDH('prime256v1');
      const p256dh = pair.generateKeys().toString('base64url');
      const auth = randomBytes(16);
      const path = `/push/${browsers.size}-${randomBytes(8).toString('hex')}`;
      const received: Pushed[] = [];
      const browser = {
        subscription: { endpoint: `${origin()}${path}`, keys: { p256dh, auth: auth.toString('base64url') } },
        received,
        answer: 201,
        requests: 0,
        messages: async (count: number) => {
          await until(() => received.length >= count);
          return received;
        },
        pair,
        auth,
      };
      browsers.set(path, browser);
      return browser;
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
