import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { queryOf, refused, unknownId } from '../support/todo-fixtures.ts';
import { until } from '../support/until.ts';

const test = suite('the activity of a todo');
let tandem: TestService;

test.before(async () => {
  // Without agents at work: what they and the service write of a run later is an event too.
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(() => tandem.close());

/** A todo with a history, and another one whose history must not be in it. */
async function history() {
  const workspace = await tandem.workspace();
  const { call } = workspace;
  const { body: todo } = await call('POST /todos', { title: 'a' });
  const { body: other } = await call('POST /todos', { title: 'other' });
  await call(`PATCH /todos/${todo.id}`, { title: 'b', priority: 'high' });
  await call(`PATCH /todos/${other.id}`, { title: 'c' });
  const { body: comment } = await call(`POST /todos/${todo.id}/comments`, { text: 'hello' });
  const { body: run } = await call(`POST /todos/${todo.id}/runs`, {});
  await call(`POST /chats/${run.chatId}/cancel`);
  await call(`PATCH /todos/${todo.id}`, { title: 'last' });
  const isLogged = async () => {
    const { body } = await call(`GET /todos/${todo.id}/activity?limit=1`);
    return body.data[0]?.data.changedFields.join() === 'title';
  };
  await until(isLogged);
  return { ...workspace, todo, other, comment, run };
}

test('lists who changed what of the todo, its runs and its comments, the latest first, as the log has it', async () => {
  const { call, todo, comment, run, userId } = await history();
  const { body } = await call(`GET /todos/${todo.id}/activity?limit=100`);
  const { body: log } = await call('GET /events?limit=500');
  const about = [todo.id, comment.id, run.id];
  const expected = log.data.filter((event: { data: { id: string } }) => about.includes(event.data.id)).reverse();
  assert.equal(body, { object: 'list', data: expected, hasMore: false, nextCursor: null });
  const [latest, ...earlier] = body.data;
  assert.equal([latest.type, latest.data.changedFields], ['todo.updated', ['title']]);
  assert.equal(
    [latest.actor.type, latest.actor.id, latest.actor.name, latest.actor.via],
    ['user', userId, 'Tess', 'rest'],
  );
  assert.equal(earlier.at(-1).type, 'todo.created');
  assert.equal(earlier.at(-2).data.changedFields, ['title', 'priority']);
  const types = new Set(earlier.map(({ type }: { type: string }) => type));
  for (const type of ['comment.created', 'todo_run.started', 'todo_run.finished']) assert.ok(types.has(type), type);
});

test('is paged, each entry once, at every page size', async () => {
  const { call, todo } = await history();
  const { body: whole } = await call(`GET /todos/${todo.id}/activity?limit=100`);
  for (const limit of [1, 2, 3]) {
    const found: unknown[] = [];
    for (let cursor: string | undefined; ; ) {
      const { body } = await call(`GET /todos/${todo.id}/activity?${queryOf({ limit, cursor })}`);
      found.push(...body.data);
      if (body.nextCursor === null) break;
      cursor = body.nextCursor;
    }
    assert.equal(found, whole.data, `by ${limit}`);
  }
});

test('is found only in the workspace of the todo, and with its scope', async () => {
  const { todo, call, mint } = await history();
  const stranger = await tandem.workspace();
  refused(await stranger.call(`GET /todos/${todo.id}/activity`), 404, 'todoId');
  refused(await call(`GET /todos/${unknownId}/activity`), 404, 'todoId');
  refused(await call(`GET /todos/${todo.id}/activity?cursor=x`), 400, 'cursor', 'invalid_cursor');
  const key = await mint(['chats:read']);
  assert.is((await call(`GET /todos/${todo.id}/activity`, undefined, { key })).status, 403);
});

test.run();
