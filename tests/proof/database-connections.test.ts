import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { errorCode } from '../../db/errors.ts';
import { minExecutions } from '../../db/prepared-texts.ts';
import { timeLimits, type Work } from '../../db/time-limits.ts';
import { notOnCluster } from '../support/citus.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { hold, releaseAll } from '../support/locks.ts';
import { until, within } from '../support/until.ts';

const test = suite('connections');
const onPostgres = notOnCluster(test, 'plans are custom there, and tables are locked on workers');
let db: Database;

test.before(() => {
  db = connect(testDatabaseUrl(), { poolSize: 8 });
});
test.after.each(releaseAll);
test.after(() => db.close(1));

const codeOf = (work: Promise<unknown>) => work.then(() => 'done', errorCode);

test('no statement is compiled: the estimates of a long queue would have each claim compiled again', async () => {
  const text = `select setting, source from pg_settings where name = 'jit'`;
  for (const plan of ['generic', 'custom'] as const) {
    assert.equal(await db.rows(text, [], plan), [{ setting: 'off', source: 'client' }]);
  }
});

onPostgres('a statement is planned once for all values, or for each execution, however often it runs', async () => {
  const plans = `select generic_plans::int as generic, custom_plans::int as custom from pg_prepared_statements
    where statement = $1`;
  for (const [plan, expected] of [
    ['generic', { generic: 10, custom: 0 }],
    ['custom', { generic: 0, custom: 10 }],
  ] as const) {
    const text = `select '${plan}' as plan where $1 = 'any'`;
    // Only what is executed repeatedly is prepared, and counted.
    for (let times = 1; times < minExecutions + 10; times++) await db.rows(text, ['any'], plan);
    assert.equal(await db.rows(plans, [text], plan), [expected]);
  }
});

test('each kind of work has its time limits, in statements and transactions, and nobody waits for more than ten seconds', async () => {
  const text = `select name, setting from pg_settings
    where name in ('statement_timeout', 'lock_timeout', 'idle_in_transaction_session_timeout') order by name`;
  for (const [work, { maxStatementMs, maxLockMs, maxQueueMs }] of Object.entries(timeLimits)) {
    const expected = [
      { name: 'idle_in_transaction_session_timeout', setting: '10000' },
      { name: 'lock_timeout', setting: String(maxLockMs) },
      { name: 'statement_timeout', setting: String(maxStatementMs) },
    ];
    const own = db.for(work as Work);
    assert.equal(await own.rows(text, []), expected, work);
    assert.equal(await own.rows(text, [], 'custom'), expected, work);
    assert.equal(await own.transaction((tx) => tx.rows(text, [])), expected, work);
    assert.ok(maxLockMs <= 10_000 && maxQueueMs <= 10_000, work);
    if (work !== 'maintenance') assert.ok(maxStatementMs < 10_000, work);
  }
});

test('a statement, and one in a transaction, that takes too long is ended, and its connection serves on', async () => {
  const health = db.for('health');
  assert.is(await codeOf(health.rows('select pg_sleep(50)', [])), '57014');
  assert.is(await codeOf(health.transaction((tx) => tx.rows('select pg_sleep(51)', []))), '57014');
  assert.is(await codeOf(health.rows('select 1', [])), 'done');
});

test('who finds no connection in time is refused, and so is at once who finds too many waiting', async () => {
  const health = db.for('health');
  const slow = codeOf(health.rows('select pg_sleep(52)', []));
  // The first of them may begin when the slow one is ended.
  const waiting = Array.from({ length: 2000 }, () => codeOf(health.rows('select pg_sleep(53)', [])));
  assert.is(await codeOf(health.rows('select 1', [])), 'POOL_FULL');
  const codes = await within(() => 'the end of all', Promise.all([slow, ...waiting]));
  assert.ok(codes.filter((code) => code === 'POOL_TIMEOUT').length >= 1998, String(new Set(codes)));
  assert.is(await codeOf(health.rows('select 1', [])), 'done');
});

test('a connection that the server ended is replaced, whether it was at work or idle', async () => {
  const one = db.for('maintenance');
  const pidOf = async () => (await one.rows<{ pid: number }>('select pg_backend_pid() as pid', []))[0]?.pid ?? 0;
  const first = await pidOf();
  assert.is(await pidOf(), first);
  await db.rows('select pg_terminate_backend($1::int)', [first]);
  let second = 0;
  await until(async () => {
    second = await pidOf().catch(() => 0);
    return second > 0;
  });
  assert.is.not(second, first);
  const working = codeOf(one.rows('select pg_sleep(54)', []));
  await until(async () => {
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(54)'`;
    return (await db.rows(text, [])).length > 0;
  });
  assert.match((await working) ?? '', /57P01|CONNECTION_CLOSED/);
  assert.is.not(await pidOf(), second);
});

onPostgres('the statements of a workspace, and those on a table, leave connections to the others', async () => {
  await hold('lock table todo_lists in access exclusive mode');
  const locked = Array.from({ length: 40 }, (_, place) =>
    codeOf(db.of(`w${place}`).rows('select 1 from todo_lists', [])),
  );
  const asleep = Array.from({ length: 40 }, () => codeOf(db.of('a').rows('select pg_sleep(4)', [])));
  assert.ok(db.load.waiting > 0, 'the others wait');
  assert.is(await within(() => 'another table', codeOf(db.of('b').rows('select 1 from agents limit 1', []))), 'done');
  assert.is(
    await within(() => 'a transaction', codeOf(db.of('b').transaction((tx) => tx.rows('select 1', [])))),
    'done',
  );
  await releaseAll();
  await within(() => 'the end of all', Promise.all([...locked, ...asleep]));
  assert.equal(db.load, { busy: 0, waiting: 0 });
});

test.run();
