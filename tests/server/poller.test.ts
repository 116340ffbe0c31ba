import { mock } from 'node:test';
import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startPoller } from '../../server/runtime/poller.ts';
import { until } from '../support/until.ts';

const test = suite('a poller');
const log = pino({ level: 'silent' });

test.after.each(() => {
  mock.restoreAll();
  mock.timers.reset();
});

for (const random of [0, 0.5, 0.999_999]) {
  test(`never pauses longer than it was told, and at least four fifths of it (at ${random})`, async () => {
    mock.method(Math, 'random', () => random);
    mock.timers.enable({ apis: ['setTimeout'] });
    let polls = 0;
    const settle = async () => {
      for (let turn = 0; turn < 20; turn++) await Promise.resolve();
    };
    const poll = async () => {
      polls++;
      return 1000;
    };
    const poller = startPoller(poll, 'not polled', log);
    await settle();
    assert.is(polls, 1, 'at once');
    mock.timers.tick(799);
    await settle();
    assert.is(polls, 1);
    mock.timers.tick(201);
    await settle();
    assert.is(polls, 2);
    await poller.stop();
  });
}

test('that fails is repeated, and ends when it is stopped', async () => {
  let polls = 0;
  const poll = async () => {
    if (++polls === 1) throw new Error('once');
    return 60_000;
  };
  const poller = startPoller(poll, 'not polled', log);
  await until(() => polls === 1);
  poller.wake();
  await until(() => polls === 2);
  await poller.stop();
  assert.is(polls, 2);
});

test.run();
