import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { refused } from '../support/todo-fixtures.ts';
import { agentOf, bodyOf } from '../support/work-fixtures.ts';

const test = suite('room for agents and skills');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const long = 'x'.repeat(50_000);

/** Adds archived agents or skills. */
async function fill({ workspaceId }: TestWorkspace, count: number, text: string, agentId?: string) {
  const [table, column] = agentId ? ['agent_skills', 'agent_id,'] : ['agents', ''];
  await tandem.db.rows(
    `insert into ${table} (workspace_id, id, ${column} name, instructions, archived_at)
      select $1, gen_random_uuid(), ${agentId ? '$4::uuid,' : ''} 'n' || n, $3, now() from generate_series(1, $2::int) n`,
    [workspaceId, count, text, ...(agentId ? [agentId] : [])],
  );
}

const statuses = (answers: readonly { status: number }[]) => answers.map(({ status }) => status).sort();

test('a workspace has at most 500 agents, archived ones too, also where many are created at the same time', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  await fill(workspace, 497, 'x');
  const answers = await Promise.all(Array.from({ length: 4 }, (_, n) => call('POST /agents', { name: `New ${n}` })));
  assert.equal(statuses(answers), [201, 201, 409, 409], 'with the default agent');
  for (const answer of answers.filter(({ status }) => status !== 201)) refused(answer, 409, null);
  assert.is((await call('GET /agents?includeArchived=true')).body.data.length, 500);
});

test('a workspace has at most 500 skills', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const [one, other] = [await agentOf(workspace), await agentOf(workspace)];
  await fill(workspace, 498, 'x', one);
  const paths = [one, one, other, other].map((id) => `POST /agents/${id}/skills`);
  assert.equal(statuses(await Promise.all(paths.map((path) => call(path, { name: 'New' })))), [201, 201, 409, 409]);
});

test('where there are more from before the limit, those can be changed, and none is added', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await agentOf(workspace);
  const path = `/agents/${id}/skills`;
  const skill = bodyOf(await call(`POST ${path}`, { name: 'One' }), 201);
  await fill(workspace, 505, 'x');
  await fill(workspace, 505, 'x', id);
  bodyOf(await call(`PATCH /agents/${id}`, { instructions: 'Longer than before' }));
  bodyOf(await call(`PATCH ${path}/${skill.id}`, { instructions: 'Longer than before' }));
  refused(await call('POST /agents', { name: 'New' }), 409, null);
  refused(await call(`POST ${path}`, { name: 'New' }), 409, null);
});

test('their texts have at most 5 million characters, which a change makes fewer at any time', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const id = await agentOf(workspace, { instructions: 'short' });
  await fill(workspace, 99, long);
  await tandem.db.rows(`update agents set description = 'x' where workspace_id = $1 and is_default`, [
    workspace.workspaceId,
  ]);
  const change = (instructions: string) => call(`PATCH /agents/${id}`, { instructions });
  bodyOf(await change(long.slice(1000)));
  refused(await change(long), 409, null);
  refused(await call('POST /agents', { name: 'New', instructions: long }), 409, null);
  bodyOf(await call('POST /agents', { name: 'Silent' }), 201);
  bodyOf(await change('short'));

  await fill(workspace, 99, long, id);
  const path = `/agents/${id}/skills`;
  const skill = bodyOf(await call(`POST ${path}`, { name: 'One', instructions: long.slice(1) }), 201);
  bodyOf(await call(`PATCH ${path}/${skill.id}`, { instructions: long }));
  refused(await call(`POST ${path}`, { name: 'Two', instructions: 'x' }), 409, null);
  bodyOf(await call(`PATCH ${path}/${skill.id}`, { instructions: 'short' }));
});

test.run();
