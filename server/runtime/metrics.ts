import { timingSafeEqual } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import { Counter, collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { routeOf } from '../../adapters/http.ts';
import { exportTimings, Timings } from './timings.ts';

/** Upper bounds of the buckets of durations, in seconds: requests may wait for two minutes. */
export const durationBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120];

interface Described {
  name: string;
  help: string;
}

/** Numbers by the value of a label. */
export type Labelled = Readonly<Record<string, number>>;

/** A number that is read when the metrics are requested; with a `label`, a number for each of its values. */
export type Measure = Described & { kind: 'gauge' | 'counter' } & (
    | { label?: never; read(): number }
    | { label: string; read(): Labelled | Promise<Labelled> }
  );

function register(registry: Registry, { name, help, kind, label, read }: Measure): void {
  // A counter has what is used here of a gauge: it is read anew each time, too.
  const Metric = (kind === 'counter' ? Counter : Gauge) as typeof Gauge;
  new Metric({
    name,
    help,
    registers: [registry],
    labelNames: label === undefined ? [] : [label],
    async collect() {
      const value = await read();
      this.reset();
      if (label === undefined) this.inc(value as number);
      else for (const [of, number] of Object.entries(value)) this.inc({ [label]: of }, number);
    },
  });
}

let ofProcess: Registry | undefined;

/**
 * The metrics of this process. There is one set, however many services the process starts: it has an observer of
 * collections and a timer of the event loop that cannot be ended, and that would keep every closed service in memory.
 */
function processRegistry(): Registry {
  if (!ofProcess) {
    ofProcess = new Registry();
    collectDefaultMetrics({ register: ofProcess, prefix: 'tandem_' });
  }
  return ofProcess;
}

/** The answers of one route to one method. */
interface Answers {
  add(status: number, seconds: number): void;
}

/**
 * Counts and times answers. Returns a function that finds the counters of a route by its configuration object, which
 * each route has of its own; requests that match no route have none.
 */
function countAnswers(registry: Registry): (config: object | undefined, method: string, route: string) => Answers {
  const duration = new Timings(
    'tandem_http_request_duration_seconds',
    'Time from the request to the end of its response',
    durationBuckets,
  );
  const counts: { method: string; route: string; status: number; answers: number }[] = [];
  new Counter({
    name: 'tandem_http_requests_total',
    help: 'HTTP requests answered',
    labelNames: ['method', 'route', 'status'],
    registers: [registry],
    collect() {
      this.reset();
      for (const { method, route, status, answers } of counts) {
        this.inc({ method, route, status: String(status) }, answers);
      }
    },
  });
  exportTimings(registry, duration);
  const start = (method: string, route: string): Answers => {
    const timing = duration.of({ method, route });
    const byStatus = new Map<number, { answers: number }>();
    const countOf = (status: number) => {
      const count = { method, route, status, answers: 0 };
      counts.push(count);
      byStatus.set(status, count);
      return count;
    };
    return {
      add(status, seconds) {
        const count = byStatus.get(status) ?? countOf(status);
        count.answers++;
        timing.observe(seconds);
      },
    };
  };
  // Several configurations have no route: they count as one.
  const byName = new Map<string, Answers>();
  const find = (method: string, route: string): Answers => {
    const name = `${method} ${route}`;
    const answers = byName.get(name) ?? start(method, route);
    byName.set(name, answers);
    return answers;
  };
  const byConfig = new WeakMap<object, Map<string, Answers>>();
  return (config, method, route) => {
    if (!config) return find(method, route);
    const byMethod = byConfig.get(config) ?? new Map<string, Answers>();
    const answers = byMethod.get(method);
    if (answers) return answers;
    const found = find(method, route);
    byConfig.set(config, byMethod.set(method, found));
    return found;
  };
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
  const answered = countAnswers(registry);
  app.addHook('onResponse', (request, reply, done) => {
    const config = request.is404 ? undefined : request.routeOptions.config;
    answered(config, request.method, routeOf(request)).add(reply.statusCode, reply.elapsedTime / 1000);
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
