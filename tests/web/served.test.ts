import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mountPages } from '../../adapters/pages/mount.ts';
import { pageAddresses } from '../../adapters/pages/table.ts';
import { buildWeb } from '../../scripts/build-web.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { send } from '../support/oauth.ts';

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
  return /src="(\/assets\/start-[^"]+\.js)"/.exec(text)?.[1] ?? '';
}

test('every page is the one document, under a policy that lets nothing in from elsewhere', async () => {
  for (const { path } of pageAddresses) {
    const { status, headers, text } = await get(`${path}?uid=x`);
    assert.is(status, 200, path);
    assert.is(headers.get('content-type'), 'text/html; charset=utf-8');
    assert.is(headers.get('cache-control'), 'no-cache');
    assert.is(headers.get('x-content-type-options'), 'nosniff');
    assert.is(headers.get('x-frame-options'), 'DENY');
    assert.is(headers.get('referrer-policy'), 'same-origin');
    const isOpenedByApps = ['/oauth/consent', '/sign-in', '/sign-up', '/reset-password'].includes(path);
    assert.is(headers.get('cross-origin-opener-policy'), isOpenedByApps ? 'unsafe-none' : 'same-origin');
    const policy = headers.get('content-security-policy') ?? '';
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/);
    assert.match(policy, /base-uri 'none'; frame-ancestors 'none'$/);
    assert.not.match(policy, /unsafe|\*|https?:/);
    assert.not.match(text, /<script>|<style|\sstyle=|\son\w+=/);
  }
});

test('only the page that records may use the microphone; audio and sockets are our own', async () => {
  for (const { path } of pageAddresses) {
    const { headers } = await get(path);
    const powers = headers.get('permissions-policy') ?? '';
    assert.match(powers, /camera=\(\), geolocation=\(\)/);
    assert.is(powers.includes('microphone=(self)'), path === '/record', path);
    assert.is(powers.includes('microphone=()'), path !== '/record', path);
    assert.match(headers.get('content-security-policy') ?? '', /connect-src 'self'; media-src 'self';/);
  }
});

test('the pages of webhooks are no part of the script that every page loads', async () => {
  const { text } = await get(await assetPath());
  const [chunk] = /webhooks-page-[\w-]+\.js/.exec(text) ?? [];
  assert.ok(chunk);
  const later = await get(`/assets/${chunk}`);
  assert.is(later.status, 200);
  assert.match(later.text, 'No webhook endpoints yet');
  assert.not.match(text, 'No webhook endpoints yet');
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

test('the service worker is at the root, is compared at each use, and knows the pages of signed-in people', async () => {
  const { status, headers, text } = await get('/offline-worker.js');
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(headers.get('cache-control'), 'no-cache');
  assert.match(headers.get('content-security-policy') ?? '', /^default-src 'none'; script-src 'self'/);
  const addresses: string[] = JSON.parse(/^const addresses = (\[.*\]);$/m.exec(text)?.[1] ?? '[]');
  for (const address of ['/', '/todos', '/chats/:chatId', '/settings']) assert.ok(addresses.includes(address), address);
  for (const address of ['/sign-in', '/oauth/consent', '/record']) assert.not.ok(addresses.includes(address), address);
  assert.match(text, /^const microphoneAddresses = \["\/record"\];$/m);
  assert.not.match(text, /^import /m);
});

test('the manifest names its icons, which have the sizes that it gives, and where shares are sent', async () => {
  const { status, headers, text } = await get('/manifest.webmanifest');
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'application/manifest+json');
  assert.is(headers.get('cache-control'), 'no-cache');
  const manifest = JSON.parse(text);
  assert.equal([manifest.id, manifest.scope, manifest.display], ['/', '/', 'standalone']);
  for (const { url } of [...manifest.shortcuts, { url: manifest.start_url }]) {
    assert.ok(
      pageAddresses.some(({ path }) => path === url.split('#')[0]),
      url,
    );
  }
  assert.equal([manifest.share_target.action, manifest.share_target.method], ['/share', 'POST']);
  for (const { src, sizes, type } of manifest.icons) {
    const response = await fetch(new URL(src, tandem.url));
    assert.equal([response.status, response.headers.get('content-type')], [200, type], src);
    const png = Buffer.from(await response.arrayBuffer());
    assert.is(png.subarray(1, 4).toString(), 'PNG');
    assert.is(`${png.readUInt32BE(16)}x${png.readUInt32BE(20)}`, sizes);
    assert.ok(png.length < 32_000, `${src} has ${png.length} bytes`);
  }
  assert.ok(manifest.icons.some(({ purpose }: { purpose: string }) => purpose === 'maskable'));
  const document = await get('/sign-in');
  assert.match(document.text, '<link rel="manifest" href="/manifest.webmanifest">');
  assert.match(document.text, /<link rel="apple-touch-icon" sizes="180x180" href="\/assets\/[^"]+\.png"/);
  assert.match(document.headers.get('content-security-policy') ?? '', /manifest-src 'self'/);
});

test('a share that no worker takes leads to the page that explains it, and its body is not read', async () => {
  const form = new FormData();
  form.set('text', 'Buy milk');
  form.set('files', new Blob(['x'.repeat(3_000_000)]), 'a.txt');
  const url = new URL('/share', tandem.url);
  const response = await fetch(url, { method: 'POST', body: form, redirect: 'manual' });
  assert.equal([response.status, response.headers.get('location')], [303, '/share?problem=no_worker']);
  const other = await fetch(url, { method: 'PUT', body: form, redirect: 'manual' });
  assert.is(other.status, 404);
});

test('what is no page stays the error object of the API, and no path leads out of the folder', async () => {
  const strange = [
    '/settings/nothing',
    '/sign-in//',
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

test('an unknown address gives a browser a page with status 404, under the same policy, and a program the error object', async () => {
  const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  for (const path of ['/nothing', '/settings/nothing', '/todos/nothing/at/all', '/api/nothing', '/api/v1/nothing']) {
    const page = await get(path, browser);
    assert.is(page.status, 404, path);
    assert.is(page.headers.get('content-type'), 'text/html; charset=utf-8');
    assert.match(page.headers.get('content-security-policy') ?? '', /^default-src 'none'/);
    assert.is(page.headers.get('cache-control'), 'no-store');
    assert.match(page.text, '<div id="app">');
    for (const accept of ['application/json', '*/*', 'text/html;q=0, application/json']) {
      const { status, headers, body } = await get(path, { accept });
      assert.equal([status, body.code], [404, 'resource_not_found'], path);
      assert.match(headers.get('vary') ?? '', 'Accept');
    }
  }
  const posted = await send(tandem.url, 'POST /todos', { headers: browser });
  assert.equal([posted.status, posted.body.code], [404, 'resource_not_found']);
});

test('a page with a slash at its end leads to the page, with its query and to nowhere else', async () => {
  const { port } = new URL(tandem.url);
  const found = async (path: string) => {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual' });
    return [response.status, response.headers.get('location')];
  };
  assert.equal(await found('/settings/'), [308, '/settings']);
  assert.equal(await found('/chats/?a=1&next=/x/?y'), [308, '/chats?a=1&next=/x/?y']);
  assert.equal(await found('/captures/some-id/'), [308, '/captures/some-id']);
  for (const path of ['//evil.example/', '//evil.example/settings/', '/settings//']) {
    assert.equal(await found(path), [404, null], path);
  }
});

test('the document of a page names the chunks of that page, and of no other', async () => {
  const preloaded = async (path: string) =>
    [...(await get(path)).text.matchAll(/<link rel="modulepreload"[^>]* href="\/assets\/([\w-]+?)-[\w-]{8}\.js"/g)].map(
      ([, name]) => name,
    );
  assert.equal(await preloaded('/sign-in'), []);
  assert.equal(await preloaded('/todos'), ['shell', 'todos']);
  const chats = await preloaded('/chats');
  assert.ok(chats.includes('shell') && chats.includes('chats-page'), String(chats));
  assert.not.ok(chats.includes('members'));
});

test('the appearance of a browser is in its document, and anything else in the cookie is not', async () => {
  const rootOf = async (cookie: string) => /<html[^>]*>/.exec((await get('/todos', { cookie })).text)?.[0];
  assert.is(await rootOf(''), '<html lang="en">');
  assert.is(
    await rootOf('a=b; tandem_appearance=dark.compact.off'),
    '<html data-theme="dark" data-density="compact" lang="en">',
  );
  assert.is(
    await rootOf('tandem_appearance=light.compact.on.breaks'),
    '<html data-theme="light" data-density="compact" lang="en">',
  );
  for (const hostile of ['dark"><script>.compact.on', 'dark.compact', 'dark.compact.on.x', 'neon.compact.on'])
    assert.is(await rootOf(`tandem_appearance=${hostile}`), '<html lang="en">', hostile);
  const standard = await get('/todos');
  const dark = await get('/todos', {
    cookie: 'tandem_appearance=dark.compact.on',
    'if-none-match': standard.headers.get('etag') ?? '',
  });
  assert.is(dark.status, 200, 'another appearance is another document');
  assert.match(dark.headers.get('vary') ?? '', 'Cookie');
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
