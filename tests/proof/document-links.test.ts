import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { documentPaths } from '../../adapters/docs/site.ts';
import { operations } from '../support/described.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the links of the served documents');
const paths = documentPaths(operations).map((path) => `/${path}`);
const pages = paths.filter((path) => !/\.(md|txt)$/.test(path));
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** Every address that a document names, with the anchor, from HTML or Markdown; those elsewhere are left out. */
function linksIn(text: string, isHtml: boolean): string[] {
  const found = isHtml ? text.matchAll(/(?:src|href)="([^"]+)"/g) : text.matchAll(/\]\(([^)\s]+)\)/g);
  return [...found].map(([, address = '']) => address).filter((address) => !address.startsWith('data:'));
}

test('every link of every page and of its Markdown leads to a document, and every anchor to a place in it', async () => {
  const texts = new Map<string, string>();
  const open = async (address: string) => {
    const response = await fetch(address);
    const text = await response.text();
    assert.is(response.status, 200, address);
    texts.set(address, text);
    return text;
  };
  const broken: string[] = [];
  for (const path of paths) {
    const address = `${tandem.url}${path}`;
    const isHtml = pages.includes(path);
    for (const each of linksIn(texts.get(address) ?? (await open(address)), isHtml)) {
      const target = new URL(each, address);
      const anchor = decodeURIComponent(target.hash.slice(1));
      target.hash = '';
      if (target.origin !== tandem.url) continue;
      const text = texts.get(target.href) ?? (await open(target.href));
      // Anchors of Markdown are those of the page that it becomes.
      const shown = isHtml || !/\.md$/.test(target.pathname) ? text : undefined;
      if (anchor !== '' && shown !== undefined && !shown.includes(`id="${anchor}"`)) broken.push(`${path}: ${each}`);
    }
  }
  assert.equal(broken, []);
});

test.run();
