import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import { type Operation, operationsOf, toolsOf } from '../../adapters/operations.ts';
import { appRouter } from '../../routers/index.ts';
import { toolRouter } from '../../routers/tools/index.ts';
import { type ValidRequest, validRequest } from '../fixtures/operations.ts';
import type { Schema } from '../support/arbitraries.ts';
import { ask, assertFrame, exchange } from '../support/frame.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { callTool } from '../support/mcp-clients.ts';

/* Text that PostgreSQL cannot store, in every string of every operation and tool (CONTRACT §10.15 and §10.26). */

const test = suite('text that cannot be stored');
const operations = operationsOf(appRouter);
const texts = ['a\0', '\ud800'];
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

type Path = (string | 0)[];

/** The places of strings in values of the schema, each once. */
function stringsOf(schema: Schema, root: Schema, path: Path = []): Path[] {
  const inside = (inner: Schema, more: Path = []) => stringsOf(inner, root, [...path, ...more]);
  if (schema.$ref !== undefined) return inside(root.$defs?.[schema.$ref.split('/').at(-1) ?? ''] ?? {});
  const choices = schema.anyOf ?? schema.oneOf ?? schema.allOf ?? [];
  const found = [
    ...choices.flatMap((choice) => inside(choice)),
    ...(schema.items ? inside(schema.items, [0]) : []),
    ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) => inside(field, [name])),
    ...(schema.type === 'string' || typeof schema.const === 'string' ? [path] : []),
    // A record of anything.
    ...(schema.type === 'object' && !schema.properties ? [[...path, 'any']] : []),
  ];
  return [...new Map(found.map((each) => [JSON.stringify(each), each])).values()];
}

const placesIn = (input: z.ZodType) => {
  const schema = z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' }) as Schema;
  return stringsOf(schema, schema);
};

/** A copy of `value` with `text` at the place. */
function withText(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text;
  if (step === 0) return [withText(Array.isArray(value) ? value[0] : undefined, rest, text)];
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  return { ...fields, [step]: withText(fields[step], rest, text) };
}

/** The place as `param` has it. */
const named = (path: Path) =>
  path
    .map((step) => (step === 0 ? '[0]' : `.${step}`))
    .join('')
    .slice(1);

const inQuery = ({ method }: Operation) => method === 'GET' || method === 'DELETE';

function routeOf({ method, path }: Operation, request: ValidRequest, query = ''): string {
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => request.path?.[name] ?? '');
  return `${method} ${filled}${query && `?${query}`}`;
}

for (const operation of operations) {
  const { id, pathParameters } = operation;

  test(`${id} refuses it in every string, and names the one at fault`, async () => {
    const workspace = await tandem.workspace();
    const request = await validRequest(operation, workspace);
    const { key } = request;
    const options = key === undefined ? {} : { key };
    if (inQuery(operation)) {
      for (const name of Object.keys(operation.fields).filter((each) => !pathParameters.includes(each))) {
        for (const text of ['a%00', '%ff', '%C3%28', '%ED%A0%80', '%F0%9F']) {
          const answer = assertFrame(
            await workspace.call(routeOf(operation, request, `${name}=${text}`), undefined, options),
          );
          assert.is(answer.status, 400, `${name}=${text} ${answer.text}`);
          assert.is(answer.body.param.replace(/\[0\]$/, ''), name, answer.text);
        }
      }
      return;
    }
    for (const place of placesIn(operation.input)) {
      if (pathParameters.includes(String(place[0]))) continue;
      for (const text of texts) {
        const body = withText(request.body ?? {}, place, text);
        const answer = assertFrame(await workspace.call(routeOf(operation, request), body, options), named(place));
        assert.is(answer.status, 400, `${named(place)} ${answer.text}`);
        assert.is(answer.body.param, named(place), answer.text);
      }
    }
  });

  test(`${id} refuses it in its path`, async () => {
    const workspace = await tandem.workspace();
    const request = await validRequest(operation, workspace);
    const options = request.key === undefined ? {} : { key: request.key };
    for (const name of pathParameters) {
      for (const text of ['%00', '%ff', '%ED%A0%80']) {
        const path = { ...request.path, [name]: text };
        const answer = assertFrame(
          await workspace.call(routeOf(operation, { ...request, path }), request.body, options),
        );
        assert.is(answer.status, 400, `${name} ${answer.text}`);
        assert.is(answer.body.param, name, `${text} ${answer.text}`);
      }
    }
  });

  test(`${id} refuses it over tRPC`, async () => {
    const workspace = await tandem.workspace();
    const request = await validRequest(operation, workspace);
    const headers = { authorization: `Bearer ${request.key ?? workspace.key}`, 'content-type': 'application/json' };
    for (const place of placesIn(operation.input)) {
      for (const text of texts) {
        const input = JSON.stringify(withText({ ...request.path, ...request.body }, place, text));
        const url = `${tandem.url}/trpc/${operation.name}`;
        const { status, body } =
          operation.type === 'query'
            ? await ask(`${url}?input=${encodeURIComponent(input)}`, { headers })
            : await ask(url, { method: 'POST', headers, body: input });
        assert.is(status, 400, `${named(place)} ${JSON.stringify(body)}`);
        assert.is(body.error.data.problem.param, named(place));
      }
    }
  });
}

for (const tool of toolsOf(toolRouter)) {
  test(`${tool.name} refuses it in every argument`, async () => {
    const { key } = await tandem.workspace();
    for (const place of placesIn(tool.input)) {
      for (const text of texts) {
        const answer = await callTool(tandem.url, key, tool.name, withText({}, place, text) as object);
        assert.is(answer.isError, true);
        const code = named(place) === 'cursor' ? 'invalid_cursor' : 'validation_failed';
        assert.equal([answer.data.code, answer.data.param], [code, named(place)], answer.text);
      }
    }
  });
}

test('a name of a field may not hold it either, and nesting without end is read to its end', async () => {
  const { call } = await tandem.workspace();
  for (const text of texts) {
    const inside = await call('POST /todos', { title: 'A', schedule: { [text]: 1 } });
    assert.equal([inside.status, inside.body.param], [400, 'schedule']);
    const outside = await call('POST /todos', { title: 'A', [text]: 1 });
    assert.equal([outside.status, outside.body.param], [400, null]);
  }
  const deep = `${'['.repeat(200_000)}"\\u0000"${']'.repeat(200_000)}`;
  assert.is((await call('POST /todos', `{"title":${deep}}`)).status, 400);
});

test('an address with bytes that are not UTF-8 is 400 for every route', async () => {
  const { key } = await tandem.workspace();
  const headers = { authorization: `Bearer ${key}` };
  const paths = ['/docs', '/openapi.json', '/oauth/authorize', '/healthz', '/nothing', '/trpc/meta.identity'];
  for (const path of paths) {
    for (const query of ['state=%ff', '%ff=1', 'a=1&b=%e2%82']) {
      const { status, text } = await ask(`${tandem.url}${path}?${query}`, { headers, redirect: 'manual' });
      assert.is(status, 400, `${path}?${query} ${text.slice(0, 200)}`);
    }
    for (const query of ['client_id=%00&redirect_uri=%00&state=%00&scope=%00&response_type=code', '%00=%00']) {
      const { status } = await ask(`${tandem.url}${path}?${query}`, { headers, redirect: 'manual' });
      assert.ok(status < 500, `${path}?${query} ${status}`);
    }
    const { status } = await ask(`${tandem.url}${path}/%00%0a`, { headers, redirect: 'manual' });
    assert.ok(status < 500, `${path} ${status}`);
  }
});

test('bytes outside of ASCII that are not percent-encoded are 400', async () => {
  const { key } = await tandem.workspace();
  const head = `HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: Bearer ${key}\r\n\r\n`;
  const bytes = Buffer.from(`GET /api/v1/todos?limit=1&query=é ${head}`);
  assert.is(assertFrame(await exchange(tandem.service.port, bytes)).status, 400);
});

test('an address that is percent-encoded as it should be is read as it was', async () => {
  const { call } = await tandem.workspace();
  await call('POST /todos', { title: 'Crème 🍮 100%' });
  for (const query of ['Cr%C3%A8me', '%F0%9F%8D%AE', '100%25']) {
    const { status, body } = await call(`GET /todos?query=${query}`);
    assert.is(status, 200);
    assert.is(body.data.length, 1, query);
  }
});

test.run();
