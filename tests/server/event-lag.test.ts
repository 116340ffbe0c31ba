import { setImmediate } from 'node:timers/promises';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { migrate } from '../../db/migrate.ts';
import { startSequencer } from '../../server/events/sequencer.ts';
import { createDatabase } from '../support/scratch.ts';
import { until } from '../support/until.ts';

const test = suite('the numbering of events');

test('has a lag that grows while it fails, and is over when it succeeds', async () => {
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

test('pauses also after a batch that found nothing, as where another process numbers what was committed here', async () => {
  const scratch = await createDatabase();
  const db = connect(scratch.url, { poolSize: 2 });
  await migrate(db.driver);
  const begun: number[] = [];
  const events = new Proxy(db.for('events'), {
    get: (target, name) => {
      if (name === 'transaction') begun.push(performance.now());
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const sequencer = startSequencer({ for: () => events }, pino({ level: 'silent' }));
  try {
    while (begun.length < 6) {
      sequencer.wake();
      await setImmediate();
    }
    // A pause of 50 ms, which may be shorter by a fifth, and is longer on a busy machine.
    const [first = 0, ...later] = begun.slice(0, 6);
    assert.ok((later.at(-1) ?? 0) - first >= 5 * 40, `${begun}`);
  } finally {
    await sequencer.stop();
    await db.close();
    await scratch.drop();
  }
});

test('keeps its pause after a failure, however many changes commit meanwhile', async () => {
  const scratch = await createDatabase();
  const db = connect(scratch.url, { poolSize: 2 });
  await migrate(db.driver);
  const events = db.for('events');
  let tries = 0;
  const failing = new Proxy(events, {
    get: (target, name) => {
      if (name === 'transaction') {
        tries++;
        return () => Promise.reject(new Error('not numbered'));
      }
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const sequencer = startSequencer({ for: () => failing }, pino({ level: 'silent' }));
  try {
    const begun = performance.now();
    while (tries < 3) {
      sequencer.wake();
      await setImmediate();
    }
    // Two pauses of a second, each shorter by up to a fifth.
    assert.ok(performance.now() - begun >= 2 * 800);
  } finally {
    await sequencer.stop();
    await db.close();
    await scratch.drop();
  }
});

test.run();
