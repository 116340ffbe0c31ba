import { createHash } from 'node:crypto';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exchange } from '../support/frame.ts';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { authorizeUrl, pkce, register, send } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';

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

const id = '01890a5d-ac96-774b-bcce-b302099a8057';

/** All routes of the service, as it lists them itself: `METHOD /path`, with an id for each parameter. */
function routesOf({ service }: TestService): string[] {
  const parents: string[] = [];
  return service.app
    .printRoutes({ commonPrefix: false })
    .split('\n')
    .flatMap((line) => {
      const [, indent = '', path = '', methods] = /^([\s│]*)[├└]── (\S*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? [];
      if (path === '' && methods === undefined) return [];
      const depth = indent.length / 4;
      const whole = `${parents.slice(0, depth).join('')}${path}`;
      parents[depth] = path;
      return (methods ?? '').split(', ').flatMap((method) => (method === '' ? [] : `${method} ${whole}`));
    })
    .map((route) => route.replace(/:\w+|\*/g, id));
}

/** What a browser and a cache may do with any response (ASVS 5, 3.4.3–3.4.6). */
function assertGuarded({ status, headers }: Pick<Answer, 'status' | 'headers'>, about: string): void {
  const description = `${about} ${status}`;
  assert.is(headers.get('x-content-type-options'), 'nosniff', description);
  assert.match(headers.get('referrer-policy') ?? '', /^(no-referrer|same-origin)$/, description);
  const policy = headers.get('content-security-policy') ?? '';
  for (const directive of ["default-src 'none'", "object-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"]) {
    assert.ok(policy.split('; ').includes(directive), `${description} ${policy}`);
  }
  const type = headers.get('content-type') ?? '';
  const caching = headers.get('cache-control') ?? '';
  // The manifest is a file of the pages, the same for everybody.
  if (/(?<!manifest\+)json|event-stream/.test(type))
    assert.match(caching, /^(no-store|private, no-cache)$/, description);
  assert.ok(caching !== '', description);
  if (type.startsWith('text/html') && status < 400) {
    assert.match(headers.get('cross-origin-opener-policy') ?? '', /^(same-origin|unsafe-none)$/, description);
  }
}

/** An answer without its body: streams have no end. */
async function headOf(route: string, headers: Record<string, string>): Promise<Pick<Answer, 'status' | 'headers'>> {
  const [method = '', path = ''] = route.split(' ');
  const response = await fetch(new URL(path, tandem.url), { method, headers, redirect: 'manual' });
  await response.body?.cancel();
  return response;
}

/** Documents that hold nothing of anybody, and say that they may be kept. */
const shared = /^(GET|HEAD) (\/mcp)?\/\.well-known\/|^(GET|HEAD) \/docs\/assets\//;

test('every route, with a credential and without, keeps its answers from caches, frames and guessed types', async () => {
  const routes = routesOf(tandem);
  for (const known of ['GET /readyz', 'GET /metrics', 'POST /mcp', 'GET /api/v1/me', 'POST /oauth/token', 'GET /join'])
    assert.ok(routes.includes(known), known);
  assert.ok(routes.length > 200);
  let person = await newAccount(tandem);
  for (const [place, route] of routes.entries()) {
    // A session has 600 requests a minute.
    if (place % 300 === 299) person = await newAccount(tandem);
    const [method = ''] = route.split(' ');
    if (method === 'TRACE') continue;
    // Signing the person out would leave the rest without a credential.
    const credentials = /^DELETE .*sessions/.test(route)
      ? [{}]
      : [{}, { authorization: `Bearer ${person.session.token}` }];
    for (const headers of credentials) {
      const answer = await headOf(route, headers);
      const caching = answer.headers.get('cache-control') ?? '';
      if (shared.test(route)) assert.match(caching, /max-age|no-cache/, route);
      else assertGuarded(answer, route);
      assert.is(answer.headers.get('x-content-type-options'), 'nosniff', route);
      assert.is(answer.headers.get('strict-transport-security'), null, route);
    }
  }
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
  assert.is(headers.get('cache-control'), 'private, no-cache');
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
