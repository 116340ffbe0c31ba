import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import type { Db } from '../../db/db.ts';
import { migrate } from '../../db/migrate.ts';
import { type Sequencer, startSequencer } from '../../server/events/sequencer.ts';
import { createDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('the numbering of events');

/** Numbers the events of an empty database while `work` runs. `transaction`: in place of that of its connections. */
async function numbering(
  work: (sequencer: Sequencer, db: Database) => Promise<void>,
  transaction?: (events: Db) => unknown,
): Promise<void> {
  const scratch = await createDatabase();
  const db = connect(scratch.url, { poolSize: 2 });
  await migrate(db.driver);
  const events = new Proxy(db.for('events'), {
    get: (target, name) => {
      if (name === 'transaction' && transaction) return transaction(target);
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const sequencer = startSequencer({ for: () => events }, pino({ level: 'silent' }));
  try {
    await work(sequencer, db);
  } finally {
    await sequencer.stop();
    await db.close();
    await scratch.drop();
  }
}

/** Says that an event was committed, again and again, until `isOver`. */
async function wakeUntil(sequencer: Sequencer, isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    sequencer.wake();
    await setImmediate();
  }
}

test('has a lag that grows while it fails, and is over when it succeeds', () =>
  numbering(async (sequencer, db) => {
    const lag = () => {
      const [measure] = sequencer.measures;
      assert.ok(measure && measure.label === undefined);
      return measure.read();
    };
    assert.is(lag(), 0);
    await db.driver.unsafe('alter table event_queue rename to hidden_events');
    await until(() => lag() > 0);
    await db.driver.unsafe('alter table hidden_events rename to event_queue');
    await until(() => lag() === 0);
  }));

test('pauses also after a batch that found nothing, as where another process numbers what was committed here', async () => {
  const begun: number[] = [];
  const noted = (events: Db) => {
    begun.push(performance.now());
    return events.transaction.bind(events);
  };
  await numbering((sequencer) => wakeUntil(sequencer, () => begun.length >= 6), noted);
  // A pause of 50 ms, which may be shorter by a fifth, and is longer on a busy machine.
  assert.ok((begun[5] ?? 0) - (begun[0] ?? 0) >= 5 * 40, `${begun}`);
});

test('keeps its pause after a failure, however many changes commit meanwhile', async () => {
  const begun: number[] = [];
  const failing = () => {
    begun.push(performance.now());
    return () => Promise.reject(new Error('not numbered'));
  };
  await numbering((sequencer) => wakeUntil(sequencer, () => begun.length >= 3), failing);
  // Two pauses of a second, each shorter by up to a fifth.
  assert.ok((begun[2] ?? 0) - (begun[0] ?? 0) >= 2 * 800, `${begun}`);
});

test.run();
