import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { checkCommitOrder } from '../../server/database.ts';
import { startTestService } from '../support/harness.ts';

const test = suite('the check of track_commit_timestamp');

async function warnings(check: (log: pino.Logger) => Promise<void>): Promise<string[]> {
  const lines: string[] = [];
  await check(pino({ level: 'warn' }, { write: (line) => lines.push(JSON.parse(line).msg) }));
  return lines;
}

test('warns where it is off, and only there', async () => {
  const tandem = await startTestService();
  try {
    const { driver } = tandem.db;
    const setting = "select current_setting('track_commit_timestamp') as value";
    const [row] = await driver.unsafe<{ value: string }[]>(setting);
    const found = await warnings((log) => checkCommitOrder(driver, log));
    assert.is(found.length, row?.value === 'on' ? 0 : 1);
  } finally {
    await tandem.close();
  }
  for (const [value, count] of Object.entries({ on: 0, off: 1 })) {
    // As a server says it that was started with this value: it holds for all databases of a server.
    const unsafe = async (text: string) => {
      assert.match(text, /current_setting\('track_commit_timestamp'\) = 'on'/);
      return [{ isTracked: value === 'on' }];
    };
    const driver = { unsafe } as unknown as Parameters<typeof checkCommitOrder>[0];
    const found = await warnings((log) => checkCommitOrder(driver, log));
    assert.is(found.length, count);
    for (const text of found) assert.match(text, /track_commit_timestamp is off/);
  }
});

test.run();
