import { readdir } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPaths } from '../../adapters/docs/site.ts';
import { guideNames } from '../../adapters/docs/texts/guides.ts';
import { ErrorObject } from '../../adapters/rest/openapi/failures.ts';
import { errorCodes } from '../../domain/errors.ts';
import { committedDocument } from '../../scripts/generate.ts';
import { document, operations } from '../support/described.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the document and its pages, served');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const paths = documentPaths(operations).map((path) => `/${path}`);
const pages = paths.filter((path) => !/\.(md|txt)$/.test(path));

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
    for (const [, each = ''] of html.matchAll(/(?:src|href)="([^"]+)"/g)) {
      const { origin, protocol } = new URL(each, response.url);
      assert.ok(origin === tandem.url || protocol === 'data:', `${each} on ${page}`);
    }
  }
});

test('every operation is on the page of its tag, with its samples, and linked from the list of all', async () => {
  const index = await (await fetch(`${tandem.url}/docs`)).text();
  for (const tag of new Set(operations.map((each) => each.tag))) {
    const html = await (await fetch(`${tandem.url}/docs/reference/${tag}`)).text();
    const text = await (await fetch(`${tandem.url}/docs/reference/${tag}.md`)).text();
    for (const { id, method, path } of operations.filter((each) => each.tag === tag)) {
      assert.match(html, `<section class="operation" id="${id}">`);
      assert.match(index, `href="docs/reference/${tag}#${id}"`);
      assert.match(text, `\`${method} ${path}\` · operation \`${id}\``);
    }
    const count = (part: RegExp) => (html.match(part) ?? []).length;
    assert.is(
      count(/<div class="sample" data-language="curl">/g),
      operations.filter((each) => each.tag === tag).length,
    );
    assert.is(
      count(/<div class="sample" data-language="CLI">/g),
      count(/<div class="sample" data-language="TypeScript">/g),
    );
  }
});

test('/llms.txt names the Markdown of every page, and one file has all of them', async () => {
  const response = await fetch(`${tandem.url}/llms.txt`);
  assert.is(response.headers.get('content-type'), 'text/plain; charset=utf-8');
  const text = await response.text();
  assert.match(text, /^# Tandem\n\n> /);
  for (const path of paths.filter((each) => each.endsWith('.md'))) assert.match(text, `${tandem.url}${path})`);
  const all = await (await fetch(`${tandem.url}/llms-full.txt`)).text();
  for (const { id } of operations) assert.match(all, `operation \`${id}\``);
});

test('every guide in docs/guides is served, and mentions the operations that it is about as links', async () => {
  const files = (await readdir('docs/guides')).map((file) => file.replace(/\.md$/, ''));
  assert.equal(files.sort(), [...guideNames].sort());
  const html = await (await fetch(`${tandem.url}/docs/agents`)).text();
  assert.match(html, '<a href="../docs/reference/todos#runTodo"><code>runTodo</code></a>');
  const markdown = await fetch(`${tandem.url}/docs/agents.md`);
  assert.is(markdown.headers.get('content-type'), 'text/markdown; charset=utf-8');
  assert.match(await markdown.text(), '[`runTodo`](../docs/reference/todos.md#runTodo)');
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
  for (const code of Object.keys(errorCodes)) assert.match(html, `<h3 id="${code}">`);
});

test('the operations that refuse unknown parameters are named, in the introduction and on the page of errors', async () => {
  const strict = operations.filter(({ strictQuery }) => strictQuery).map(({ id }) => id);
  const namedIn = (text: string) => operations.map(({ id }) => id).filter((id) => new RegExp(`\\b${id}\\b`).test(text));
  const errors = await (await fetch(`${tandem.url}/docs/errors.md`)).text();
  assert.equal(namedIn(/^### `unknown_parameter`[\s\S]*?(?=^###)/m.exec(errors)?.[0] ?? ''), strict);
  const { description = '' } = document.info;
  assert.equal(namedIn(/Unknown parameters of a query[^.]*\./.exec(description)?.[0] ?? ''), strict);
});

test('an error page explains each reason below its code', async () => {
  // The types have the reasons that the code throws, and a remedy for each (domain/error-reasons.ts).
  const { body } = await tandem.call('GET /auth/sessions', undefined, { key: (await tandem.workspace()).key });
  assert.equal([body.code, body.reason], ['missing_scope', 'session_required']);
  const markdown = await (await fetch(`${tandem.url}/docs/errors.md`)).text();
  const sections = new Map(markdown.split('\n### `').map((section) => [/^\w+/.exec(section)?.[0], section]));
  for (const [code, reason] of [
    [body.code, body.reason],
    ['missing_scope', 'email_not_verified'],
    ['missing_scope', 'reauthentication_required'],
    ['missing_scope', 'person_required'],
    ['workspace_access_denied', 'second_factor_required'],
    ['workspace_access_denied', 'owner_required'],
    ['invalid_api_key', 'wrong_credentials'],
    ['rate_limit_exceeded', 'sign_in_attempts'],
  ]) {
    assert.match(sections.get(code) ?? '', new RegExp(`^\\| \`${reason}\` \\| .+ \\| .+ \\|$`, 'm'));
  }
});

test('a file is cached for good at its own version, and asked for again elsewhere', async () => {
  const html = await (await fetch(`${tandem.url}/docs`)).text();
  const versioned = /docs\/assets\/pages\.css\?v=\w+/.exec(html)?.[0] ?? '';
  const current = await fetch(`${tandem.url}/${versioned}`);
  await current.arrayBuffer();
  assert.is(current.headers.get('cache-control'), 'public, max-age=31536000, immutable');
  assert.is(current.headers.get('content-encoding'), 'gzip');
  const tag = current.headers.get('etag') ?? '';
  const other = await fetch(`${tandem.url}/docs/assets/pages.css`, { headers: { 'if-none-match': tag } });
  assert.is(other.status, 304);
  assert.is(other.headers.get('cache-control'), 'no-cache');
});

test('no other file can be had', async () => {
  const paths = ['..%2f..%2fpackage.json', '%2e%2e/%2e%2e/package.json', 'package.json', 'pages.js.map', ''];
  for (const path of paths) {
    const response = await fetch(`${tandem.url}/docs/assets/${path}`);
    assert.is(response.status, 404, path);
    assert.match(await response.text(), '"code":"resource_not_found"');
  }
});

test.run();
