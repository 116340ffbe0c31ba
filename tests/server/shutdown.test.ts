import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { OpenDatabase } from '../../server/database.ts';
import type { RunningService } from '../../server/process.ts';
import { shutDown } from '../../server/shutdown.ts';
import { within } from '../support/until.ts';

const test = suite('shutdown');
const log = pino({ level: 'silent' });

/** A service and its database that write down what is done to them. */
function recorded(close: () => Promise<void>) {
  const calls: string[] = [];
  const seconds: number[] = [];
  const closeAllConnections = () => calls.push('cut');
  const service = {
    app: { server: { closeAllConnections } },
    drain: () => calls.push('drain'),
    close: () => {
      calls.push('close');
      return close();
    },
  } as unknown as RunningService;
  const database = {
    close: async (limit: number) => {
      calls.push('close database');
      seconds.push(limit);
    },
  } as unknown as OpenDatabase;
  return { calls, seconds, service, database };
}

test('drains first, then closes the service, then the database', async () => {
  const { calls, seconds, service, database } = recorded(async () => {});
  const hurry = new AbortController();
  const done = shutDown(service, database, { SHUTDOWN_SECONDS: 600, LAME_DUCK_SECONDS: 300 }, log, hurry.signal);
  assert.equal(calls, ['drain'], 'it serves for the lame-duck period');
  hurry.abort();
  await within(() => calls.join(), done);
  assert.equal(calls, ['drain', 'close', 'close database']);
  assert.ok(seconds.every((each) => each > 0 && each <= 600));
});

test('what never ends is cut, and the database is closed all the same', async () => {
  const { calls, seconds, service, database } = recorded(() => new Promise(() => {}));
  const times = { SHUTDOWN_SECONDS: 1, LAME_DUCK_SECONDS: 0 };
  await within(() => calls.join(), shutDown(service, database, times, log, new AbortController().signal));
  assert.equal(calls, ['drain', 'close', 'cut', 'close database']);
  assert.ok(seconds.every((each) => each < 2));
});

test.run();
