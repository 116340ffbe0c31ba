import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { commentFaults, houseFaults, medianOf, readSizes, wideComments } from '../../scripts/house.ts';

const test = suite('sizes of files');

const sizesOf = (...lines: number[]) => new Map(lines.map((each, place) => [`domain/file-${place}.ts`, each]));

test('the files of the code are within the limits of the style', () => {
  const sizes = readSizes();
  assert.ok(sizes.has('scripts/house.ts') && sizes.has('web/src/main.tsx') && sizes.has('db/client.ts'));
  assert.not.ok([...sizes.keys()].some((path) => /^tests\/|\.d\.ts$|migrations\/|generated\//.test(path)));
  assert.equal(houseFaults(sizes), []);
});

test('a file above 250 lines is reported with its path and its lines', () => {
  assert.equal(houseFaults(sizesOf(250, 60, 60)), []);
  assert.equal(houseFaults(sizesOf(251, 60, 60)), ['domain/file-0.ts has 251 lines: split it, the limit is 250']);
});

test('a median above 90 lines is reported', () => {
  assert.is(medianOf(sizesOf(10, 91, 200)), 91);
  assert.is(medianOf(sizesOf(80, 100)), 90);
  assert.equal(houseFaults(sizesOf(80, 100)), []);
  assert.equal(houseFaults(sizesOf(10, 91, 200)), ['The median file has 91 lines: the limit is 90']);
});

test('more than 20 files with fewer than 20 lines are reported with their paths', () => {
  assert.equal(houseFaults(sizesOf(...Array<number>(20).fill(19))), []);
  assert.equal(houseFaults(sizesOf(...Array<number>(30).fill(20))), []);
  const [fault = '', ...more] = houseFaults(sizesOf(...Array<number>(21).fill(19)));
  assert.match(fault, /^21 files have fewer than 20 lines: join some, the limit is 20: domain\/file-0\.ts \(19\), /);
  assert.equal(more, []);
});

test('no comment is wider than the code may be', () => {
  assert.equal(commentFaults(), []);
});

test('a comment that is too wide is found by its line, and wide code is not', () => {
  const wide = 'x'.repeat(120);
  assert.equal(wideComments(`const a = '${wide}';\n/** ${wide} */\n  // ${wide}\n * ${wide.slice(3)}`), [2, 3]);
});

test.run();
