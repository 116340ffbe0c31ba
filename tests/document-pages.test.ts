import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ErrorObject } from '../adapters/rest/openapi/failures.ts';
import { errorCodes } from '../routers/errors.ts';
import { committedDocument } from '../scripts/generate.ts';
import { startTestService, type TestService } from './harness.ts';

const test = suite('the document and its pages, served');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const pages = ['/docs', '/docs/errors', '/docs/deprecation'];

test('anybody gets the document, with the address of this service', async () => {
  const { status, body, headers } = await tandem.call('GET /openapi.json');
  assert.is(status, 200);
  assert.is(headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(body.servers, [{ url: `${tandem.url}/api/v1` }]);
  assert.equal(Object.keys(body)[0], 'openapi');
  const { paths, tags } = JSON.parse(JSON.stringify(committedDocument()));
  assert.equal(Object.keys(body.paths), Object.keys(paths));
  assert.equal(body.tags, tags);
});

test('the document is not sent again to who has it', async () => {
  const first = await tandem.call('GET /openapi.json');
  const tag = first.headers.get('etag') ?? '';
  const again = await tandem.call('GET /openapi.json', undefined, { headers: { 'if-none-match': tag } });
  assert.is(again.status, 304);
  assert.is(again.text, '');
  assert.is((await tandem.call('HEAD /openapi.json')).status, 200);
});

test('getOpenApiSpecification is among what a credential may call', async () => {
  const { call } = await tandem.workspace();
  const { body } = await call('GET /me');
  assert.ok(body.allowedOperations.includes('getOpenApiSpecification'));
});

test('errors are as their schema says, without a field more', async () => {
  const { call } = await tandem.workspace();
  const answers = [
    await tandem.call('GET /me'),
    await tandem.call('GET /me', undefined, { key: 'garbage' }),
    await call('GET /todos?statuss=done'),
    await call('GET /todos?cursor=x'),
    await call('POST /todo-lists', { name: '' }),
    await call(`GET /todos/${crypto.randomUUID()}`),
    await call('PUT /todos'),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [401, 401, 400, 400, 400, 404, 405],
  );
  for (const { body } of answers) ErrorObject.strict().parse(body);
});

test('responses carry the headers that the document promises', async () => {
  const { call } = await tandem.workspace();
  const { paths, components } = JSON.parse(JSON.stringify(committedDocument()));
  const created = await call('POST /todo-lists', { name: 'A' }, { headers: { 'idempotency-key': 'a' } });
  const replayed = await call('POST /todo-lists', { name: 'A' }, { headers: { 'idempotency-key': 'a' } });
  const promised = Object.keys(paths['/todo-lists'].post.responses['201'].headers);
  assert.is(created.status, 201);
  assert.equal(
    promised.filter((name) => !replayed.headers.has(name)),
    [],
  );
  const refused = await tandem.call('GET /me');
  const onRefusal = Object.keys(components.responses.Unauthenticated.headers);
  assert.equal(
    onRefusal.filter((name) => !refused.headers.has(name)),
    [],
  );
});

test('the pages need nothing from elsewhere and run no inline script', async () => {
  for (const page of pages) {
    const response = await fetch(`${tandem.url}${page}`);
    const html = await response.text();
    assert.is(response.status, 200, page);
    assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
    const policy = response.headers.get('content-security-policy') ?? '';
    assert.match(policy, "default-src 'none'");
    assert.not.match(policy, 'unsafe');
    assert.not.match(html, /<script(?![^>]*\ssrc=)|<style|\son\w+=|\sstyle=/);
    assert.not.match(html, /(?:src|href)="(?:https?:)?\/\//);
    for (const [, address = ''] of html.matchAll(/(?:src|href)="([^"#][^"]*)"/g)) {
      if (address.startsWith('data:')) continue;
      const target = await fetch(new URL(address, response.url));
      assert.is(target.status, 200, `${address} on ${page}`);
      await target.arrayBuffer();
    }
  }
});

test('pages and their files are open to all and cost nothing of a budget', async () => {
  const response = await fetch(`${tandem.url}/docs/errors`);
  await response.arrayBuffer();
  assert.is(response.headers.get('ratelimit-limit'), null);
});

test('an error points to where its code is explained', async () => {
  const { body } = await tandem.call('GET /me');
  const html = await (await fetch(body.docUrl)).text();
  assert.is(body.docUrl, `${tandem.url}/docs/errors#missing_credentials`);
  for (const code of Object.keys(errorCodes)) assert.match(html, `<section id="${code}">`);
});

test('a file is cached for good at its own version, and asked for again elsewhere', async () => {
  const html = await (await fetch(`${tandem.url}/docs`)).text();
  const versioned = /docs\/assets\/swagger-ui\.css\?v=\w+/.exec(html)?.[0] ?? '';
  const current = await fetch(`${tandem.url}/${versioned}`);
  await current.arrayBuffer();
  assert.is(current.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.is(current.headers.get('content-encoding'), 'gzip');
  const tag = current.headers.get('etag') ?? '';
  const other = await fetch(`${tandem.url}/docs/assets/swagger-ui.css`, { headers: { 'if-none-match': tag } });
  assert.is(other.status, 304);
  assert.is(other.headers.get('cache-control'), 'no-cache');
});

test('no other file can be had', async () => {
  const paths = [
    '..%2f..%2fpackage.json',
    '%2e%2e/%2e%2e/package.json',
    'package.json',
    'swagger-ui-bundle.js.map',
    '',
  ];
  for (const path of paths) {
    const response = await fetch(`${tandem.url}/docs/assets/${path}`);
    assert.is(response.status, 404, path);
    assert.match(await response.text(), '"code":"resource_not_found"');
  }
});

test.run();
