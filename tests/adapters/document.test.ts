import { readFile } from 'node:fs/promises';
import { generateOpenApiDocument } from 'trpc-to-openapi';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { z } from 'zod';
import type { oas31 } from 'zod-openapi';
import { operationsOf } from '../../adapters/operations.ts';
import { ErrorObject, refusalsOf } from '../../adapters/rest/openapi/failures.ts';
import { mediaType } from '../../adapters/rest/openapi/operation.ts';
import { openApiDocument } from '../../adapters/rest/openapi.ts';
import { Id } from '../../domain/fields.ts';
import { TodoList } from '../../domain/todo-lists/shapes.ts';
import { op, procedure, router } from '../../routers/base.ts';
import { appRouter } from '../../routers/index.ts';
import type { Meta } from '../../routers/metadata.ts';
import { type Described, described, describedAs, document, operations, resolved } from '../support/described.ts';

const test = suite('the document');
const standard = [400, 429, 500, 503];

test('openapi.json is what the operations give', async () => {
  const committed = await readFile('openapi.json', 'utf8');
  assert.ok(committed === `${JSON.stringify(document, null, 2)}\n`, 'openapi.json is stale. Run: npm run generate');
});

test('every operation of the router is in the document, and nothing else', () => {
  assert.equal(
    operations.map(({ id, method, path }) => `${id} ${method} ${path}`).sort(),
    [...described].map(([route, { operationId }]) => `${operationId} ${route}`).sort(),
  );
});

/** Operations whose body is one of several: trpc-to-openapi describes single objects alone. */
const choices = ['completeSignIn', 'reauthenticate', 'createCapture'];

test('trpc-to-openapi finds the same paths and methods', () => {
  const chosen = operations.filter(({ input }) => !(input instanceof z.ZodObject));
  assert.equal(
    chosen.map(({ id }) => id),
    choices,
  );
  const about = { title: 'Tandem', version: '1.0.0', baseUrl: 'http://localhost' };
  const other = generateOpenApiDocument<Meta>(appRouter, {
    ...about,
    filter: ({ metadata }) => !choices.includes(metadata.operation?.id ?? ''),
  });
  const routes = Object.entries(other.paths ?? {}).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  );
  routes.push(...chosen.map(({ method, path }) => `${method} ${path}`));
  assert.equal(routes.sort(), [...described.keys()].sort());
});

test('an operation documents its own statuses and the standard ones, and no others', () => {
  for (const operation of operations) {
    const { access, etag, method, status, statuses } = operation;
    const expected = new Set<number>([status, ...statuses, ...standard]);
    if (access !== 'public') expected.add(401).add(403);
    if (etag && method === 'GET') expected.add(304);
    const actual = Object.keys(describedAs(operation).responses).map(Number);
    assert.equal(actual.sort(), [...expected].sort(), operation.id);
  }
});

test('a failure names the codes that can occur, and gives an example of each', () => {
  for (const operation of operations) {
    for (const { status, codes } of refusalsOf(operation)) {
      const response = resolved(describedAs(operation).responses[status]) as oas31.ResponseObject;
      const examples = response.content?.['application/json']?.examples as Record<string, oas31.ExampleObject>;
      assert.equal(Object.keys(examples), codes);
      for (const code of codes) {
        assert.match(response.description, `\`${code}\``);
        const error = ErrorObject.strict().parse(examples[code]?.value);
        assert.equal([error.status, error.code], [status, code]);
      }
    }
  }
});

/** The codes that an operation documents for a status; undefined when it documents no such status. */
function codesOf(id: string, status: number) {
  const operation = operations.find((each) => each.id === id);
  return operation && refusalsOf(operation).find((each) => each.status === status)?.codes;
}

test('400 lists invalid_cursor where there are pages or positions, and unknown_parameter where the query is strict', () => {
  const codes = (id: string) => codesOf(id, 400);
  assert.equal(codes('listTodos'), ['validation_failed', 'invalid_cursor', 'unknown_parameter']);
  assert.equal(codes('summariseTodos'), ['validation_failed', 'unknown_parameter']);
  assert.equal(codes('createTodo'), ['validation_failed']);
  assert.equal(codes('streamEvents'), ['validation_failed', 'invalid_cursor']);
  assert.equal(codes('streamChat'), ['validation_failed']);
});

test('403 lists workspace_access_denied wherever a second factor may be required, and 401 is not listed in vain', () => {
  assert.equal(codesOf('listTodos', 403), ['missing_scope', 'workspace_access_denied']);
  assert.equal(codesOf('listEvents', 403), ['missing_scope', 'workspace_access_denied']);
  assert.equal(codesOf('listApiKeys', 403), ['api_key_auth_required', 'workspace_access_denied']);
  // `missing_scope` while the address has to be confirmed.
  assert.equal(codesOf('createApiKey', 403), ['api_key_auth_required', 'missing_scope', 'workspace_access_denied']);
  assert.is(codesOf('signUp', 401), undefined);
  assert.equal(codesOf('signIn', 401), ['invalid_api_key']);
});

test('every example is one that its operation accepts or answers', () => {
  for (const operation of operations) {
    const { parameters = [], requestBody, responses } = describedAs(operation);
    const needed = parameters
      .filter((each): each is oas31.ParameterObject => 'in' in each && each.required === true)
      .map(({ name, example }) => [name, example]);
    const body = (requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
    if (requestBody) assert.ok(Object.keys(body?.example).length > 0, `${operation.id} has a request example`);
    operation.input.parse({ ...Object.fromEntries(needed), ...body?.example });
    const answer = responses[operation.status]?.content?.[mediaType(operation)]?.example;
    assert.equal(operation.output.parse(answer), answer, operation.id);
  }
});

test('no example makes do with the name of its field', () => {
  const placeholders: string[] = [];
  const search = (node: unknown, where: string) => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node)) {
      const spoken = key.replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
      if (value === spoken) placeholders.push(`${where}.${key}: give the field .meta({ examples: [...] })`);
      search(value, `${where}.${key}`);
    }
  };
  for (const operation of operations) {
    const { requestBody, responses } = describedAs(operation);
    const body = (requestBody as oas31.RequestBodyObject | undefined)?.content['application/json'];
    search(body?.example, `request of ${operation.id}`);
    search(responses[operation.status]?.content?.[mediaType(operation)]?.example, `answer of ${operation.id}`);
  }
  assert.equal(placeholders, []);
});

test('bodies are named components without path parameters, and every answer is a named component', () => {
  for (const operation of operations) {
    const { requestBody, responses } = describedAs(operation);
    const body = (requestBody as oas31.RequestBodyObject | undefined)?.content['application/json']?.schema;
    if (body) {
      assert.match(String((body as oas31.ReferenceObject).$ref), /^#\/components\/schemas\/\w+Params$/);
      const { oneOf, properties = {} } = resolved<oas31.SchemaObject>(body);
      const choices = oneOf?.map((each) => resolved<oas31.SchemaObject>(each).properties ?? {}) ?? [properties];
      assert.equal(
        Object.keys(Object.assign({}, ...choices)),
        Object.keys(operation.fields).filter((name) => !operation.pathParameters.includes(name)),
      );
    }
    const answer = responses[operation.status]?.content?.[mediaType(operation)]?.schema as oas31.ReferenceObject;
    assert.match(answer.$ref, /^#\/components\/schemas\/\w+$/);
  }
  const names = Object.keys(document.components?.schemas ?? {});
  for (const name of ['Error', 'Todo', 'TodoCreateParams', 'TodoUpdateParams', 'TodoList', 'DeletedResource']) {
    assert.ok(names.includes(name), name);
  }
  assert.equal(
    names.filter((name) => name.endsWith('Output') || name.includes('__')),
    [],
  );
});

/** Every schema that an answer has, by where it stands. */
function* answerSchemas(node: unknown, where: string, known: Set<unknown>): Generator<[string, oas31.SchemaObject]> {
  if (typeof node !== 'object' || node === null || known.has(node)) return;
  known.add(node);
  if (!Array.isArray(node)) yield [where, node as oas31.SchemaObject];
  const { $ref } = node as oas31.ReferenceObject;
  if (typeof $ref === 'string') yield* answerSchemas(resolved(node), $ref.slice(2), known);
  for (const [key, value] of Object.entries(node)) {
    if (!['example', 'examples', 'default', 'const', 'enum'].includes(key)) {
      yield* answerSchemas(value, `${where}/${key}`, known);
    }
  }
}

const answers = operations.flatMap((operation) => [
  ...answerSchemas(describedAs(operation).responses[operation.status], operation.id, new Set()),
]);

test('answers may gain fields within v1, so their schemas leave room', () => {
  const closed = answers.filter(([, { additionalProperties }]) => additionalProperties === false);
  assert.equal([...new Set(closed.map(([where]) => where))], []);
  assert.ok(
    answers.some(([where]) => where === 'components/schemas/EventParents'),
    'references are followed',
  );
  assert.is(
    resolved<oas31.SchemaObject>({ $ref: '#/components/schemas/TodoCreateParams' }).additionalProperties,
    false,
  );
});

test('no address in an answer has the format of one: the first owner has none until somebody takes the workspace', () => {
  assert.equal(
    answers.filter(([, { format }]) => format === 'email').map(([where]) => where),
    [],
  );
});

test('a deprecated operation is marked, names its successor and its end, and has the headers on every response', () => {
  const deprecated = { sunset: new Date('2027-01-31T00:00:00Z'), replacement: 'getTodoList' };
  const old = procedure
    .meta(op('GET /old/{oldId}', { id: 'getOld', scope: 'todos:read', summary: 'Old', statuses: [404], deprecated }))
    .input(TodoList.pick({}).strict().extend({ oldId: Id }))
    .output(TodoList)
    .query(() => Promise.reject(new Error('never called')));
  const made = openApiDocument(operationsOf(router({ old })), {
    version: '1.0.0',
    server: { url: 'http://localhost/api/v1' },
    docsUrl: 'http://localhost/docs',
  });
  const operation = made.paths?.['/old/{oldId}']?.get as Described;
  assert.is(operation.deprecated, true);
  assert.match(operation.description ?? '', 'stops working on 2027-01-31.** Use `getTodoList` instead');
  for (const [status, response] of Object.entries(operation.responses)) {
    for (const name of ['Deprecation', 'Sunset', 'Link', 'X-Request-Id', 'RateLimit-Limit']) {
      assert.ok(response.headers?.[name], `${name} on ${status}`);
    }
  }
});

test('the introduction says what holds for all operations', () => {
  const text = document.info.description ?? '';
  for (const word of [
    '405',
    '413',
    '415',
    'Idempotency-Key',
    'nextCursor',
    'If-Match',
    'Sunset',
    'BEFORE its messages',
  ]) {
    assert.match(text, word);
  }
});

test.run();
