import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('a client generated from the document');
const run = promisify(execFile);
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** What a program of tests/fixtures/client writes when it runs against the service. */
async function outcomeOf(program: string, key: string): Promise<unknown> {
  const command = [`tests/fixtures/client/${program}`, `${tandem.url}/api/v1`, key];
  const { stdout } = await run(process.execPath, command);
  return JSON.parse(stdout);
}

test('openapi-typescript makes types with which programs compile', async () => {
  // A field with a default may be left out of a request: the generator must not make it required.
  const ast = await openapiTS(await readFile('openapi.json', 'utf8'), { defaultNonNullable: false });
  await mkdir('tests/generated', { recursive: true });
  await writeFile('tests/generated/openapi.ts', astToString(ast));

  const compiled = await run('node_modules/.bin/tsc', ['--noEmit', '-p', 'tests/fixtures/client']).catch(
    (error) => error,
  );
  assert.is(compiled.stdout, '', compiled.stdout);
});

test('they work', async () => {
  const { key } = await tandem.workspace();
  assert.equal(await outcomeOf('main.ts', key), {
    name: 'Tandem',
    role: 'owner',
    listNames: ['Inbox', 'Groceries'],
    status: 'done',
    titles: ['Milk'],
    totalCount: 1,
    missing: { status: 404, code: 'resource_not_found' },
  });
});

test('one goes through pages, errors, a repeated write, captures and a chat', async () => {
  const { key } = await tandem.workspace();
  const common = { retryable: false, isQuotable: true };
  assert.equal(await outcomeOf('walk.ts', key), {
    pages: { made: 11, walked: Array.from({ length: 11 }, (_, n) => `Todo ${n}`) },
    errors: [
      { code: 'resource_not_found', param: 'todoId', ...common },
      { code: 'validation_failed', param: 'limit', ...common },
      { code: 'missing_credentials', param: null, ...common },
    ],
    repeated: { isSame: true, replayed: [null, 'true'], reused: 'idempotency_key_reused' },
    conditional: ['Mine', 412, 'precondition_failed'],
    captures: {
      types: ['note', 'recording'],
      title: 'Talk',
      content: 'The offer comes on Friday.',
      isChanged: true,
      tagged: [1, [true]],
      tags: [['party', 1]],
      stopped: 'resource_conflict',
    },
    chat: [
      'completed',
      [
        [1, 'user'],
        [2, 'agent'],
      ],
      ['text', 'text'],
    ],
  });
});

test.run();
