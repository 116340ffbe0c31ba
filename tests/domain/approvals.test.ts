import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { addAgent, assistantOf, queryOf, refused, unknownId } from '../support/todo-fixtures.ts';
import { waitingChat } from '../support/turn-world.ts';

const test = suite('approvals');
const day = 86_400_000;
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

const waiting = (workspace: TestWorkspace, more: Parameters<typeof waitingChat>[2] = {}) =>
  waitingChat(tandem.db, workspace, more);

test('an approval says who wants to do what, where, why, and until when it can be decided', async () => {
  const workspace = await tandem.workspace();
  const todo = (await workspace.call('POST /todos', { title: 'Shop' })).body;
  const { chatId, approvalIds } = await waiting(workspace, { todoId: todo.id });
  const { status, body, headers } = await workspace.call(`GET /approvals/${approvalIds[0]}`);
  assert.is(status, 200);
  const { requestedAt, expiresAt, ...rest } = body;
  assert.equal(rest, {
    object: 'approval',
    id: approvalIds[0],
    chatId,
    todoId: todo.id,
    agentId: await assistantOf(tandem, workspace.workspaceId),
    messageSequence: 2,
    toolName: 'create_todo',
    title: 'Create a todo',
    input: { title: 'Buy milk' },
    reason: 'This agent asks first.',
    status: 'pending',
    decidedAt: null,
    decidedBy: null,
    note: null,
  });
  assert.is(Date.parse(expiresAt) - Date.parse(requestedAt), 7 * day);
  const again = await workspace.call(`GET /approvals/${approvalIds[0]}`, undefined, {
    headers: { 'if-none-match': headers.get('etag') ?? '' },
  });
  assert.is(again.status, 304);
});

test('what a model sends and the database cannot hold is dropped, not fatal', async () => {
  const workspace = await tandem.workspace();
  const input = { 'ti\0tle': 'a\0b\ud800', nested: [{ '\ud800': '\0' }] };
  const { approvalIds } = await waiting(workspace, { calls: [{ input, title: 'A\0' }, { input: undefined }] });
  const { body } = await workspace.call(`GET /approvals/${approvalIds[0]}`);
  assert.equal([body.title, body.input], ['A', { title: 'ab�', nested: [{ '�': '' }] }]);
});

test('the list is newest first, and pages of any size hold every approval once', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const ids: string[] = [];
  // Three at one instant: the id decides then.
  const instants = [1, 2, 2, 2, 3].map((second) => new Date(Date.UTC(2026, 2, 1, 9, 0, second)));
  for (const instant of instants) ids.push(...(await waiting(workspace, { clock: () => instant })).approvalIds);
  const order = ids.toSorted().reverse();
  for (const limit of [1, 2, 3, 5, 7]) {
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: { body: { data: { id: string }[]; hasMore: boolean; nextCursor: string | null } } = await call(
        `GET /approvals?${queryOf({ limit, cursor: cursor ?? undefined })}`,
      );
      seen.push(...body.data.map(({ id }) => id));
      cursor = body.nextCursor;
      assert.is(body.hasMore, cursor !== null);
    } while (cursor !== null);
    assert.equal(seen, order, `${limit} a page`);
  }
});

test('the list is filtered by status, chat and agent, and each element is what getApproval answers', async () => {
  const workspace = await tandem.workspace();
  const { call, workspaceId } = workspace;
  const scribe = await addAgent(tandem, workspaceId, 'Scribe');
  const [one, two] = [await waiting(workspace, { calls: [{}, {}] }), await waiting(workspace, { agentId: scribe })];
  await call(`POST /approvals/${one.approvalIds[0]}/decide`, { decision: 'deny' });
  const listed = async (filter: Record<string, string>) => {
    const { body } = await call(`GET /approvals?${queryOf(filter)}`);
    for (const each of body.data) assert.equal((await call(`GET /approvals/${each.id}`)).body, each);
    return body.data.map(({ id }: { id: string }) => id);
  };
  const [denied, pending] = one.approvalIds;
  const [other] = two.approvalIds;
  assert.equal(await listed({}), [other, pending, denied]);
  assert.equal(await listed({ status: 'pending' }), [other, pending]);
  assert.equal(await listed({ status: 'denied' }), [denied]);
  for (const status of ['approved', 'expired', 'superseded']) assert.equal(await listed({ status }), []);
  assert.equal(await listed({ chatId: one.chatId }), [pending, denied]);
  assert.equal(await listed({ chatId: one.chatId.toUpperCase(), status: 'pending' }), [pending]);
  assert.equal(await listed({ agentId: scribe }), [other]);
  assert.equal(await listed({ agentId: scribe, chatId: one.chatId }), []);
  assert.equal(await listed({ chatId: unknownId }), []);
});

test('a filter or cursor that is none is refused', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  await waiting(workspace, { calls: [{}, {}] });
  refused(await call('GET /approvals?status=open'), 400, 'status');
  refused(await call('GET /approvals?chatId=1'), 400, 'chatId');
  refused(await call('GET /approvals?agentId=1'), 400, 'agentId');
  refused(await call('GET /approvals?limit=0'), 400, 'limit');
  const { nextCursor } = (await call('GET /approvals?limit=1')).body;
  refused(await call(`GET /approvals?limit=1&status=pending&cursor=${nextCursor}`), 400, 'cursor', 'invalid_cursor');
  const stranger = await tandem.workspace();
  refused(await stranger.call(`GET /approvals?cursor=${nextCursor}`), 400, 'cursor', 'invalid_cursor');
});

test('approvals of another workspace are in no list', async () => {
  const [mine, theirs] = [await tandem.workspace(), await tandem.workspace()];
  const { chatId, agentId } = await waiting(theirs);
  for (const filter of ['', 'status=pending', `chatId=${chatId}`, `agentId=${agentId}`]) {
    assert.equal((await mine.call(`GET /approvals?${filter}`)).body.data, [], filter);
  }
});

test('what is pending is found by its index, however much was decided before', async () => {
  const { workspaceId } = await tandem.workspace();
  for (const [status, index] of [
    ['pending', 'approvals_pending'],
    ['denied', 'approvals_requested'],
  ]) {
    const text = `select id from approvals where workspace_id = $1 and status = '${status}'
      order by requested_at desc, id desc limit 26`;
    const plan = await tandem.db.transaction(async (tx) => {
      await tx.rows('set local enable_seqscan = off', []);
      await tx.rows('set local enable_sort = off', []);
      return tx.rows<{ 'QUERY PLAN': string }>(`explain ${text.replace('$1', `'${workspaceId}'`)}`, []);
    });
    assert.match(plan.map((row) => row['QUERY PLAN']).join('\n'), index as string);
  }
});

test.run();
