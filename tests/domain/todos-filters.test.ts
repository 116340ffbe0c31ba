import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { compareFilters } from '../support/todo-filters.ts';
import { addMember, refused, setColumns, titlesOf, unknownId } from '../support/todo-fixtures.ts';
import { addCaptures, captures } from '../support/todo-oracle.ts';

const test = suite('filters of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('25 combinations of filters, sort and order list, count and summarise exactly what the rules say', () =>
  compareFilters(tandem, 25));

test('assignedToMe wins over assigneeId, both over unassigned, and =false is as if absent', async () => {
  const { call, userId, workspaceId } = await tandem.workspace();
  const ann = await addMember(tandem, workspaceId, 'Ann');
  const data = [
    { title: 'mine' },
    { title: 'hers', assignees: [{ id: ann }] },
    { title: 'ours', assignees: [{ id: ann }, { id: userId }] },
    { title: 'nobodys', assignees: [] },
  ];
  await call('POST /todos/batch', { data });
  const found = async (query: string) => titlesOf(await call(`GET /todos?order=asc&${query}`));
  const all = ['mine', 'hers', 'ours', 'nobodys'];
  assert.equal(await found(`assignedToMe=true&assigneeId=${ann}&unassigned=true`), ['mine', 'ours']);
  assert.equal(await found(`assignedToMe=false&assigneeId=${ann}&unassigned=true`), ['hers', 'ours']);
  assert.equal(await found(`assigneeId=${ann.toUpperCase()}`), ['hers', 'ours']);
  assert.equal(await found('unassigned=true&assignedToMe=false'), ['nobodys']);
  assert.equal(await found('assignedToMe=false'), all);
  assert.equal(await found('unassigned=false'), all);
  assert.equal(await found('includeArchived=false'), all);
});

test('suggestions are listed only with their capture, or once archived', async () => {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  await addCaptures(tandem, workspace);
  const [capture = ''] = captures;
  const { body } = await call('POST /todos/batch', {
    data: ['plain', 'linked', 'suggested'].map((title) => ({ title })),
  });
  const [, linked, suggested] = body.data;
  await setColumns(tandem, linked.id, { capture_id: capture });
  await setColumns(tandem, suggested.id, { capture_id: capture, is_suggested: true });
  const found = async (query: string) => titlesOf(await call(`GET /todos?order=asc&${query}`));
  assert.equal(await found(''), ['plain', 'linked']);
  assert.equal(await found(`captureId=${capture}`), ['linked', 'suggested']);
  assert.equal(await found(`captureId=${unknownId}`), []);
  assert.is((await call(`GET /todos/summary?captureId=${capture}`)).body.total, 2);
  await call(`DELETE /todos/${suggested.id}`);
  assert.equal(await found(`captureId=${capture}`), ['linked']);
  assert.equal(await found(`captureId=${capture}&includeArchived=true`), ['suggested']);
  assert.equal(await found('includeArchived=true'), ['suggested']);
});

test('a parameter with a value it cannot have names itself and the values it can', async () => {
  const { call } = await tandem.workspace();
  const faults: [string, string, string[]?][] = [
    ['status=open', 'status', ['ready', 'in_progress', 'done', 'active']],
    ['status=', 'status'],
    ['type=task&type=responsibility', 'type'],
    ['priority=null', 'priority', ['urgent', 'high', 'medium', 'low', 'none']],
    ['type=chore', 'type', ['task', 'responsibility']],
    ['todoListId=inbox', 'todoListId'],
    ['captureId=', 'captureId'],
    ['assigneeId=you', 'assigneeId'],
    ['assignedToMe=1', 'assignedToMe'],
    ['unassigned=', 'unassigned'],
    ['includeArchived=TRUE', 'includeArchived'],
    ['updatedSince=2026-03-01', 'updatedSince'],
    ['updatedSince=2026-03-01T00:00:00', 'updatedSince'],
    ['createdSince=2026-02-30T00:00:00Z', 'createdSince'],
    ['createdSince=2026-03-01T24:30:00Z', 'createdSince'],
    ['createdSince=2026-03-01T24:00:00Z', 'createdSince'],
    ['createdSince=2026-03-01T00:00:00%2B16:00', 'createdSince'],
    ['createdSince=2026-03-01T00:00:00+02:00', 'createdSince'],
    ['dueBefore=2026-02-29', 'dueBefore'],
    ['dueAfter=2026-03-01T00:00:00Z', 'dueAfter'],
    ['query=', 'query'],
    ['query=%20%09', 'query'],
    [`query=${'x'.repeat(201)}`, 'query'],
    ['query=a%00b', 'query'],
  ];
  for (const [query, param, allowedValues] of faults) {
    for (const path of ['/todos', '/todos/summary']) {
      const answer = await call(`GET ${path}?${query}`);
      refused(answer, 400, param);
      if (allowedValues) assert.equal(answer.body.allowedValues, allowedValues);
    }
  }
  const listOnly: [string, string][] = [
    ['limit=0', 'limit'],
    ['limit=101', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=2.5', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=', 'limit'],
    ['sort=title', 'sort'],
    ['order=down', 'order'],
    ['include=everything', 'include'],
  ];
  for (const [query, param] of listOnly) refused(await call(`GET /todos?${query}`), 400, param);
});

test('instants of any precision and any offset on Earth are understood', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: 'a' });
  const early = [
    '0001-01-01T00:00:00Z',
    '2020-02-29T23:59:59.999999999-15:59',
    '2020-01-01T00:00:00%2B15:59',
    '2020-01-01t00:00:00z',
  ];
  for (const since of early)
    assert.equal(titlesOf(await call(`GET /todos?updatedSince=${since}&createdSince=${since}`)), ['a']);
  for (const since of ['9999-12-31T23:59:59.999999999Z', '9999-12-31T23:59:59-15:59']) {
    assert.equal(titlesOf(await call(`GET /todos?updatedSince=${since}`)), []);
  }
});

test('an unknown parameter is refused with the known ones, whatever its name', async () => {
  const { call } = await tandem.workspace();
  for (const path of ['/todos', '/todos/summary']) {
    for (const name of ['assignee', 'Status', 'constructor', '__proto__', 'todoId', 'limit[]']) {
      const answer = await call(`GET ${path}?${encodeURIComponent(name)}=a`);
      refused(answer, 400, name, 'unknown_parameter');
      assert.ok(answer.body.allowedValues.includes('assigneeId'));
    }
  }
  for (const name of ['limit', 'cursor', 'sort', 'order', 'include']) {
    refused(await call(`GET /todos/summary?${name}=1`), 400, name, 'unknown_parameter');
  }
});

test.run();
