import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { anchorOf } from '../../adapters/docs/texts/markdown.ts';
import { maxCaptureBody } from '../../domain/captures/shapes.ts';

const test = suite('documents');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { encoding: 'utf8' })
  .split('\n')
  .filter((file) => file !== '' && existsSync(file));
const documents = tracked.filter((file) => /^(README\.md|docs\/.*\.md)$/.test(file));
const rooms = [
  'db',
  'domain',
  'outbound',
  'engine',
  'media',
  'routers',
  'adapters',
  'server',
  'cli',
  'client',
  'web',
  'bench',
];
const textOf = (file: string) => readFileSync(file, 'utf8');

/** The code of a fenced block whose first line is a comment that names a file, by that file. */
function snippets(text: string): [file: string, code: string][] {
  return [...text.matchAll(/```ts\n\/\/ ([\w/.-]+\.tsx?)\n([\s\S]*?)```/g)].map(([, file = '', code = '']) => [
    file,
    code,
  ]);
}

const withoutLayout = (code: string) => code.replaceAll(/\s+/g, ' ').trim();

test('name only files and folders that exist', () => {
  const missing: string[] = [];
  for (const document of documents) {
    const named = textOf(document).matchAll(
      new RegExp(`\`((?:${[...rooms, 'tests', 'scripts', 'examples', 'docs'].join('|')})/[\\w./-]*)`, 'g'),
    );
    for (const [, path = ''] of named) {
      const plain = path.replace(/[.]$/, '');
      const isBuilt = /^(web|cli)\/dist/.test(plain);
      if (!isBuilt && !existsSync(plain)) missing.push(`${document}: ${plain}`);
    }
  }
  assert.equal(missing, []);
});

test('link only to files that exist', () => {
  const missing: string[] = [];
  for (const document of documents) {
    for (const [, target = ''] of textOf(document).matchAll(/\]\(([^)\s#]+)(?:#[^)]*)?\)/g)) {
      if (/^[a-z]+:/.test(target)) continue;
      if (!existsSync(normalize(join(dirname(document), target)))) missing.push(`${document}: ${target}`);
    }
  }
  assert.equal(missing, []);
});

test('link only to headings that exist', () => {
  const anchors = (file: string) =>
    [...textOf(file).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) => anchorOf(heading.replaceAll('`', '')));
  const missing: string[] = [];
  for (const document of [...documents, 'CHANGELOG.md']) {
    for (const [, target = '', anchor = ''] of textOf(document).matchAll(/\]\(([^)\s#:]*)#([^)]+)\)/g)) {
      const file = target === '' ? document : normalize(join(dirname(document), target));
      if (file.endsWith('.md') && !anchors(file).includes(anchor)) missing.push(`${document}: ${target}#${anchor}`);
    }
  }
  assert.equal(missing, []);
});

test('describe every room and every folder in it', () => {
  const map = textOf('docs/architecture.md');
  const folders = new Set(
    tracked
      .filter((file) => /\.tsx?$/.test(file) && rooms.includes(file.split('/')[0] ?? ''))
      .map((file) => dirname(file).split('/').slice(0, 2)),
  );
  const unnamed = new Set<string>();
  for (const [room = '', folder] of folders) {
    if (!map.includes(`**${room}/**`)) unnamed.add(`${room}/`);
    if (folder !== undefined && !map.includes(`\`${folder}/\``)) unnamed.add(`${room}/${folder}/`);
  }
  assert.equal([...unnamed].sort(), []);
});

test('show code as it stands in the file that they name', () => {
  const shown = snippets(textOf('docs/adding-an-operation.md'));
  assert.ok(shown.length >= 3, 'router, verb and test');
  for (const [file, code] of shown) {
    for (const part of code.split(/^\s*\/\/ …$/m)) {
      assert.ok(withoutLayout(textOf(file)).includes(withoutLayout(part)), `${file} does not hold:\n${part}`);
    }
  }
});

interface Documented {
  operationId: string;
  parameters?: { $ref?: string }[];
  responses: Record<string, unknown>;
}

/** The names of operations in a text. */
const namesIn = (text: string) => [...text.matchAll(/`([a-z]\w+)`/g)].map(([, name]) => name ?? '').sort();

test('name the operations that take an Idempotency-Key, and those that create something without one', () => {
  const { paths } = JSON.parse(textOf('openapi.json')) as { paths: Record<string, { post?: Documented }> };
  const posts = Object.entries(paths).flatMap(([path, { post }]) => (post ? [{ path, ...post }] : []));
  const header = '#/components/parameters/IdempotencyKey';
  const takesKey = ({ parameters = [] }: Documented) => parameters.some(({ $ref }) => $ref === header);
  const creates = ({ path, responses }: { path: string } & Documented) =>
    !path.startsWith('/auth/') && !('200' in responses);
  const paragraphs = textOf('docs/guides/idempotency.md').split('\n\n');
  const [keyed = ''] = paragraphs.find((each) => / take a key\./.test(each))?.split(' take a key.') ?? [];
  const keyless = paragraphs.find((each) => each.startsWith('Elsewhere the header has no effect.')) ?? '';
  const named = (which: (each: (typeof posts)[number]) => boolean) =>
    posts
      .filter(which)
      .map(({ operationId }) => operationId)
      .sort();
  assert.equal(namesIn(keyed), named(takesKey));
  assert.equal(
    namesIn(keyless),
    named((each) => !takesKey(each) && creates(each)),
  );
});

test('name every file that npm run generate writes', () => {
  const written = [...textOf('scripts/generate.ts').matchAll(/^ {2}'([\w/.-]+\.json)': /gm)].map(
    ([, file]) => file ?? '',
  );
  assert.ok(written.length > 3);
  const [, list = ''] = /`npm run generate` writes ([\s\S]+?\))\. /.exec(textOf('docs/adding-an-operation.md')) ?? [];
  assert.equal([...list.matchAll(/`([\w/.-]+\.json)`/g)].map(([, file]) => file).sort(), written.sort());
});

test('show no password that works: compose.yaml has none of its own', () => {
  const uses = textOf('compose.yaml').match(/\$\{POSTGRES_PASSWORD[^}]*\}/g) ?? [];
  assert.is(uses.length, 2);
  for (const use of uses) assert.match(use, /^\$\{POSTGRES_PASSWORD:\?/);
});

test('show a proxy that lets the largest body through', () => {
  const [, size] = /client_max_body_size (\d+)m;/.exec(textOf('docs/scale.md')) ?? [];
  assert.ok(Number(size) * 2 ** 20 > maxCaptureBody, 'the service itself refuses what is larger');
});

test.run();
