import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { notOnCluster } from '../support/citus.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { createServiceDatabase } from '../support/scratch.ts';
import { runScript } from '../support/scripts.ts';

const test = suite('npm run db:recount');
const onPostgres = notOnCluster(test, 'no numbers of todos are kept there');
let tandem: TestService;
let drop: () => Promise<void>;
let url: string;

test.before(async () => {
  const scratch = await createServiceDatabase();
  ({ url, drop } = scratch);
  tandem = await startTestService({ DATABASE_URL: url });
});
test.after(async () => {
  await tandem.close();
  await drop();
});

const recount = () => runScript('recount', [], { DATABASE_URL: url });

onPostgres('says that all numbers are right, and names the workspaces of which it replaced them', async () => {
  const [ours, others] = [await tandem.workspace(), await tandem.workspace()];
  for (const { call } of [ours, others])
    assert.is((await call('POST /todos/batch', { data: [{ title: 'a' }, { title: 'b' }] })).status, 200);
  assert.equal(await recount(), { code: 0, stdout: 'Counted 2 workspaces. All numbers were right.\n', stderr: '' });
  await tandem.db.rows('update todo_counts set todos = todos + 5 where workspace_id = $1', [ours.workspaceId]);
  assert.is((await ours.call('GET /todos/summary')).body.total, 7);
  const { code, stdout } = await recount();
  assert.is(code, 0);
  const named = `Wrong numbers, replaced: Test (${ours.workspaceId})\n`;
  assert.is(stdout, `${named}Counted 2 workspaces, of which 1 had wrong numbers.\n`);
  assert.is((await ours.call('GET /todos/summary')).body.total, 2);
});

onPostgres('goes on after a workspace that cannot be counted, with the time that the service gives it', async () => {
  const { workspaceId } = await tandem.workspace();
  const { driver } = tandem.db;
  await driver.unsafe(`update workspaces set name = E'Stuck\\x1b[2J' where id = '${workspaceId}';
    create function refuse() returns trigger language plpgsql as $$ begin
      if current_setting('statement_timeout') <> '1min' then raise exception 'the time is too short'; end if;
      if new.workspace_id = '${workspaceId}' then raise exception 'refused'; end if;
      return new;
    end $$;
    create trigger refuse before insert on counted_workspaces for each row execute function refuse()`);
  const { code, stdout, stderr } = await recount();
  await driver.unsafe('drop trigger refuse on counted_workspaces');
  assert.is(stdout, `Not counted: Stuck\\u{1b}[2J (${workspaceId}): refused\n`);
  assert.equal([code, stderr], [1, 'Of 3 workspaces, 1 could not be counted (see above). Run it again.\n']);
});

test('refuses what it does not take with its usage', async () => {
  const { code, stderr } = await runScript('recount', ['all'], { DATABASE_URL: url });
  assert.is(code, 1);
  assert.match(stderr, 'npm run db:recount');
});

// The last one: it leaves the database as a dump of Citus.
onPostgres('counts nothing in a database that Citus distributed: no change would be noted afterwards', async () => {
  const { call } = await tandem.workspace();
  await tandem.db.driver.unsafe(`drop trigger todos_counted on todos; drop trigger todos_counted_anew on todos;
    drop trigger todos_not_counted on todos; delete from counted_workspaces; delete from todo_counts;
    delete from todo_count_changes`);
  const { code, stdout } = await recount();
  assert.is(code, 0);
  assert.match(stdout, /^Nothing to do: this database was distributed by Citus before/);
  assert.is((await call('POST /todos', { title: 'a' })).status, 201);
  assert.is((await call('GET /todos/summary')).body.total, 1);
});

test.run();
