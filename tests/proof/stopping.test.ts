import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { openPassage } from '../support/passage.ts';
import { freePort } from '../support/ports.ts';
import { type ServiceProcess, spawnService, startProcess, stopProcesses } from '../support/processes.ts';
import { until, within } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('the end of a process');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(stopProcesses);
test.after(() => tandem.close());

const hours = { SHUTDOWN_SECONDS: '600', LAME_DUCK_SECONDS: '300' };

/** Waits until the process drains. */
function draining({ url, output }: ServiceProcess): Promise<void> {
  return until(async () => {
    const { status, body } = await ask(`${url}/readyz`);
    return status === 503 && body.status === 'stopping';
  }, output);
}

test('SIGTERM leaves it serving for the lame-duck period, streams included; Ctrl-C ends that, and each is answered', async () => {
  const { key } = await tandem.workspace();
  const service = await startProcess({ ...hours, AGENT_CONCURRENCY: '0' });
  const { id } = bodyOf(await service.call('POST /chats', key, { message: 'Wait' }), 201);
  const stream = await fetch(`${service.url}/api/v1/chats/${id}/stream`, {
    headers: { authorization: `Bearer ${key}` },
  });
  assert.is(stream.status, 200);
  const poll = service.call(`GET /chats/${id}/messages?afterSequence=1&waitSeconds=25`, key);
  service.child.kill('SIGTERM');
  await draining(service);
  // A process manager may signal it twice: by its own process, and by npm that passes the signal on.
  service.child.kill('SIGTERM');
  assert.is((await service.call('POST /todos', key, { title: 'In the lame-duck period' })).status, 201);
  assert.is((await ask(`${service.url}/healthz`)).status, 200);
  service.child.kill('SIGINT');
  assert.match(await stream.text(), 'retry:', 'it ends, and is not broken off');
  assert.equal(bodyOf(await poll).data, []);
  assert.is(await within(service.output, service.exited), 0);
});

test('a process without a load balancer ends at once', async () => {
  const service = await startProcess({ SHUTDOWN_SECONDS: '600' });
  service.child.kill('SIGTERM');
  assert.is(await within(service.output, service.exited), 0);
});

test('a process that gets SIGTERM before it has printed its address ends as well', async () => {
  const port = await freePort();
  const { child, output, exited } = spawnService({ PORT: `${port}` });
  const isListening = () =>
    fetch(`http://127.0.0.1:${port}/healthz`).then(
      () => true,
      () => false,
    );
  await until(isListening, output);
  child.kill('SIGTERM');
  assert.is(await within(output, exited), 0);
});

test('it ends within SHUTDOWN_SECONDS although the database is silent', async () => {
  const { key } = await tandem.workspace();
  const passage = await openPassage(testDatabaseUrl());
  try {
    const service = await startProcess({ DATABASE_URL: passage.url, SHUTDOWN_SECONDS: '6', LAME_DUCK_SECONDS: '1' });
    await service.call('GET /todos', key);
    passage.stall();
    const stuck = service.call('GET /todos', key).catch(() => null);
    service.child.kill('SIGTERM');
    assert.is(await within(service.output, service.exited), 0);
    await stuck;
  } finally {
    await passage.close();
  }
});

test.run();
