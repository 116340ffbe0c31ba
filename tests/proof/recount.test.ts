import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { createDatabase } from '../support/scratch.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('npm run db:recount');
let tandem: TestService;
let drop: () => Promise<void>;
let url: string;

test.before(async () => {
  const scratch = await createDatabase();
  ({ url, drop } = scratch);
  tandem = await startTestService({ DATABASE_URL: url });
});
test.after(async () => {
  await tandem.close();
  await drop();
});

const recount = () => runScript('recount', [], { DATABASE_URL: url });

test('says that all numbers are right, and names the workspaces of which it replaced them', async () => {
  const [ours, others] = [await tandem.workspace(), await tandem.workspace()];
  for (const { call } of [ours, others])
    assert.is((await call('POST /todos/batch', { data: [{ title: 'a' }, { title: 'b' }] })).status, 200);
  assert.equal(await recount(), { code: 0, stdout: 'Counted 2 workspaces. All numbers were right.\n', stderr: '' });
  await tandem.db.rows('update todo_counts set todos = todos + 5 where workspace_id = $1', [ours.workspaceId]);
  assert.is((await ours.call('GET /todos/summary')).body.total, 7);
  const { code, stdout } = await recount();
  assert.is(code, 0);
  assert.match(stdout, /^Counted 2 workspaces\. These had wrong numbers, which are replaced:\n[^\n]+\n$/);
  assert.match(stdout, `(${ours.workspaceId})`);
  assert.is((await ours.call('GET /todos/summary')).body.total, 2);
});

test('refuses what it does not take with its usage', async () => {
  const { code, stderr } = await runScript('recount', ['all'], { DATABASE_URL: url });
  assert.is(code, 1);
  assert.match(stderr, 'npm run db:recount');
});

test.run();
