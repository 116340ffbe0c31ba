import { createHash } from 'node:crypto';
import { chromium } from 'playwright-core';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { chromiumArgs, findChromium } from '../support/browser.ts';
import { notOnCluster } from '../support/citus.ts';
import { ask } from '../support/frame.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { freePort } from '../support/ports.ts';
import { type LaunchedProcess, launch, spawnService, stopProcesses } from '../support/processes.ts';
import { until, within } from '../support/until.ts';

const test = suite('the start of a process');
const withPassword = notOnCluster(test, 'its coordinator asks the tests for no password');
let passage: Passage;

test.before.each(async () => {
  passage = await openPassage(testDatabaseUrl());
});
test.after.each(async () => {
  await stopProcesses();
  await passage.close();
});

/** Starts a process, and waits until its port answers. */
async function starting(environment: Record<string, string>): Promise<{ service: LaunchedProcess; url: string }> {
  const port = await freePort();
  const service = spawnService({ PORT: String(port), DATABASE_URL: passage.url, ...environment });
  const url = `http://127.0.0.1:${port}`;
  const answers = () =>
    ask(`${url}/healthz`).then(
      ({ status }) => status === 200,
      () => false,
    );
  await until(answers, service.output);
  return { service, url };
}

const warning = 'database unavailable, the start waits for it';

test('waits for a database that is down, answers 503 meanwhile, and continues when it is up', async () => {
  await passage.cut();
  const { service, url } = await starting({});
  const ready = await ask(`${url}/readyz`);
  assert.equal([ready.status, ready.body], [503, { status: 'waiting for the database' }]);
  const { status, headers, body } = await ask(`${url}/api/v1/todos?query=secret`);
  assert.equal([status, body.code, body.reason, body.retryable], [503, 'internal_error', 'unavailable', true]);
  assert.is(headers.get('retry-after'), '5');
  assert.is(headers.get('x-request-id'), body.requestId);
  await until(() => service.output().includes(warning), service.output);
  await passage.mend();
  const running = await within(service.output, service.ready);
  assert.is(running.url, url);
  assert.is((await ask(`${url}/readyz`)).status, 200);
  assert.is(service.output().split(warning).length, 2, 'one line, however often it tried');
  assert.not.match(service.output(), /\/\/[^/\s]*:[^/\s]*@/);
});

test('a browser gets a page under a strict policy while the process waits; a program gets JSON', async () => {
  await passage.cut();
  const { url } = await starting({});
  const headers = { Accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' };
  const response = await fetch(`${url}/welcome`, { headers });
  const text = await response.text();
  assert.equal([response.status, response.headers.get('retry-after')], [503, '5']);
  assert.is(response.headers.get('content-type'), 'text/html; charset=utf-8');
  assert.is(response.headers.get('cache-control'), 'no-store');
  assert.match(text, 'The service waits for its database.');
  const policy = response.headers.get('content-security-policy') ?? '';
  for (const part of ['script', 'style']) {
    const content = new RegExp(`<${part}>([^<]+)</${part}>`).exec(text)?.[1] ?? '';
    const hash = createHash('sha256').update(content).digest('base64');
    assert.match(policy, `${part}-src 'sha256-${hash}'`);
  }
  assert.not.match(policy, /unsafe/);
  const posted = await fetch(`${url}/welcome`, { method: 'POST', headers });
  assert.is(posted.headers.get('content-type'), 'application/json; charset=utf-8');
});

test('the page shows the service once the database is up, also at an address with a fragment', async () => {
  const executablePath = findChromium();
  if (!executablePath) {
    assert.is.not(process.env.CI, 'true', 'No Chromium on this machine.');
    return;
  }
  await passage.cut();
  const { service, url } = await starting({});
  const browser = await chromium.launch({ executablePath, args: chromiumArgs });
  try {
    const page = await browser.newPage();
    const faults: string[] = [];
    page.on('pageerror', (error) => faults.push(error.message));
    page.on('console', (message) => message.type() === 'error' && faults.push(message.text()));
    await page.goto(`${url}/sign-in#first`);
    assert.is(await page.textContent('h1'), 'Tandem is starting');
    assert.equal(
      faults.filter((fault) => !fault.includes('status of 503')),
      [],
      'nothing is blocked by the policy',
    );
    await passage.mend();
    await within(service.output, service.ready);
    await page.locator('h1:not(:text-is("Tandem is starting"))').waitFor({ timeout: 0 });
    assert.is(new URL(page.url()).pathname, '/sign-in');
  } finally {
    await browser.close();
  }
});

for (const [name, silence] of Object.entries({ down: true, silent: false })) {
  test(`SIGTERM ends a process at once that waits for a database that is ${name}`, async () => {
    if (silence) await passage.cut();
    else passage.stall();
    const { service } = await starting({ SHUTDOWN_SECONDS: '600' });
    service.child.kill('SIGTERM');
    assert.is(await within(service.output, service.exited), 0);
    assert.not.match(service.output(), 'is running at');
  });
}

async function assertRefused(url: URL): Promise<void> {
  const service = await launch({ DATABASE_URL: url.toString() });
  assert.is(await service.exited, 1);
  assert.match(service.output(), 'The database at DATABASE_URL refuses this service');
  assert.not.match(service.output(), /wrong-password|\n {4}at /);
}

withPassword('a wrong password ends the start with a sentence, without the password', async () => {
  const url = new URL(testDatabaseUrl());
  url.password = 'wrong-password';
  await assertRefused(url);
});

test('a database that does not exist ends the start with a sentence', async () => {
  const url = new URL(testDatabaseUrl());
  url.pathname = '/no_such_database';
  await assertRefused(url);
});

test('a port that is taken is no reason to wait', async () => {
  await passage.cut();
  const taken = await openPassage(testDatabaseUrl());
  const { port } = new URL(taken.url);
  const service = await launch({ PORT: port, DATABASE_URL: passage.url });
  await taken.close();
  assert.is(await service.exited, 1);
  assert.match(service.output(), `Port ${port} on 127.0.0.1 is taken by another program.`);
});

test.run();
