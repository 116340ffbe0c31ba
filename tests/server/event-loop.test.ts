import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { watchEventLoop } from '../../server/runtime/event-loop.ts';
import { startTestService } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('the delay of the event loop');

function holdLoop(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; );
}

type Quantiles = Readonly<Record<string, number>>;

test('a loop that was held is logged, once a minute at most, and measured', async () => {
  const logged: { ms: number }[] = [];
  const watch = watchEventLoop({
    warn: (fields: { ms: number }, message: string) => {
      assert.is(message, 'event loop held');
      logged.push(fields);
    },
  } as never);
  try {
    holdLoop(300);
    watch.start();
    await sleep(1);
    holdLoop(300);
    await until(() => logged.length > 0);
    holdLoop(300);
    await sleep(50);
    assert.is(logged.length, 1);
    assert.ok((logged[0]?.ms ?? 0) > 250, JSON.stringify(logged));
    const [measure] = watch.measures;
    const longest = (measure?.read() as Quantiles | undefined)?.['1'] ?? 0;
    assert.ok(longest > 0.25, String(longest));
  } finally {
    watch.stop();
  }
});

test('/metrics has the median, the 99th percentile and the longest delay', async () => {
  const tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  try {
    const text = await (await fetch(`${tandem.url}/metrics`)).text();
    for (const share of ['0.5', '0.99', '1'])
      assert.match(text, new RegExp(`^tandem_event_loop_delay_seconds\\{quantile="${share}"\\} [\\d.e-]+$`, 'm'));
    assert.match(text, /^tandem_compute_processes 0$/m);
  } finally {
    await tandem.close();
  }
});

test.run();
