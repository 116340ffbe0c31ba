import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { operationsOf } from '../../adapters/operations.ts';
import { newId } from '../../db/ids.ts';
import { appRouter } from '../../routers/index.ts';
import { ask, assertFrame } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('other methods of known paths');
let tandem: TestService;
test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

const operations = operationsOf(appRouter);
// `fetch` sends no TRACE; `tests/adapters/unreadable.test.ts` does.
const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'HEAD'];

/** The methods of a path, as `Allow` has them. */
function methodsOf(path: string): string[] {
  const found: string[] = operations.filter((each) => each.path === path).map(({ method }) => method);
  return found.includes('GET') ? [...found, 'HEAD'] : found;
}

const send = (method: string, path: string) => ask(`${tandem.url}/api/v1${path}`, { method });

/** Sends a method to a path, and holds the answer to the refusal of what has these. */
async function assertRefused(method: string, path: string, known: readonly string[]): Promise<void> {
  const answer = await send(method, path);
  const { status, headers } = method === 'HEAD' ? answer : assertFrame(answer, `${method} ${path}`);
  assert.is(status, 405, `${method} ${path}`);
  assert.is(headers.get('allow'), known.join(', '), `${method} ${path}`);
}

test('each path refuses all methods that none of its operations has', async () => {
  for (const path of new Set(operations.map((each) => each.path))) {
    const known = methodsOf(path);
    const url = path.replace(/\{\w+\}/g, newId());
    for (const method of methods.filter((each) => !known.includes(each))) await assertRefused(method, url, known);
  }
});

test('a path that another path with a parameter would take has its own methods', async () => {
  for (const method of ['PATCH', 'DELETE', 'POST']) await assertRefused(method, '/todos/summary', ['GET', 'HEAD']);
  await assertRefused('POST', '/captures/tags', ['GET', 'HEAD']);
});

test('a path is found as it is decoded, below the prefix alone and with a query', async () => {
  await assertRefused('PUT', '/%74odo-lists', ['GET', 'POST', 'HEAD']);
  await assertRefused('PUT', '/todo-lists?name=a/b', ['GET', 'POST', 'HEAD']);
  await assertRefused('PUT', '/todo-lists/', ['GET', 'PATCH', 'DELETE', 'HEAD']);
  await assertRefused('PUT', '', ['GET', 'HEAD']);
  await assertRefused('PUT', '/', ['GET', 'HEAD']);
});

test('other paths and unknown methods are 404', async () => {
  for (const [method, path] of [
    ['PUT', '/nowhere'],
    ['PUT', '/todo-lists/a/b'],
    ['PUT', '/TODO-LISTS'],
    ['PROPFIND', '/todo-lists'],
  ] as const) {
    assert.is(assertFrame(await send(method, path)).status, 404, `${method} ${path}`);
  }
});

test('metrics name the path by its pattern', async () => {
  const id = newId();
  await send('PUT', `/labels/${id}`);
  await send('PUT', '/todo-lists');
  const { text } = await ask(`${tandem.url}/metrics`);
  for (const route of ['/api/v1/labels/:labelId', '/api/v1/todo-lists'])
    assert.match(text, `tandem_http_requests_total{method="PUT",route="${route}",status="405"}`);
  assert.not.match(text, id);
});

test.run();
