import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { partSize, partsOf } from '../../engine/writer/captures/parts.ts';

const test = suite('the parts of long captures');

function partsBeside(notes: string | null, text: string): string[] {
  const { parts } = partsOf({ type: 'recording', title: null, text, notes, date: '2026-11-20', people: [] });
  return parts.map((part) => `${part.kind} ${part.text.length} ${part.text.slice(0, 20)}`);
}

test('the parts of a text are the same whatever notes there are, and come first', () => {
  for (const length of [partSize, 700_000, 1_000_000, 3_999_000]) {
    const text = Array.from({ length: length / 10 + 1 }, (_, n) => `word-${n}`.padEnd(9)).join(' ');
    const alone = partsBeside(null, text);
    for (const count of [1, 3999, 4001, 30_000, 100_000]) {
      const parts = partsBeside('n'.repeat(count), text);
      assert.equal(parts.slice(0, alone.length), alone, `${length} and ${count}`);
      assert.is(parts.length > alone.length, count > 4000);
      assert.ok(parts.length <= 40, String(parts.length));
    }
  }
});

test.run();
