import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import type postgres from 'postgres';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { openPgListener } from '../../server/pubsub/listener.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('the listening connection');

test('is left open by no close, however soon after the start it comes', async () => {
  const db = connect(testDatabaseUrl(), { poolSize: 1 });
  try {
    for (let round = 0; round < 80; round++) {
      const listener = openPgListener(db.url, pino({ level: 'silent' }));
      for (const channel of ['tandem_live', 'tandem_jobs']) listener.listen(channel, { onNotification: () => {} });
      await sleep((round % 40) / 2);
      await listener.close();
    }
    const open = `select count(*)::int as count from pg_stat_activity
      where application_name = 'tandem listener' and datname = current_database()`;
    // The server ends a connection shortly after its client did.
    await until(async () => (await db.rows<{ count: number }>(open, []))[0]?.count === 0);
  } finally {
    await db.close();
  }
});

test('hands on nothing before its listeners know of it: they read everything then', async () => {
  const received: string[] = [];
  // What another process sends while this one is still listening to its channels.
  const early = (connection: postgres.Sql) => connection.unsafe(`listen tandem_live; notify tandem_live, 'early'`);
  const listener = openPgListener(testDatabaseUrl(), pino({ level: 'silent' }), early);
  const db = connect(testDatabaseUrl(), { poolSize: 1 });
  try {
    listener.listen('tandem_live', {
      onNotification: (payload) => received.push(payload),
      onReconnect: () => {
        received.push('reconnect');
        db.notify('tandem_live', 'late');
      },
    });
    await until(() => received.includes('late'));
    assert.equal(received, ['reconnect', 'late']);
  } finally {
    await Promise.all([listener.close(), db.close()]);
  }
});

test.run();
