import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { maxPageBytes } from '../../domain/todos/page-bytes.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

/* Ten calls of one request, each of which could return megabytes. */

const test = suite('batches of long answers');
const size = 100;
const content = '😀'.repeat(50_000);
const fillTodos = 'update todos set content = $2 where workspace_id = $1';
const copySkill = `insert into agent_skills (workspace_id, id, agent_id, name, instructions)
  select s.workspace_id, gen_random_uuid(), s.agent_id, 'Skill ' || n, $2 from agent_skills s, generate_series(2, ${size}) n
  where s.workspace_id = $1`;
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const data = Array.from({ length: size / 2 }, (_, place) => ({ title: `${place}` }));
  for (const half of [data, data]) assert.is((await call('POST /todos/batch', { data: half })).status, 200);
  await tandem.db.rows(fillTodos, [workspaceId, content]);
});
test.after(() => tandem.close());

interface Answer {
  result?: { data: { data: { id: string }[]; nextCursor: string | null } };
  error?: { message: string; data: { httpStatus: number } };
}

/** Sends calls of one query in one request. Returns the answers, and their bytes. */
async function batch(name: string, inputs: readonly object[]): Promise<[Answer[], number]> {
  const input = encodeURIComponent(JSON.stringify({ ...inputs }));
  const path = Array(inputs.length).fill(name).join();
  const response = await fetch(`${tandem.url}/trpc/${path}?batch=1&input=${input}`, {
    headers: { authorization: `Bearer ${workspace.key}` },
  });
  const text = await response.text();
  return [JSON.parse(text), Buffer.byteLength(text)];
}

test('pages of todos in one request have together what one page has, and their cursors go on', async () => {
  const kinds = [{}, { sort: 'position', order: 'asc' }, { query: '1' }, { sort: 'priority' }, { status: 'active' }];
  const inputs = [...kinds, ...kinds].map((kind) => ({ ...kind, limit: size }));
  const [answers, bytes] = await batch('todos.list', inputs);
  assert.ok(bytes < maxPageBytes + 2 ** 20, String(bytes));
  for (const { result } of answers) assert.ok(result && result.data.data.length > 0);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const [[first]] = await batch('todos.list', [{ limit: size, ...(cursor && { cursor }) }, { limit: 1 }]);
    assert.ok(first?.result);
    seen.push(...first.result.data.data.map(({ id }) => id));
    cursor = first.result.data.nextCursor;
  }
  assert.equal([seen.length, new Set(seen).size], [size, size]);
  const [[byIds, others]] = await batch('todos.list', [{ ids: seen }, { ids: seen }]);
  assert.equal(
    byIds?.result?.data.data.map(({ id }) => id),
    seen.slice(0, others?.result?.data.data.length),
  );
  assert.ok(byIds?.result?.data.nextCursor);
});

test('a list without pages is refused in a request that has read too much, and is read in one of its own', async () => {
  const { call, workspaceId } = workspace;
  const agent = (await call('GET /agents')).body.data[0];
  const made = await call(`POST /agents/${agent.id}/skills`, { name: 'Skill 1', instructions: 'Short.' });
  assert.is(made.status, 201);
  const short = await batch('skills.list', Array(10).fill({}));
  for (const { result } of short[0]) assert.is(result?.data.data.length, 1);
  await tandem.db.rows(copySkill, [workspaceId, content]);
  const [answers] = await batch('skills.list', Array(10).fill({}));
  const [first, ...others] = answers;
  assert.is(first?.result?.data.data.length, size);
  for (const { error } of others) {
    assert.is(error?.data.httpStatus, 400);
    assert.match(error?.message ?? '', 'Send this call in a request of its own');
  }
  assert.is((await call('GET /skills')).body.data.length, size);
});

test.run();
