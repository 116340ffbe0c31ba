import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OutboundError, outboundErrorOf } from '../../outbound/errors.ts';
import type { Limits } from '../../outbound/exchange.ts';
import { operatorClient } from '../../outbound/operator.ts';
import { withFrozenTimers } from '../support/frozen-timers.ts';
import { freePort } from '../support/ports.ts';
import { until, within } from '../support/until.ts';

const test = suite('outgoing requests: limits and errors');
const open: { server: Server; sockets: Set<Socket> }[] = [];

test.after(async () => {
  for (const { server, sockets } of open) {
    for (const socket of sockets) socket.destroy();
    server.close();
  }
});

async function listen(server: Server): Promise<{ url: string; sockets: Set<Socket>; connections(): number }> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections++;
    sockets.add(socket.on('error', () => {}).on('close', () => sockets.delete(socket)));
  });
  open.push({ server, sockets });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return { url, sockets, connections: () => connections };
}

const serve = (answer: (request: IncomingMessage, response: ServerResponse) => void) => listen(createServer(answer));
/** A server that writes these bytes to whoever connects, and ends the connection unless it is to stay. */
const speak = (text: string, then: 'end' | 'stay' | 'reset' = 'end') =>
  listen(
    createTcpServer((socket) => {
      socket.once('data', () => {
        socket.write(text, 'latin1', () => {
          if (then === 'end') socket.end();
          if (then === 'reset') socket.resetAndDestroy();
        });
      });
    }),
  );

const wide: Limits = { maxBytes: 100_000, maxErrorBytes: 1000, silenceMs: 60_000, totalMs: 60_000 };
const client = (limits: Partial<Limits> = {}) => operatorClient({ ...wide, ...limits });

/** The text of a response, or `fault code` of what failed, and whether that was before the head or in the body. */
async function readIt(work: Promise<Response>): Promise<string> {
  const failed = (where: string) => (error: unknown) =>
    error instanceof OutboundError ? `${where}: ${error.fault} ${error.code}` : `${where}: ${error}`;
  const response = await work.catch(failed('head'));
  return typeof response === 'string' ? response : response.text().catch(failed('body'));
}

test('a body is read up to its limit, announced or not', async () => {
  const { url } = await serve((request, response) => {
    const [, kind = '', size] = /^\/(\w+)\/(\d+)$/.exec(request.url ?? '') ?? [];
    const body = 'x'.repeat(Number(size));
    if (kind === 'announced') response.setHeader('content-length', body.length);
    response.writeHead(kind === 'error' ? 500 : 200);
    response.write(body.slice(0, 10));
    response.end(body.slice(10));
  });
  const send = client();
  assert.is((await readIt(send(`${url}announced/100000`))).length, 100_000);
  assert.is((await readIt(send(`${url}chunked/100000`))).length, 100_000);
  assert.is(await readIt(send(`${url}announced/100001`)), 'head: too_large SIZE_LIMIT');
  assert.is(await readIt(send(`${url}chunked/100001`)), 'body: too_large SIZE_LIMIT');
  assert.is((await readIt(send(`${url}error/1000`))).length, 1000);
  assert.is(await readIt(send(`${url}error/1001`)), 'body: too_large SIZE_LIMIT');
});

test('a body that does not end is aborted at its limit, and the server sees the aborted connection', async () => {
  let closed = false;
  const { url } = await serve((_, response) => {
    response.on('close', () => {
      closed = true;
    });
    const more = () => response.write('x'.repeat(10_000), (error) => !error && !response.destroyed && more());
    more();
  });
  assert.is(await readIt(client()(url)), 'body: too_large SIZE_LIMIT');
  await until(() => closed);
});

test('a body that arrives very slowly is ended at the time limit', async () => {
  let closed = false;
  const { url } = await serve((_, response) => {
    response.write('x');
    const drip = setInterval(() => response.write('x'), 10);
    response.on('close', () => {
      clearInterval(drip);
      closed = true;
    });
  });
  assert.match(await readIt(client({ totalMs: 500 })(url)), /timeout TIME_LIMIT$/);
  await until(() => closed);
});

test('heads that drip end at the time limit, and at that of silence', async () => {
  const { url } = await listen(
    createTcpServer((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const drip = setInterval(() => socket.write('x-y: z\r\n'), 10);
      socket.on('close', () => clearInterval(drip));
    }),
  );
  assert.is(await readIt(client({ totalMs: 300 })(url)), 'head: timeout TIME_LIMIT');
  assert.is(await readIt(client({ silenceMs: 300 })(url)), 'head: timeout SILENCE');
});

test('silence ends it, before the head and in the body', async () => {
  const silent = await serve(() => {});
  assert.is(await readIt(client({ silenceMs: 200 })(silent.url)), 'head: timeout SILENCE');
  const stuck = await serve((_, response) => response.write('x'));
  assert.match(await readIt(client({ silenceMs: 200 })(stuck.url)), /timeout SILENCE$/);
});

test('no time limit runs against a reader that takes its time, and nothing is lost', async () => {
  const size = 20 * 2 ** 20;
  const { url } = await serve((_, response) => response.end(Buffer.alloc(size, 'x')));
  const response = await client({ maxBytes: size, silenceMs: 3000 })(url);
  let bytes = 0;
  let paused = false;
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength;
    // Longer than the silence that is allowed.
    if (!paused) await new Promise((resolve) => setTimeout(resolve, 4000));
    paused = true;
  }
  assert.is(bytes, size);
});

test('an abort rejects at once with its reason, leaves no listener behind, and the server sees it', async () => {
  await withFrozenTimers(async () => {
    const asked = new Set<string>();
    const left = new Set<string>();
    const { url } = await serve(({ url = '' }, response) => {
      asked.add(url);
      response.on('close', () => left.add(url));
      if (url === '/body') response.write('x');
    });
    const send = client();
    const reason = new Error('nobody wants it');
    for (const path of ['head', 'body']) {
      const controller = new AbortController();
      const { signal } = controller;
      let listeners = 0;
      const { addEventListener, removeEventListener } = signal;
      signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
        listeners++;
        addEventListener.apply(signal, args);
      };
      signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
        listeners--;
        removeEventListener.apply(signal, args);
      };
      const sent = send(`${url}${path}`, { signal });
      const outcome = path === 'body' ? (await sent).text() : sent;
      const ended = outcome.catch((error: unknown) => error);
      await until(() => asked.has(`/${path}`));
      controller.abort(reason);
      assert.is(await within(() => 'it ends', ended), reason);
      assert.is(listeners, 0);
      await until(() => left.has(`/${path}`));
    }
    const aborted = send(url, { signal: AbortSignal.abort(reason) }).catch((error: unknown) => error);
    assert.is(await aborted, reason);
  });
});

test('a connection serves one request after the other, and a body that is left closes its own', async () => {
  const { url, connections, sockets } = await serve(({ url }, response) => {
    if (url !== '/long') return response.end('yes');
    response.write('x'.repeat(1000));
  });
  const send = client();
  for (let n = 0; n < 20; n++) assert.is(await readIt(send(url)), 'yes');
  // The client opens a second one for a request that comes before the first is known to be free.
  assert.ok(connections() <= 2, `${connections()} connections`);
  const { body } = await send(`${url}long`);
  await body?.cancel();
  await until(() => sockets.size === 0);
  assert.is(await readIt(send(url)), 'yes');
});

const ok = 'HTTP/1.1 200 OK\r\n';
/** What may come in place of a response. */
const broken: Record<string, [speech: string, then: 'end' | 'stay' | 'reset', outcome: RegExp]> = {
  'another protocol': ['220 mail.example.com ESMTP\r\n', 'stay', /^head: unreachable NOT_HTTP$/],
  nothing: ['', 'reset', /^head: interrupted (ECONNRESET|UND_ERR_SOCKET)$/],
  'half a head': [`${ok}x-y:`, 'end', /^head: interrupted UND_ERR_SOCKET$/],
  'half a body': [`${ok}content-length: 10\r\n\r\nhalf`, 'end', /^body: interrupted \w+$/],
  'half a chunk': [`${ok}transfer-encoding: chunked\r\n\r\n9\r\nhalf`, 'reset', /^body: interrupted \w+$/],
  'a broken chunk': [`${ok}transfer-encoding: chunked\r\n\r\nzz\r\n`, 'stay', /^body: interrupted BROKEN_HTTP$/],
  'a body in gzip': [`${ok}content-encoding: gzip\r\ncontent-length: 4\r\n\r\nhalf`, 'stay', /^head: unreadable /],
  'a status that is none': ['HTTP/1.1 999 What\r\ncontent-length: 0\r\n\r\n', 'stay', /^head: unreadable HEAD$/],
  'an endless head': [`${ok}x: ${'y'.repeat(200_000)}`, 'stay', /^head: interrupted UND_ERR_HEADERS_OVERFLOW$/],
  'a continuation first': [`HTTP/1.1 103 Early\r\n\r\n${ok}content-length: 4\r\n\r\ngood`, 'stay', /^good$/],
  'a header in UTF-8': [`${ok}x-name: \xe2\x80\xa6\r\ncontent-length: 4\r\n\r\ngood`, 'stay', /^good$/],
  'no content': ['HTTP/1.1 204 No Content\r\n\r\n', 'stay', /^$/],
};

for (const [name, [speech, then, outcome]] of Object.entries(broken)) {
  test(`in place of a response, ${name}: one error of ours`, async () => {
    const { url } = await speak(speech, then);
    assert.match(await readIt(client()(url)), outcome);
  });
}

test('a host that is not there is unreachable, one without TLS is untrusted', async () => {
  assert.is(await readIt(client()(`http://127.0.0.1:${await freePort()}/`)), 'head: unreachable ECONNREFUSED');
  assert.match(await readIt(client()('http://no-such-host.invalid/')), /^head: unreachable (ENOTFOUND|EAI_AGAIN)$/);
  const { url } = await serve((_, response) => response.end());
  assert.match(await readIt(client()(url.replace('http:', 'https:'))), /^head: untrusted /);
});

test('codes of the system, of TLS and of the client each have one meaning; mistakes of ours have none', () => {
  const meanings: Record<string, string[]> = {
    unreachable: ['ENOTFOUND', 'EAI_AGAIN', 'ECONNREFUSED', 'EHOSTUNREACH', 'ENETUNREACH', 'UND_ERR_CONNECT_TIMEOUT'],
    untrusted: ['CERT_HAS_EXPIRED', 'HOSTNAME_MISMATCH', 'ERR_TLS_CERT_ALTNAME_INVALID', 'EPROTO', 'INVALID_CA'],
    interrupted: ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'ERR_SOCKET_CLOSED', 'ERR_STREAM_PREMATURE_CLOSE'],
  };
  for (const [fault, codes] of Object.entries(meanings)) {
    for (const code of codes) {
      const error = Object.assign(new Error('what the system wrote'), { code });
      for (const thrown of [error, new TypeError('outer', { cause: error }), new AggregateError([error])]) {
        const found = outboundErrorOf(thrown, false);
        assert.instance(found, OutboundError, code);
        assert.equal([(found as OutboundError).fault, (found as OutboundError).code], [fault, code]);
      }
    }
  }
  for (const bug of [new TypeError('a bug'), Object.assign(new Error('no'), { code: 'UND_ERR_INVALID_ARG' }), 'text']) {
    assert.is(outboundErrorOf(bug, false), bug);
  }
});

test('an error has no address and no header in it', async () => {
  const port = await freePort();
  const headers = { authorization: 'Bearer very-secret' };
  const error = await client()(`http://127.0.0.1:${port}/secret-path`, { headers }).catch((error: Error) => error);
  assert.instance(error, OutboundError);
  const { message, stack, cause } = error as OutboundError;
  assert.not.match(JSON.stringify([message, stack, cause]), /very-secret|secret-path|127\.0\.0\.1/);
});

test('a text, bytes or a form is sent with its length; anything else is a mistake of the caller', async () => {
  const seen: (string | undefined)[] = [];
  const { url } = await serve(({ method, headers }, response) => {
    seen.push(`${method} ${headers['content-length']} ${headers['content-type']?.replace(/=.*/, '')}`);
    response.end();
  });
  const send = client();
  const form = new FormData();
  form.set('file', new Blob(['hello'], { type: 'audio/wav' }), 'a.wav');
  await readIt(send(url, { method: 'POST', body: 'äö', headers: { 'Content-Type': 'text/plain' } }));
  await readIt(send(url, { method: 'PUT', body: new Uint8Array(new ArrayBuffer(10), 2, 3) }));
  await readIt(send(url, { method: 'PUT', body: new Uint8Array(0) }));
  await readIt(send(url, { method: 'POST' }));
  await readIt(send(url, { method: 'POST', body: form }));
  assert.equal(seen.slice(0, 4), ['POST 4 text/plain', 'PUT 3 undefined', 'PUT 0 undefined', 'POST 0 undefined']);
  assert.match(seen[4] ?? '', /^POST \d+ multipart\/form-data; boundary$/);
  for (const wrong of [
    send(new Request(url)),
    send(url, { body: new ReadableStream(), method: 'POST' }),
    send(url, { headers: { 'a b': 'c' } }),
    send(url, { method: 'NO METHOD' }),
    send('no address'),
  ]) {
    const error = await wrong.then(
      () => assert.unreachable('it was sent'),
      (error: Error) => error,
    );
    assert.not(error instanceof OutboundError);
    assert.match(String(error), /TypeError|InvalidArgument/);
  }
});

test.run();
