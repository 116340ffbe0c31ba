import { spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('bench');

const sizes = '--workspaces 3 --todos 600 --giant 300 --seconds 0.1 --rounds 1 --connections 4 --probes 4';

function bench(args: string[]): Promise<{ code: number | null; output: string }> {
  const run = spawn(process.execPath, ['--import', 'tsx', 'bench/main.ts', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  return new Promise((resolve) => run.on('close', (code) => resolve({ code, output })));
}

test('every workload of the bench runs without errors, and the ceiling answers what the service answers', async () => {
  const { code, output } = await bench(sizes.split(' '));
  assert.is(code, 0, output);
  const rows = output.split('\n').filter((line) => line.startsWith('| '));
  const [compared, sized] = [rows.filter((row) => row.includes(' / ')), rows.filter((row) => !row.includes(' / '))];
  assert.is(compared.length, 1 + 13, output);
  for (const row of compared.slice(1)) assert.match(row, /\| 0 \|$/);
  for (const request of ['getTodo', 'listTodos', 'search', 'summary']) {
    assert.ok(
      sized.some((row) => row.startsWith(`| ${request} |`)),
      `${request} is compared between sizes`,
    );
  }
  assert.match(output, /Start on this data directory to the first answer: \d/);
});

test('a flag or a size that makes no sense is refused with the usage', async () => {
  for (const args of [
    ['--speed', '9'],
    ['--todos', 'many'],
    ['--workspaces', '1'],
  ]) {
    const { code, output } = await bench(args);
    assert.is(code, 1);
    assert.match(output, /npm run bench/);
  }
});

test.run();
