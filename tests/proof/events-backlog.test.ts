import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { openEmbedded } from '../../db/embedded/index.ts';
import { migrate } from '../../db/migrate.ts';
import { numberEvents, numberMany } from '../../domain/events/number.ts';
import { record } from '../support/event-fixtures.ts';
import { checkLog, makeLedger } from '../support/event-proof.ts';
import { countOf } from '../support/proof-size.ts';

/*
 * Events that were queued while no process numbered them. In a PostgreSQL of its own: those of the run number what they
 * find.
 */

const test = suite('a backlog of events');
const backlog = countOf('EVENT_BACKLOG', { ci: 45_000, full: 1_000_000 });
const writers = 4;
const maxGrowthMiB = 64;

let dataDir: string;
let embedded: Awaited<ReturnType<typeof openEmbedded>>;
let db: Database;

test.before(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'tandem-backlog-'));
  embedded = await openEmbedded({ dataDir });
  db = connect(embedded.url, { poolSize: 8 });
  await migrate(db.driver);
});
test.after(async () => {
  await db.close();
  await embedded.stop();
  await rm(dataDir, { recursive: true, force: true });
});

/** Transactions of one to three events, one after another, in a session of their own. */
const writing = (workspaceId: string, ledger: string, events: number) => `do $$
  declare made int := 0; size int;
  begin
    set synchronous_commit = off;
    while made < ${events} loop
      size := least(1 + made % 3, ${events} - made);
      with added as (
        insert into event_queue (workspace_id, id, type, object_id, parents, changed_fields, actor_type, via)
        select '${workspaceId}', id, 'todo.created', id, '{}', '{}', 'service', 'schedule'
        from (select uuidv7() as id from generate_series(1, size) offset 0) ids returning id
      ) insert into ${ledger} (id, transaction) select id, pg_current_xact_id() from added;
      made := made + size;
      commit;
    end loop;
  end $$`;

async function fill(workspaceId: string, ledger: string, events: number): Promise<void> {
  const sessions = Array.from({ length: writers }, () => connect(embedded.url, { poolSize: 1 }));
  const each = Math.ceil(events / writers);
  await Promise.all(sessions.map(({ driver }) => driver.unsafe(writing(workspaceId, ledger, each))));
  await Promise.all(sessions.map((session) => session.close()));
}

const queued = 'select count(*)::int as count from event_queue where workspace_id = $1';
const countQueued = async (workspaceId: string) =>
  (await db.rows<{ count: number }>(queued, [workspaceId]))[0]?.count ?? Number.NaN;

test('is numbered in batches, in the order of the commits, and delays no other workspace', async () => {
  const [large, small] = [crypto.randomUUID(), crypto.randomUUID()];
  const ledger = await makeLedger(db);
  await fill(large, ledger.name, backlog);
  const total = await countQueued(large);
  await record(db, { workspaceId: small, userId: crypto.randomUUID() }, 3);

  const sequencing = db.for('events');
  const before = process.memoryUsage().rss;
  let [peak, batches, longestMs] = [before, 0, 0];
  const begun = performance.now();
  const measured = async <Result>(work: Promise<Result>): Promise<Result> => {
    const start = performance.now();
    const result = await work;
    longestMs = Math.max(longestMs, performance.now() - start);
    peak = Math.max(peak, process.memoryUsage().rss);
    return result;
  };
  for (; ; batches++) {
    const numbered = await measured(numberEvents(sequencing));
    if (batches === 0) {
      assert.is(await countQueued(small), 0, 'the other workspace has its numbers');
      assert.is(await countQueued(large), total, 'and did not wait for the large one');
    }
    if (numbered.large) await measured(numberMany(db.for('maintenance'), numbered.large));
    else if (numbered.count === 0) break;
    if (batches > 0) continue;
    const left = await countQueued(large);
    assert.ok(left > 0 && left < total, 'a part of the backlog was numbered');
  }
  const seconds = (performance.now() - begun) / 1000;
  assert.is(await countQueued(large), 0);
  const inverted = await checkLog(db, { workspaceId: large, ledger: ledger.name }, [], []);
  assert.is(inverted, 0, 'in the order of the commits');
  const growth = (peak - before) / 2 ** 20;
  console.log(
    `${total} events in ${seconds.toFixed(1)} s, ${batches} batches, the longest ${longestMs.toFixed(0)} ms; ${growth.toFixed(0)} MiB`,
  );
  assert.ok(growth < maxGrowthMiB, `${growth} MiB`);
  await ledger.drop();
});

test.run();
