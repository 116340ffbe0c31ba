import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../support/frame.ts';
import { assertGuarded, assertRoutesGuarded, routesOf } from '../support/guarded-routes.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, pkce, register, send } from '../support/oauth.ts';

const test = suite('headers of every response');
let tandem: TestService;
let secure: TestService;

test.before(async () => {
  tandem = await startTestService();
  secure = await startTestService({ PUBLIC_URL: 'https://tandem.example' });
});
test.after(async () => {
  await tandem.close();
  await secure.close();
});

test('a route of each kind, with a credential and without, keeps its answers from caches, frames and guessed types', async () => {
  const routes = routesOf(tandem);
  for (const known of ['GET /readyz', 'GET /metrics', 'POST /mcp', 'GET /api/v1/me', 'POST /oauth/token', 'GET /join'])
    assert.ok(routes.includes(known), known);
  assert.ok(routes.length > 200);
  // The proofs ask at all of them.
  const kindOf = (route: string) => route.replace(/^HEAD/, 'GET').split('/').slice(0, 3).join('/');
  await assertRoutesGuarded(tandem, [...new Map(routes.map((route) => [kindOf(route), route])).values()]);
});

test('so are refusals: unknown paths and methods, bad bodies, and bytes that are no request', async () => {
  const key = (await tandem.workspace()).key;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const refusals: [route: string, init: RequestInit][] = [
    ['/nothing', {}],
    ['/assets/nothing.js', {}],
    ['/api/v1/nothing', {}],
    ['/api/v1/todos/%ff', { headers }],
    ['/api/v1/todos?query=%ff', { headers }],
    ['/api/v1/me', { method: 'DELETE' }],
    ['/api/v1/todos', { method: 'POST', headers, body: '{' }],
    ['/api/v1/todos', { method: 'POST', headers, body: 'x'.repeat(2 ** 21) }],
    ['/api/v1/todos', { method: 'POST', headers: { ...headers, 'content-type': 'text/plain' }, body: '{}' }],
    ['/mcp', { method: 'POST', headers, body: '{' }],
    ['/mcp', { method: 'GET', headers }],
    ['/trpc/nothing', {}],
    ['/trpc/meta.identity', { method: 'PUT' }],
    ['/oauth/token', { method: 'POST' }],
    ['/recordings', {}],
    ['/media/nothing', {}],
  ];
  for (const [route, init] of refusals) {
    const { status, headers: answered, body } = await fetch(`${tandem.url}${route}`, init);
    await body?.cancel();
    assert.ok(status >= 400, `${route} ${status}`);
    assertGuarded({ status, headers: answered }, route);
  }
  for (const bytes of ['nonsense\r\n\r\n', `GET /${'x'.repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`]) {
    assertGuarded(await exchange(tandem.service.port, bytes), bytes.slice(0, 20));
  }
});

test('a resource with an entity tag may be kept by its reader, who asks before every use', async () => {
  const { call } = await tandem.workspace();
  const { body, headers } = await call('POST /todos', { title: 'a' });
  assert.is(headers.get('cache-control'), 'no-store', 'a write');
  const tag = { headers: { 'if-none-match': headers.get('etag') ?? '' } };
  const again = await call(`GET /todos/${body.id}`, undefined, tag);
  assert.is(again.status, 304);
  assert.is(again.headers.get('cache-control'), 'private, no-cache');
  assert.is((await call('GET /todos')).headers.get('cache-control'), 'no-store');
});

test('over https, a browser uses no other scheme for a year', async () => {
  for (const path of [
    '/api/v1/me',
    '/sign-in',
    '/docs',
    '/healthz',
    '/nothing',
    '/.well-known/oauth-authorization-server',
  ]) {
    const { headers } = await send(`http://127.0.0.1:${secure.service.port}`, `GET ${path}`);
    assert.is(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains', path);
  }
  const { headers } = await exchange(secure.service.port, 'nonsense\r\n\r\n');
  assert.is(headers.get('strict-transport-security'), 'max-age=31536000; includeSubDomains');
});

test('the form that returns an answer to an app may run its own script and no other', async () => {
  const client = await register(tandem.url);
  const more = { response_mode: 'form_post', prompt: 'none' };
  const { text, headers } = await send(tandem.url, `GET ${authorizeUrl(tandem.url, client, pkce().challenge, more)}`);
  const script = /<script>([\s\S]*?)<\/script>/.exec(text)?.[1];
  assert.ok(script, text);
  const hash = createHash('sha256').update(script).digest('base64');
  const policy = headers.get('content-security-policy') ?? '';
  assert.ok(policy.includes(`script-src 'self' 'sha256-${hash}'`), policy);
  assert.match(policy, /frame-ancestors 'none'/);
});

test.run();
