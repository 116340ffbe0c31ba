import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';

/*
 * The one list of checks, for people and for CI. `npm test` runs it with the quick tests, `npm run proof` runs the long
 * tests alone, `npm run check` runs everything. With a PATTERN only the tests run whose path matches, of both rings.
 * The checks run beside the tests, which wait for half of their time. The first check that fails stops them.
 */

const bin = (name: string) => `node_modules/.bin/${name}`;
const script = (name: string, ...more: string[]) => [process.execPath, `scripts/${name}`, ...more];

/**
 * The native compiler takes a third of the processor time. `typescript` itself is there for its programming interface.
 */
const compiler = 'node_modules/typescript-native/bin/tsc';

/** Checks types, and only those of files that changed or import a changed one. */
const types = (project: string) => {
  const state = `node_modules/.cache/types/${project === '.' ? 'root' : project}.tsbuildinfo`;
  const options = ['--noEmit', '--singleThreaded', '--incremental', '--tsBuildInfoFile', state];
  return [process.execPath, compiler, ...options, '--project', project];
};

/** Imports, words, sizes of files and outgoing requests are tests (tests/scripts/). */
const checks: [title: string, command: string[]][] = [
  ['Types', types('.')],
  ['Types of the pages', types('web')],
  ['Lint and format', [bin('biome'), 'check', '--error-on-warnings', '.']],
  ['Generated files are up to date', script('generate.ts', '--check')],
];

/** What tests read and would otherwise build at the same time. Does nothing when it is up to date. */
const builds: typeof checks = [
  ['Pages are built', script('build-web.ts')],
  ['Command-line client is built', script('build-cli.ts')],
  ['Service is built', script('build-server.ts')],
];

const [ring, pattern] = process.argv.slice(2);
const isWindows = process.platform === 'win32';

/** Runs one check and prints what it wrote, in one piece. Returns whether it passed. */
async function check([title, [file = '', ...args]]: (typeof checks)[number]): Promise<boolean> {
  const start = performance.now();
  // The compiler collects garbage less often, which saves a quarter of its processor time.
  const env = { GOGC: '400', ...process.env };
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'], shell: isWindows });
  const closed = new Promise<number | null>((resolve) => {
    child.on('close', resolve).on('error', ({ message }) => {
      process.stderr.write(`\n${message}\n`);
      resolve(null);
    });
  });
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  const seconds = ((performance.now() - start) / 1000).toFixed(1);
  process.stdout.write(code === 0 ? `✓ ${title} (${seconds} s)\n` : `\n${output}${errors}✗ ${title} (${seconds} s)\n`);
  return code === 0;
}

/**
 * Runs what is listed, so many at a time. `onFault` is called when one fails. Returns the titles of those that failed.
 */
async function checkAll(list: typeof checks, lanes: number, onFault = () => {}): Promise<string[]> {
  const queue = [...list];
  const failed: string[] = [];
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      if (await check(next)) continue;
      failed.push(next[0]);
      onFault();
    }
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return failed;
}

if ((await checkAll(builds, availableParallelism())).length > 0) {
  process.stderr.write('\nThe tests did not run.\n');
  process.exit(1);
}
const choice = pattern ? [pattern] : ring ? ['--ring', ring] : [];
const [file = '', ...args] = script('test.ts', ...choice);
const tests = spawn(file, args, { stdio: 'inherit' });
const closed = new Promise<number | null>((resolve) => tests.on('close', resolve));
// The test run ends its workers and its database first.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => tests.kill(signal));
const failed = await checkAll(pattern || ring === 'proof' ? [] : checks, 1, () => tests.kill());
const code = await closed;
if (failed.length > 0) process.stderr.write(`\nThe tests were stopped: ${failed.join(', ')} (see above).\n`);
process.exit(failed.length > 0 ? 1 : (code ?? 1));
