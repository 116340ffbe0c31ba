import { Agent } from 'node:http';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atFullSpeed } from '../support/cpu-time.ts';
import { record } from '../support/event-fixtures.ts';
import { type EventStream, follow } from '../support/event-source.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { cpuMsOfProcess, isMeasurable, residentMb } from '../support/process-usage.ts';
import { type ServiceProcess, startProcess } from '../support/processes.ts';
import { countOf, isFull } from '../support/proof-size.ts';
import { until } from '../support/until.ts';

const test = suite('many who follow the log');
const connections = countOf('EVENT_FOLLOWERS', { ci: 300, full: 5000 });
const rounds = 20;

let tandem: TestService;
let service: ServiceProcess;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  service = await startProcess({ AGENT_CONCURRENCY: '0', RATE_LIMIT_PER_ADDRESS: '1000000' });
});
test.after(async () => {
  service.child.kill('SIGKILL');
  await tandem.close();
});

test('each get every event once, and take little memory', async () => {
  const workspace = await tandem.workspace();
  const agent = new Agent({ keepAlive: false, maxSockets: Number.POSITIVE_INFINITY });
  const open = () => follow(`${service.url}/api/v1/events/stream`, workspace.key, {}, agent);
  const streams: EventStream[] = [await open()];
  const pid = service.child.pid ?? 0;
  // What the process needs once, such as room for young objects, is not counted.
  const warmUps = Math.min(500, connections / 5);
  while (streams.length < warmUps) streams.push(await open());
  const before = isMeasurable ? residentMb(pid) : 0;
  const measured = connections - streams.length;
  while (streams.length < connections) {
    const count = Math.min(50, connections - streams.length);
    streams.push(...(await Promise.all(Array.from({ length: count }, open))));
  }
  const has = (stream: EventStream, id: number) => stream.events.some((event) => event.id === String(id));
  await until(() => streams.every((stream) => stream.events.length > 0));
  const kib = isMeasurable ? ((residentMb(pid) - before) * 1024) / measured : 0;
  const times: number[] = [];
  for (let round = 1; round <= rounds; round++) {
    const start = performance.now();
    await record(tandem.db, workspace, 1);
    await Promise.all(
      streams.map(async (stream) => {
        await stream.until(({ event, id }) => event === 'change' && id === String(round));
        times.push(performance.now() - start);
      }),
    );
  }
  times.sort((a, b) => a - b);
  const p95 = Math.round(times[Math.floor(times.length * 0.95)] ?? 0);
  console.log(`${connections} connections: ${kib.toFixed(1)} KiB each; commit to reader p95 ${p95} ms`);
  for (const stream of streams) {
    assert.ok(has(stream, rounds));
    assert.is(stream.events.filter(({ event }) => event === 'change').length, rounds);
    stream.leave();
  }
  if (!isFull) return;
  assert.ok(kib <= 25, `${kib} KiB`);
  assert.ok(p95 <= 500, `${p95} ms`);
});

test('cost next to nothing while nothing happens', async () => {
  if (!isMeasurable) return;
  const seconds = isFull ? 60 : 5;
  const pid = service.child.pid ?? 0;
  const share = await atFullSpeed(async () => {
    const start = cpuMsOfProcess(pid);
    await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    return (cpuMsOfProcess(pid) - start) / (seconds * 10);
  });
  console.log(`idle: ${share.toFixed(2)} % of a core`);
  if (isFull) assert.ok(share < 2, `${share} %`);
});

test.run();
