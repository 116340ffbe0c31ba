import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

/** Upper bounds of the buckets of durations, in seconds: requests may wait for two minutes. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

interface Described {
  name: string;
  help: string;
}

/** Numbers by the value of a label. */
export type Labelled = Readonly<Record<string, number>>;

/** A number that is read when the metrics are requested; with a `label`, a number for each of its values. */
export type Measure = Described &
  (
    | { kind: 'gauge' | 'counter'; label?: never; read(): number }
    | { kind: 'gauge'; label: string; read(): Labelled | Promise<Labelled> }
  );

function register(registry: Registry, { name, help, ...measure }: Measure): void {
  const options = { name, help, registers: [registry] };
  if (measure.label !== undefined) {
    const { label, read } = measure;
    new Gauge({
      ...options,
      labelNames: [label],
      async collect() {
        const numbers = Object.entries(await read());
        this.reset();
        for (const [value, number] of numbers) this.set({ [label]: value }, number);
      },
    });
    return;
  }
  const { kind, read } = measure;
  if (kind === 'gauge') {
    new Gauge({
      ...options,
      collect() {
        this.set(read());
      },
    });
    return;
  }
  new Counter({
    ...options,
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

let ofProcess: Registry | undefined;

/**
 * The metrics of this process. There is one set of them, whichever services it starts: the observer of collections and
 * the timer of the event loop behind them cannot be ended, and would keep every service that was closed.
 */
function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, prefix: 'tandem_' });
  }
  return ofProcess;
}

/**
 * Prometheus metrics at `/metrics`: requests by route and status, their duration, the process itself, `measures` and
 * what is in `more`. With a `token` they need it as a bearer.
 */
export function mountMetrics(
  app: FastifyInstance,
  token: string | undefined,
  measures: readonly Measure[],
  more: Registry,
): void {
  processRegistry(); // observes from the start
  const registry = new Registry();
  for (const measure of measures) register(registry, measure);
  const labelNames = ['method', 'route', 'status'] as const;
  const registers = [registry];
  const help = 'HTTP requests answered';
  const requests = new Counter({ name: 'tandem_http_requests_total', help, labelNames, registers });
  const duration = new Histogram({
    name: 'tandem_http_request_duration_seconds',
    help: 'Time from the request to the end of its response',
    labelNames: ['method', 'route'],
    buckets: durationBuckets,
    registers,
  });
  app.addHook('onResponse', (request, reply, done) => {
    const labels = { method: request.method, route: request.routeOptions.url ?? 'unknown' };
    requests.inc({ ...labels, status: String(reply.statusCode) });
    duration.observe(labels, reply.elapsedTime / 1000);
    done();
  });
  const expected = token === undefined ? undefined : Buffer.from(`Bearer ${token}`);
  app.get('/metrics', { config: { ungated: true } }, async (request, reply) => {
    const shown = Buffer.from(request.headers.authorization ?? '');
    if (expected && !(shown.length === expected.length && timingSafeEqual(shown, expected))) {
      return reply
        .code(401)
        .header('WWW-Authenticate', 'Bearer')
        .type('text/plain')
        .send('The metrics need a token: send METRICS_TOKEN as a bearer token.\n');
    }
    const all = Registry.merge([processRegistry(), registry, more]);
    return reply.type(all.contentType).send(await all.metrics());
  });
}
