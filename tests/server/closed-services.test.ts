import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('services that were closed');

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** A service that answered something and was closed. */
async function closed(): Promise<WeakRef<object>> {
  const tandem = await startTestService();
  const { call } = await tandem.workspace();
  assert.is((await call('GET /todos')).status, 200);
  const app = new WeakRef(tandem.service.app);
  await tandem.close();
  return app;
}

test('are released by the process', async () => {
  const apps = [await closed(), await closed(), await closed(), await closed()];
  // The driver of PostgreSQL keeps a stack of the first transaction of the process, and with it one service.
  await until(() => {
    collect();
    return apps.filter((app) => app.deref()).length <= 1;
  });
});

test('leave the next one a whole set of metrics', async () => {
  await closed();
  const tandem = await startTestService();
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  await tandem.close();
  for (const name of [
    'tandem_process_cpu_seconds_total',
    'tandem_nodejs_eventloop_lag_seconds',
    'tandem_jobs_done_total',
  ])
    assert.is(text.split(`# TYPE ${name} `).length, 2, name);
});

test.run();
