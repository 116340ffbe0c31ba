import { readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { queues } from '../../server/workers/work.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the dashboard, the alerts and the list of metrics');
const root = new URL('../../docs/', import.meta.url);
const read = (name: string) => readFileSync(new URL(name, root), 'utf8');

interface Panel {
  id: number;
  title: string;
  targets?: { expr: string }[];
}

let tandem: TestService;
/** The metrics that are exported, with the labels of their series. */
const exported = new Map<string, Set<string>>();

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '1' });
  const { call } = await tandem.workspace();
  assert.is((await call('GET /todos')).status, 200);
  assert.is((await call(`GET /todos/${crypto.randomUUID()}`)).status, 404);
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  for (const [, name = ''] of text.matchAll(/^# TYPE (\S+)/gm)) exported.set(name, new Set());
  for (const [, series = '', labels = ''] of text.matchAll(/^([a-z_]+)\{(.*)\} \S+$/gm)) {
    const known = exported.get(metricOf(series));
    for (const [, label = ''] of labels.matchAll(/([a-z_]+)="/g)) known?.add(label);
  }
});
test.after(() => tandem.close());

/** The metric of a series: those of a histogram have a suffix. */
function metricOf(series: string): string {
  return exported.has(series) ? series : series.replace(/_(bucket|sum|count)$/, '');
}

/** What is wrong with the metrics in an expression, and with the labels that it asks for. */
function faultsOf(expression: string): string[] {
  const faults: string[] = [];
  for (const [, series = '', selector = ''] of expression.matchAll(/(tandem_[a-z_]+)(?:\{([^}]*)\})?/g)) {
    const labels = exported.get(metricOf(series));
    if (!labels) faults.push(`${series} is not exported`);
    for (const [, label = ''] of selector.matchAll(/([a-z_]+)=/g)) {
      if (label !== 'instance' && !labels?.has(label)) faults.push(`${series} has no label ${label}`);
    }
  }
  const names = [...expression.matchAll(/tandem_[a-z_]+/g)].flatMap(([name]) => [
    ...(exported.get(metricOf(name)) ?? []),
  ]);
  for (const [, by = ''] of expression.matchAll(/\bby \(([^)]*)\)/g)) {
    for (const label of by.split(/,\s*/)) {
      if (label !== 'instance' && !names.includes(label))
        faults.push(`no metric of ${expression} has the label ${label}`);
    }
  }
  return faults;
}

/** The expressions of the alert rules, each in one line. */
function alertExpressions(): string[] {
  const rules = read('observability/alerts.yaml')
    .split(/^ {6}- alert: /m)
    .slice(1);
  return rules.map((rule) => {
    const [, expression = ''] = /^ {8}expr: (?:>-\n)?([\s\S]*?)\n {8}\w+:/m.exec(rule) ?? [];
    return expression.replace(/\s+/g, ' ').trim();
  });
}

const dashboard = JSON.parse(read('observability/grafana-dashboard.json')) as {
  panels: Panel[];
  templating: { list: { query: string }[] };
};
const panelExpressions = () => dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr));

test('name only metrics and labels that are exported', () => {
  const alerts = alertExpressions();
  assert.is(alerts.length, 14);
  const variables = dashboard.templating.list.map(({ query }) => query);
  for (const expression of [...alerts, ...panelExpressions()]) {
    assert.match(expression, /tandem_[a-z_]+|^up\{/);
    assert.equal(faultsOf(expression), []);
  }
  assert.equal(variables.flatMap(faultsOf), []);
});

test('have advice for each alert', () => {
  const advice = read('observability.md').split('## What to do')[1] ?? '';
  const names = [...read('observability/alerts.yaml').matchAll(/- alert: (\w+)/g)].map(([, name]) => name);
  assert.equal(
    names.filter((name) => !advice.includes(`(\`${name}\`)`)),
    [],
  );
});

/** What an expression leaves out of the requests: the pattern of `route!~`, as a whole. */
const leftOut = (expression: string) =>
  [...expression.matchAll(/tandem_http_\w+(?:\{([^}]*)\})?/g)].map(
    ([, selector = '']) => new RegExp(`^(?:${/route!~"([^"]*)"/.exec(selector)?.[1] ?? ''})$`),
  );

test('leave health checks out of the requests, and out of their durations what is open for hours', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics', '/mcp']) await (await fetch(`${tandem.url}${path}`)).text();
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  const routes = new Set(
    [...text.matchAll(/^tandem_http_requests_total\{.*route="([^"]*)"/gm)].map(([, name]) => name),
  );
  const { paths } = JSON.parse(readFileSync(new URL('../openapi.json', root), 'utf8')) as { paths: object };
  const streams = Object.entries(paths).filter(([, path]) => JSON.stringify(path).includes('"text/event-stream"'));
  assert.is(streams.length, 2);
  const ofOperations = streams.map(([path]) => `/api/v1${path.replace(/\{(\w+)\}/g, ':$1')}`);
  const expressions = [...alertExpressions(), ...panelExpressions()].filter(
    (each) => each.includes('tandem_http_') && !each.includes('route="/readyz"'),
  );
  assert.is(expressions.length, 5);
  for (const expression of expressions) {
    const isDuration = expression.includes('duration');
    for (const pattern of leftOut(expression)) {
      for (const route of ['/healthz', '/readyz', '/metrics', ...(isDuration ? ['/mcp'] : [])]) {
        assert.ok(routes.has(route) && pattern.test(route), `${route} in ${expression}`);
      }
      for (const route of ofOperations) assert.is(pattern.test(route), isDuration, `${route} in ${expression}`);
      assert.not.ok(pattern.test('/api/v1/todos'));
    }
  }
});

test('find a metric and a label that do not exist', () => {
  assert.equal(faultsOf('rate(tandem_invented_total[5m])'), ['tandem_invented_total is not exported']);
  assert.equal(faultsOf('tandem_queue_depth{kind="x"}'), ['tandem_queue_depth has no label kind']);
  assert.is(faultsOf('sum by (route) (tandem_queue_depth)').length, 1);
});

test('count the jobs of every queue', async () => {
  const text = await (await fetch(`${tandem.url}/metrics`)).text();
  for (const name of ['tandem_jobs_done_total', 'tandem_jobs_failed_total']) {
    const found = [...text.matchAll(new RegExp(`^${name}{queue="(\\w+)"} \\d+$`, 'gm'))].map(([, queue]) => queue);
    // Without a mail server no process sends emails.
    assert.equal([...found, 'emails'].sort(), Object.keys(queues).sort(), name);
  }
});

test('show and describe every metric of the service', () => {
  const ours = [...exported.keys()].filter((name) => name.startsWith('tandem_') && !/_(process|nodejs)_/.test(name));
  const guide = read('observability.md');
  const undescribed = ours.filter((name) => !guide.includes(`\`${name}\``));
  assert.equal(undescribed, []);
  const shown = new Set(
    panelExpressions()
      .flatMap((each) => each.match(/tandem_[a-z_]+/g) ?? [])
      .map(metricOf),
  );
  assert.equal(
    ours.filter((name) => !shown.has(name)),
    ['tandem_recordings_stored_bytes_total'],
  );
  const described = [...guide.matchAll(/`(tandem_[a-z_]+)`/g)].map(([, name = '']) => name);
  assert.equal(
    described.filter((name) => !exported.has(name)),
    [],
  );
});

test('give each panel an id of its own', () => {
  const ids = dashboard.panels.map(({ id }) => id);
  assert.is(new Set(ids).size, ids.length);
});

test.run();
