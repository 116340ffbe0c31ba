import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { service } from './build-server.ts';
import { buildApart } from './built-folder.ts';
import { openCluster } from './tests/cluster.ts';
import { openDatabases } from './tests/databases.ts';
import { longestFirst, readDurations, rememberDurations } from './tests/durations.ts';
import { Pool } from './tests/pool.ts';
import { failures, fileReport, timesTable, totals } from './tests/report.ts';
import { type FileResult, notRun } from './tests/run-file.ts';

/*
 * Runs test files: `--ring quick`, `--ring proof` (those below tests/proof/), or those whose path matches PATTERN.
 * `--report FILE` writes the times of each. TEST_WORKERS: worker processes, by default two for each core, because most
 * tests wait half of their time; one more than cores for the proofs, which start processes of their own.
 * TEST_TIMEOUT_SECONDS: the limit of each test. TEST_DATABASE_URL: a PostgreSQL to use. TEST_CITUS_URL: the coordinator
 * of a Citus cluster, as a role that may create databases on every node: the tests run on it. TEST_PAUSES: see
 * tests/support/pauses.ts.
 */

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { ring: { type: 'string' }, root: { type: 'string', default: 'tests' }, report: { type: 'string' } },
});
if (values.ring && !['quick', 'proof'].includes(values.ring)) throw new Error(`No such ring: ${values.ring}`);
const pattern = positionals[0]?.replace(/^(\.\/)?tests\//, '').replace(/\.test(\.ts)?$/, '');
const proof = join(values.root, 'proof/');
const isProof = (path: string) => path.startsWith(proof);

const names = await readdir(values.root, { recursive: true });
const paths = names
  .filter((name) => name.endsWith('.test.ts') && (!pattern || new RegExp(pattern, 'i').test(name)))
  .map((name) => join(values.root, name))
  .filter((path) => !values.ring || isProof(path) === (values.ring === 'proof'))
  .sort();
if (paths.length === 0) {
  process.stdout.write(`No test file matches ${pattern ?? values.ring}.\n\n0 passed, 0 failed, 0 skipped\n`);
  process.exit(1);
}

const stopped = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => stopped.abort());
const { TEST_WORKERS, TEST_TIMEOUT_SECONDS, TEST_DATABASE_URL, TEST_CITUS_URL } = process.env;
const results: FileResult[] = [];
// Tests that need the service as a process of its own start what `npm start` does.
const opening = TEST_CITUS_URL ? openCluster(TEST_CITUS_URL) : openDatabases(TEST_DATABASE_URL);
const [databases] = await Promise.all([opening, buildApart(service, 'build-server.ts')]);
const directory = await mkdtemp(join(tmpdir(), 'tandem-test-logs-'));
const pool = new Pool({
  workers: Number(TEST_WORKERS ?? (values.ring === 'quick' ? 2 * availableParallelism() : availableParallelism() + 1)),
  databases,
  directory,
  limitSeconds: (path) => Number(TEST_TIMEOUT_SECONDS ?? (isProof(path) ? 1800 : 120)),
  onEnd: (result) => {
    results.push(result);
    process.stdout.write(fileReport(result, paths.length === 1));
  },
});
try {
  await pool.run(longestFirst(paths, await readDurations()), stopped.signal);
} finally {
  await databases.close();
  await rm(directory, { recursive: true, force: true });
}
await rememberDurations(results);

const idle = paths.filter((each) => !results.some(({ path }) => path === each));
results.push(...idle.map(notRun));
if (idle.length > 0) process.stdout.write(`✗ ${idle.length} files did not run: ${idle.slice(0, 10).join(', ')}\n`);
if (values.report) await writeFile(values.report, `${timesTable(results)}\n`);
if (results.length > 10) process.stdout.write(`\nThe slowest files (seconds):\n${timesTable(results, 10)}\n`);
if (results.length > 10 && results.some(({ failed }) => failed > 0))
  process.stdout.write(`\nWhat failed:\n${failures(results)}\n`);
process.stdout.write(`\n${totals(results)}\n`);
process.exit(results.some(({ failed }) => failed > 0) ? 1 : 0);
