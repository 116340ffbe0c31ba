import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../scripts/built-folder.ts';

const test = suite('the bundle of the service');

const folder = join(root, 'dist/server');

/** The chunks that are loaded with one: those that it requires first, and theirs. */
function loadedWith(chunk: string, found = new Set<string>()): Set<string> {
  if (found.has(chunk)) return found;
  found.add(chunk);
  const text = readFileSync(join(folder, chunk), 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:const \S+ = )?require\("\.\/([^"\n]+)"\);$/gm))
    loadedWith(name, found);
  return found;
}

/** The packages whose modules are in these chunks. */
function packagesIn(chunks: Iterable<string>): Set<string> {
  const texts = [...chunks].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const names = texts.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm);
  return new Set([...names].map(([, name = '']) => name));
}

/** What the start loads: the entry, and what it loads. */
const atStart = () => loadedWith('main.cjs', loadedWith('start.cjs'));

/** Libraries that most processes never need, or not before the first request of a kind. */
const loadedLater = [
  '@ai-sdk/provider-utils',
  '@modelcontextprotocol/server',
  '@simplewebauthn/server',
  'aws4fetch',
  'koa',
  'mediabunny',
  'nodemailer',
  'oidc-provider',
  'undici',
];

test('libraries of models, OAuth, MCP, passkeys, emails, media and S3 are loaded when first needed', () => {
  const all = packagesIn(readdirSync(folder).filter((name) => name.endsWith('.cjs')));
  for (const name of [...loadedLater, 'fastify']) assert.ok(all.has(name), `${name} is in the bundle`);
  const loaded = packagesIn(atStart());
  assert.ok(loaded.has('fastify'), 'what the start loads is found');
  assert.equal(
    loadedLater.filter((name) => loaded.has(name)),
    [],
  );
});

test('TLS is loaded when it is used', () => {
  const texts = [...atStart()].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  assert.not.match(texts, /require\("(?:node:)?(?:tls|https|http2)"\)/);
  for (const use of ["node:tls').connect(", "node:https').createServer(", "node:http2').createSecureServer("])
    assert.ok(texts.replaceAll('"', "'").includes(`process.getBuiltinModule('${use}`), use);
});

test('no part has an `import()`, which is experimental in scripts', () => {
  const parts: string[] = JSON.parse(readFileSync(join(folder, 'parts.json'), 'utf8'));
  const withImport = parts.filter((name) =>
    /^[^*/]*(?:await|return|=>) import\(/m.test(readFileSync(join(folder, name), 'utf8')),
  );
  assert.equal(withImport, []);
});

test('packages that only tools for other servers need are left out', () => {
  const all = packagesIn(readdirSync(folder).filter((name) => name.endsWith('.cjs')));
  assert.equal(
    ['yaml', 'co-body', 'h3', 'openapi3-ts'].filter((name) => all.has(name)),
    [],
  );
});

test.run();
