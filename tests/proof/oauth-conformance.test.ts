import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { Browser, decide, register } from '../support/oauth.ts';
import { newAccount } from '../support/people.ts';
import { freePort } from '../support/ports.ts';

/*
 * The scenarios of @modelcontextprotocol/conformance for authorization servers, in every version of the protocol that
 * has them. Its runner prints the address that a person should open; here a person does.
 */
const test = suite('oauth conformance');
let tandem: TestService;
let results: string;

test.before(async () => {
  tandem = await startTestService();
  results = await mkdtemp(join(tmpdir(), 'tandem-conformance-'));
});
test.after(async () => {
  await tandem.close();
  await rm(results, { recursive: true, force: true });
});

interface Check {
  id: string;
  status: 'SUCCESS' | 'FAILURE' | 'WARNING' | 'SKIPPED' | 'INFO';
  errorMessage?: string;
}

/** Runs every scenario; `open` gets the address that the runner asks a person to open. */
async function run(args: string[], open: (address: string) => Promise<void>): Promise<Check[]> {
  const runner = resolve('node_modules/@modelcontextprotocol/conformance/dist/index.js');
  const child = spawn(process.execPath, [runner, 'authorization', ...args, '--output-dir', results], {
    cwd: results,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  let opened: Promise<void> | undefined;
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk.toString();
    const address = /^https?:\/\/\S+\/oauth\/authorize\?\S+$/m.exec(output)?.[0];
    if (address) opened ??= open(address);
  });
  await new Promise((done) => child.on('close', done));
  await opened;
  const files = (await readdir(results, { recursive: true })).filter((name) => name.endsWith('checks.json'));
  const checks = await Promise.all(files.map(async (name) => JSON.parse(await readFile(join(results, name), 'utf8'))));
  return checks.flat() as Check[];
}

test('every scenario for authorization servers passes', async () => {
  const port = await freePort();
  const clientId = await register(tandem.url, { redirect_uris: ['http://127.0.0.1/callback'] });
  const person = await newAccount(tandem);
  const resource = `${tandem.url}/mcp`;
  const args = ['--url', tandem.url, '--client-id', clientId, '--resource', resource, '--port', String(port)];
  const checks = await run(args, async (address) => {
    const landed = await decide(new Browser(person), address, { workspaceId: person.session.workspace.id });
    assert.is(landed.port, String(port));
    await fetch(landed);
  });
  assert.equal(checks.map(({ id, status, errorMessage = '' }) => `${id} ${status} ${errorMessage}`.trim()).sort(), [
    'authorization-code-grant SUCCESS',
    'authorization-server-metadata SUCCESS',
    'authorization-server-metadata-cimd SUCCESS',
  ]);
});

test.run();
