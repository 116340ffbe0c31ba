import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { runScenario } from '../support/conformance.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { bearerProxy } from '../support/mcp-proxy.ts';
import { freePort } from '../support/ports.ts';

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

/** Checks that ask for diagnostic tools, which a service has no place for: the runner reports them as failures. */
const untestable: Record<string, string[]> = {
  'server-stateless': [
    'sep-2575-server-rejects-undeclared-capability',
    'sep-2575-missing-capability-http-400',
    'sep-2575-http-server-no-independent-requests-on-stream',
    'sep-2575-server-no-log-without-loglevel',
  ],
};

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
    const checks = await runScenario(scenario, url, results);
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
