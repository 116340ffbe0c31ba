import { readFile } from 'node:fs/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf, type Inline } from '../../web/src/captures/markdown.ts';
import { clock, inWords } from '../../web/src/captures/recorder/duration.ts';

const test = suite('the pages: Markdown and lengths');

const text = (value: string): Inline => ({ type: 'text', text: value });

/** What is within the one paragraph of a text. */
function inlineOf(markdown: string): readonly Inline[] {
  const [block] = blocksOf(markdown);
  return block?.type === 'paragraph' ? block.children : [];
}

const paragraph = (value: string) => ({ type: 'paragraph', children: [text(value)] });

test('headings, paragraphs, lists within lists, tasks, quotes, rules and code are distinguished', () => {
  const markdown = `# Title #
First line
second line

- one
  - inner
- [x] done
1. first
2. second

> value
> twice
---
\`\`\`js
a < b
# not a heading
\`\`\`
end`;
  assert.equal(blocksOf(markdown), [
    { type: 'heading', level: 1, children: [text('Title')] },
    paragraph('First line\nsecond line'),
    {
      type: 'list',
      ordered: false,
      start: 1,
      items: [
        {
          done: null,
          blocks: [
            paragraph('one'),
            { type: 'list', ordered: false, start: 1, items: [{ done: null, blocks: [paragraph('inner')] }] },
          ],
        },
        { done: true, blocks: [paragraph('done')] },
      ],
    },
    {
      type: 'list',
      ordered: true,
      start: 1,
      items: [
        { done: null, blocks: [paragraph('first')] },
        { done: null, blocks: [paragraph('second')] },
      ],
    },
    { type: 'quote', blocks: [paragraph('value\ntwice')] },
    { type: 'rule' },
    { type: 'code', text: 'a < b\n# not a heading' },
    paragraph('end'),
  ]);
});

test('tables have a head, rows of as many cells, and the alignment of each column', () => {
  const markdown = 'Due:\n\n| Who | **When** | h |\n|:--|:-:|--:|\n| Ada \\| Grace | `3 March` | 2 |\n| Alan |\n\nend';
  assert.equal(blocksOf(markdown), [
    paragraph('Due:'),
    {
      type: 'table',
      columns: ['left', 'center', 'right'],
      head: [[text('Who')], [{ type: 'strong', children: [text('When')] }], [text('h')]],
      rows: [
        [[text('Ada | Grace')], [{ type: 'code', text: '3 March' }], [text('2')]],
        [[text('Alan')], [], []],
      ],
    },
    paragraph('end'),
  ]);
  const [list] = blocksOf('- one\n\n  a|b\n  -|-\n  c|d\n- two');
  assert.equal(list?.type === 'list' && list.items.map(({ blocks }) => blocks.map(({ type }) => type)), [
    ['paragraph', 'table'],
    ['paragraph'],
  ]);
  assert.equal(blocksOf('one | two'), [paragraph('one | two')], 'a line alone is no table');
});

test('marks within a line are parsed, and anything else stays text', () => {
  assert.equal(inlineOf('a **b *c*** `d*` _e_ snake_case 2 * 3 * 4 \\*f\\*'), [
    text('a '),
    { type: 'strong', children: [text('b '), { type: 'em', children: [text('c')] }] },
    text(' '),
    { type: 'code', text: 'd*' },
    text(' '),
    { type: 'em', children: [text('e')] },
    text(' snake_case 2 * 3 * 4 *f*'),
  ]);
});

test('links lead to web and mail addresses only', () => {
  assert.equal(inlineOf('[a](https://example.com) https://example.com/b.'), [
    { type: 'link', href: 'https://example.com', children: [text('a')] },
    text(' '),
    { type: 'link', href: 'https://example.com/b', children: [text('https://example.com/b')] },
    text('.'),
  ]);
  for (const bad of ['javascript:alert(1)', 'JAVASCRIPT:x', 'data:text/html,x', '//example.com', 'java\tscript:x']) {
    const links = JSON.stringify(blocksOf(`[a](${bad}) ![a](${bad}) <${bad}>`)).match(/"type":"link"/g);
    assert.is(links, null, bad);
  }
});

test('no text becomes markup, and images and HTML are text or links', () => {
  assert.equal(blocksOf('<b onclick="x">bold</b> &amp;\n\n[Anna]: yes\n\n![cat](https://a.example/cat.png)'), [
    paragraph('<b onclick="x">bold</b> &amp;'),
    paragraph('[Anna]: yes'),
    { type: 'paragraph', children: [{ type: 'link', href: 'https://a.example/cat.png', children: [text('cat')] }] },
  ]);
});

test('marks that are nested too deeply are shown as text', () => {
  const deep = JSON.stringify(blocksOf(`${'> '.repeat(1000)}end`));
  assert.is(deep.match(/"type":"quote"/g)?.length, 16);
  assert.match(deep, '> > > end');
  const marks = JSON.stringify(blocksOf(`${'*a '.repeat(1000)}end${' a*'.repeat(1000)}`));
  assert.ok((marks.match(/"type":"em"/g)?.length ?? 0) <= 20);
  assert.match(marks, 'end');
});

test('the service and its pages read Markdown with the same settings', async () => {
  const [service, pages] = await Promise.all(
    ['domain/markdown.ts', 'web/src/captures/markdown-parser.ts'].map((file) => readFile(file, 'utf8')),
  );
  assert.is(service, pages);
});

test('durations are formatted as a clock and in words', () => {
  assert.equal([0, 7_900, 750_000, 3_723_000].map(clock), ['0:00', '0:07', '12:30', '1:02:03']);
  const value = [1_000, 59_000, 60_000, 750_000, 3_600_000, 3_723_000].map(inWords);
  assert.equal(value, ['1 second', '59 seconds', '1 minute', '13 minutes', '1 hour', '1 hour 2 minutes']);
});

test.run();
