import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { createDiskStore } from '../../media/storage/disk.ts';
import { type AudioStore, StoreFault } from '../../media/storage/store.ts';
import { watchSpace } from '../../server/runtime/audio-space.ts';
import { mountHealth } from '../../server/runtime/health.ts';
import { withTriggers } from '../support/citus.ts';
import { ask, assertFrame } from '../support/frame.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { createServiceDatabase, type ScratchDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('a full disk');
let scratch: ScratchDatabase;
let tandem: TestService;

test.before(async () => {
  scratch = await createServiceDatabase();
  tandem = await startTestService({ DATABASE_URL: scratch.url, AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await tandem.close();
  await scratch.drop();
});

test('of the database answers writes with 503 and shows in /readyz until there is space again', async () => {
  const { call } = await tandem.workspace();
  const { driver } = tandem.db;
  const ready = () => ask(`${tandem.url}/readyz`);
  const name = new URL(scratch.url).pathname.slice(1);
  // What PostgreSQL says when a table cannot grow, and a limit that its temporary files meet.
  await withTriggers(tandem.db, [
    `create function refuse() returns trigger language plpgsql as $$
      begin raise exception 'could not extend file: No space left on device' using errcode = '53100'; end $$`,
    'create trigger refuse before insert on todo_lists execute function refuse()',
  ]);
  await driver.unsafe(`alter database "${name}" set temp_file_limit = '64kB'`);
  assert.equal((await ready()).body, { status: 'ok' });

  const refused = assertFrame(await call('POST /todo-lists', { name: 'A' }, { headers: { 'idempotency-key': 'one' } }));
  assert.is(refused.status, 503);
  assert.is(refused.headers.get('retry-after'), '2');
  assert.equal([refused.body.reason, refused.body.retryable], ['unavailable', true]);
  assert.not.match(refused.text, 'No space');
  assert.is((await call('GET /todo-lists')).status, 200, 'reads go on');
  for (let round = 0; round < 2; round++) {
    const { status, body } = await ready();
    assert.equal([status, body], [503, { status: 'database full' }]);
  }

  await withTriggers(tandem.db, ['drop trigger refuse on todo_lists']);
  await driver.unsafe(`alter database "${name}" reset temp_file_limit`);
  await until(async () => (await ready()).status === 200);
  const made = await call('POST /todo-lists', { name: 'A' }, { headers: { 'idempotency-key': 'one' } });
  assert.is(made.status, 201);
});

test('of the audio store shows in /readyz until there is space again', async () => {
  const disk = createDiskStore(join(tmpdir(), `tandem-space-${process.pid}`));
  let device: string | undefined = '/dev/full';
  const onDevice: AudioStore = {
    ...disk,
    put: async (key, bytes) => {
      if (device === undefined) return disk.put(key, bytes);
      await writeFile(device, bytes).catch((cause: unknown) => {
        throw new StoreFault('The audio store on disk failed.', { cause });
      });
    },
  };
  const { store, space } = watchSpace(onDevice);
  const db = connect(testDatabaseUrl(), { poolSize: 2 });
  const app = fastify();
  mountHealth(app, { db: db.for('health'), databaseSpace: db.space, audioSpace: space }, new AbortController().signal);
  const ready = async () => (await app.inject('/readyz')).json();
  try {
    assert.equal(await ready(), { status: 'ok' });
    const fault = await store.put('a/b', new Uint8Array(100)).catch((error: Error) => error);
    assert.instance(fault, StoreFault);
    assert.equal(await ready(), { status: 'audio storage full' });
    assert.equal(await ready(), { status: 'audio storage full' });
    device = undefined;
    assert.equal(await ready(), { status: 'ok' });
    assert.equal(await disk.list('probe/'), []);
  } finally {
    await app.close();
    await db.close();
    await disk.remove('probe/');
  }
});

test.run();
