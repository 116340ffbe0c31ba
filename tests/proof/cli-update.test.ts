import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { buildCli } from '../../scripts/build-cli.ts';
import { type Between, bundle, openBetween, openPrompt, type Prompt, startProgram } from '../support/cli-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';

const test = suite('updating the client');
let tandem: TestService;
let between: Between;
let prompt: Prompt;
/** What the service serves as client and checksum; its own where undefined. */
let served: { client?: string; checksum?: string };

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
  between = await openBetween(tandem.url, (_, { url }, response) => {
    if (url === '/api/v1/') {
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify({ object: 'service_info', cliInstallUrl: `${between.url}/install.sh` }));
      return true;
    }
    const text = url === '/cli/tandem.cjs' ? served.client : url?.endsWith('.sha256') ? served.checksum : undefined;
    if (text === undefined) return undefined;
    response.end(text);
    return true;
  });
});
test.before.each(() => {
  served = {};
  prompt = openPrompt(between.url, 'tandem_sk_none');
});
test.after.each(() => prompt.close());
test.after(async () => {
  await between.close();
  await tandem.close();
});

const current = () => readFileSync(bundle, 'utf8');
const sumOf = (text: string) => createHash('sha256').update(text).digest('hex');

/** Installs a client whose version is 0.0.9 and whose bytes differ from the service's. */
function install(directory = join(prompt.home, 'bin')): string {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, 'tandem');
  writeFileSync(path, current().replaceAll('"0.1.0"', '"0.0.9"'), { mode: 0o755 });
  return path;
}

const runAt = (path: string, ...args: string[]) =>
  startProgram(process.execPath, [path, ...args], { environment: prompt.environment }).ended;

/** An update that fails, and leaves everything as it was. */
async function refuses(path: string, code: number): Promise<string> {
  const before = readFileSync(path, 'utf8');
  const ran = await runAt(path, 'update');
  assert.is(ran.code, code, ran.err);
  assert.is(readFileSync(path, 'utf8'), before);
  assert.equal(readdirSync(dirname(path)), ['tandem'], 'nothing else is left');
  assert.match(ran.err, 'Nothing was changed.');
  return ran.err;
}

test('the file is replaced by that of the service, also through a link, and keeps its mode', async () => {
  const path = install();
  assert.is((await runAt(path, '--version')).out, 'tandem 0.0.9\n');
  chmodSync(path, 0o711);
  const link = join(prompt.home, 'linked');
  symlinkSync(path, link);
  const updated = await runAt(link, 'update');
  assert.is(updated.code, 0, updated.err);
  assert.is(updated.out, `Updated tandem 0.0.9 to 0.1.0: ${path}\n`);
  assert.is(readFileSync(path, 'utf8'), current());
  assert.is(statSync(path).mode & 0o777, 0o711);
  assert.equal(readdirSync(dirname(path)), ['tandem']);
  const again = await runAt(link, 'update');
  assert.equal([again.code, again.out], [0, 'tandem 0.1.0 is the version of the service.\n']);
});

test('a download that is not what the checksum says is never installed', async () => {
  const path = install();
  served = { client: `${current()}\nevil();` };
  assert.match(await refuses(path, 1), `The SHA-256 of the download is ${sumOf(served.client ?? '')}, not`);
  served = { checksum: '<html>' };
  assert.match(await refuses(path, 1), 'publishes no checksum');
});

test('a client that does not run is never installed', async () => {
  const path = install();
  const client = '// Command-line client of Tandem in one file.\nsyntax error';
  served = { client, checksum: `${sumOf(client)}  tandem.cjs\n` };
  assert.match(await refuses(path, 1), 'The new client does not run with Node.js');
});

test('one that a package manager installed is left to it', async () => {
  const directory = join(prompt.home, 'lib/node_modules/@yours/cli');
  const path = install(directory);
  writeFileSync(join(dirname(directory), 'package.json'), '{}');
  const ran = await runAt(path, 'update');
  assert.is(ran.code, 1);
  assert.match(ran.err, `installed by npm or a similar program, which must update it: ${path}\n`);
  assert.match(ran.err, 'Use: npm install --global tandem@latest\nNothing was changed.\n');
  writeFileSync(join(directory, 'package.json'), '{"name":"@yours/cli"}');
  assert.match((await runAt(path, 'update')).err, 'Use: npm install --global @yours/cli@latest\n');
  const source = await runAt(bundle, 'update');
  assert.is(source.code, 1);
  assert.match(source.err, 'built from source');
});

test('a service that cannot be reached changes nothing', async () => {
  const path = install();
  const ran = await startProgram(process.execPath, [path, 'update', '--no-retry'], {
    environment: { ...prompt.environment, TANDEM_URL: 'http://127.0.0.1:1' },
  }).ended;
  assert.is(ran.code, 8);
  assert.is((await runAt(path, '--version')).out, 'tandem 0.0.9\n');
});

test.run();
