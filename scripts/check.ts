import { spawn } from 'node:child_process';

/*
 * `npm run check`: the one list of checks, for people and for CI. It stops at the first that fails. That imports run one
 * way, and that the document lints, are tests.
 */

const bin = (name: string) => `node_modules/.bin/${name}`;
const script = (name: string, ...more: string[]) => [process.execPath, '--import', 'tsx', `scripts/${name}`, ...more];

const checks: [title: string, command: string[]][] = [
  ['Types', [bin('tsc'), '--noEmit']],
  ['Types of the pages', [bin('tsc'), '--noEmit', '--project', 'web']],
  ['Lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['Imports run one way', script('imports.ts')],
  ['Generated files are up to date', script('generate.ts', '--check')],
  ['Tests', script('test.ts')],
];

function run([file = '', ...args]: string[]): Promise<number> {
  return new Promise((resolve, reject) => {
    const child = spawn(file, args, { stdio: 'inherit', shell: process.platform === 'win32' });
    child.on('error', reject);
    child.on('close', (code) => resolve(code ?? 1));
  });
}

const begun = performance.now();
const seconds = (since: number) => `${((performance.now() - since) / 1000).toFixed(1)} s`;

for (const [title, command] of checks) {
  process.stdout.write(`\n▸ ${title}\n`);
  const start = performance.now();
  const code = await run(command);
  if (code !== 0) {
    process.stderr.write(`\n✗ ${title} failed after ${seconds(start)}. The checks after it did not run.\n`);
    process.exit(1);
  }
  process.stdout.write(`✓ ${title} (${seconds(start)})\n`);
}
process.stdout.write(`\nAll checks passed in ${seconds(begun)}.\n`);
