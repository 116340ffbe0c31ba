import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Parts } from '../../server/runtime/parts.ts';
import { temporaryDirectory } from '../support/people.ts';

const test = suite('the parts of the bundle');
let folder: string;
let remove: () => void;
let cache: string;

test.before.each(() => {
  ({ path: folder, remove } = temporaryDirectory());
  cache = join(folder, 'compile-cache');
});
test.after.each(() => remove());

interface Sum {
  sum(values: number[]): number;
}

const sumOf = (first: number) => `exports.sum = (values) => values.reduce((sum, each) => sum + each, ${first});`;
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const opened = () => new Parts(folder, cache);
const stored = (name: string) => join(cache, readdirSync(cache)[0] ?? '', name);

/** Loads the part, calls it, and stores what is not stored. */
function sumAndSave(): number {
  const parts = opened();
  const { sum } = parts.load('sum.cjs') as Sum;
  const found = sum([1, 2]);
  parts.save();
  return found;
}

test('load one another once, and modules of Node', () => {
  write('first.cjs', 'globalThis.partsRun = (globalThis.partsRun ?? 0) + 1; exports.name = "first";');
  write(
    'second.cjs',
    `const first = require("./first.cjs"), path = require("node:path");
     exports.found = [first.name, path.basename(__filename), path.basename(__dirname)];`,
  );
  const parts = opened();
  const { found } = parts.load('second.cjs') as { found: string[] };
  assert.equal(found, ['first', 'second.cjs', basename(folder)]);
  assert.equal(parts.load('first.cjs'), { name: 'first' });
  assert.is(Reflect.get(globalThis, 'partsRun'), 1);
});

test('the compiled code of functions that have run is stored, and used by the next process', () => {
  write('sum.cjs', sumOf(0));
  const idle = opened();
  idle.load('sum.cjs');
  idle.save();
  const size = statSync(stored('sum.cjs')).size;
  rmSync(cache, { recursive: true });
  assert.is(sumAndSave(), 3);
  assert.ok(statSync(stored('sum.cjs')).size > size);
  const next = opened();
  next.load('sum.cjs');
  rmSync(cache, { recursive: true });
  next.save();
  assert.not(existsSync(cache), 'nothing was compiled');
});

test('a text that has changed, and code that is damaged, is compiled again', () => {
  write('sum.cjs', sumOf(0));
  assert.is(sumAndSave(), 3);
  write('sum.cjs', sumOf(7));
  assert.is(sumAndSave(), 10, 'of the same length');
  const intact = readFileSync(stored('sum.cjs'));
  const size = intact.length;
  for (const damaged of [intact.fill(0, 100, 200), intact.subarray(0, 90), Buffer.alloc(3), Buffer.alloc(0)]) {
    writeFileSync(stored('sum.cjs'), damaged);
    assert.is(sumAndSave(), 10);
    assert.is(statSync(stored('sum.cjs')).size, size);
  }
});

test('a cache that cannot be written is no failure', () => {
  write('sum.cjs', sumOf(0));
  writeFileSync(cache, 'a file');
  assert.is(sumAndSave(), 3);
});

test('a part that failed runs again', () => {
  write('late.cjs', 'if (!globalThis.partsReady) throw new Error("not yet"); exports.done = true;');
  const parts = opened();
  assert.throws(() => parts.load('late.cjs'), 'not yet');
  Reflect.set(globalThis, 'partsReady', true);
  assert.equal(parts.load('late.cjs'), { done: true });
});

test('an error names the file and the place', () => {
  write('wrong.cjs', 'exports.fail = () => { throw new Error("wrong"); };');
  const { fail } = opened().load('wrong.cjs') as { fail(): never };
  try {
    fail();
    assert.unreachable();
  } catch (error) {
    assert.match((error as Error).stack ?? '', `${join(folder, 'wrong.cjs')}:1:30`);
  }
});

test.run();
