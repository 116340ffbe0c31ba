import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { toolWorkspace } from '../support/mcp-clients.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('mcp labels');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const namesOf = ({ labels }: { labels: { name: string }[] }) => labels.map(({ name }) => name);

test('tools give, take and find labels by name or id, ignoring case', async () => {
  const { use, call } = await toolWorkspace(tandem);
  const { body: waiting } = await call('POST /labels', { name: 'Waiting' });
  await call('POST /labels', { name: 'Home' });
  const { todo } = (await use('create_todo', { title: 'Call', labelIds: ['waiting'] })).data;
  assert.equal(namesOf(todo), ['Waiting']);
  await use('create_todo', { title: 'Paint' });
  const found = (await use('list_todos', { labelId: 'WAITING' })).data;
  assert.equal([found.summary.total, found.data[0].labels, found.workspaceSummary.total], [1, ['Waiting'], 2]);
  const rows = (await use('list_todos')).data.data;
  assert.equal(
    rows.map((row: object) => 'labels' in row),
    [false, true],
  );
  const change = { todoId: todo.id, addLabelIds: ['home'], removeLabelIds: [waiting.id] };
  assert.equal(namesOf((await use('update_todo', change)).data.todo), ['Home']);
  const last = { todoId: todo.id, removeLabelIds: ['Home'] };
  assert.equal(namesOf((await use('update_todo', last)).data.todo), []);
});

test('a name that no label has is refused with those that there are, and an unknown id is not found', async () => {
  const { use, call } = await toolWorkspace(tandem);
  for (const name of ['Waiting', 'Home']) await call('POST /labels', { name });
  const { data: refused } = await use('create_todo', { title: 'Call', labelIds: ['Home', 'Garden'] });
  assert.equal(
    [refused.code, refused.param, refused.allowedValues],
    ['validation_failed', 'labelIds[1]', ['Home', 'Waiting']],
  );
  assert.is((await use('create_todo', { title: 'Call', labelIds: [unknownId] })).data.code, 'resource_not_found');
  const many = await use('create_todo', { title: 'Call', labelIds: Array.from({ length: 21 }, () => 'Home') });
  assert.equal([many.data.code, many.data.param], ['validation_failed', 'labelIds']);
  assert.is((await use('list_todos', { labelId: 'Garden' })).data.param, 'labelId');
});

test.run();
