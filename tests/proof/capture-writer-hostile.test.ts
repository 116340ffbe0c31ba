import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { piecesOf } from '../../engine/writer/captures/parts.ts';
import { wordsOf, wordsOfEach } from '../../engine/writer/captures/words.ts';
import { offlineWriter } from '../../engine/writer/offline.ts';
import { cpuMsOf } from '../support/cpu-time.ts';
import { checkDigest, ofHalfAMillion } from '../support/digest-laws.ts';
import { baits } from '../support/hostile-captures.ts';

const test = suite('the offline writer, hostile captures');

/** Most CPU time of one digest. Ordinary material of this size takes a quarter of it, a quadratic step hours. */
const maxCpuMs = 6000;
const maxLinesCpuMs = 4000;
const textLength = 3_000_000;

const signal = new AbortController().signal;

function filled(unit: string): string {
  return unit.repeat(Math.ceil(textLength / unit.length)).slice(0, textLength);
}

async function digestMs(text: string): Promise<number> {
  const people = ['Ada Lovelace', 'Bob'];
  const material = { type: 'recording', title: null, text, notes: null, date: '2026-01-05', people } as const;
  return cpuMsOf(() => offlineWriter.capture(material, { signal }));
}

const units: [name: string, unit: string][] = [
  ['one letter', 'a'],
  ['labels without spaces', 'A:'],
  ['full stops', '. '],
  ['sentences of a letter', 'a. '],
  ['words of a letter', 'a '],
  ['boxes', '[ ] '],
  ['open brackets', '['],
  ['emoji', '😀'],
  ['combining marks', '\u0301'],
  ['Han characters', '漢字'],
];

for (const [name, unit] of units) {
  test(`3 MB of ${name} on one line are digested in linear time`, async () => {
    const spent = await digestMs(`x${filled(unit)}x`);
    assert.ok(spent < maxCpuMs, `${spent} ms`);
  });
}

/** As many lines as a transcript may have. */
const lines: [name: string, line: string][] = [
  ['labelled lines', 'A: b\n'],
  ['items of a list', '- x\n'],
  ['open tasks', '[ ] x\n'],
  ['tasks with a day', '- [ ] Bob to call Ada by Friday\n'],
  ['headings', '# a\n'],
  ['fences', '```\n'],
];

for (const [name, line] of lines) {
  test(`up to 250,000 lines of ${name} are digested in linear time`, async () => {
    const spent = await digestMs(line.repeat(Math.min(250_000, Math.floor(textLength / line.length))));
    assert.ok(spent < maxLinesCpuMs, `${spent} ms`);
  });
}

test('titles and lines of the longest message are computed quickly, even if it repeats one mark', async () => {
  for (const bait of Object.values(baits).flat()) {
    const text = `x${bait.repeat(32_000)}`.slice(0, 31_999);
    const spent = await cpuMsOf(async () => {
      await offlineWriter.title(text, signal);
      await offlineWriter.skillSummary('a', text, signal);
    });
    assert.ok(spent < 600, `${JSON.stringify(bait)}: ${spent} ms`);
  }
});

test('3 MB without spaces are parted in linear time', async () => {
  const spent = await cpuMsOf(() => piecesOf(filled('a'), 100));
  assert.ok(spent < maxCpuMs, `${spent} ms`);
});

test('the words of sentences that are read together are those of each', () => {
  const texts = [
    'A: b',
    '漢字',
    '👨‍👩‍👧',
    '',
    'สวัสดีครับ',
    'a\u0301 \u0301',
    'don’t',
    '中',
    '🇩🇪',
    '🇩🇪',
    '\u200dx',
    'каша',
    '1.5',
  ];
  assert.equal(wordsOfEach(texts), texts.map(wordsOf));
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }).map((text) => text.replaceAll(/\s+/g, ' ').trim())), (each) => {
      assert.equal(wordsOfEach(each), each.map(wordsOf));
    }),
  );
});

const hostile: Record<string, string> = {
  'one word': 'x',
  lines: 'ab\n',
  'open bold': '**a ',
  images: '![',
  tags: '<a',
  commas: 'I, I will send by Friday, ',
  tasks: '- [ ] send the report by Friday (Alice)\n',
  abbreviations: 'Dr. A. ',
  Chinese: '我们决定星期五发布。',
  surrogates: '\ud800',
};

test('half a million characters take a few seconds at most, however hostile', async () => {
  for (const [name, piece] of Object.entries(hostile)) {
    const text = ofHalfAMillion(piece);
    const material = {
      type: 'recording',
      title: null,
      text,
      notes: null,
      date: '2026-11-20',
      people: ['Alice Smith', 'Chen Wei'],
    } as const;
    const took = await cpuMsOf(async () => {
      checkDigest(await offlineWriter.capture(material, { signal }), material);
    });
    assert.ok(took < 10_000, `${name} took ${Math.round(took)} ms`);
  }
});

test.run();
