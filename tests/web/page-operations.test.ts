import { readdirSync, readFileSync } from 'node:fs';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import pageOperations from '../fixtures/page-operations.json' with { type: 'json' };
import { described } from '../support/described.ts';
import { operationsOfRequest } from '../support/page-operations.ts';

/* Everything that a signed-in person may do is done by the page tests, or left out for a written reason. */

const test = suite('operations and pages');

const { reached, unreached } = pageOperations as { reached: Record<string, string>; unreached: Record<string, string> };

/** Operations that take a session, and those that anybody may call, such as the sign-in. */
const open = [...described.values()].filter(
  ({ security = [] }) => security.length === 0 || security.some((each) => 'session' in each),
);
const ids = open.map(({ operationId = '' }) => operationId).sort();

test('every operation that a session may call is reached by a page test, or is an exception with a reason', () => {
  const listed = [...Object.keys(reached), ...Object.keys(unreached)].sort();
  const missing = ids.filter((id) => !listed.includes(id));
  assert.equal(missing, [], 'run the page tests with PAGE_OPERATIONS=folder, then name a suite that reaches each');
  const stale = listed.filter((id) => !ids.includes(id));
  assert.equal(stale, [], 'there are no such operations');
  assert.is(new Set(listed).size, listed.length, 'an operation is in one of both lists');
  const curt = Object.entries(unreached).filter(([, reason]) => reason.length < 30);
  assert.equal(curt, [], 'an exception has a reason');
});

test('every suite that promises to reach an operation is there, once', () => {
  const folder = new URL('../proof/', import.meta.url);
  const texts = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8'));
  const names = texts.flatMap((text) => [...text.matchAll(/pageSuite\(\s*'([^']+)'/g)].map(([, name]) => name));
  assert.equal(
    names.filter((name, place) => names.indexOf(name) !== place),
    [],
    'names of suites are unique',
  );
  const unknown = Object.entries(reached).filter(([, suiteName]) => !names.includes(suiteName));
  assert.equal(unknown, []);
});

test('requests of a page are read as the operations that they call', () => {
  const base = 'http://127.0.0.1:3000';
  const cases: [method: string, path: string, ids: string[]][] = [
    ['GET', '/trpc/meta.identity,todos.list?batch=1&input=%7B%7D', ['getIdentity', 'listTodos']],
    ['POST', '/trpc/todos.create', ['createTodo']],
    ['GET', '/trpc/no.such', []],
    ['PATCH', '/api/v1/todos/01890000-0000-7000-8000-000000000000', ['updateTodo']],
    ['GET', '/api/v1/todos/summary', ['summariseTodos']],
    ['GET', '/todos', []],
  ];
  for (const [method, path, wanted] of cases) assert.equal(operationsOfRequest(method, base + path), wanted, path);
});

test.run();
