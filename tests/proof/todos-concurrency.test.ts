import { setTimeout as sleep } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type Answer, startTestService, type TestService } from '../support/harness.ts';
import { addMember, assistantOf, walk } from '../support/todo-fixtures.ts';

const test = suite('todos under concurrent writes');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const statusesOf = (answers: Answer[]) => [...new Set(answers.map(({ status }) => status))].sort();
const idsOf = (answer: Answer): string[] => answer.body.data.map(({ id }: { id: string }) => id);

test('of several assignments at once one wins whole, and each answers what it set', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const people = [userId, await addMember(tandem, workspaceId, 'Ann'), await assistantOf(tandem, workspaceId)];
  const { body: made } = await call('POST /todos', { title: 'a' });
  const teams = people.flatMap((first) => [[first], people.filter((id) => id !== first), [first, ...people]]);
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all(
      [...teams, []].map(async (team) => {
        const answer = await call(`PATCH /todos/${made.id}`, { assignees: team.map((id) => ({ id })) });
        assert.is(answer.status, 200);
        assert.equal(
          answer.body.assignees.map(({ id }: { id: string }) => id),
          [...new Set(team)],
        );
        return answer.body.assignees;
      }),
    );
    const { body } = await call(`GET /todos/${made.id}`);
    assert.ok(answers.some((assignees) => JSON.stringify(assignees) === JSON.stringify(body.assignees)));
  }
});

test('the later of two updates answers the todo as both left it', async () => {
  const { call, userId } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (let round = 0; round < 60; round++) {
    const answers = await Promise.all([
      call(`PATCH /todos/${made.id}`, { assignees: round % 2 ? [{ id: userId }] : [] }),
      call(`PATCH /todos/${made.id}`, { title: `round ${round}` }),
    ]);
    const after = await call(`GET /todos/${made.id}`);
    const later = answers.find(({ text }) => text === after.text);
    assert.ok(later, `neither answer is ${after.text}`);
    assert.is(later.headers.get('etag'), after.headers.get('etag'));
  }
});

test('a list deleted while todos come into it either stays with them or goes without them', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const { body: seeds } = await call('POST /todos/batch', { data: Array.from({ length: 4 }, () => ({ title: 'a' })) });
  const outcomes = new Set<number>();
  for (let round = 0; round < 20 || outcomes.size < 2; round++) {
    const { body: list } = await call('POST /todo-lists', { name: `List ${round}` });
    const into = { title: 'b', todoListId: list.id };
    const lead = ((round % 5) - 2) * 10;
    const deletion = async () => {
      await sleep(Math.max(0, lead));
      return call(`DELETE /todo-lists/${list.id}`);
    };
    const writing = async () => {
      await sleep(Math.max(0, -lead));
      return Promise.all([
        call('POST /todos', into),
        call('POST /todos/batch', { data: [{ title: 'c' }, into] }),
        call('POST /todos', { title: 'd', todoListName: list.name }),
        call(`PATCH /todos/${seeds.data[0].id}`, { todoListId: list.id }),
        call(`PATCH /todos/${seeds.data[1].id}`, { todoListId: list.id, assignees: [] }),
        call('POST /todos/bulk', { ids: [seeds.data[2].id, seeds.data[3].id], patch: { todoListId: list.id } }),
      ]);
    };
    let [gone, writes]: [Answer | undefined, Answer[]] = [undefined, []];
    // An end that so many rounds did not have is had by one after the other.
    if (round < 20) [gone, writes] = await Promise.all([deletion(), writing()]);
    else if (round % 2 === 0) [gone, writes] = [await deletion(), await writing()];
    else [writes, gone] = [await writing(), await deletion()];
    for (const answer of [gone, ...writes]) assert.ok([200, 201, 400, 404, 409].includes(answer.status), answer.text);
    const held = (await call(`GET /todos?todoListId=${list.id}&limit=100`)).body.data.length;
    assert.is((await call(`GET /todo-lists/${list.id}`)).status, gone.status === 200 ? 404 : 200);
    if (gone.status === 200) {
      assert.is(held, 0);
      assert.equal(
        statusesOf(writes).filter((status) => status < 300),
        [],
        'a todo came into a deleted list',
      );
    }
    outcomes.add(gone.status);
  }
  assert.equal([...outcomes].sort(), [200, 409], 'both ends of the race were seen');
  const orphans = `select 1 from todos t where t.workspace_id = $1 and not exists
    (select 1 from todo_lists l where l.workspace_id = t.workspace_id and l.id = t.todo_list_id)`;
  assert.is((await tandem.db.rows(orphans, [workspaceId])).length, 0);
});

test('archiving, restoring and changing one todo at once lose nothing', async () => {
  const { call } = await tandem.workspace();
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all([
      call(`DELETE /todos/${made.id}`),
      call(`PATCH /todos/${made.id}`, { title: `round ${round}` }),
      call(`PATCH /todos/${made.id}`, { priority: 'high', assignees: [] }),
      call(`POST /todos/${made.id}/restore`),
      call('POST /todos/bulk', { ids: [made.id], patch: { dueDate: '2026-03-01' } }),
      call(`PATCH /todos/${made.id}`, { content: String(round) }),
    ]);
    assert.equal(statusesOf(answers), [200]);
    const { body } = await call(`GET /todos/${made.id}`);
    const { title, content, priority, dueDate, assignees } = body;
    assert.equal(
      [title, content, priority, dueDate, assignees],
      [`round ${round}`, `${round}`, 'high', '2026-03-01', []],
    );
    assert.is((await call(`GET /todos?includeArchived=${body.isArchived}&query=round+${round}`)).body.data.length, 1);
  }
});

test('bulk changes of the same todos in opposite orders never deadlock', async () => {
  const { call, userId } = await tandem.workspace();
  const ids = idsOf(await call('POST /todos/batch', { data: Array.from({ length: 50 }, () => ({ title: 'a' })) }));
  const some = ids.slice(10, 30);
  const patches = [
    { title: 'x y z' },
    { assignees: [{ id: userId }] },
    { assignees: [] },
    { status: 'done', content: 'c' },
  ];
  for (let round = 0; round < 5; round++) {
    const answers = await Promise.all([
      ...patches.map((patch) => call('POST /todos/bulk', { ids, patch })),
      ...patches.map((patch) => call('POST /todos/bulk', { ids: ids.toReversed(), patch })),
      call('POST /todos/bulk', { ids: some.toReversed(), archive: true }),
      call('POST /todos/bulk', { ids, archive: true, dryRun: true }),
      ...some.slice(0, 5).map((id) => call(`PATCH /todos/${id}`, { title: 'q', assignees: [{ id: userId }] })),
      ...some.slice(0, 5).map((id) => call(`POST /todos/${id}/restore`)),
    ]);
    assert.equal(statusesOf(answers), [200], answers.find(({ status }) => status > 200)?.text);
  }
});

test('erasing what others change ends in 200 or 404, never in a failure, and leaves nothing behind', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  for (let round = 0; round < 6; round++) {
    const ids = idsOf(await call('POST /todos/batch', { data: Array.from({ length: 8 }, () => ({ title: 'a' })) }));
    const answers = await Promise.all(
      ids.flatMap((id) => [
        call(`PATCH /todos/${id}`, { title: 'b', content: 'c' }),
        call(`DELETE /todos/${id}?permanent=true`),
        call(`PATCH /todos/${id}`, { assignees: [{ id: userId }] }),
        call(`DELETE /todos/${id}`),
        call('POST /todos/bulk', { ids: [id, ids[0]], patch: { title: 'd', assignees: [] } }),
      ]),
    );
    for (const answer of answers) assert.ok([200, 404].includes(answer.status), answer.text);
  }
  assert.equal(await walk(call, {}), []);
  for (const table of ['todo_search', 'todo_assignees']) {
    assert.is((await tandem.db.rows(`select 1 from ${table} where workspace_id = $1`, [workspaceId])).length, 0);
  }
});

test('of conditional updates with one entity tag exactly one is made', async () => {
  const { call } = await tandem.workspace();
  const { body: made, headers } = await call('POST /todos', { title: 'a' });
  const condition = { headers: { 'if-match': headers.get('etag') ?? '' } };
  const titles = Array.from({ length: 8 }, (_, index) => `writer ${index}`);
  const answers = await Promise.all(titles.map((title) => call(`PATCH /todos/${made.id}`, { title }, condition)));
  assert.equal(answers.map(({ status }) => status).sort(), [200, ...Array(7).fill(412)]);
  const winner = answers.find(({ status }) => status === 200);
  assert.equal((await call(`GET /todos/${made.id}`)).body, winner?.body);
});

test('batches made at once are whole and apart', async () => {
  const { call } = await tandem.workspace();
  const batches = await Promise.all(
    Array.from({ length: 6 }, (_, batch) =>
      call('POST /todos/batch', { data: Array.from({ length: 20 }, (_, index) => ({ title: `${batch}.${index}` })) }),
    ),
  );
  assert.equal(statusesOf(batches), [200]);
  assert.equal(new Set((await walk(call, { limit: 50 })).map(({ id }) => id)), new Set(batches.flatMap(idsOf)));
});

test.run();
