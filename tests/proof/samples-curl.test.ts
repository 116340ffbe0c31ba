import { execFile, spawn } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Operation } from '../../adapters/operations.ts';
import { sampleRequest } from '../../adapters/rest/openapi/sample-request.ts';
import { type ValidRequest, validRequest } from '../fixtures/operations.ts';
import { describedAs, operations, sampleOf } from '../support/described.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('the curl samples, run');
const run = promisify(execFile);
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

/** Samples whose body proves something that only one device or one email has: they are sent, and refused. */
const refused: Readonly<Record<string, { status: number; because: string }>> = {
  signInWithPasskey: { status: 401, because: 'the credential is signed by a device' },
  requestSignInPasskey: { status: 401, because: 'the token is that of a sign-in which is under way' },
  createPasskey: { status: 400, because: 'the credential is signed by a device' },
};

/**
 * Fields that stand for something that exists, or for a time ahead: the sample has the example, the request to run the
 * real one.
 */
const named = /^(?:after|until)$|(?:^|[a-z])(?:[iI]ds?|[tT]oken|code|email|upTo|[pP]assword)$/;

/** The sample with the ids, tokens and addresses of a request that is valid in this workspace. */
function withReal(source: string, operation: Operation, valid: ValidRequest): string {
  const { path, query, body = {} } = sampleRequest(operation, describedAs(operation));
  const asked = new URLSearchParams(valid.query);
  let text = source;
  for (const [name, value] of Object.entries(path)) text = text.replace(String(value), valid.path?.[name] ?? '');
  for (const [name, value] of Object.entries(query)) text = text.replace(`=${value}`, `=${asked.get(name) ?? value}`);
  for (const [name, value] of Object.entries(body)) {
    const real = valid.body?.[name];
    if (!named.test(name) || real === undefined) continue;
    text = text.replace(JSON.stringify(value, null, 2).replaceAll('\n', '\n  '), JSON.stringify(real));
  }
  return text;
}

/** The status that a stream without an end begins with. */
function statusOfStream(line: string, env: NodeJS.ProcessEnv): Promise<number> {
  const child = spawn('/bin/sh', ['-c', `exec ${line}`], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let head = '';
    child.stdout.on('data', (chunk: Buffer) => {
      head += chunk.toString();
      const status = /^HTTP\/1\.1 (\d+)/.exec(head)?.[1];
      if (status === undefined) return;
      child.kill();
      resolve(Number(status));
    });
    child.on('close', () => reject(new Error(`curl ended without an answer: ${head}`)));
  });
}

for (const operation of operations) {
  const { id } = operation;
  test(`the sample of ${id} is answered as documented`, async () => {
    const workspace = await tandem.workspace();
    const valid = await validRequest(operation, workspace);
    const sample = withReal(sampleOf(operation, 'curl'), operation, valid);
    const { PATH } = process.env;
    const session = valid.key ?? (await workspace.session());
    const env = { PATH, TANDEM_URL: tandem.url, TANDEM_API_KEY: workspace.key, TANDEM_SESSION: session };
    if (operation.stream) {
      assert.is(await statusOfStream(sample.replace(/^curl /, 'curl -sSNi '), env), operation.status, sample);
      return;
    }
    const line = sample.replace(/^curl /, `curl -sS -w '\\n%{http_code}' `);
    const { stdout } = await run('/bin/sh', ['-c', line], { env, maxBuffer: 2 ** 26 });
    const status = Number(stdout.slice(stdout.lastIndexOf('\n') + 1));
    assert.is(status, refused[id]?.status ?? operation.status, `${line}\n${stdout.slice(0, 2000)}`);
  });
}

test.run();
