import fc from 'fast-check';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { mapSlices, slicesOf } from '../../domain/slices.ts';
import { composed, folded } from '../../domain/text.ts';
import { cpuMsOf } from '../support/cpu-time.ts';

const test = suite('folding of texts for search');

test('marks in any order are composed in linear time', async () => {
  const spent = await cpuMsOf(() => folded(`a${'\u0301\u0316'.repeat(60_000)}`));
  assert.ok(spent < 1000, `${spent} ms`);
});

test('what people write is composed as Unicode has it', () => {
  const few = fc.string({
    unit: fc.constantFrom('a', 'e', '\u0301', '\u0316', '\u1112', '\u1161', '\u11ab', 'ς', ' '),
  });
  fc.assert(fc.property(few, (text) => composed(text) === text.normalize('NFC')));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => composed(text) === text.normalize('NFC')));
});

test('what is composed in lower case only folds like its lower case', () => {
  assert.is(folded('J\u030c'), folded('\u01f0'));
  fc.assert(fc.property(fc.string({ unit: 'binary' }), (text) => folded(folded(text)) === folded(text)));
});

test('a long text in slices folds as it does whole', async () => {
  const word = fc.constantFrom(
    'Σίσυφος ',
    'e\u0301\u0316',
    'E\u0301 ',
    '한',
    'İ',
    '😀',
    '\n',
    'a'.repeat(30_000),
    'é. ',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(word, { minLength: 100, maxLength: 400 }), async (words) => {
      const text = words.join('');
      assert.is([...slicesOf(text)].join(''), text);
      assert.is(await mapSlices(text, folded), folded(text));
    }),
    { numRuns: 20 },
  );
});

test('slices are never cut within a character', () => {
  for (const slice of slicesOf('😀'.repeat(100_001))) assert.ok(slice.isWellFormed());
});

test.run();
