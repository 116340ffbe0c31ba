import { randomBytes } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { abandon, ask, assertFrame, exchange } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('unreadable requests');
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
});
test.after(() => tandem.close());

function send(bytes: string | Buffer) {
  return exchange(tandem.service.port, bytes);
}

const get = 'GET /api/v1/me HTTP/1.1\r\nHost: x\r\nConnection: close\r\n';

test('bytes that are no HTTP are 400 in the envelope', async () => {
  const garbage = ['nonsense\r\n\r\n', '\0\0\0\0\r\n\r\n', 'GET\r\n\r\n', `GET / HTTP/9.9\r\n\r\n`, randomBytes(200)];
  for (const bytes of [...garbage, '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', `${get}No colon\r\n\r\n`]) {
    const answer = assertFrame(await send(bytes), JSON.stringify(bytes.toString('latin1')));
    assert.is(answer.status, 400);
    assert.is(answer.body.code, 'validation_failed');
  }
});

test('an unreadable HEAD request is answered without a body, which a client would take for the next answer', async () => {
  for (const bytes of ['HEAD /?query=\xff HTTP/1.1\r\nHost: x\r\n\r\n', 'HEAD / HTTP/1.1\r\nNo colon\r\n\r\n']) {
    const { status, headers, text } = await send(Buffer.from(bytes, 'latin1'));
    assert.is(status, 400);
    assert.is(text, '');
    assert.ok(Number(headers.get('content-length')) > 0);
  }
});

test('headers that contradict each other are 400', async () => {
  const post = `POST /api/v1/todo-lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.key}\r\n`;
  const heads = [
    'Content-Length: 5\r\nTransfer-Encoding: chunked',
    'Content-Length: -1',
    'Content-Length: 1\r\nContent-Length: 2',
  ];
  for (const head of heads) assert.is(assertFrame(await send(`${post}${head}\r\n\r\n{}`), head).status, 400, head);
  const chunked = `${post}Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
  assert.is(assertFrame(await send(chunked)).status, 400);
});

test('headers of more than 16 KiB are 431', async () => {
  assert.is(assertFrame(await send(`${get}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`)).status, 431);
  assert.is(assertFrame(await send(`GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`)).status, 431);
});

test('odd but readable headers are answered like any others', async () => {
  const { key } = workspace;
  const authorized = `Authorization: Bearer ${key}\r\n`;
  const fields: [string, number][] = [
    [authorized, 200],
    [`authorization:bearer   ${key}  \r\n`, 200],
    [`${authorized}Expect: nonsense\r\n`, 200],
    [`${authorized}Accept: ;;;,,,\r\nIf-None-Match: ,,,\r\nIdempotency-Key: \r\n`, 200],
    [`${authorized}Cookie: ${'a=b; '.repeat(2000)}\r\n`, 200],
    ['Authorization: \r\n', 401],
    ['Authorization: Bearer\r\n', 401],
    [`Authorization: Basic ${key}\r\n`, 401],
    [`Authorization: Bearer ${key} ${key}\r\n`, 401],
    [`Authorization: Bearer ${key}\u00ff\r\n`, 401],
    [`Authorization: Bearer ${'x'.repeat(10_000)}\r\n`, 401],
    [`Authorization: ${' '.repeat(10_000)}\r\n`, 401],
  ];
  for (const [field, expected] of fields) {
    const bytes = Buffer.from(`${get}${field}\r\n`, 'latin1');
    assert.is(assertFrame(await send(bytes), field.slice(0, 80)).status, expected, field.slice(0, 80));
  }
});

test('HTTP/1.1 without Host is 400', async () => {
  assert.is(assertFrame(await send('GET /api/v1/ HTTP/1.1\r\nConnection: close\r\n\r\n')).status, 400);
  assert.is(assertFrame(await send('GET /api/v1/ HTTP/1.0\r\n\r\n')).status, 200);
});

test('more than one Host header is 400', async () => {
  for (const version of ['1.0', '1.1']) {
    for (const second of ['x', 'y']) {
      const head = `GET /api/v1/ HTTP/${version}\r\nHost: x\r\nhOST: ${second}\r\nConnection: close\r\n\r\n`;
      const { status, body } = assertFrame(await send(head));
      assert.equal([status, body.param], [400, 'Host']);
    }
  }
});

test('HEAD and TRACE of a path without them are 405', async () => {
  for (const line of ['HEAD /api/v1/todos/batch', 'TRACE /api/v1/todos/batch']) {
    const { status, headers } = await send(`${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
    assert.is(status, 405, line);
    assert.is(headers.get('allow'), 'POST');
  }
});

test('a client that leaves in the middle harms nobody', async () => {
  const post = `POST /api/v1/todo-lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.key}\r\n`;
  const head = `${post}Content-Type: application/json\r\nContent-Length: 1000\r\n\r\n{"name":"half`;
  await Promise.all(Array.from({ length: 20 }, () => abandon(tandem.service.port, head)));
  const { body } = await workspace.call('GET /todo-lists');
  assert.is(body.data.length, 1, 'half a body makes nothing');
});

test('after all of it the service answers as before', async () => {
  assert.is((await ask(`${tandem.url}/api/v1/`)).status, 200);
});

test.run();
