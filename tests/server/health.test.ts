import fastify from 'fastify';
import postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { mountHealth } from '../../server/runtime/health.ts';
import { createServiceDatabase } from '../support/scratch.ts';

const test = suite('readiness');

test('ends while the database is read-only, and is back when it takes writes again', async () => {
  const scratch = await createServiceDatabase();
  const admin = postgres(scratch.url, { max: 1 });
  const name = new URL(scratch.url).pathname.slice(1);
  await admin.unsafe(`alter database "${name}" set default_transaction_read_only = on`);
  const db = connect(scratch.url, { poolSize: 2 });
  const space = { isFull: false, check: async () => {} };
  const app = fastify();
  mountHealth(app, { db: db.for('health'), databaseSpace: space, audioSpace: space }, new AbortController().signal);
  const ready = async () => {
    const { statusCode, body } = await app.inject('/readyz');
    return [statusCode, JSON.parse(body)];
  };
  try {
    assert.equal(await ready(), [503, { status: 'database read-only' }]);
    await admin.unsafe(
      `set default_transaction_read_only = off; alter database "${name}" reset default_transaction_read_only`,
    );
    assert.equal(await ready(), [200, { status: 'ok' }]);
  } finally {
    await app.close();
    await db.close();
    await admin.end();
    await scratch.drop();
  }
});

test.run();
