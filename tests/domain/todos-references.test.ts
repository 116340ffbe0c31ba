import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { addAgent, addMember, assistantOf, person, refused, unknownId, worker } from '../support/todo-fixtures.ts';

const test = suite('lists and assignees of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a todo is filed by the name of a list: exactly, else ignoring case', async () => {
  const { call } = await tandem.workspace();
  const make = async (name: string) => (await call('POST /todo-lists', { name })).body.id;
  const [upper, lower, street] = [await make('HOME'), await make('home'), await make('Große Straße')];
  const filed = async (todoListName: string) => (await call('POST /todos', { title: 'a', todoListName })).body;
  assert.is((await filed('HOME')).todoListId, upper);
  assert.is((await filed('home')).todoListId, lower);
  assert.is((await filed('GROßE STRAßE')).todoListId, street);
  const { body: lists } = await call('GET /todo-lists');
  assert.is((await filed('inbox')).todoListId, lists.data[0].id);
});

test('a name that several lists match equally is refused with their ids', async () => {
  const { call } = await tandem.workspace();
  const ids: string[] = [];
  for (const name of ['HOME', 'home', 'Twin', 'Twin']) ids.push((await call('POST /todo-lists', { name })).body.id);
  const ambiguous = await call('POST /todos', { title: 'a', todoListName: 'Home' });
  refused(ambiguous, 400, 'todoListName');
  assert.equal(ambiguous.body.allowedValues, ids.slice(0, 2));
  const twins = await call('POST /todos', { title: 'a', todoListName: 'Twin' });
  refused(twins, 400, 'todoListName');
  assert.equal(twins.body.allowedValues, ids.slice(2));
});

test('a name that matches no open list is refused with the names that exist', async () => {
  const { call } = await tandem.workspace();
  const { body: closed } = await call('POST /todo-lists', { name: 'Closed' });
  await call('POST /todo-lists', { name: 'Open' });
  await call(`PATCH /todo-lists/${closed.id}`, { archived: true });
  for (const todoListName of ['Closed', 'Nowhere', 'Inbo', ' Inbox']) {
    const answer = await call('POST /todos', { title: 'a', todoListName });
    refused(answer, 400, 'todoListName');
    assert.equal(answer.body.allowedValues, ['Inbox', 'Open']);
  }
});

test('a list by id must be one, open and here; both id and name are too much', async () => {
  const [{ call }, other] = [await tandem.workspace(), await tandem.workspace()];
  const { body: closed } = await call('POST /todo-lists', { name: 'Closed' });
  await call(`PATCH /todo-lists/${closed.id}`, { archived: true });
  const { body: foreign } = await other.call('POST /todo-lists', { name: 'Elsewhere' });
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (const route of ['POST /todos', `PATCH /todos/${made.id}`]) {
    const write = (todoListId: string) => call(route, { title: 'a', todoListId });
    refused(await write(closed.id), 400, 'todoListId');
    refused(await write(foreign.id), 404, 'todoListId');
    const [far, none] = [await write(foreign.id), await write(unknownId)];
    assert.equal({ ...far.body, requestId: '' }, { ...none.body, requestId: '' });
  }
  const both = { title: 'a', todoListId: made.todoListId, todoListName: 'Inbox' };
  refused(await call('POST /todos', both), 400, 'todoListName');
  assert.equal((await call(`GET /todos/${made.id}`)).body, made);
});

test('assignees keep their order, are named by id alone or with type, and repeated ids collapse', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const agent = await assistantOf(tandem, workspaceId);
  const ann = await addMember(tandem, workspaceId, 'Ann');
  const assignees = [
    { id: agent },
    { id: ann, type: 'user' },
    { id: agent.toUpperCase(), type: 'agent' },
    { id: userId },
  ];
  const { status, body } = await call('POST /todos', { title: 'a', assignees });
  assert.is(status, 201);
  assert.equal(body.assignees, [worker(agent), person(ann, 'Ann'), person(userId)]);
  const { body: changed } = await call(`PATCH /todos/${body.id}`, { assignees: assignees.toReversed() });
  assert.equal(changed.assignees, [person(userId), worker(agent), person(ann, 'Ann')]);
  const { body: nobody } = await call(`PATCH /todos/${body.id}`, { assignees: [] });
  assert.equal(nobody.assignees, []);
});

test('an assignee that is not here is not found, whoever it is elsewhere', async () => {
  const [{ call, userId, workspaceId }, other] = [await tandem.workspace(), await tandem.workspace()];
  const left = await addMember(tandem, workspaceId, 'Left', true);
  const strangers = [unknownId, other.userId, await assistantOf(tandem, other.workspaceId), left];
  const { body: made } = await call('POST /todos', { title: 'a' });
  const bodies = new Set<string>();
  for (const route of ['POST /todos', `PATCH /todos/${made.id}`]) {
    for (const id of strangers) {
      const answer = await call(route, { title: 'a', assignees: [{ id: userId }, { id }] });
      refused(answer, 404, 'assignees[1].id');
      bodies.add(JSON.stringify({ ...answer.body, requestId: '' }));
    }
    refused(await call(route, { title: 'a', assignees: [{ id: userId, type: 'agent' }] }), 404, 'assignees[0].id');
  }
  assert.is(bodies.size, 1);
  assert.equal((await call(`GET /todos/${made.id}`)).body, made);
});

test('an archived agent is refused, and so are more than 20 assignees', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const retired = await addAgent(tandem, workspaceId, 'Retired', true);
  const { body: made } = await call('POST /todos', { title: 'a' });
  const crowd: string[] = [];
  for (let number = 0; number < 21; number++) crowd.push(await addAgent(tandem, workspaceId, `Agent ${number}`));
  const all = crowd.map((id) => ({ id }));
  for (const route of ['POST /todos', `PATCH /todos/${made.id}`]) {
    refused(await call(route, { title: 'a', assignees: [{ id: retired }] }), 400, 'assignees[0].id');
    refused(await call(route, { title: 'a', assignees: all }), 400, 'assignees');
    const { body } = await call(route, { title: 'a', assignees: all.slice(0, 20) });
    assert.is(body.assignees.length, 20);
  }
});

test('who left stays on the todo, marked, and the todo can still be changed', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const agent = await addAgent(tandem, workspaceId, 'Soon gone');
  const ann = await addMember(tandem, workspaceId, 'Ann');
  const { body: made } = await call('POST /todos', {
    title: 'a',
    assignees: [{ id: agent }, { id: ann }, { id: userId }],
  });
  await tandem.db.rows('update agents set archived_at = now() where id = $1', [agent]);
  await tandem.db.rows('update members set removed_at = now() where user_id = $1', [ann]);
  const { status, body } = await call(`PATCH /todos/${made.id}`, { title: 'b' });
  assert.is(status, 200);
  assert.equal(body.assignees, [worker(agent, 'Soon gone', true), person(ann, 'Ann', true), person(userId)]);
  assert.is((await call(`GET /todos?assigneeId=${ann}`)).body.data.length, 1);
});

test('400 has precedence over 404', async () => {
  const { call, workspaceId } = await tandem.workspace();
  const retired = await addAgent(tandem, workspaceId, 'Retired', true);
  const assignees = [{ id: unknownId }, { id: retired }];
  const { body: made } = await call('POST /todos', { title: 'a' });
  for (const route of ['POST /todos', `PATCH /todos/${made.id}`, `PATCH /todos/${unknownId}`]) {
    refused(await call(route, { title: 'a', assignees }), 400, 'assignees[1].id');
    const body = { title: 'a', todoListId: unknownId, assignees: assignees.slice(1) };
    refused(await call(route, body), 400, 'assignees[0].id');
    const planned = { title: 'a', assignees: assignees.slice(0, 1), schedule: { runAt: '2020-01-01T00:00:00Z' } };
    refused(await call(route, planned), 400, 'schedule.runAt');
  }
  const below = { title: 'a', parentTodoId: unknownId, todoListName: 'No such list' };
  refused(await call('POST /todos', below), 400, 'todoListName');
  refused(await call('POST /todos', { title: 'a', parentTodoId: unknownId }), 404, 'parentTodoId');
  const { body: untitled } = await call('POST /todos', { content: 'only a body' });
  const emptied = { content: ' ', assignees: assignees.slice(0, 1) };
  refused(await call(`PATCH /todos/${untitled.id}`, emptied), 400, 'content');
});

test.run();
