import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operationsOf } from '../../adapters/operations.ts';
import { eventTypes, objectOf } from '../../domain/events/types.ts';
import { appRouter } from '../../routers/index.ts';
import { validRequest } from '../fixtures/operations.ts';
import { typesOfRequest } from '../support/event-log.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('events of every operation');
const operations = operationsOf(appRouter);
const changes = operations.filter(({ type }) => type === 'mutation');
const declared = changes.filter(({ events }) => events !== null);
const rooms = ['todos', 'todo-lists', 'labels', 'captures'];
/** Their valid requests find nothing to revoke, and a member who has the role already. */
const changesNothing = ['changePassword', 'updateMember'];
/** A member who leaves takes an endpoint along. */
const endpointOf = `insert into webhook_endpoints (workspace_id, id, user_id, url, types, enabled, ordered, secret, sequence)
  values ($1, gen_random_uuid(), $2, 'https://hooks.example.com', '{todo.created}', true, false, '', 0)`;
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('a change of todos, lists and captures declares its events, and a read declares none', () => {
  const silent = changes.filter(({ tag, events }) => rooms.includes(tag) && events === null);
  assert.equal(
    silent.map(({ id }) => id),
    [],
  );
  assert.ok(declared.length >= 19);
  const reads = operations.filter(({ type, events }) => type === 'query' && events !== null);
  assert.equal(
    reads.map(({ id }) => id),
    [],
  );
});

test('every type of event of work is declared by an operation, apart from those of the service', () => {
  const byService = [
    'todo_run.deleted',
    'todo_occurrence.fired',
    'todo_occurrence.missed',
    'schedule.failed',
    'capture.completed',
    'capture.failed',
  ];
  const all = new Set<string>(declared.flatMap(({ events }) => events ?? []));
  const objects = [
    'todo',
    'todo_list',
    'label',
    'view',
    'todo_run',
    'todo_occurrence',
    'comment',
    'schedule',
    'capture',
    'tag',
  ];
  const missing = eventTypes.filter((type) => objects.includes(objectOf(type)) && !all.has(type));
  assert.equal(missing, byService);
});

for (const operation of declared) {
  const { id, method, path: template, events } = operation;

  test(`${id} records ${events?.length ? 'only what it declares' : 'nothing'}`, async () => {
    const workspace = await tandem.workspace();
    const { path = {}, query, body, key } = await validRequest(operation, workspace);
    const url = template.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ''));
    const route = `${method} ${url}${query ? `?${query}` : ''}`;
    // What is active cannot be restored.
    if (url.endsWith('/restore')) await workspace.call(`DELETE ${url.replace('/restore', '')}`);
    if (id === 'removeMember') await tandem.db.rows(endpointOf, [workspace.workspaceId, path.userId]);
    const answer = await workspace.call(route, body, key === undefined ? {} : { key });
    assert.is(answer.status, operation.status, answer.text);
    const recorded = await typesOfRequest(tandem, answer.headers.get('x-request-id'));
    const undeclared = recorded.filter((type) => !(events as readonly string[] | null)?.includes(type));
    assert.equal(undeclared, []);
    if (!changesNothing.includes(id)) {
      assert.is(recorded.length > 0, events?.length !== 0, 'a valid request of a change records something');
    }
  });
}

test.run();
