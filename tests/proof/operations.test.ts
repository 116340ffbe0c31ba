import { once } from 'node:events';
import { connect } from 'node:net';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { holdWorkspace, releaseAll, untilBlocked } from '../support/locks.ts';
import { freePort } from '../support/ports.ts';
import { launch, spawnService, startProcess, stopProcesses } from '../support/processes.ts';
import { createDatabase } from '../support/scratch.ts';
import { until, within } from '../support/until.ts';

const test = suite('operations');
const list = { name: 'Errands' };
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after.each(releaseAll);
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

test('/healthz and /readyz answer without a key', async () => {
  for (const path of ['/healthz', '/readyz']) {
    const { status, body, headers } = await ask(`${tandem.url}${path}`);
    assert.is(status, 200);
    assert.equal(body, { status: 'ok' });
    assert.ok(headers.get('x-request-id'));
  }
});

test('/metrics counts requests by route, and what clients invent makes no label', async () => {
  const { call } = await tandem.workspace();
  const { body } = await call('POST /todo-lists', list);
  await call(`GET /todo-lists/${body.id}`);
  for (const path of ['/invented/1', '/%zz', '/api/v1/invented?x=1', '/api/v1/todo-lists/invented']) {
    await ask(`${tandem.url}${path}`, { headers: { 'x-invented': '1' } });
    await ask(`${tandem.url}${path}`, { method: 'PUT' });
  }
  const { status, text, headers } = await ask(`${tandem.url}/metrics`);
  assert.is(status, 200);
  assert.match(headers.get('content-type') ?? '', 'text/plain');
  const routes = new Set(text.match(/route="[^"]*"/g));
  assert.ok(routes.has('route="/api/v1/todo-lists/:todoListId"'), [...routes].join(' '));
  assert.ok(routes.has('route="unknown"'));
  assert.not.match(text, /invented|%zz/);
  assert.not.match(text, body.id);
  assert.match(text, /tandem_http_requests_total\{method="POST",route="\/api\/v1\/todo-lists",status="201"\} [1-9]/);
  assert.match(text, 'tandem_http_request_duration_seconds_bucket');
  assert.match(text, 'tandem_process_resident_memory_bytes');
});

test('/metrics needs its token where one is set', async () => {
  const token = 'a-token-of-more-than-16-characters';
  const service = await startTestService({ METRICS_TOKEN: token });
  try {
    for (const authorization of ['', `Bearer ${token}x`, `Bearer ${token.slice(1)}`, token, 'Bearer']) {
      const answer = await ask(`${service.url}/metrics`, { headers: { authorization } });
      assert.is(answer.status, 401, authorization);
      assert.not.match(answer.text, 'tandem_');
    }
    const { status } = await ask(`${service.url}/metrics`, { headers: { authorization: `Bearer ${token}` } });
    assert.is(status, 200);
  } finally {
    await service.close();
  }
});

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const) {
  test(`${signal} lets a request in flight finish, and nothing new in`, async () => {
    const { workspaceId, key, call } = await tandem.workspace();
    // Whoever waited for the limit of a shutdown would wait for ten minutes.
    const service = await startProcess({ SHUTDOWN_SECONDS: '600' });
    const held = await holdWorkspace(workspaceId);
    const slow = service.call('POST /todo-lists', key, list);
    await untilBlocked('insert into "todo_lists"%');
    service.child.kill(signal);
    const isRefused = () =>
      ask(`${service.url}/healthz`).then(
        () => false,
        () => true,
      );
    await until(isRefused);
    assert.is(service.child.exitCode, null);
    await held.release();
    assert.is((await slow).status, 201);
    assert.is(await within(() => 'the process ends after the last answer', service.exited), 0);
    assert.is((await call('GET /todo-lists')).body.data.length, 2);
  });
}

test('a connection on which nothing was asked does not hold up the end', async () => {
  const service = await startProcess({ SHUTDOWN_SECONDS: '600' });
  const silent = connect(Number(new URL(service.url).port), '127.0.0.1');
  await once(silent, 'connect');
  await ask(`${service.url}/healthz`);
  silent.on('error', () => {});
  service.child.kill('SIGTERM');
  assert.is(await within(() => 'the process ends', service.exited), 0);
  silent.destroy();
});

test('a request that does not end is cut after SHUTDOWN_SECONDS, and its work is undone', async () => {
  const { workspaceId, key, call } = await tandem.workspace();
  const service = await startProcess({ SHUTDOWN_SECONDS: '1' });
  const held = await holdWorkspace(workspaceId);
  const stuck = service.call('POST /todo-lists', key, list, { 'idempotency-key': 'stuck' }).catch(() => null);
  await untilBlocked('insert into "todo_lists"%');
  service.child.kill('SIGTERM');
  assert.is(await service.exited, 0);
  assert.is(await stuck, null);
  await held.release();
  assert.is((await call('GET /todo-lists')).body.data.length, 1);
});

test('wrong settings are named, each in a line, without a stack', async () => {
  const broken = { PORT: 'abc', LOG_LEVEL: 'loud', METRICS_TOKEN: 'too-short', DATABASE_POOL_SIZE: '1' };
  const service = await launch(broken);
  assert.is(await service.exited, 1);
  const output = service.output();
  assert.match(output, 'PORT must be a whole number (it is “abc”)');
  assert.match(output, 'LOG_LEVEL must be one of');
  assert.match(output, 'METRICS_TOKEN must be at least 16 characters long');
  assert.match(output, 'DATABASE_POOL_SIZE must be between 2 and 500');
  assert.not.match(output, /too-short|\n {4}at |node_modules/);
});

test('a port that is taken is said in a sentence', async () => {
  const service = await launch({ PORT: String(tandem.service.port) });
  assert.is(await service.exited, 1);
  assert.match(service.output(), `Port ${tandem.service.port} on 127.0.0.1 is taken by another program.`);
  assert.not.match(service.output(), /\n {4}at |could not start: Port/);
});

test('a HOST that this machine does not have is said in a sentence, and not blamed on the database', async () => {
  for (const host of ['nowhere.invalid', '192.0.2.1']) {
    const service = await launch({ HOST: host });
    assert.is(await service.exited, 1);
    assert.match(
      service.output(),
      `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1.`,
    );
  }
});

test('three processes that start together on an empty database migrate it once and share its secrets', async () => {
  const scratch = await createDatabase();
  try {
    const services = await Promise.all([1, 2, 3].map(() => startProcess({ DATABASE_URL: scratch.url })));
    // A disk that is slow for a moment makes a process not ready for as long.
    const isReady = async (url: string) => (await ask(`${url}/readyz`)).status === 200;
    for (const service of services) await until(() => isReady(service.url), service.output);
    await Promise.all(services.map((service) => service.stop()));
    for (const service of services) assert.is(await service.exited, 0);
  } finally {
    await scratch.drop();
  }
});

test('a log that cannot be written, as on a full disk, neither stops the service nor keeps it from ending', async () => {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const service = spawnService({ PORT: String(port), LOG_LEVEL: 'info' }, undefined, '/dev/full');
  const statusOf = (path: string) =>
    ask(`${url}${path}`).then(
      ({ status }) => status,
      () => 0,
    );
  await until(async () => (await statusOf('/readyz')) === 200, service.output);
  for (let requests = 0; requests < 5; requests++) assert.is(await statusOf('/api/v1/none'), 404);
  service.child.kill('SIGTERM');
  assert.is(await within(() => 'the process ends', service.exited), 0);
});

test('addresses that the service names use the port it got', async () => {
  const service = await startProcess({ PORT: '0' });
  const { body } = await service.call('GET /', null);
  assert.is(body.documentationUrl, `${service.url}/docs`);
  assert.is(body.cliInstallUrl, `${service.url}/install.sh`);
});

test.run();
