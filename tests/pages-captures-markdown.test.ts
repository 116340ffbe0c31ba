import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { clock, inWords } from '../web/src/captures/duration.ts';
import { blocksOf, type Inline, inlineOf } from '../web/src/captures/markdown.ts';

const test = suite('the pages: Markdown and lengths');

const text = (said: string): Inline => ({ is: 'text', text: said });
const paragraph = (said: string) => ({ is: 'paragraph', inside: [text(said)] });

test('headings, paragraphs, lists within lists, tasks, quotes, rules and code are told apart', () => {
  const markdown = `# Title #
First line
second line

- one
  - inner
- [x] done
1. first
2. second

> said
> twice
---
\`\`\`js
a < b
# not a heading
\`\`\`
end`;
  assert.equal(blocksOf(markdown), [
    { is: 'heading', level: 1, inside: [text('Title')] },
    paragraph('First line\nsecond line'),
    {
      is: 'list',
      ordered: false,
      start: 1,
      items: [
        {
          done: null,
          blocks: [
            paragraph('one'),
            { is: 'list', ordered: false, start: 1, items: [{ done: null, blocks: [paragraph('inner')] }] },
          ],
        },
        { done: true, blocks: [paragraph('done')] },
      ],
    },
    {
      is: 'list',
      ordered: true,
      start: 1,
      items: [
        { done: null, blocks: [paragraph('first')] },
        { done: null, blocks: [paragraph('second')] },
      ],
    },
    { is: 'quote', blocks: [paragraph('said\ntwice')] },
    { is: 'rule' },
    { is: 'code', text: 'a < b\n# not a heading' },
    paragraph('end'),
  ]);
});

test('marks within a line are told apart, and what is no mark stays', () => {
  assert.equal(inlineOf('a **b *c*** `d*` _e_ snake_case 2 * 3 * 4 \\*f\\*'), [
    text('a '),
    { is: 'strong', inside: [text('b '), { is: 'em', inside: [text('c')] }] },
    text(' '),
    { is: 'code', text: 'd*' },
    text(' '),
    { is: 'em', inside: [text('e')] },
    text(' snake_case 2 * 3 * 4 '),
    text('*'),
    text('f'),
    text('*'),
  ]);
});

test('links lead to web and mail addresses only', () => {
  assert.equal(inlineOf('[a](https://example.com) https://example.com/b.'), [
    { is: 'link', to: 'https://example.com', inside: [text('a')] },
    text(' '),
    { is: 'link', to: 'https://example.com/b', inside: [text('https://example.com/b')] },
    text('.'),
  ]);
  for (const bad of ['javascript:alert(1)', 'JAVASCRIPT:x', 'data:text/html,x', '//example.com', 'java\tscript:x']) {
    const links = JSON.stringify(inlineOf(`[a](${bad})`)).match(/"is":"link"/g);
    assert.is(links, null, bad);
  }
});

test('half a million characters of bait are read in no time', () => {
  const baits = [
    '*',
    '**',
    '_',
    '`',
    '[',
    '](',
    '[a](',
    '> ',
    '- ',
    '# ',
    '1. ',
    '```\n',
    '\\',
    'https://',
    '**a*',
    '  - \n',
  ];
  for (const bait of baits) {
    const begun = performance.now();
    blocksOf(bait.repeat(Math.floor(500_000 / bait.length)));
    const took = performance.now() - begun;
    assert.ok(took < 2_000, `${JSON.stringify(bait)} took ${took} ms`);
  }
});

test('lengths are shown as on a clock, and said as people say them', () => {
  assert.equal([0, 7_900, 750_000, 3_723_000].map(clock), ['0:00', '0:07', '12:30', '1:02:03']);
  const said = [1_000, 59_000, 60_000, 750_000, 3_600_000, 3_723_000].map(inWords);
  assert.equal(said, ['1 second', '59 seconds', '1 minute', '13 minutes', '1 hour', '1 hour 2 minutes']);
});

test.run();
