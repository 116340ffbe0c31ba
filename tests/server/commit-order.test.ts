import pino from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { EngineName } from '../../db/engine/index.ts';
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
    const [row] = await tandem.db.driver.unsafe<{ value: string }[]>(
      "select current_setting('track_commit_timestamp') as value",
    );
    const found = await warnings((log) => checkCommitOrder(tandem.db, log));
    assert.is(found.length, row?.value === 'on' ? 0 : 1);
  } finally {
    await tandem.close();
  }
});

test('names the nodes of a cluster where it is off', async () => {
  // As servers answer that were started so: it holds for all databases of a server.
  const cases: [EngineName, (string | null)[], string | undefined][] = [
    ['postgres', [], undefined],
    ['postgres', [null], 'track_commit_timestamp is off: '],
    ['citus', [], undefined],
    ['citus', ['worker1:5432', 'worker2:5432'], 'track_commit_timestamp is off on worker1:5432, worker2:5432: '],
  ];
  const asked = {
    postgres: /current_setting\('track_commit_timestamp'\) <> 'on'/,
    citus: /run_command_on_all_nodes\('show track_commit_timestamp'\).* r\.result <> 'on'/s,
  };
  for (const [engine, nodes, expected] of cases) {
    const unsafe = async (text: string) => {
      assert.match(text, asked[engine]);
      return nodes.map((node) => ({ node }));
    };
    const db = { engine, driver: { unsafe } } as unknown as Parameters<typeof checkCommitOrder>[0];
    const [line, ...more] = await warnings((log) => checkCommitOrder(db, log));
    assert.equal(more, []);
    assert.is(line?.slice(0, expected?.length), expected);
  }
});

test.run();
