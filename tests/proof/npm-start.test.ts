import { type ChildProcess, spawn } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { until, within } from '../support/until.ts';

const test = suite('npm start');
let npm: ChildProcess | undefined;

/** Ends npm and the service, if a test left them. */
test.after.each(() => {
  try {
    if (npm?.pid) process.kill(-npm.pid, 'SIGKILL');
  } catch {
    // Both have ended.
  }
});

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`${signal} to npm reaches the service, and npm ends with it`, async () => {
    const settings = { PORT: '0', LOG_LEVEL: 'info', LOG_FORMAT: 'json', DATABASE_URL: testDatabaseUrl() };
    npm = spawn('npm', ['start'], {
      env: { ...process.env, ...settings },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let output = '';
    for (const stream of [npm.stdout, npm.stderr])
      stream?.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
    const exited = new Promise((resolve) => npm?.on('exit', (code, by) => resolve(code ?? by)));
    const address = () => /is running at (\S+)/.exec(output)?.[1];
    await until(address, () => output);
    const url = address() ?? '';
    assert.is((await ask(`${url}/readyz`)).status, 200);
    npm.kill(signal);
    assert.is(await within(() => output, exited), 0, output);
    assert.match(output, `"signal":"${signal}"`);
    const answers = await ask(`${url}/healthz`).then(
      () => true,
      () => false,
    );
    assert.not.ok(answers, 'the service has ended before npm');
  });
}

test.run();
