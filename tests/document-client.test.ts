import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import openapiTS, { astToString } from 'openapi-typescript';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from './harness.ts';

const test = suite('a client generated from the document');
const run = promisify(execFile);
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

test('openapi-typescript makes types with which a program compiles and works', async () => {
  // A field with a default may be left out of a request: the generator must not make it required.
  const ast = await openapiTS(await readFile('openapi.json', 'utf8'), { defaultNonNullable: false });
  await mkdir('tests/generated', { recursive: true });
  await writeFile('tests/generated/openapi.ts', astToString(ast));

  const compiled = await run('node_modules/.bin/tsc', ['--noEmit', '-p', 'tests/client']).catch((error) => error);
  assert.is(compiled.stdout, '', compiled.stdout);

  const { key } = await tandem.workspace();
  const program = ['--import', 'tsx', 'tests/client/main.ts', `${tandem.url}/api/v1`, key];
  const { stdout } = await run(process.execPath, program);
  assert.equal(JSON.parse(stdout), {
    name: 'Tandem',
    role: 'owner',
    listNames: ['Inbox', 'Groceries'],
    status: 'done',
    titles: ['Milk'],
    totalCount: 1,
    missing: { status: 404, code: 'resource_not_found' },
  });
});

test.run();
