import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { followedWorkspace } from '../support/event-log.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { refused, titlesOf, unknownId } from '../support/todo-fixtures.ts';

const test = suite('labels of todos');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const namesOf = ({ labels }: { labels: { name: string }[] }) => labels.map(({ name }) => name);

/** The ids of new labels, in the order of the names. */
async function labelled({ call }: Pick<TestWorkspace, 'call'>, ...names: string[]): Promise<string[]> {
  const ids: string[] = [];
  for (const name of names) ids.push((await call('POST /labels', { name })).body.id);
  return ids;
}

test('a todo is created with labels and shows them by name; a repeated id counts once', async () => {
  const { call, ...workspace } = await tandem.workspace();
  const [b, a] = await labelled({ ...workspace, call }, 'Beta', 'alpha');
  const { body } = await call('POST /todos', { title: 'x', labelIds: [b, a, b?.toUpperCase()] });
  assert.equal(body.labels, [
    { object: 'todo_label', id: a, name: 'alpha', color: 'gray' },
    { object: 'todo_label', id: b, name: 'Beta', color: 'gray' },
  ]);
  assert.equal((await call(`GET /todos/${body.id}`)).body, body);
  const batch = await call('POST /todos/batch', { data: [{ title: 'y' }, { title: 'z', labelIds: [b] }] });
  assert.equal(batch.body.data.map(namesOf), [[], ['Beta']]);
});

test('an update replaces, adds and takes off labels: one event and one version where they differ, else none', async () => {
  const { does, call } = await followedWorkspace(tandem);
  const [a, b, c] = await labelled({ call }, 'a', 'b', 'c');
  const { body: todo } = await call('POST /todos', { title: 'x' });
  const steps: [patch: object, names: string[], changes: boolean][] = [
    [{ labelIds: [a, b] }, ['a', 'b'], true],
    [{ labelIds: [b, a] }, ['a', 'b'], false],
    [{ addLabelIds: [b, c] }, ['a', 'b', 'c'], true],
    [{ addLabelIds: [a], removeLabelIds: [b] }, ['a', 'c'], true],
    [{ removeLabelIds: [b, unknownId] }, ['a', 'c'], false],
    [{ labelIds: [b] }, ['b'], true],
    [{ labelIds: [] }, [], true],
  ];
  let { version, updatedAt } = todo;
  for (const [patch, names, changes] of steps) {
    const { body, events } = await does(`PATCH /todos/${todo.id}`, patch);
    assert.equal(namesOf(body), names);
    assert.equal(events, changes ? [['todo.updated', todo.id, 'labels']] : [], JSON.stringify(patch));
    assert.is(body.version, version + (changes ? 1 : 0));
    if (!changes) assert.is(body.updatedAt, updatedAt);
    ({ version, updatedAt } = body);
  }
  const mixed = await does(`PATCH /todos/${todo.id}`, { title: 'y', status: 'done', addLabelIds: [c] });
  assert.equal(mixed.events, [['todo.completed', todo.id, 'title', 'status', 'labels']]);
});

test('unknown labels are 404, contradictions 400, and a todo has at most 20 labels', async () => {
  const { call, ...workspace } = await tandem.workspace();
  const theirs = await labelled(await tandem.workspace(), 'theirs');
  const ids = await labelled({ ...workspace, call }, ...Array.from({ length: 21 }, (_, n) => `l${n}`));
  const [first, last] = [ids[0], ids[20]];
  refused(await call('POST /todos', { title: 'x', labelIds: [first, unknownId] }), 404, 'labelIds[1]');
  refused(await call('POST /todos', { title: 'x', labelIds: theirs }), 404, 'labelIds[0]');
  refused(await call('POST /todos', { title: 'x', labelIds: ids }), 400, 'labelIds');
  const { body: todo } = await call('POST /todos', { title: 'x', labelIds: ids.slice(0, 20) });
  const route = `PATCH /todos/${todo.id}`;
  refused(await call(route, { addLabelIds: [last] }), 400, 'addLabelIds');
  refused(await call(route, { addLabelIds: [unknownId] }), 404, 'addLabelIds[0]');
  refused(await call(route, { labelIds: [], addLabelIds: [last] }), 400, 'labelIds');
  refused(await call(route, { addLabelIds: [last], removeLabelIds: [last] }), 400, 'removeLabelIds[0]');
  assert.equal((await call(`GET /todos/${todo.id}`)).body, todo);
  assert.is((await call(route, { addLabelIds: [last], removeLabelIds: [first] })).body.labels.length, 20);
});

test('a bulk change adds and takes off labels of many todos, by ids and by a filter on labels', async () => {
  const { does, call } = await followedWorkspace(tandem);
  const [a, b, c] = await labelled({ call }, 'a', 'b', 'c');
  const data = [{ title: '1', labelIds: [a] }, { title: '2', labelIds: [a, b] }, { title: '3' }];
  const ids = (await call('POST /todos/batch', { data })).body.data.map(({ id }: { id: string }) => id);
  const added = await does('POST /todos/bulk', { ids, patch: { addLabelIds: [b], removeLabelIds: [a] } });
  assert.equal(added.body.data.map(namesOf), [['b'], ['b'], ['b']]);
  assert.equal(
    added.events,
    ids.map((id: string) => ['todo.updated', id, 'labels']),
  );
  await call('POST /todos', { title: '4' });
  const where = { labelId: [b, unknownId] };
  const dry = await does('POST /todos/bulk', { where, patch: { addLabelIds: [c] }, dryRun: true });
  assert.equal([dry.body.data.map(namesOf), dry.events], [Array.from(ids, () => ['b', 'c']), []]);
  const matched = await call('POST /todos/bulk', { where, patch: { labelIds: [c] }, expectedCount: 3 });
  assert.equal([matched.body.totalCount, matched.body.data.map(namesOf)], [3, [['c'], ['c'], ['c']]]);
  const patch = { addLabelIds: [unknownId] };
  refused(await call('POST /todos/bulk', { ids, patch }), 404, 'patch.addLabelIds[0]');
});

test('several labels of a filter are alternatives, a todo of both is listed once, and search and counts agree', async () => {
  const { call, ...workspace } = await tandem.workspace();
  const [a, b] = await labelled({ ...workspace, call }, 'a', 'b');
  const data = [
    { title: 'one word', labelIds: [a] },
    { title: 'two words', labelIds: [a, b] },
    { title: 'three', labelIds: [b], assignees: [] },
    { title: 'four words' },
  ];
  await call('POST /todos/batch', { data });
  for (const sort of ['createdAt', 'updatedAt', 'dueDate', 'priority']) {
    const found = async (query: string) => titlesOf(await call(`GET /todos?sort=${sort}&order=asc&${query}`));
    assert.equal(await found(`labelId=${a},${b}`), ['one word', 'two words', 'three'], sort);
    assert.equal(await found(`labelId=${a?.toUpperCase()}`), ['one word', 'two words'], sort);
    assert.equal(await found(`labelId=${unknownId}`), [], sort);
    assert.equal(await found(`labelId=${a},${b}&query=word`), ['one word', 'two words'], sort);
    assert.equal(await found(`labelId=${a},${b}&unassigned=true`), ['three'], sort);
    assert.equal(await found(`labelId=${b}&assigneeId=me`), ['two words'], sort);
  }
  assert.is((await call(`GET /todos/summary?labelId=${a},${b}`)).body.total, 3);
  refused(await call('GET /todos?labelId=x'), 400, 'labelId');
});

test('a renamed or deleted label shows on todos at once, which are not changed themselves', async () => {
  const { does, call } = await followedWorkspace(tandem);
  const [a, b] = await labelled({ call }, 'a', 'b');
  const { body: todo } = await call('POST /todos', { title: 'x', labelIds: [a, b] });
  const renamed = await does(`PATCH /labels/${a}`, { name: 'z', color: 'pink' });
  assert.equal(renamed.events, [['label.updated', a, 'name', 'color']]);
  const shown = (await call(`GET /todos/${todo.id}`)).body;
  const labels = [
    { object: 'todo_label', id: b, name: 'b', color: 'gray' },
    { object: 'todo_label', id: a, name: 'z', color: 'pink' },
  ];
  assert.equal(shown, { ...todo, labels });
  assert.equal((await does(`DELETE /labels/${a}`)).events, [['label.deleted', a]]);
  assert.equal((await call(`GET /todos/${todo.id}`)).body, { ...todo, labels: labels.slice(0, 1) });
  assert.equal(titlesOf(await call(`GET /todos?labelId=${a}`)), []);
  await call(`DELETE /todos/${todo.id}?permanent=true`);
  assert.equal((await call(`GET /labels/${b}`)).body.name, 'b');
});

test('a label that is deleted while todos are given it leaves neither a 500 nor a todo with it', async () => {
  const { call, ...workspace } = await tandem.workspace();
  const data = Array.from({ length: 20 }, (_, n) => ({ title: `${n}` }));
  const ids = (await call('POST /todos/batch', { data })).body.data.map(({ id }: { id: string }) => id);
  for (let round = 0; round < 5; round++) {
    const [a] = await labelled({ ...workspace, call }, `r${round}`);
    await call('POST /todos/bulk', { ids: ids.slice(0, 10), patch: { addLabelIds: [a] } });
    const answers = await Promise.all([
      call('POST /todos/bulk', { ids: ids.slice(5), patch: { addLabelIds: [a] } }),
      call(`DELETE /labels/${a}`),
      call('POST /todos/bulk', { ids: ids.slice(0, 5), patch: { labelIds: [a] } }),
      call('POST /todos', { title: 'x', labelIds: [a] }),
    ]);
    assert.is(answers[1]?.status, 200);
    for (const { status, text } of answers) assert.ok([200, 201, 404].includes(status), text);
    const { body } = await call('GET /todos?limit=100');
    assert.equal([...new Set(body.data.flatMap(namesOf))], []);
  }
});

test.run();
