import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { errorGuide } from '../../adapters/error-guide.ts';
import type { ErrorCode } from '../../domain/errors.ts';
import { unsatisfiable } from '../../server/downloads/headers.ts';
import { ask, exchange } from '../support/frame.ts';
import { startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { unknownId } from '../support/todo-fixtures.ts';

const test = suite('what a refusal says');
let tandem: TestService;
let workspace: TestWorkspace;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
});
test.after(() => tandem.close());

const many = (length: number) => Array.from({ length }, () => ({ title: 'x' }));

/** Each request with the message and the allowed values of its refusal: what is wrong, in words a reader can act on. */
const refusals: [route: string, body: unknown, message: string, allowed?: string[]][] = [
  ['GET /todos?limit=0', undefined, 'limit: must be at least 1'],
  ['GET /todos?limit=101', undefined, 'limit: must be at most 100. Follow nextCursor for more.'],
  ['GET /todos?limit=1.5', undefined, 'limit: must be a whole number'],
  ['GET /todos?limit=ten', undefined, 'limit: must be a number, not a text'],
  ['GET /todos?assignedToMe=yes', undefined, 'assignedToMe: must be true or false', ['true', 'false']],
  ['GET /todos?order=up', undefined, 'order: must be one of asc, desc', ['asc', 'desc']],
  ['GET /todos?include=all', undefined, 'include: must be totalCount', ['totalCount']],
  [
    'GET /todos?updatedSince=2026-01-01T00:00:00+02:00',
    undefined,
    'updatedSince: must be an RFC 3339 date and time with an offset, such as 2026-03-01T09:00:00Z; in an address write its + as %2B',
  ],
  ['POST /todos', { title: null }, 'title: must be a text, not null'],
  ['POST /todos', { title: 5 }, 'title: must be a text, not a number'],
  [
    'POST /todos',
    '{"title":"x","schedule":{"every":"day","interval":-1e999}}',
    'schedule.interval: is beyond the range of numbers',
  ],
  ['POST /todos', { title: 'x', schedule: { every: 'day', count: 1e308 } }, 'schedule.count: must be at most 10000'],
  ['POST /todos', { title: 'x', schedule: { every: 'day', count: -1e21 } }, 'schedule.count: must be at least 1'],
  [
    'POST /todos',
    { title: 'x', schedule: { runAt: '2030-03-01 09:00:00Z' } },
    'schedule.runAt: must be an RFC 3339 date and time with an offset, such as 2026-03-01T09:00:00Z',
  ],
  [`POST /approvals/${unknownId}/decide`, { decision: 'approve', input: [] }, 'input: must be an object, not a list'],
  ['POST /todos', { title: 'x', assignees: 'me' }, 'assignees: must be a list, not a text'],
  ['POST /todos', { title: 'x', assignees: ['me'] }, 'assignees[0]: must be an object, not a text'],
  ['POST /todos', { title: 'x', assignees: [{}] }, 'assignees[0].id: is missing'],
  ['POST /todos', { title: 'x', todoListName: 'x'.repeat(201) }, 'todoListName: must be at most 200 characters long'],
  ['POST /todos', { title: 'x', todoListName: '' }, 'todoListName: must not be empty'],
  ['POST /todos/batch', { data: [] }, 'data: must have at least 1 item'],
  ['POST /todos/batch', { data: many(51) }, 'data: must have at most 50 items'],
  ['POST /todos/batch', {}, 'data: is missing'],
  ['POST /todo-lists', {}, 'name: is missing'],
];

for (const [route, body, message, allowed] of refusals) {
  test(`${route} ${JSON.stringify(body)?.slice(0, 60) ?? ''} says: ${message}`, async () => {
    const answer = await workspace.call(route, body);
    assert.is(answer.status, 400);
    assert.is(answer.body.message, message);
    assert.equal(answer.body.allowedValues, allowed);
  });
}

test('a field of the wrong kind has one fault, and so has a number beyond its bound', async () => {
  const { body } = await workspace.call('POST /todos', {
    title: 'x',
    todoListName: [],
    schedule: { every: 'day', count: 1e308 },
  });
  assert.equal(body.errors, [
    { param: 'todoListName', code: 'invalid_type', message: 'must be a text, not a list' },
    { param: 'schedule.count', code: 'too_big', message: 'must be at most 10000' },
  ]);
});

test('the codes of the fields at fault are ours, not those of the library that checks them', async () => {
  const { body } = await workspace.call('POST /todos', { title: ' ', priority: 'top', type: 1, assignees: {}, run: 2 });
  const codes = body.errors.map(({ param, code }: { param: string; code: string }) => `${param} ${code}`);
  assert.equal(codes, [
    'title invalid',
    'priority invalid_value',
    'type invalid_value',
    'assignees invalid_type',
    'run invalid_type',
  ]);
});

test('a body that is too large is refused with the limit', async () => {
  const { status, body } = await workspace.call('POST /todos', { content: 'x'.repeat(1024 * 1024) });
  assert.is(status, 413);
  assert.is(body.message, 'The body is larger than 1 MiB. Send less at once.');
});

test('a default list that is to go says what can be done instead', async () => {
  const { body } = await workspace.call('GET /todo-lists');
  const route = `/todo-lists/${body.data[0].id}`;
  const archived = await workspace.call(`PATCH ${route}`, { archived: true });
  assert.is(
    archived.body.message,
    'The default list cannot be archived. Archive its todos, or move them to another list.',
  );
  const deleted = await workspace.call(`DELETE ${route}`);
  assert.is(
    deleted.body.message,
    'The default list cannot be deleted. Archive its todos, or move them to another list.',
  );
});

test('the guide to errors lists every status that a code comes with', async () => {
  const { url, service } = tandem;
  const overflow = `GET / HTTP/1.1\r\nHost: x\r\nX-Long: ${'x'.repeat(20_000)}\r\n\r\n`;
  const answers = [
    await ask(`${url}/mcp`, { method: 'POST', headers: { origin: 'https://evil.test' } }),
    await exchange(service.port, overflow),
    await ask(`${url}/api/v1/me`, { method: 'PUT' }),
    await ask(`${url}/recordings`),
  ];
  assert.equal(
    answers.map(({ status }) => status),
    [403, 431, 405, 426],
  );
  const beyond = unsatisfiable(10).problem;
  for (const { status, body } of [...answers, { status: beyond.status, body: beyond }]) {
    assert.ok(errorGuide[body.code as ErrorCode].statuses.includes(status), `${body.code} ${status}`);
  }
});

test.run();
