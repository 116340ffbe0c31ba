import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../server/config.ts';
import { createLog } from '../../server/log.ts';
import { tracingSettings } from '../../server/tracing/settings.ts';
import { tracedAsRoot } from '../../server/tracing/spans.ts';
import { startTracing } from '../../server/tracing/start.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';
import { closeModelServers, requestOf, underTest } from '../support/model-engine.ts';
import { type Collector, type ReceivedSpan, startCollector } from '../support/otlp-collector.ts';
import { reply, ScriptedEngine, settled, use } from '../support/scripted-engine.ts';
import { until } from '../support/until.ts';
import { type Receiver, startReceiver } from '../support/webhook-receiver.ts';
import { happen, loopback, newEndpoint, unlimited } from '../support/webhook-world.ts';

/* The spans of a whole service, as a collector gets them. */

const test = suite('traces');
const engine = new ScriptedEngine();
const lines: string[] = [];
/** Stands in what people write below: no span may have it. */
const mark = 'Zq9xMark';
let collector: Collector;
let stop: () => Promise<void>;
let receiver: Receiver;
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  [collector, receiver] = await Promise.all([startCollector(), startReceiver()]);
  const config = parseConfig({
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'x-collector-key=a%20key',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=test',
    OTEL_BSP_SCHEDULE_DELAY: '20',
  });
  stop = await startTracing(tracingSettings(config), (error, message) => {
    throw new Error(`${message}: ${String(error)}`);
  });
  const log = createLog({ LOG_LEVEL: 'debug', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  tandem = await startTestService(loopback, { engine, log, ...unlimited });
});
test.before.each(async () => {
  workspace = await tandem.workspace();
});
test.after(async () => {
  await tandem.close();
  await stop();
  await receiver.close();
  await collector.close();
  await closeModelServers();
});

const newTraceId = () => crypto.randomUUID().replaceAll('-', '');
const callerId = 'b7ad6b7169203331';
const traced = (traceId: string, flags = '01') => ({ headers: { traceparent: `00-${traceId}-${callerId}-${flags}` } });
const isRequest = ({ kind }: ReceivedSpan) => kind === 2;
const below = (spans: readonly ReceivedSpan[], parent: ReceivedSpan | undefined) =>
  spans.filter(({ parentSpanId }) => parent !== undefined && parentSpanId === parent.spanId);

test('a request is a span below that of its caller, with its operation and its statements', async () => {
  const traceId = newTraceId();
  const made = await workspace.call('POST /todos', { title: mark }, traced(traceId));
  assert.is(made.status, 201, made.text);
  const spans = await collector.trace(traceId, isRequest);
  const [request, ...others] = spans.filter(isRequest);
  assert.equal(others, []);
  assert.is(request?.name, 'POST /api/v1/todos');
  assert.is(request?.parentSpanId, callerId);
  assert.equal(request?.attributes, {
    'http.request.method': 'POST',
    'http.route': '/api/v1/todos',
    'http.response.status_code': 201,
    'tandem.request_id': made.headers.get('x-request-id'),
  });
  const operation = below(spans, request).find(({ name }) => name === 'operation createTodo');
  assert.ok(operation, JSON.stringify(spans.map(({ name }) => name)));
  const statements = below(spans, operation);
  assert.ok(statements.some(({ name }) => /^insert .*todos.* #[0-9a-f]{8}$/.test(name)));
  for (const { kind, attributes } of statements) {
    assert.equal([kind, attributes], [3, { 'db.system.name': 'postgresql' }]);
  }
  for (const { startTimeUnixNano, endTimeUnixNano, status } of spans) {
    assert.ok(BigInt(startTimeUnixNano) <= BigInt(endTimeUnixNano));
    assert.equal(status, {});
  }
  assert.equal(collector.resource, {
    'service.instance.id': collector.resource['service.instance.id'],
    'deployment.environment.name': 'test',
    'service.name': 'tandem',
  });
  assert.is(collector.headers[0]?.['x-collector-key'], 'a key');
});

test('the calls of a batch over tRPC and the tools over MCP have spans', async () => {
  const traceId = newTraceId();
  const input = encodeURIComponent(JSON.stringify({ 0: {}, 1: {} }));
  const headers = { authorization: `Bearer ${workspace.key}`, ...traced(traceId).headers };
  await (await fetch(`${tandem.url}/trpc/todos.list,todoLists.list?batch=1&input=${input}`, { headers })).text();
  const spans = await collector.trace(traceId, isRequest);
  const names = below(spans, spans.find(isRequest)).map(({ name }) => name);
  assert.ok(names.includes('operation listTodos') && names.includes('operation listTodoLists'), names.join());
  await callTool(tandem.url, workspace.key, 'list_todos', {});
  const tool = await collector.span(({ name }) => name === 'tool list_todos');
  const request = await collector.span(({ spanId }) => spanId === tool.parentSpanId);
  assert.is(request.name, 'POST /mcp');
});

test('a refused call has its code, and only a failure of the service is an error', async () => {
  const traceId = newTraceId();
  const { status } = await workspace.call(`GET /todos/${crypto.randomUUID()}`, undefined, traced(traceId));
  assert.is(status, 404);
  const spans = await collector.trace(traceId, isRequest);
  const operation = spans.find(({ name }) => name === 'operation getTodo');
  assert.equal([operation?.status, operation?.attributes], [{}, { 'error.type': 'resource_not_found' }]);
  const failing = tracedAsRoot('failing', {}, () => tandem.db.rows('select $1::int / 0 as failed', [1]));
  await failing.catch(() => {});
  const root = await collector.span(({ name }) => name === 'failing');
  const statement = await collector.span(({ parentSpanId }) => parentSpanId === root.spanId);
  for (const { status: ended, attributes } of [root, statement]) {
    assert.equal([ended, attributes['error.type']], [{ code: 2 }, '22012']);
  }
});

test('a turn of an agent is a trace with its steps, calls of the model and of tools', async () => {
  const plan = engine.plan((_, asked) => (asked > 0 ? reply('Done.') : use(['create_todo', { title: mark }])));
  const chat = await workspace.call('POST /chats', { message: `Do it: ${plan}` });
  await settled(workspace, chat.body.id);
  const job = await collector.span(
    ({ name, attributes }) => name === 'job chat_turns' && attributes['tandem.workspace_id'] === workspace.workspaceId,
  );
  assert.is(job.parentSpanId, undefined);
  const spans = await collector.trace(job.traceId, ({ spanId }) => spanId === job.spanId);
  const steps = below(spans, job).filter(({ name }) => name === 'turn step');
  assert.equal(
    steps.map(({ attributes }) => attributes['tandem.step']),
    ['ask', 'call', 'ask'],
  );
  const [first, second] = steps;
  const model = below(spans, first).find(({ name }) => name === 'model turn');
  assert.equal(model?.attributes, { 'gen_ai.request.model': engine.name });
  assert.ok(below(spans, second).some(({ name }) => name === 'tool create_todo'));
});

test('requests to models and webhooks have a span, and name it to the other side', async () => {
  const { engine: model, server } = await underTest('openai-compatible', () => ({ text: 'Hello' }));
  await tracedAsRoot('asking', {}, () => model.answer(requestOf()));
  const asking = await collector.span(({ name }) => name === 'asking');
  const sent = await collector.span(({ parentSpanId }) => parentSpanId === asking.spanId);
  assert.is(server.received[0]?.headers.traceparent, `00-${asking.traceId}-${sent.spanId}-01`);
  assert.equal([sent.name, sent.kind], ['POST', 3]);
  assert.equal(sent.attributes, { 'http.request.method': 'POST', 'http.response.status_code': 200 });

  await newEndpoint(tandem, workspace, { url: receiver.url(`/${mark}`) });
  await happen(tandem, workspace.workspaceId, 1);
  const [webhook] = await receiver.received(`/${mark}`, 1);
  const [, traceId = '', spanId = ''] = String(webhook?.headers.traceparent).split('-');
  const spans = await collector.trace(traceId, ({ name }) => name === 'job webhook_endpoints');
  assert.is(spans.find((span) => span.spanId === spanId)?.name, 'POST');
});

test('a caller that does not record its trace is followed, and one that sends nonsense is ignored', async () => {
  const [unsampled, sampled] = [newTraceId(), newTraceId()];
  await workspace.call('GET /todos', undefined, traced(unsampled, '00'));
  const nonsense = await workspace.call('GET /todos', undefined, { headers: { traceparent: `00-${sampled}-0-01` } });
  const requestId = nonsense.headers.get('x-request-id');
  const span = await collector.span(({ attributes }) => attributes['tandem.request_id'] === requestId);
  assert.is(span.parentSpanId, undefined);
  assert.equal(
    collector.spans.filter(({ traceId }) => traceId === unsampled || traceId === sampled),
    [],
  );
});

test('health checks and metrics have none, and a background statement has none of its own', async () => {
  for (const path of ['/healthz', '/readyz', '/metrics']) await (await fetch(`${tandem.url}${path}`)).text();
  await tandem.db.rows('select 1 from todo_lists limit 0', []);
  const traceId = newTraceId();
  await workspace.call('GET /todos', undefined, traced(traceId));
  await collector.trace(traceId, isRequest);
  assert.equal(
    collector.spans.filter(({ name }) => /healthz|readyz|metrics/.test(name)),
    [],
  );
  const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === undefined);
  assert.equal(
    roots.filter(({ kind }) => kind === 3),
    [],
  );
});

test('log lines of a request name its trace', async () => {
  const traceId = newTraceId();
  const account = { email: 'nobody@example.com', password: `${mark} is wrong` };
  await tandem.call('POST /auth/sessions', account, traced(traceId));
  const refused = () =>
    lines
      .map((line) => JSON.parse(line))
      .find(({ msg, ...line }) => msg === 'security event' && line.traceId === traceId);
  await until(refused, () => lines.slice(-5).join(''));
  assert.is(refused().operation, 'signIn');
});

test('nothing that people write is in a span, and every request was OTLP', () => {
  assert.ok(collector.spans.length > 50, String(collector.spans.length));
  const text = JSON.stringify([collector.spans, collector.resource]);
  assert.not.match(text, mark);
  assert.not.match(text, workspace.key);
  assert.not.match(text, '127.0.0.1');
  assert.equal(collector.faults, []);
});

test.run();
