import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { connect, type Database } from '../../db/client.ts';
import { surviveLostConnections } from '../../server/runtime/unhandled-rejections.ts';
import { assertFrame } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';
import { openPassage, type Passage } from '../support/passage.ts';
import { until, within } from '../support/until.ts';

const test = suite('a database that went silent');
let passage: Passage;
let db: Database;
let tandem: TestService;
let workspace: TestWorkspace;
const unwatch = surviveLostConnections({ warn: () => {} });

test.before(async () => {
  passage = await openPassage(testDatabaseUrl());
  db = connect(passage.url, { poolSize: 8 });
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' }, { db });
  workspace = await tandem.workspace();
});
test.after(async () => {
  unwatch();
  await passage.close();
  await db.close(1);
  await tandem.close();
});

test('answers every request with 503 by itself, and serves again once the database does', async () => {
  const { call } = workspace;
  assert.is((await call('GET /todos')).status, 200);
  passage.stall();
  const requests = ['GET /todos', 'GET /me', 'POST /todo-lists', 'GET /agents'].map((route) => call(route));
  const inTransaction = db
    .transaction((tx) => tx.rows('select 1', []))
    .then(
      () => 'done',
      () => 'rejected',
    );
  const inStatement = db.rows('select 1', []).then(
    () => 'done',
    () => 'rejected',
  );
  for (const answer of await within(() => 'an answer to each request', Promise.all(requests))) {
    const { status, headers, body } = assertFrame(answer);
    assert.equal([status, headers.get('retry-after'), body.reason], [503, '2', 'unavailable']);
  }
  assert.equal(await within(() => 'their end', Promise.all([inTransaction, inStatement])), ['rejected', 'rejected']);
  await passage.mend();
  await until(async () => (await call('GET /todos')).status === 200);
});

test.run();
