import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';

const test = suite('todo lists');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a new workspace has one list, its default, first in the list of lists', async () => {
  const { call } = await tandem.workspace();
  const { status, body } = await call('GET /todo-lists');
  assert.is(status, 200);
  assert.is(body.data.length, 1);
  const { id, createdAt, updatedAt, ...rest } = body.data[0];
  assert.equal(rest, {
    object: 'todo_list',
    name: 'Inbox',
    emoji: null,
    color: null,
    isDefault: true,
    isArchived: false,
    todoCount: 0,
    activeTodoCount: 0,
  });
  assert.equal({ ...body, data: [] }, { object: 'list', data: [], hasMore: false, nextCursor: null });
});

test.run();
