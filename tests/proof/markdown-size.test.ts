import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { blocksOf } from '../../web/src/captures/markdown.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const test = suite('the pages: long Markdown');

test('half a million characters of bait are read in linear time', async () => {
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
    '![',
    '*a ',
    'a_*',
    '~~a ',
    '> - a\n',
    '> a\nb\n',
    'a\n-\n',
    '- a\n\n',
    '<a ',
    '&',
    '[a]: b\n',
    '|',
    'a|b\n',
    '|-',
    'a|b\n-|-\n',
    'a|b\n-|-\nc\n\n',
  ];
  for (const bait of baits) {
    const took = await cpuMsOf(() => blocksOf(bait.repeat(Math.floor(500_000 / bait.length))));
    assert.ok(took < 2_000, `${JSON.stringify(bait)} took ${took} ms`);
  }
});

test('a table is not filled up without end', async () => {
  const columns = 50_000;
  const bait = `${'a|'.repeat(columns)}b\n${'-|'.repeat(columns)}-\n${'c\n'.repeat(150_000)}`;
  let cells = 0;
  const took = await cpuMsOf(() => {
    const [table] = blocksOf(bait);
    if (table?.type === 'table') cells = table.rows.reduce((sum, row) => sum + row.length, 0);
  });
  assert.ok(took < 2_000 && cells < 200_000, `${cells} cells in ${took} ms`);
});

test.run();
