import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask, assertFrame, exchange } from '../support/frame.ts';
import { type CallOptions, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('errors');
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
});
test.after(() => tandem.close());

/** Calls in the workspace of this file and holds the answer to the frame. */
async function call(route: string, body?: unknown, options?: CallOptions) {
  return assertFrame(await workspace.call(route, body, options), route);
}

async function create(body: unknown, headers: Record<string, string> = {}) {
  return call('POST /todo-lists', body, { headers });
}

test('an error is one object at top level with everything a reader needs', async () => {
  const { status, body, headers } = await create({ name: '', emoji: 'ab', surprise: 1 });
  const docUrl = `${tandem.url}/docs/errors#validation_failed`;
  const errors = [
    { param: 'name', code: 'invalid', message: 'must not be blank' },
    { param: 'emoji', code: 'invalid', message: 'must be one emoji' },
    {
      param: 'surprise',
      code: 'unknown_field',
      message: 'Unknown field “surprise”. Check its spelling or leave it out.',
    },
  ];
  assert.is(status, 400);
  assert.is(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(body, {
    object: 'error',
    type: docUrl,
    title: 'The request is not valid',
    status: 400,
    code: 'validation_failed',
    detail: 'name: must not be blank',
    message: 'name: must not be blank',
    param: 'name',
    requestId: headers.get('x-request-id'),
    retryable: false,
    docUrl,
    errors,
  });
});

test('an error is problem details when Accept asks for them', async () => {
  const accepts = ['application/problem+json', 'text/html, application/problem+json;q=0.9', 'Application/Problem+JSON'];
  for (const accept of accepts) {
    const { headers } = await create({}, { accept });
    assert.match(headers.get('content-type') ?? '', /^application\/problem\+json/, accept);
  }
  for (const accept of ['application/json', '*/*', 'text/html', 'application/problem+json;q=0']) {
    const { headers } = await create({}, { accept });
    assert.is(headers.get('content-type'), 'application/json; charset=utf-8', accept);
  }
});

test('what is no JSON object is 400', async () => {
  const malformed = ['{', '{"name":}', "{'name':'x'}", '{"name":"x",}', 'name=x', 'NaN', '{"name":"x"} {}', '[', '"'];
  for (const text of [...malformed, '[]', '[{"name":"x"}]', '"name"', '1', 'true', 'null', '\ufefffalse']) {
    const { status, body } = await create(text);
    assert.is(status, 400, text);
    assert.is(body.code, 'validation_failed', text);
    assert.is(body.param, null, text);
  }
});

test('a body that nests 100,000 deep is 400', async () => {
  for (const text of ['['.repeat(100_000), '{"a":'.repeat(100_000), `{"name":${'['.repeat(1e5)}${']'.repeat(1e5)}}`]) {
    assert.is((await create(text)).status, 400);
    assert.is((await create(text, { 'idempotency-key': 'deep' })).status, 400);
  }
});

test('bytes that are no UTF-8 are 400', async () => {
  const bad = [[0xff], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf5, 0x80, 0x80, 0x80], [0xe2, 0x82]];
  for (const bytes of bad) {
    const body = Buffer.concat([Buffer.from('{"name":"'), Buffer.from(bytes), Buffer.from('"}')]);
    const { status, body: error } = await create(body);
    assert.is(status, 400);
    assert.is(error.message, 'The body must be valid UTF-8.');
  }
});

test('a lone surrogate or NUL in a text is 400 and names the field', async () => {
  for (const name of ['a\ud800', '\udc00b', 'a\0b', '\0']) {
    const { status, body } = await create({ name });
    assert.is(status, 400);
    assert.is(body.param, 'name');
  }
  assert.is((await create('{"name":"x","\\ud800":1}')).status, 400);
  assert.is((await create('{"name":"x","\\u0000":1}')).status, 400);
});

test('__proto__ and constructor are unknown fields like any other', async () => {
  for (const field of ['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty']) {
    for (const value of ['1', '{"isDefault":true}', '{"prototype":{"isDefault":true}}', 'null']) {
      const { status, body } = await create(`{"name":"x","${field}":${value}}`, { 'idempotency-key': 'proto' });
      assert.is(status, 400, field);
      assert.is(body.param, field, body.message);
    }
  }
  assert.is(({} as Record<string, unknown>).isDefault, undefined);
});

test('a body of more than 1 MiB is 413, one of exactly 1 MiB is read', async () => {
  const frame = JSON.stringify({ name: '' }).length;
  const exact = await create({ name: 'a'.repeat(1024 * 1024 - frame) });
  assert.is(exact.status, 400);
  assert.is(exact.body.param, 'name');
  const over = await create({ name: 'a'.repeat(1024 * 1024 - frame + 1) });
  assert.is(over.status, 413);
  assert.is(over.body.code, 'validation_failed');
});

test('a megabyte of wrong fields is answered briefly', async () => {
  const names = Array.from({ length: 9_000 }, (_, index) => `f${index}`.padEnd(100, '_'));
  const fields = Object.fromEntries(names.map((name) => [name, 1]));
  const { status, body, text } = await create(fields);
  assert.is(status, 400);
  assert.is(body.errors.length, 100);
  assert.ok(text.length < 50_000);
  const long = await create({ name: 'x', ['k'.repeat(900_000)]: 1 });
  assert.is(long.status, 400);
  assert.ok(long.text.length < 5000);
});

test('a body that is not declared as JSON is 415', async () => {
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
  ];
  for (const type of [...types, 'application/json5', 'garbage', 'text/json-ish']) {
    const { status, body } = await create('{"name":"x"}', { 'content-type': type });
    assert.is(status, 415, type);
    assert.is(body.code, 'validation_failed');
  }
  const { port } = tandem.service;
  const head = `POST /api/v1/todo-lists HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${workspace.key}\r\nConnection: close`;
  assert.is(assertFrame(await exchange(port, `${head}\r\nContent-Length: 2\r\n\r\n{}`)).status, 415);
});

test('JSON is read under every name that it has', async () => {
  const types = [
    'application/json',
    'application/json; charset=utf-8',
    'Application/JSON',
    'application/merge-patch+json',
  ];
  for (const type of types) assert.is((await create('{"name":"x"}', { 'content-type': type })).status, 201, type);
});

test('an empty body that is declared as JSON is a body without fields', async () => {
  for (const text of ['', '  \r\n\t']) {
    const { status, body } = await create(text, { 'content-type': 'application/json' });
    assert.is(status, 400);
    assert.is(body.param, 'name');
  }
});

test('a huge number is 400 or what it says, never 500', async () => {
  for (const number of ['1e309', '-1e309', '9'.repeat(400), '1e-400', '-0', '9007199254740993']) {
    const { status, body } = await create(`{"name":${number}}`);
    assert.is(status, 400, number);
    assert.is(body.param, 'name');
  }
});

test('broken percent-encoding in the address is 400 and counted like any request', async () => {
  const key = await workspace.mint(['todos:read'], { rateLimitPerMinute: 1000 });
  const authorization = `Bearer ${key}`;
  for (const path of ['/%', '/%zz', '/api/v1/todo-lists/%ff', '/api/v1/todo-lists/%c0%80', '/api/v1/%e0%a4%a']) {
    const answer = assertFrame(await ask(`${tandem.url}${path}`, { headers: { authorization } }), path);
    assert.is(answer.status, 400, path);
    assert.is(answer.body.code, 'validation_failed');
    assert.is(answer.headers.get('ratelimit-limit'), '1000', path);
  }
  const answer = await call('GET /todo-lists?includeArchived=%zz');
  assert.is(answer.status, 400);
  assert.is(answer.body.param, 'includeArchived');
});

test('a query parameter given twice is 400', async () => {
  const { status, body } = await call('GET /todo-lists?includeArchived=true&includeArchived=false');
  assert.is(status, 400);
  assert.is(body.param, 'includeArchived');
  assert.is((await call('GET /todo-lists?__proto__=1&__proto__=2&constructor=1')).status, 200);
});

test('an address that leads nowhere is 404, however odd', async () => {
  const odd = [
    '/nope',
    '//',
    '/api/v1/',
    '/api/v2/me',
    '/api/v1/ME',
    '/api/v1/me/',
    '/..%2f..%2fetc',
    `/${'x'.repeat(9000)}`,
  ];
  for (const path of odd.filter((each) => each !== '/api/v1/')) {
    const { status, body } = assertFrame(await ask(`${tandem.url}${path}`), path);
    assert.is(status, 404, path);
    assert.is(body.code, 'resource_not_found');
    assert.is(body.param, null);
  }
});

test('a known path with another method is 405 and lists those that it has', async () => {
  const expected: [string, string][] = [
    ['PUT /todo-lists', 'GET, POST, HEAD'],
    ['DELETE /me', 'GET, HEAD'],
    ['OPTIONS /me', 'GET, HEAD'],
    ['POST /todo-lists/0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee', 'GET, PATCH, DELETE, HEAD'],
  ];
  for (const [route, allow] of expected) {
    for (const options of [{}, { key: null }]) {
      const { status, body, headers } = await call(route, undefined, options);
      assert.is(status, 405, route);
      assert.is(body.code, 'validation_failed');
      assert.equal(headers.get('allow')?.split(', ').sort(), allow.split(', ').sort());
    }
  }
});

test('HEAD answers like GET without a body', async () => {
  const head = await call('HEAD /todo-lists');
  assert.is(head.status, 200);
  assert.is(head.text, '');
});

test.run();
