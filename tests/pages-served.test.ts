import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mountPages, pagePaths } from '../adapters/pages/mount.ts';
import { buildWeb } from '../scripts/build-web.ts';
import { startTestService, type TestService } from './harness.ts';
import { send } from './oauth.ts';

const test = suite('the pages, as they are served');
let tandem: TestService;

test.before(async () => {
  await buildWeb();
  tandem = await startTestService();
});
test.after(() => tandem.close());

const get = (path: string, headers: Record<string, string> = {}) => send(tandem.url, `GET ${path}`, { headers });

async function assetPath(): Promise<string> {
  const { text } = await get('/sign-in');
  return /src="(\/assets\/[^"]+\.js)"/.exec(text)?.[1] ?? '';
}

test('every page is the one document, under a policy that lets nothing in from elsewhere', async () => {
  for (const path of pagePaths) {
    const { status, headers, text } = await get(`${path}?uid=x`);
    assert.is(status, 200, path);
    assert.is(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.is(headers.get('cache-control'), 'no-cache');
    assert.is(headers.get('x-content-type-options'), 'nosniff');
    assert.is(headers.get('x-frame-options'), 'DENY');
    assert.is(headers.get('referrer-policy'), 'same-origin');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /base-uri 'none'; frame-ancestors 'none'$/);
    assert.not.match(policy, /unsafe|\*|https?:/);
    assert.not.match(text, /<script>|<style|\sstyle=|\son\w+=/);
  }
});

test('only the page that records may use the microphone; audio and sockets are our own', async () => {
  for (const path of pagePaths) {
    const { headers } = await get(path);
    const powers = headers.get('permissions-policy') ?? '';
    assert.match(powers, /camera=\(\), geolocation=\(\)/);
    assert.is(powers.includes('microphone=(self)'), path === '/record', path);
    assert.is(powers.includes('microphone=()'), path !== '/record', path);
    assert.match(headers.get('content-security-policy') ?? '', /connect-src 'self'; media-src 'self';/);
  }
});

test('files whose names change with their content are kept for a year, and sent small to who can take it', async () => {
  const path = await assetPath();
  const plain = await get(path, { 'accept-encoding': 'identity' });
  assert.is(plain.status, 200);
  assert.is(plain.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(plain.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  const zipped = await get(path, { 'accept-encoding': 'gzip' });
  assert.is(zipped.headers.get('content-encoding'), 'gzip');
  assert.is(zipped.text, plain.text);
  const again = await get(path, { 'if-none-match': zipped.headers.get('etag') ?? '', 'accept-encoding': 'gzip' });
  assert.is(again.status, 304);
});

test('what is no page stays the error object of the API, and no path leads out of the folder', async () => {
  const strange = [
    '/settings/nothing',
    '/sign-in/',
    '/index.html',
    '/sources.sha256',
    '/assets/',
    '/assets/nothing.js',
    '/assets/..%2findex.html',
    '/assets/..%2f..%2f..%2fpackage.json',
    '/assets/%2e%2e%2findex.html',
    '/assets/%2fetc%2fpasswd',
    '/assets/__proto__',
  ];
  for (const path of strange) {
    const { status, body } = await get(path);
    assert.is(status, 404, path);
    assert.is(body.code, 'resource_not_found', path);
  }
});

test('pages cost no budget of requests', async () => {
  const { headers } = await get('/sign-in');
  assert.is(headers.get('ratelimit-limit'), null);
});

test('pages that are not built say how to build them, and come up once they are', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'tandem-unbuilt-'));
  const app = fastify();
  mountPages(app, directory);
  const answer = await app.inject('/sign-in');
  assert.is(answer.statusCode, 503);
  assert.match(answer.body, /npm run build/);
  await app.close();
  await rm(directory, { recursive: true });
});

test('a build of unchanged sources does nothing', async () => {
  assert.is(await buildWeb(), 'fresh');
});

test.run();
