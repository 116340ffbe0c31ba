import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { engineOn } from '../../db/engine-check.ts';
import { examineSessions } from '../../db/session-check.ts';
import { timeLimits, type Work } from '../../db/time-limits.ts';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';
import { type Bouncer, hasPgbouncer, startPgbouncer } from '../support/pgbouncer.ts';
import { launch, startProcess, stopProcesses } from '../support/processes.ts';
import { until, within } from '../support/until.ts';
import { bodyOf } from '../support/work-fixtures.ts';

const test = suite('PgBouncer');
const promise = hasPgbouncer() ? test : test.skip;
const onPostgres = hasPgbouncer() ? notOnCluster(test, 'plans are custom there') : test.skip;
let tandem: TestService;
let bouncers: Bouncer[] = [];

test.before(async () => {
  // It makes workspaces only.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after.each(async () => {
  await stopProcesses();
  await Promise.all(bouncers.map((bouncer) => bouncer.close()));
  bouncers = [];
});
test.after(() => tandem.close());

async function pooled(settings: Record<string, string>): Promise<Bouncer> {
  const bouncer = await startPgbouncer(testDatabaseUrl(), settings);
  bouncers.push(bouncer);
  return bouncer;
}

const ignoring = {
  ignore_startup_parameters:
    'plan_cache_mode,jit,statement_timeout,lock_timeout,idle_in_transaction_session_timeout,extra_float_digits',
};

promise('in session mode, a process takes requests, works on turns and wakes who waits', async () => {
  const { url } = await pooled({ pool_mode: 'session' });
  const service = await startProcess({ DATABASE_URL: url, LOG_LEVEL: 'debug' });
  const { key } = await tandem.workspace();
  for (let time = 0; time < 6; time++) {
    // Prepared from the third time on.
    const { id } = bodyOf(await service.call('POST /todos', key, { title: `Pooled ${time}` }), 201);
    assert.is(bodyOf(await service.call(`GET /todos/${id}`, key), 200).title, `Pooled ${time}`);
  }
  const { id } = bodyOf(await service.call('POST /chats', key, { message: 'Which todos are open?' }), 201);
  const answered = async () => {
    const path = `/chats/${id}/messages?afterSequence=1&waitSeconds=25`;
    return bodyOf(await service.call(`GET ${path}`, key), 200).data.length > 0;
  };
  await until(answered, service.output);
  await until(() => service.output().includes('pg listener connected'), service.output);
  assert.not.match(service.output(), /"level":(50|60)/);
});

for (const [name, settings] of Object.entries({ 'refuses settings': {}, 'ignores settings': ignoring })) {
  onPostgres(`in session mode, each kind of work has its limits and plans though PgBouncer ${name}`, async () => {
    const { url } = await pooled({ pool_mode: 'session', ...settings });
    const { settingsBy } = await examineSessions(url, engineOn);
    assert.is(settingsBy, 'statement');
    const db = connect(url, { poolSize: 2, settingsBy });
    try {
      const text = `select current_setting('plan_cache_mode') as plan, current_setting('jit') as jit,
          (select setting::int from pg_settings where name = 'statement_timeout') as "maxStatementMs",
          (select setting::int from pg_settings where name = 'lock_timeout') as "maxLockMs"`;
      for (const [work, { maxStatementMs, maxLockMs }] of Object.entries(timeLimits)) {
        const own = db.for(work as Work);
        for (const plan of ['generic', 'custom'] as const) {
          const expected = { plan: `force_${plan}_plan`, jit: 'off', maxStatementMs, maxLockMs };
          assert.equal(await own.rows(text, [], plan), [expected], work);
        }
        const [row] = await own.transaction((tx) => tx.rows<{ maxStatementMs: number }>(text, []));
        assert.is(row?.maxStatementMs, maxStatementMs);
      }
    } finally {
      await db.close(1);
    }
  });
}

promise('a pooler that was restarted is used again', async () => {
  const first = await pooled({ pool_mode: 'session' });
  const service = await startProcess({ DATABASE_URL: first.url });
  const { key } = await tandem.workspace();
  bodyOf(await service.call('POST /todos', key, { title: 'Before' }), 201);
  await first.close();
  await until(async () => (await service.call('GET /todos', key)).status === 503, service.output);
  await pooled({ pool_mode: 'session', listen_port: new URL(first.url).port });
  await until(async () => (await service.call('GET /todos', key)).status === 200, service.output);
});

for (const mode of ['transaction', 'statement']) {
  for (const size of ['1', '100']) {
    promise(`a start in ${mode} mode with ${size} connections ends with a sentence`, async () => {
      const { url } = await pooled({ pool_mode: mode, default_pool_size: size });
      const service = await launch({ DATABASE_URL: url });
      assert.is(await within(service.output, service.exited), 1);
      assert.match(service.output().trim(), /^The pooler at DATABASE_URL shares sessions .* pool_mode = session/);
    });
  }
}

onPostgres('PostgreSQL itself gets its settings when a connection is opened', async () => {
  assert.equal(await examineSessions(testDatabaseUrl(), engineOn), { settingsBy: 'startup', engine: 'postgres' });
});

test.run();
