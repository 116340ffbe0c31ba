import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/config.ts';
import { tracingSettings } from '../../server/tracing/settings.ts';
import { beginRoot, currentSpan, isTracing, traced, tracedAsRoot } from '../../server/tracing/spans.ts';
import { startTracing } from '../../server/tracing/start.ts';
import { parseTraceparent, traceparentOf } from '../../server/tracing/traceparent.ts';
import { type Collector, startCollector } from '../support/otlp-collector.ts';
import { until } from '../support/until.ts';

const test = suite('the settings of traces, and their collector');
let collector: Collector;
let warnings: string[];

test.before.each(async () => {
  collector = await startCollector();
  warnings = [];
});
test.after.each(() => collector.close());

/** Switches traces on with these settings beside the endpoint. */
function start(more: Record<string, string> = {}) {
  const environment = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: '20', ...more };
  const settings = tracingSettings(parseConfig(environment));
  return startTracing(settings, (_, message) => void warnings.push(message));
}

const span = (name: string) => tracedAsRoot(name, {}, async () => {});

test('are off by default, and then nothing is made', async () => {
  assert.is(tracingSettings(parseConfig({})), undefined);
  const stop = await startTracing(undefined, () => {});
  assert.is(isTracing(), false);
  assert.equal([beginRoot('x', undefined), currentSpan()], [undefined, undefined]);
  assert.is(await traced('x', {}, async () => currentSpan()), undefined);
  await stop();
});

test('are off with OTEL_SDK_DISABLED, and without an exporter', () => {
  const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' };
  assert.is(tracingSettings(parseConfig({ ...endpoint, OTEL_SDK_DISABLED: 'true' })), undefined);
  assert.is(tracingSettings(parseConfig({ ...endpoint, OTEL_TRACES_EXPORTER: 'none' })), undefined);
});

test('are those of the specification', () => {
  const settings = tracingSettings(
    parseConfig({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'https://collector.example/otlp/',
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc%3D, x-tenant=7',
      OTEL_RESOURCE_ATTRIBUTES: 'service.name=ignored,zone=a',
      OTEL_SERVICE_NAME: 'work',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.25',
    }),
  );
  assert.equal(settings, {
    endpoint: 'https://collector.example/otlp/v1/traces',
    headers: { authorization: 'Basic abc=', 'x-tenant': '7' },
    timeoutMs: 10_000,
    delayMs: 5000,
    resource: { 'service.name': 'work', zone: 'a' },
    sampler: 'parentbased_traceidratio',
    ratio: 0.25,
  });
  const own = { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://localhost:4318/custom' };
  assert.is(tracingSettings(parseConfig(own))?.endpoint, 'http://localhost:4318/custom');
});

test('are refused when they are not valid, and what is secret is not shown', () => {
  const bad: [string, string, RegExp][] = [
    ['OTEL_EXPORTER_OTLP_ENDPOINT', 'localhost:4317', /must be an http or https address/],
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', /must be http\/json/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'Zq9xSecret', /must be name=value pairs/],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=Zq9xSecret%', /must be name=value pairs/],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', /must be one of always_on/],
    ['OTEL_TRACES_SAMPLER_ARG', '2', /must be a number from 0 to 1/],
  ];
  for (const [name, value, message] of bad) {
    assert.throws(
      () => parseConfig({ [name]: value }),
      (error: Error) => message.test(error.message) && error.message.includes(name) && !/Zq9x/.test(error.message),
      name,
    );
  }
});

test('sample nothing, everything, or a share of the traces', async () => {
  const counts: Record<string, number> = {};
  for (const [sampler, ratio] of [
    ['always_off', '1'],
    ['always_on', '0'],
    ['traceidratio', '0.5'],
  ] as const) {
    const stop = await start({ OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: ratio });
    for (let count = 0; count < 200; count++) await span(sampler);
    await stop();
    counts[sampler] = collector.spans.filter(({ name }) => name === sampler).length;
  }
  assert.is(counts.always_off, 0);
  assert.is(counts.always_on, 200);
  // 200 throws of a coin: outside of these bounds once in 10^16.
  assert.ok((counts.traceidratio ?? 0) > 40 && (counts.traceidratio ?? 0) < 160, String(counts.traceidratio));
});

test('a collector that is busy gets the same spans again', async () => {
  collector.status = 503;
  const stop = await start();
  await span('late');
  await until(() => collector.headers.length >= 2);
  assert.equal([...new Set(warnings)], ['spans not exported']);
  collector.status = 200;
  await until(() => collector.spans.length > 0);
  await stop();
  assert.equal(
    collector.spans.map(({ name }) => name),
    ['late'],
  );
});

test('spans that a collector refuses are dropped, and the queue has an end', async () => {
  collector.status = 401;
  const stop = await start();
  await span('refused');
  await until(() => warnings.includes('spans dropped'));
  collector.status = 503;
  for (let count = 0; count < 5000; count++) await span('too many');
  collector.status = 200;
  await stop();
  const { length } = collector.spans;
  assert.ok(length > 0 && length <= 2560, String(length));
  assert.equal([...new Set(collector.spans.map(({ name }) => name))], ['too many']);
});

test('the end of the process sends what is left', async () => {
  const stop = await start({ OTEL_BSP_SCHEDULE_DELAY: '600000' });
  await span('last');
  assert.equal(collector.spans, []);
  await stop();
  assert.equal(
    collector.spans.map(({ name }) => name),
    ['last'],
  );
});

test('traceparent is read as W3C Trace Context has it', () => {
  const [traceId, spanId] = ['0af7651916cd43dd8448eb211c80319c', 'b7ad6b7169203331'];
  const read = { traceId, spanId, isSampled: true };
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-01`), read);
  assert.equal(parseTraceparent(`00-${traceId}-${spanId}-02`), { ...read, isSampled: false });
  assert.equal(parseTraceparent(`cc-${traceId}-${spanId}-01-more`), read);
  assert.is(traceparentOf(read), `00-${traceId}-${spanId}-01`);
  assert.is(traceparentOf({ ...read, isSampled: false }), `00-${traceId}-${spanId}-00`);
  const zeros = '0'.repeat(32);
  for (const bad of [
    undefined,
    '',
    [`00-${traceId}-${spanId}-01`],
    `00-${traceId}-${spanId}-01-more`,
    `ff-${traceId}-${spanId}-01`,
    `00-${zeros}-${spanId}-01`,
    `00-${traceId}-${zeros.slice(16)}-01`,
    `00-${traceId.toUpperCase()}-${spanId}-01`,
    `00-${traceId}-${spanId}`,
  ]) {
    assert.is(parseTraceparent(bad), undefined, String(bad));
  }
});

test.run();
