import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { freePort, startTestService, type TestService } from './harness.ts';
import { bearerProxy } from './mcp-proxy.ts';

/*
 * The scenarios of @modelcontextprotocol/conformance that need no tools of their own in the server. Its runner sends no
 * credential: a proxy adds one, and is the public address of the service under test.
 */
const test = suite('mcp conformance');
let tandem: TestService;
let proxy: Awaited<ReturnType<typeof bearerProxy>>;
let url: string;
let results: string;
let key = '';

test.before(async () => {
  const port = await freePort();
  url = `http://localhost:${port}/mcp`;
  tandem = await startTestService({ PUBLIC_URL: `http://localhost:${port}` });
  key = (await tandem.workspace()).key;
  proxy = await bearerProxy(port, () => ({ port: tandem.service.port, key }));
  results = await mkdtemp(join(tmpdir(), 'tandem-conformance-'));
});
test.after(async () => {
  await proxy.close();
  await tandem.close();
  await rm(results, { recursive: true, force: true });
});

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
  details?: { untestable?: boolean };
}

/** Checks that ask for diagnostic tools, which a service has no place for: the runner reports them as failures. */
const untestable: Record<string, string[]> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
};

async function run(scenario: string): Promise<Check[]> {
  const directory = join(results, scenario);
  const args = ['server', '--url', url, '--scenario', scenario, '--output-dir', directory];
  const runner = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const child = spawn(process.execPath, [runner, ...args], { stdio: 'ignore', cwd: results });
  await new Promise((done) => child.on('close', done));
  const files = await readdir(directory, { recursive: true });
  const file = files.find((name) => name.endsWith('checks.json'));
  if (!file) throw new Error(`No results of ${scenario}`);
  return JSON.parse(await readFile(join(directory, file), 'utf8')) as Check[];
}

for (const scenario of [
  'server-initialize',
  'ping',
  'tools-list',
  'server-stateless',
  'http-header-validation',
  'caching',
  'dns-rebinding-protection',
]) {
  test(`the scenario ${scenario} passes`, async () => {
    const checks = await run(scenario);
    assert.ok(checks.some((check) => check.status === 'SUCCESS'));
    const failed = checks.filter(({ status }) => status === 'FAILURE' || status === 'WARNING');
    const [skipped, wrong] = [true, false].map((missing) =>
      failed.filter((check) => (check.details?.untestable ?? false) === missing),
    );
    assert.equal(
      wrong?.map(({ id, errorMessage }) => `${id}: ${errorMessage}`),
      [],
    );
    assert.equal(
      skipped?.map(({ id }) => id),
      untestable[scenario] ?? [],
    );
  });
}

test.run();
