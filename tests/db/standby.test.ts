import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect } from '../../db/client.ts';
import { Freshness } from '../../db/standby/freshness.ts';
import { Standby } from '../../db/standby/standby.ts';
import { testDatabaseUrl } from '../support/harness.ts';
import { createDatabase } from '../support/scratch.ts';

/* What is no standby, and the age of data. `tests/proof/standby-reads.test.ts` has a real one. */

const test = suite('a standby');

const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error));

test('has data of the age of the last beat that it shows', () => {
  const freshness = new Freshness();
  assert.is(freshness.age(0), undefined);
  const [first, second] = [freshness.send(1000), freshness.send(1500)];
  assert.is(freshness.age(1600), undefined);
  freshness.found(first);
  assert.is(freshness.age(1600), 600);
  freshness.found(second);
  assert.is(freshness.age(1600), 100);
  freshness.found(second);
  assert.is(freshness.age(9500), 8000, 'older while nothing newer is found');
  freshness.found(first);
  assert.is(freshness.age(9500), 8500, 'another server at the address may be further behind');
  freshness.found(null);
  assert.is(freshness.age(9500), undefined);
});

test('has data of unknown age when its last beat is older than all that are remembered, or is not one of this process', () => {
  const freshness = new Freshness();
  const first = freshness.send(0);
  for (let count = 0; count < 1200; count++) freshness.send(count);
  freshness.found(first);
  assert.is(freshness.age(2000), undefined);
  freshness.found(99_999);
  assert.is(freshness.age(2000), undefined);
});

test('is not the primary itself, and not another database', async () => {
  const db = connect(testDatabaseUrl());
  const other = await createDatabase();
  const same = new Standby(db, { url: testDatabaseUrl(), poolSize: 2 });
  const foreign = new Standby(db, { url: other.url, poolSize: 2 });
  try {
    assert.is(same.status, 'starting');
    if (db.engine === 'citus') {
      const refused = await same.examine().catch(messageOf);
      assert.match(refused ?? '', /^DATABASE_READ_URL is not supported with Citus: leave it unset/);
      return;
    }
    await same.examine();
    await same.probe();
    assert.is(same.status, 'not a standby');
    assert.is(same.read(crypto.randomUUID(), Number.POSITIVE_INFINITY), undefined);
    const refused = await foreign.examine().catch(messageOf);
    assert.match(
      refused ?? '',
      /^DATABASE_READ_URL leads to another database than DATABASE_URL\. Set it to a streaming standby/,
    );
    assert.is(foreign.status, 'another database');
    assert.match(messageOf(await foreign.probe()), 'leads to another database');
    assert.is(foreign.read(crypto.randomUUID(), Number.POSITIVE_INFINITY), undefined);
  } finally {
    await Promise.all([same.close(1), foreign.close(1)]);
    await db.close();
    await other.drop();
  }
});

test('that nothing answers for does not fail the start', async () => {
  const db = connect(testDatabaseUrl());
  const away = new Standby(db, { url: 'postgres://nobody@127.0.0.1:1/tandem', poolSize: 2 });
  try {
    await away.examine();
    assert.is(await away.probe(), undefined);
    assert.is(away.status, 'unreachable');
  } finally {
    await away.close(1);
    await db.close();
  }
});

test.run();
