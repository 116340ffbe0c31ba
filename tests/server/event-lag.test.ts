import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { startSequencer } from '../../server/events/sequencer.ts';
import { createDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('the lag of events');

test('grows while they cannot be numbered, and is over when they can', async () => {
  const scratch = await createDatabase();
  const db = connect(scratch.url, { poolSize: 2 });
  await migrate(db.driver);
  const sequencer = startSequencer(db, pino({ level: 'silent' }));
  const lag = () => {
    const [measure] = sequencer.measures;
    assert.ok(measure && measure.label === undefined);
    return measure.read();
  };
  try {
    assert.is(lag(), 0);
    await db.driver.unsafe('alter table event_queue rename to hidden_events');
    await until(() => lag() > 0);
    await db.driver.unsafe('alter table hidden_events rename to event_queue');
    await until(() => lag() === 0);
  } finally {
    await sequencer.stop();
    await db.close();
    await scratch.drop();
  }
});

test.run();
