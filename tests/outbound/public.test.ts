import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { OutboundError } from '../../outbound/errors.ts';
import { publicClient as openClient, type PublicOptions } from '../../outbound/public.ts';
import { type Listener, loopbackHosts, startListener } from '../support/listener.ts';
import { until, within } from '../support/until.ts';

const test = suite('outgoing requests: public destinations');
let listener: Listener;
const servers: Server[] = [];
const sockets: Socket[] = [];

test.before(async () => {
  listener = await startListener();
});
test.after(async () => {
  await listener.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
});

async function serve(answer: RequestListener, host = '127.0.0.1'): Promise<{ port: number; connections(): number }> {
  let connections = 0;
  const server = createServer(answer).on('connection', (socket: Socket) => {
    connections++;
    sockets.push(socket);
  });
  servers.push(server);
  server.listen(0, host);
  await once(server, 'listening');
  return { port: (server.address() as AddressInfo).port, connections: () => connections };
}

/** `fault code` of a request that fails, or its status. */
async function outcomeOf(work: Promise<Response>): Promise<string> {
  return work.then(
    ({ status }) => String(status),
    (error: unknown) => (error instanceof OutboundError ? `${error.fault} ${error.code}` : String(error)),
  );
}

/** A client whose time limits are long. */
const publicClient = (allowed: string[], options: PublicOptions = {}) =>
  openClient(allowed, { limits: { silenceMs: 60_000, totalMs: 60_000 }, ...options });

/** A client whose names resolve to these addresses, one answer after the other. */
function resolving(answers: string[][], allowed: string[] = []) {
  let asked = 0;
  const resolve = async () => answers[Math.min(asked++, answers.length - 1)] ?? [];
  return { send: publicClient(allowed, { resolve }), asked: () => asked };
}

test('the listener counts every connection', async () => {
  const send = publicClient(['127.0.0.0/8', '::1', '0.0.0.0', '::']);
  for (const host of loopbackHosts) {
    const before = listener.accepted();
    const outcome = await outcomeOf(send(`http://${host}:${listener.port}/`));
    if (/^unreachable/.test(outcome)) continue; // A machine without IPv6.
    await until(() => listener.accepted() > before);
  }
});

test('a private address is never connected to, however it is written', async () => {
  const send = publicClient([]);
  const before = listener.accepted();
  for (const scheme of ['http', 'https']) {
    for (const host of loopbackHosts) {
      const outcome = await outcomeOf(send(`${scheme}://${host}:${listener.port}/`));
      assert.is(outcome, 'forbidden FORBIDDEN_ADDRESS', `${scheme} ${host}`);
    }
  }
  assert.is(listener.accepted(), before);
});

test('a name is never followed to a private address', async () => {
  const before = listener.accepted();
  const wheres = ['127.0.0.1', '::1', '::ffff:127.0.0.1', '0.0.0.0', '10.0.0.1', '169.254.169.254', 'fd00:ec2::254'];
  for (const address of wheres) {
    const { send } = resolving([[address]]);
    const outcome = await outcomeOf(send(`https://a.example:${listener.port}/`));
    assert.is(outcome, 'forbidden FORBIDDEN_ADDRESS', address);
  }
  assert.is(listener.accepted(), before);
});

test('the address that was checked is the one that is reached: a name is resolved once for a connection', async () => {
  const { port, connections } = await serve((_, response) => response.end('first'));
  // The name leads to an allowed address first, and to another address of this machine afterwards.
  const { send, asked } = resolving([['127.0.0.1'], ['127.0.0.2']], ['127.0.0.1']);
  assert.is(await (await send(`http://rebound.example:${port}/`)).text(), 'first');
  assert.is(asked(), 1);
  assert.is(connections(), 1);
  const before = listener.accepted();
  assert.is(await outcomeOf(send(`http://rebound.example:${listener.port}/`)), 'forbidden FORBIDDEN_ADDRESS');
  assert.is(listener.accepted(), before);
});

test('of several addresses of a name only those that are permitted are tried', async () => {
  const { port } = await serve((_, response) => response.end('yes'));
  const { send } = resolving([['10.255.255.1', '::1', '127.0.0.1', '192.168.255.1']], ['127.0.0.1']);
  assert.is(await outcomeOf(send(`http://mixed.example:${port}/`)), '200');
});

test('a redirect is returned as a response and not followed', async () => {
  const before = listener.accepted();
  const { port } = await serve((_, response) => {
    response.writeHead(302, { location: `http://127.0.0.1:${listener.port}/secret` }).end();
  });
  const send = publicClient(['127.0.0.1']);
  for (const redirect of ['manual', 'follow', 'error'] as const) {
    assert.is(await outcomeOf(send(`http://127.0.0.1:${port}/`, { redirect })), '302');
  }
  assert.is(listener.accepted(), before);
});

test('schemes, credentials and ports that no public address is reached by are refused before a connection', async () => {
  const { send, asked } = resolving([['8.8.8.8']]);
  const refused: Record<string, string> = {
    'http://a.example/': 'FORBIDDEN_PROTOCOL',
    'http://8.8.8.8/': 'FORBIDDEN_PROTOCOL',
    'https://a.example:22/': 'FORBIDDEN_PORT',
    'https://8.8.8.8:80/': 'FORBIDDEN_PORT',
    'https://a.example:0/': 'FORBIDDEN_PORT',
    'https://person@a.example/': 'FORBIDDEN_CREDENTIALS',
    'https://:secret@a.example/': 'FORBIDDEN_CREDENTIALS',
    'ftp://a.example/': 'FORBIDDEN_PROTOCOL',
    'file:///etc/passwd': 'FORBIDDEN_PROTOCOL',
    'data:text/plain,x': 'FORBIDDEN_PROTOCOL',
    'javascript:alert(1)': 'FORBIDDEN_PROTOCOL',
    'ws://a.example/': 'FORBIDDEN_PROTOCOL',
  };
  for (const [url, code] of Object.entries(refused)) {
    assert.is(await outcomeOf(send(url)), `forbidden ${code}`, url);
  }
  assert.is(asked(), 3);
});

test('a name without an address, or with none that can be resolved, is unreachable', async () => {
  assert.is(await outcomeOf(resolving([[]]).send('https://a.example/')), 'unreachable ENODATA');
  const resolve = () => Promise.reject(Object.assign(new Error('no'), { code: 'ESERVFAIL' }));
  assert.is(await outcomeOf(publicClient([], { resolve })('https://a.example/')), 'unreachable ESERVFAIL');
});

test('a host that the operator names is reached by the resolver of the system, any other is not', async () => {
  const { port } = await serve((_, response) => response.end('yes'), 'localhost');
  const { send, asked } = resolving([['127.0.0.1']], ['localhost']);
  assert.is(await outcomeOf(send(`http://localhost:${port}/`)), '200');
  assert.is(await outcomeOf(send(`http://LOCALHOST:${port}/`)), '200');
  assert.is(asked(), 0);
  assert.is(await outcomeOf(send(`http://localhost.example:${port}/`)), 'forbidden FORBIDDEN_ADDRESS');
  assert.is(await outcomeOf(send(`http://127.0.0.1:${port}/`)), 'forbidden FORBIDDEN_ADDRESS');
});

test('an address that the operator allowed is not trusted for it: TLS is checked', async () => {
  const { port } = await serve((_, response) => response.end('no TLS'));
  assert.match(await outcomeOf(publicClient(['127.0.0.1'])(`https://127.0.0.1:${port}/`)), /^untrusted /);
});

test('the requests of a process are limited; a finished one frees its place', async () => {
  let open = 0;
  const { port } = await serve(() => open++);
  const send = publicClient(['127.0.0.0/8']);
  const stop = new AbortController();
  // Four connections for an origin: other names for the same one.
  const hung = Array.from({ length: 32 }, (_, n) =>
    outcomeOf(send(`http://127.0.0.1:${port}/${n}`, { signal: stop.signal })),
  );
  await until(() => open === 4);
  assert.is(await outcomeOf(send(`http://127.0.0.1:${port}/more`)), 'busy TOO_MANY_REQUESTS');
  stop.abort(new Error('enough'));
  assert.equal(new Set(await within(() => 'they end', Promise.all(hung))), new Set(['Error: enough']));
  const { port: other } = await serve((_, response) => response.end('yes'));
  for (let n = 0; n < 40; n++) assert.is(await outcomeOf(send(`http://127.0.0.1:${other}/`)), '200');
});

test('a response without a body frees its place, whatever body it announces', async () => {
  const statuses = ['204 No Content', '205 Reset Content', '304 Not Modified'];
  const announced = ['content-length: 10', 'transfer-encoding: chunked', 'content-length: 0'];
  const heads = statuses.flatMap((status) => announced.map((header) => `HTTP/1.1 ${status}\r\n${header}\r\n\r\n`));
  let asked = 0;
  const server = createTcpServer((socket) => {
    socket.on('error', () => {}).once('data', () => socket.write(heads[asked++] ?? ''));
    sockets.push(socket);
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const send = publicClient(['127.0.0.1'], { maxInFlight: 1 });
  for (const head of heads) {
    const work = outcomeOf(send(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`));
    assert.is(await within(() => head, work), head.slice(9, 12));
  }
});

test('nothing of this process goes along: no cookie, no credential, no kept connection', async () => {
  const seen: Record<string, unknown>[] = [];
  const { port, connections } = await serve(({ headers }, response) => {
    seen.push(headers);
    response.setHeader('set-cookie', 'a=b').end('yes');
  });
  const send = publicClient(['127.0.0.1']);
  for (let n = 0; n < 2; n++) await (await send(`http://127.0.0.1:${port}/`)).text();
  const expected = {
    host: `127.0.0.1:${port}`,
    connection: 'close',
    accept: '*/*',
    'accept-encoding': 'identity',
    'user-agent': 'Tandem',
  };
  assert.equal(seen, [expected, expected]);
  assert.is(connections(), 2);
});

test.run();
