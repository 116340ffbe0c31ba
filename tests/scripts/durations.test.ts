import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { longestFirst, readDurations, rememberDurations } from '../../scripts/tests/durations.ts';
import { notRun } from '../../scripts/tests/run-file.ts';
import { temporaryDirectory } from '../support/people.ts';

const test = suite('the order of test files');

const [house, imports, words] = ['house', 'imports', 'words'].map((name) => `tests/scripts/${name}.test.ts`) as [
  string,
  string,
  string,
];

const { path: directory, remove } = temporaryDirectory();
test.after(remove);

test('is that of their durations, after those that are unknown', () => {
  const durations = new Map([
    [house, 1],
    [words, 3],
  ]);
  assert.equal(longestFirst([house, imports, words], durations), [imports, words, house]);
  assert.equal(longestFirst([words, house], new Map()), [words, house]);
});

test('is learnt from files that passed and are still there', async () => {
  const file = join(directory, 'cache', 'seconds.json');
  const passed = (path: string, seconds: number) => ({ ...notRun(path), failed: 0, seconds });
  await rememberDurations([passed(house, 2), passed(imports, 3), passed('tests/gone.test.ts', 4)], file);
  await rememberDurations([passed(house, 5), { ...passed(imports, 1), failed: 1 }, notRun(words)], file);
  assert.equal(Object.fromEntries(await readDurations(file)), { [house]: 5, [imports]: 3 });
});

test('is the given one where nothing can be read', async () => {
  assert.is((await readDurations(join(directory, 'absent.json'))).size, 0);
  for (const text of ['', '{"a":', 'null', '{"a": "1"}']) {
    await writeFile(join(directory, 'faulty.json'), text);
    assert.is((await readDurations(join(directory, 'faulty.json'))).size, 0, text);
  }
});

test.run();
