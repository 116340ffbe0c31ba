import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { root } from '../../scripts/built-folder.ts';
import { builtinsAsNeeded } from '../../scripts/builtin-modules.ts';

const test = suite('the bundle of the service');

const folder = join(root, 'dist/server');

/** The chunks that are loaded with one: those that its static imports name, and theirs. */
function loadedWith(chunk: string, found = new Set<string>()): Set<string> {
  if (found.has(chunk)) return found;
  found.add(chunk);
  const text = readFileSync(join(folder, chunk), 'utf8');
  for (const [, name = ''] of text.matchAll(/^(?:import|export)\b[^'"\n]*["']\.\/([^"'\n]+)["'];$/gm))
    loadedWith(name, found);
  return found;
}

/** The packages whose modules are in these chunks. */
function packagesIn(chunks: Iterable<string>): Set<string> {
  const texts = [...chunks].map((name) => readFileSync(join(folder, name), 'utf8')).join('\n');
  const names = texts.matchAll(/^\/\/ (?:.*\/)?node_modules\/((?:@[^/\s]+\/)?[^/\s]+)/gm);
  return new Set([...names].map(([, name = '']) => name));
}

/** What the start loads: the entry, and what it imports last. */
function atStart(): Set<string> {
  const entry = readFileSync(join(folder, 'start.mjs'), 'utf8');
  const main = /await import\("\.\/([^"]+)"\)/.exec(entry)?.[1] ?? '';
  return loadedWith(main, loadedWith('start.mjs'));
}

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
  const all = packagesIn(readdirSync(folder).filter((name) => name.endsWith('.mjs')));
  for (const name of [...loadedLater, 'fastify']) assert.ok(all.has(name), `${name} is in the bundle`);
  const loaded = packagesIn(atStart());
  assert.ok(loaded.has('fastify'), 'what the start loads is found');
  assert.equal(
    loadedLater.filter((name) => loaded.has(name)),
    [],
  );
});

test('modules of Node are read as far as they are used', () => {
  const imports = [...atStart()].flatMap((name) => {
    const lines = readFileSync(join(folder, name), 'utf8').matchAll(/^import .* from "([\w:/]+)";$/gm);
    return [...lines].map(([, module = '']) => module).filter(isBuiltin);
  });
  assert.equal(imports, []);
  assert.is(
    builtinsAsNeeded('import tls, { connect as open, TLSSocket } from "node:tls";'),
    'const tls = process.getBuiltinModule("node:tls"), { connect: open, TLSSocket } = tls;',
  );
  assert.is(builtinsAsNeeded('import * as fs from "fs";'), 'const fs = process.getBuiltinModule("fs");');
  for (const kept of ['import { a } from "zod";', 'import { default as tls } from "node:tls";'])
    assert.is(builtinsAsNeeded(kept), kept);
});

test('packages that only tools for other servers need are left out', () => {
  const all = packagesIn(readdirSync(folder).filter((name) => name.endsWith('.mjs')));
  assert.equal(
    ['yaml', 'co-body', 'h3', 'openapi3-ts'].filter((name) => all.has(name)),
    [],
  );
});

test.run();
