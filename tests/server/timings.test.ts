import { Histogram, Registry } from 'prom-client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { exportTimings, Timings } from '../../server/runtime/timings.ts';

const test = suite('timings');

const bounds = [0.1, 1, 10];
const observed: [labels: { kind: string; route: string }, seconds: number[]][] = [
  [{ kind: 'read', route: '/a"b\\c' }, [0, 0.05, 0.1, 0.100_001, 1, 9.5, 10, 11, 4000]],
  [{ kind: 'write', route: '/b' }, [0.5]],
  [{ kind: 'none', route: '/c' }, []],
];

test('are exported as the histogram of prom-client exports the same observations', async () => {
  const [ours, theirs] = [new Registry(), new Registry()];
  const timings = new Timings('test_seconds', 'A test', bounds);
  exportTimings(ours, timings);
  const histogram = new Histogram({
    name: 'test_seconds',
    help: 'A test',
    labelNames: ['kind', 'route'],
    buckets: bounds,
    registers: [theirs],
  });
  for (const [labels, all] of observed) {
    const timing = timings.of(labels);
    if (all.length === 0) histogram.zero(labels);
    for (const seconds of all) {
      timing.observe(seconds);
      histogram.observe(labels, seconds);
    }
  }
  assert.is(await ours.metrics(), await theirs.metrics());
  assert.is(await Registry.merge([ours]).metrics(), await theirs.metrics());
});

test.run();
