import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assertFrame, inOneWindow } from '../support/frame.ts';
import { type CallOptions, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';

const test = suite('the order of checks');
const unknown = '0190aaaa-bbbb-7ccc-8ddd-eeeeeeeeeeee';
let tandem: TestService;
let workspace: TestWorkspace;
let defaultList: string;

test.before(async () => {
  tandem = await startTestService();
  workspace = await tandem.workspace();
  defaultList = (await workspace.call('GET /todo-lists')).body.data[0].id;
});
test.after(() => tandem.close());

async function statusOf(route: string, body?: unknown, options?: CallOptions): Promise<number> {
  return assertFrame(await workspace.call(route, body, options), route).status;
}

/** Bodies that are refused in every other way. */
const wrong: [unknown, Record<string, string>][] = [
  ['{"half', {}],
  [{ surprise: 1 }, {}],
  ['x', { 'content-type': 'text/plain' }],
  ['x'.repeat(1024 * 1024 + 1), {}],
  [{ name: 'x' }, { 'idempotency-key': '' }],
  [{ name: 'x' }, { 'if-match': '"stale"' }],
];
const routes = ['POST /todo-lists', 'PATCH /todo-lists/nonsense', `PATCH /todo-lists/${unknown}`];

test('401 comes before all that is wrong with the request', async () => {
  for (const route of routes) {
    for (const [body, headers] of wrong) {
      for (const key of [null, 'garbage']) assert.is(await statusOf(route, body, { key, headers }), 401, route);
    }
  }
});

test('429 comes before 403 and 400', async () => {
  const key = await workspace.mint(['todos:read'], { rateLimitPerMinute: 1 });
  await inOneWindow(tandem, 10);
  while ((await statusOf('GET /me', undefined, { key })) === 200);
  for (const route of [...routes, 'GET /nope', 'PUT /me']) {
    for (const [body, headers] of route.startsWith('GET') ? [[undefined, {}] as const] : wrong) {
      assert.is(await statusOf(route, body, { key, headers }), 429, route);
    }
  }
});

test('403 comes before 400, 404, 413 and 415', async () => {
  const key = await workspace.mint(['todos:read']);
  for (const route of routes) {
    for (const [body, headers] of wrong) assert.is(await statusOf(route, body, { key, headers }), 403, route);
  }
});

test('400 comes before 404, 409 and 412', async () => {
  const headers = { 'if-match': '"stale"' };
  for (const id of [unknown, defaultList]) {
    assert.is(await statusOf(`PATCH /todo-lists/${id}`, { archived: true, name: '' }, { headers }), 400);
    assert.is(await statusOf(`DELETE /todo-lists/${id}`, { surprise: 1 }, { headers }), 400);
  }
  assert.is(await statusOf('PATCH /todo-lists/nonsense', { archived: true }, { headers }), 400);
});

test('404 comes before 409 and 412', async () => {
  const headers = { 'if-match': '"stale"' };
  assert.is(await statusOf(`PATCH /todo-lists/${unknown}`, { archived: true }, { headers }), 404);
  assert.is(await statusOf(`DELETE /todo-lists/${unknown}`, undefined, { headers }), 404);
});

test('a precondition that fails comes before the state that would refuse', async () => {
  const headers = { 'if-match': '"stale"' };
  assert.is(await statusOf(`DELETE /todo-lists/${defaultList}`, undefined, { headers }), 412);
  assert.is(await statusOf(`DELETE /todo-lists/${defaultList}`), 409);
});

test('unknown addresses and methods need no credential', async () => {
  for (const key of [null, 'garbage', workspace.key]) {
    assert.is(await statusOf('GET /nope', undefined, { key }), 404);
    assert.is(await statusOf('PUT /todo-lists', '{"half', { key }), 405);
    assert.is(await statusOf('DELETE /', undefined, { key }), 405);
    assert.is(await statusOf('GET /', undefined, { key }), 200);
  }
});

test.run();
