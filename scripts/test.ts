import { type ChildProcess, spawn } from 'node:child_process';
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

/** How long all tests may take: uvu has no time-out of its own, and one that hangs would never say so. */
const limitMs = 17 * 60_000;

/** Files that mostly wait: for leases, heartbeats and the patience of others to run out. */
const waiting =
  /^(frozen-workers|idempotency-waits|jobs-(leases|recovery)|messages-waiting|notifications-letters|turns-(outage|waiting))\.test\.ts$/;

/** Files that ask and look at the answer, whatever else the machine does: about half of the work. */
const patient = /^(cli|client|document|every-operation|examples|mcp|models|oauth|todo|transcript|transcription)/;

/** Whether a file runs beside the rest, with a PostgreSQL of its own: a service takes up whatever work its database holds. */
const runsBeside = (name: string) => waiting.test(name) || patient.test(name);

interface Counts {
  total: number;
  passed: number;
  skipped: number;
}

interface Outcome extends Counts {
  exitCode: number;
  /** The tests were over, but something kept their process alive. */
  leftOpen: boolean;
}

/** What uvu printed last. */
function countsIn(output: string): Counts {
  const [total = 0, passed = 0, skipped = 0] = ['Total', 'Passed', 'Skipped'].map((word) =>
    Number(new RegExp(`${word}:\\s+(\\d+)`).exec(output)?.[1] ?? 0),
  );
  return { total, passed, skipped };
}

const running = new Set<ChildProcess>();

/** Runs test files one after another; `say` gets what they print. */
async function runFiles(names: readonly string[], url: string, say: (text: string) => void): Promise<Outcome> {
  const exact = `^(?:${names.map((name) => name.replaceAll('.', '\\.')).join('|')})$`;
  const uvu = ['--import', 'tsx', 'node_modules/uvu/bin.js', 'tests', exact];
  const env = { ...process.env, TEST_DATABASE_URL: url, NODE_ENV: 'test' };
  const run = spawn(process.execPath, uvu, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.add(run);
  let output = '';
  let leftOpen = false;
  run.stdout.on('data', (chunk: Buffer) => {
    say(chunk.toString());
    output = (output + chunk.toString()).slice(-2000);
    if (!/Total:[\s\S]*Duration:/.test(output)) return;
    setTimeout(() => {
      leftOpen = true;
      run.kill('SIGKILL');
    }, patienceMs).unref();
  });
  const exitCode = await new Promise<number>((resolve) => run.on('close', (code) => resolve(code ?? 1)));
  running.delete(run);
  const counts = countsIn(output);
  return { ...counts, leftOpen, exitCode: counts.total === 0 ? 1 : exitCode };
}

/** As `runFiles`, on a PostgreSQL that is made for it. */
async function runApart(names: readonly string[], say: (text: string) => void): Promise<Outcome> {
  const directory = await mkdtemp(join(tmpdir(), 'tandem-test-'));
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const embedded = await openEmbedded({ dataDir: directory, settings });
  try {
    return await runFiles(names, embedded.url, say);
  } finally {
    await embedded.stop();
    await rm(directory, { recursive: true, force: true });
  }
}

/** A part of a file's name, or its path as the shell completes it. */
const pattern = (process.argv[2] ?? '').replace(/^(\.\/)?tests\//, '').replace(/\.test(\.ts)?$/, '');
const wanted = new RegExp(`(?:${pattern}).*\\.test\\.ts$`, 'i');
const files = (await readdir('tests', { recursive: true })).filter((name) => name.endsWith('.test.ts'));
for (const file of files) {
  if (!(await readFile(join('tests', file), 'utf8')).includes('.run()'))
    throw new Error(`tests/${file} never calls .run()`);
}
const chosen = files.filter((name) => wanted.test(name));
if (chosen.length === 0) {
  process.stdout.write(`\nNo test of a file that matches ${pattern} was run.\n`);
  process.exit(1);
}

// Ends the tests, not this script: it still has databases to stop.
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.on(signal, () => {
    for (const run of running) run.kill(signal);
  });
setTimeout(() => {
  const limit = `${limitMs / 60_000} min`;
  process.stdout.write(`\nThe tests took more than ${limit}: the one after the last line of either part hangs.\n`);
  for (const run of running) run.kill('SIGKILL');
}, limitMs).unref();

const print = (text: string) => process.stdout.write(text);
const given = process.env.TEST_DATABASE_URL;
const [beside, others] = [chosen.filter(runsBeside), chosen.filter((name) => !runsBeside(name))];
let told = '';
const tell = (text: string) => {
  told += text;
};
const parts = given
  ? [runFiles(chosen, given, print)]
  : beside.length === 0 || others.length === 0
    ? [runApart(chosen, print)]
    : [runApart(others, print), runApart(beside, tell)];
const ended = await Promise.allSettled(parts);
print(told);
const outcomes = ended.map((each) => {
  if (each.status === 'rejected') throw each.reason;
  return each.value;
});

const sum = (of: (outcome: Outcome) => number) => outcomes.reduce((all, each) => all + of(each), 0);
const [total, passed, skipped] = [sum((each) => each.total), sum((each) => each.passed), sum((each) => each.skipped)];
if (outcomes.some((each) => each.leftOpen))
  process.stdout.write('\nThe tests are over, but one of them left something open: close it in `after`.\n');
process.stdout.write(`\n${passed} passed, ${total - passed} failed, ${skipped} skipped\n`);
process.exit(outcomes.some((each) => each.exitCode !== 0) ? 1 : 0);
