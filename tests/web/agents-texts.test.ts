import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Agent, isSame, mergeChange, patchOf } from '../../web/src/agents/merge.ts';
import { type DiffLine, diffOf, foldedOf, mergedTexts } from '../../web/src/ui/diff.ts';

const test = suite('the texts of agents');

const signs = { same: ' ', removed: '-', added: '+' };
const shown = (lines: readonly DiffLine[]) => lines.map(({ kind, text }) => `${signs[kind]}${text}`);
const texts = (lines: readonly DiffLine[], kind: DiffLine['kind']) =>
  lines.filter((line) => line.kind === kind || line.kind === 'same').map(({ text }) => text);

/** Numbers that are the same in each run. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

test('a comparison has the old and the new lines, with what was removed before what was added', () => {
  assert.equal(shown(diffOf('a\nb\nc', 'a\nx\nc')), [' a', '-b', '+x', ' c']);
  assert.equal(shown(diffOf(null, 'a\nb')), ['+a', '+b']);
  assert.equal(shown(diffOf('a', '')), ['-a']);
  assert.equal(shown(diffOf('a\nb', 'a\nb')), [' a', ' b']);
  assert.equal(shown(diffOf('a\n', 'a')), [' a', '-']);
  assert.equal(diffOf(null, ''), []);
});

test('the lines of a comparison are those of both texts, whatever they are, and no more differ than must', () => {
  const next = numbers(7);
  const random = () => Array.from({ length: 1 + next(9) }, () => 'abc'[next(3)]).join('\n');
  for (let round = 0; round < 500; round++) {
    const [before, after] = [random(), random()];
    const lines = diffOf(before, after);
    assert.is(texts(lines, 'removed').join('\n'), before);
    assert.is(texts(lines, 'added').join('\n'), after);
    const common = lines.filter(({ kind }) => kind === 'same').length;
    assert.is(common, longestCommon(before.split('\n'), after.split('\n')), `${before} / ${after}`);
  }
});

/** By definition, for short lists. */
function longestCommon(a: readonly string[], b: readonly string[]): number {
  const [[x, ...rest], [y, ...others]] = [a, b];
  if (x === undefined || y === undefined) return 0;
  if (x === y) return 1 + longestCommon(rest, others);
  return Math.max(longestCommon(rest, b), longestCommon(a, others));
}

test('texts of many lines that all differ are compared at once, as one block', () => {
  const lines = (mark: string) => Array.from({ length: 25_000 }, (_, place) => `${mark}${place}`);
  const [before, after] = [lines('a'), lines('b')];
  const compared = diffOf(['head', ...before, 'tail'].join('\n'), ['head', ...after, 'tail'].join('\n'));
  assert.is(compared.length, 2 + before.length + after.length);
  assert.equal([compared[0]?.kind, compared.at(-1)?.kind], ['same', 'same']);
});

test('equal lines far from a difference are folded', () => {
  const before = Array.from({ length: 20 }, (_, place) => `line ${place}`);
  const after = before.with(10, 'changed');
  const folded = foldedOf(diffOf(before.join('\n'), after.join('\n')));
  assert.equal(
    folded.map((line) => (line.kind === 'gap' ? line.count : line.text)),
    [8, 'line 8', 'line 9', 'line 10', 'changed', 'line 11', 'line 12', 7],
  );
});

test('changes of different lines are merged; those of the same and of neighbouring lines are not', () => {
  const base = 'one\ntwo\nthree\nfour';
  assert.is(mergedTexts(base, 'ONE\ntwo\nthree\nfour', 'one\ntwo\nthree\nFOUR'), 'ONE\ntwo\nthree\nFOUR');
  assert.is(mergedTexts(base, `${base}\nfive`, 'two\nthree\nfour'), 'two\nthree\nfour\nfive');
  assert.is(mergedTexts(base, 'x\ntwo\nthree\nfour', 'x\ntwo\nthree\nfour'), 'x\ntwo\nthree\nfour');
  assert.is(mergedTexts(base, 'x\ntwo\nthree\nfour', 'y\ntwo\nthree\nfour'), null);
  assert.is(mergedTexts(base, 'one\nx\nthree\nfour', 'one\ntwo\ny\nfour'), null);
  assert.is(mergedTexts(null, 'mine', 'theirs'), null);
  assert.is(mergedTexts(base, null, base), '');
});

test('a merge with what nobody changed is the change of the other', () => {
  const next = numbers(11);
  const random = () => Array.from({ length: next(8) }, () => 'abcd'[next(4)]).join('\n');
  for (let round = 0; round < 500; round++) {
    const [base, changed] = [random(), random()];
    assert.is(mergedTexts(base, changed, base), changed);
    assert.is(mergedTexts(base, base, changed), changed);
    assert.is(mergedTexts(base, changed, changed), changed);
  }
});

const hours = { timezone: 'UTC', days: ['mon' as const], start: '09:00', end: '17:00' };
const agent = {
  name: 'Scout',
  instructions: 'Theirs',
  requiresApproval: true,
  workingHoursEnabled: true,
  workingHours: hours,
} as Agent;

test('a field that nobody else changed is saved; one that somebody set to something else is a conflict', () => {
  const change = { name: 'Ranger', instructions: 'Mine', requiresApproval: true };
  const base = { name: 'Scout', instructions: 'Old', requiresApproval: false };
  assert.equal(mergeChange(base, agent, change), { rest: { name: 'Ranger' }, conflicts: ['instructions'] });
  assert.equal(mergeChange(agent, agent, change), {
    rest: { name: 'Ranger', instructions: 'Mine' },
    conflicts: [],
  });
});

test('values are compared by what they have, not by the order of their names', () => {
  const { timezone, ...times } = hours;
  assert.ok(isSame({ ...times, timezone }, hours));
  assert.ok(isSame(null, undefined));
  assert.not.ok(isSame({ ...hours, end: '18:00' }, hours));
  assert.not.ok(isSame(hours, null));
});

test('what is emptied is named in clear', () => {
  assert.equal(patchOf({ instructions: null, name: 'Scout' }), { name: 'Scout', clear: ['instructions'] });
  assert.equal(patchOf({ requiresApproval: false }), { requiresApproval: false });
});

test.run();
