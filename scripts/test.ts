import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEmbedded } from '../db/embedded.ts';

/*
 * `npm test [-- PATTERN]`: every `tests/**.test.ts` against a fresh embedded PostgreSQL, or the one at
 * TEST_DATABASE_URL. A suite without `.run()` would pass with no test: it is refused.
 */

/** How long the tests may take to end once their last line is out. */
const patienceMs = 15_000;

/** A part of a file's name, or its path as the shell completes it. */
const pattern = (process.argv[2] ?? '').replace(/^(\.\/)?tests\//, '').replace(/\.test(\.ts)?$/, '');
const files = (await readdir('tests', { recursive: true })).filter((name) => name.endsWith('.test.ts'));
for (const file of files) {
  if (!(await readFile(join('tests', file), 'utf8')).includes('.run()'))
    throw new Error(`tests/${file} never calls .run()`);
}

const given = process.env.TEST_DATABASE_URL;
const directory = given ? undefined : await mkdtemp(join(tmpdir(), 'tandem-test-'));
const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
const embedded = directory ? await openEmbedded({ dataDir: directory, settings }) : undefined;
let exitCode = 1;
try {
  const uvu = ['--import', 'tsx', 'node_modules/uvu/bin.js', 'tests', `(?:${pattern}).*\\.test\\.ts$`];
  const env = { ...process.env, TEST_DATABASE_URL: given ?? embedded?.url, NODE_ENV: 'test' };
  const run = spawn(process.execPath, uvu, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  // Ends the tests, not this script: it still has a database to stop.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => run.kill(signal));
  let output = '';
  let leftOpen = false;
  run.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk);
    output = (output + chunk.toString()).slice(-2000);
    if (!/Total:[\s\S]*Duration:/.test(output)) return;
    setTimeout(() => {
      leftOpen = true;
      run.kill('SIGKILL');
    }, patienceMs).unref();
  });
  exitCode = await new Promise<number>((resolve) => run.on('close', (code) => resolve(code ?? 1)));
  const [total = 0, passed = 0, skipped = 0] = ['Total', 'Passed', 'Skipped'].map((word) =>
    Number(new RegExp(`${word}:\\s+(\\d+)`).exec(output)?.[1] ?? 0),
  );
  if (total === 0) exitCode = 1;
  if (total === 0 && pattern !== '') process.stdout.write(`\nNo test of a file that matches ${pattern} was run.\n`);
  if (leftOpen)
    process.stdout.write('\nThe tests are over, but one of them left something open: close it in `after`.\n');
  process.stdout.write(`\n${passed} passed, ${total - passed} failed, ${skipped} skipped\n`);
} finally {
  await embedded?.stop();
  if (directory) await rm(directory, { recursive: true, force: true });
}
process.exit(exitCode);
