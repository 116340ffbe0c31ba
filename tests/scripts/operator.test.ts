import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/people.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('commands of the operator');

test('make no database where the service has none', async () => {
  const directory = temporaryDirectory();
  const DATA_DIR = join(directory.path, 'data');
  try {
    for (const name of ['welcome', 'seed']) {
      const { code, stdout, stderr } = await runScript(name, [], { DATABASE_URL: '', DATA_DIR });
      assert.equal([code, stdout], [1, '']);
      assert.match(stderr, `There is no database in ${join(DATA_DIR, 'postgres')}. Set DATABASE_URL or DATA_DIR`);
    }
    assert.is(existsSync(DATA_DIR), false);
  } finally {
    directory.remove();
  }
});

test.run();
