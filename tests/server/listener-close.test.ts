import { setTimeout as sleep } from 'node:timers/promises';
import { pino } from 'pino';
import { suite } from 'uvu';
import { connect } from '../../db/client.ts';
import { openPgListener } from '../../server/pubsub/listener.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('closing the listening connection');

test('leaves no connection behind, however soon after the start it comes', async () => {
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

test.run();
