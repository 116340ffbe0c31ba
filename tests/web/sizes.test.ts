import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chunksOf, readManifest } from '../../adapters/pages/chunks.ts';
import { type PageAddress, pageAddresses } from '../../adapters/pages/table.ts';
import { buildWeb } from '../../scripts/build-web.ts';

/*
 * What a browser loads before it shows a page, out of the built manifest. In bytes after gzip, as the service sends it.
 */

const test = suite('sizes of the pages');
const dist = join(import.meta.dirname, '../../web/dist');
const kB = 1000;
const signIn = 95 * kB;
const firstList = 170 * kB;
/** How much more than the budget of the first list a page may load. */
const anyOther = 40 * kB;
const styles = 12 * kB;

test.before(async () => {
  await buildWeb();
});

const bytesOf = (file: string) => gzipSync(readFileSync(join(dist, file))).length;

/** The files of a page and their sizes, the largest first, for the message of a failure. */
function measure(page: PageAddress) {
  const chunks = chunksOf(readManifest(dist), page)
    .map((file) => ({ file, bytes: bytesOf(file) }))
    .sort((a, b) => b.bytes - a.bytes);
  const bytes = chunks.reduce((sum, chunk) => sum + chunk.bytes, 0);
  const report = chunks.map((chunk) => `${chunk.file} ${(chunk.bytes / kB).toFixed(1)}`).join(', ');
  return { count: chunks.length, bytes, report: `${page.path} loads ${(bytes / kB).toFixed(1)} kB: ${report}` };
}

function pageOf(path: string): PageAddress {
  const page = pageAddresses.find((each) => each.path === path);
  if (!page) throw new Error(`no page at ${path}`);
  return page;
}

test('the sign-in is small', () => {
  for (const path of ['/sign-in', '/sign-up', '/welcome']) {
    const { bytes, report } = measure(pageOf(path));
    assert.ok(bytes > 0 && bytes <= signIn, report);
  }
});

test('the first list is small, in three files', () => {
  for (const path of ['/todos', '/today', '/lists/:todoListId']) {
    const { bytes, count, report } = measure(pageOf(path));
    assert.ok(bytes > signIn / 2 && bytes <= firstList, report);
    assert.ok(count <= 3, report);
  }
});

test('no other page loads much more', () => {
  for (const page of pageAddresses) {
    const { bytes, report } = measure(page);
    assert.ok(bytes <= firstList + anyOther, report);
  }
});

test('no page but those of todos loads the code of the list', () => {
  for (const page of pageAddresses) {
    const { report } = measure(page);
    // The page of one todo shares the offers of names with the form above the list, that of a chat the window of rows,
    // that of unsent changes the words of schedules.
    const sharing = [
      'todos/todos-page',
      'todos/view-page',
      'todo/todo-page',
      'chats/chat-page',
      'changes/changes-page',
    ];
    const shares = sharing.includes(page.name);
    assert.is(/assets\/todos-/.test(report), shares, report);
  }
});

test('the code of every page is where the service looks for it', () => {
  const manifest = readManifest(dist);
  // In the shared chunks, by web/vite.config.ts.
  const shared = ['account/sign-in', 'account/sign-up', 'account/welcome', 'todos/todos-page'];
  for (const { name } of pageAddresses) assert.is(`src/${name}.tsx` in manifest, !shared.includes(name), name);
  const routes = readFileSync(join(dist, '../src/routes.tsx'), 'utf8');
  for (const { name } of pageAddresses) {
    assert.match(routes, new RegExp(`'${name}': (async|\\(\\) =>\\s+import\\('\\./${name}\\.tsx'\\))`), name);
  }
});

test('all styles are one small file', () => {
  const files = readdirSync(join(dist, 'assets')).filter((name) => name.endsWith('.css'));
  assert.is(files.length, 1);
  const bytes = bytesOf(`assets/${files[0]}`);
  assert.ok(bytes <= styles, `${files[0]} has ${(bytes / kB).toFixed(1)} kB`);
});

test.run();
