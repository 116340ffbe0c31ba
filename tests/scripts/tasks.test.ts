import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../support/people.ts';

const test = suite('npm run tasks');
const script = join(import.meta.dirname, '../../scripts/tasks.ts');

/** Stands for the runner of tests. */
const runner = `for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
  process.on(signal, () => {
    console.log('got', signal);
    process.exit(7);
  });
}
setInterval(() => {}, 1000);
console.log('runs');
`;

test('ends with what it started', async () => {
  const directory = temporaryDirectory();
  try {
    mkdirSync(join(directory.path, 'scripts'));
    writeFileSync(join(directory.path, 'scripts/test.ts'), runner);
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
      const options = { cwd: directory.path, stdio: ['ignore', 'pipe', 'inherit'] as const };
      const child = spawn(process.execPath, [script, '--model', 'none'], { ...options, stdio: [...options.stdio] });
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        if (!printed.includes('runs') && `${printed}${chunk}`.includes('runs')) child.kill(signal);
        printed += chunk;
      });
      const [code] = await once(child, 'close');
      assert.equal([code, printed], [7, `runs\ngot ${signal}\n`]);
    }
  } finally {
    directory.remove();
  }
});

test.run();
