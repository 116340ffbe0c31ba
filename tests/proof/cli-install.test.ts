import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import fastify from 'fastify';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { installer } from '../../adapters/cli/installer.ts';
import { mountCli } from '../../adapters/cli/mount.ts';
import { buildCli, bundleText } from '../../scripts/build-cli.ts';
import { bundle, openPrompt, startProgram } from '../support/cli-world.ts';
import { startTestService, type TestService } from '../support/harness.ts';
import { send } from '../support/oauth.ts';

const test = suite('installing the client');
let tandem: TestService;
let home: string;

test.before(async () => {
  await buildCli();
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.before.each(() => {
  home = mkdtempSync(join(tmpdir(), "tandem installs it's "));
});
test.after.each(() => rmSync(home, { recursive: true, force: true }));
test.after(() => tandem.close());

const get = (path: string, headers: Record<string, string> = {}) => send(tandem.url, `GET ${path}`, { headers });

function found(tool: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((directory) => join(directory, tool))
    .find((path) => existsSync(path));
}

/** A PATH of these tools alone. */
function pathOf(tools: readonly string[]): string {
  const directory = mkdtempSync(join(home, 'bin-'));
  for (const tool of tools) {
    const path = tool === 'node' ? process.execPath : found(tool);
    if (path) symlinkSync(path, join(directory, tool));
  }
  return directory;
}

const basics = ['sh', 'cat', 'chmod', 'cut', 'env', 'mkdir', 'mktemp', 'mv', 'rm', 'sed'];

/** Runs a script as `… | sh` does. */
function pipeToShell(script: string, environment: Record<string, string> = {}) {
  const path = [dirname(process.execPath), process.env.PATH].join(delimiter);
  return startProgram('sh', [], { stdin: script, environment: { PATH: path, HOME: home, ...environment } }).ended;
}

const installed = () => join(home, '.local/bin/tandem');
const nothingIsThere = () =>
  assert.equal(existsSync(join(home, '.local/bin')) ? readdirSync(join(home, '.local/bin')) : [], []);

test('the service serves the client, its checksum and the installer that carries it', async () => {
  const client = await get('/cli/tandem.cjs');
  assert.is(client.status, 200);
  assert.is(client.headers.get('content-type'), 'text/javascript; charset=utf-8');
  assert.is(client.text, readFileSync(bundle, 'utf8'));
  const checksum = createHash('sha256').update(client.text).digest('hex');
  assert.is((await get('/cli/tandem.cjs.sha256')).text, `${checksum}  tandem.cjs\n`);
  const { body: info } = await tandem.call('GET /');
  const script = await send(info.cliInstallUrl, 'GET /install.sh');
  assert.is(script.headers.get('content-type'), 'text/x-shellscript; charset=utf-8');
  assert.match(script.text, `checksum='${checksum}'`);
  assert.match(script.text, `url='${tandem.url}'`);
  const again = await get('/install.sh', { 'if-none-match': script.headers.get('etag') ?? '' });
  assert.is(again.status, 304);
});

test('the installer installs a working client and prints the next step', async () => {
  const { text } = await get('/install.sh');
  const ran = await pipeToShell(text);
  assert.is(ran.code, 0, ran.err);
  assert.match(ran.out, `Installed tandem 0.1.0 as ${installed()}\n`);
  assert.match(ran.out, `export PATH="${home}/.local/bin:$PATH"`);
  assert.match(ran.out, `Next: tandem login --url ${tandem.url}\n`);
  assert.equal(readdirSync(join(home, '.local/bin')), ['tandem'], 'nothing else is left');
  const { key } = await tandem.workspace();
  const environment = { PATH: dirname(process.execPath), HOME: home, TANDEM_URL: tandem.url, TANDEM_API_KEY: key };
  const whoami = await startProgram(installed(), ['whoami', '--json'], { environment }).ended;
  assert.is(whoami.json.user.name, 'Tess');
  const again = await pipeToShell(text, {
    PATH: [join(home, '.local/bin'), dirname(process.execPath), process.env.PATH].join(delimiter),
  });
  assert.is(again.code, 0, again.err);
  assert.not.match(again.out, 'PATH', 'it is in the PATH now');
});

test('it installs to the given directory, with curl or wget and any checksum program', async () => {
  const { text } = await get('/install.sh');
  const ways = [
    ['curl', 'sha256sum'],
    ['wget', 'shasum', 'perl'],
    ['curl', 'openssl'],
  ];
  for (const [index, tools] of ways.entries()) {
    if (!tools.every(found)) continue;
    const directory = join(home, `to ${index}`);
    const ran = await pipeToShell(text, { PATH: pathOf([...basics, 'node', ...tools]), TANDEM_INSTALL_DIR: directory });
    assert.is(ran.code, 0, `${tools}: ${ran.err}`);
    assert.is(readFileSync(join(directory, 'tandem'), 'utf8'), readFileSync(bundle, 'utf8'));
  }
});

test('what lacks installs nothing, and is named', async () => {
  const { text } = await get('/install.sh');
  const old = pathOf([...basics, 'curl', 'sha256sum']);
  writeFileSync(join(old, 'node'), '#!/bin/sh\necho 20.19.4\n');
  chmodSync(join(old, 'node'), 0o755);
  const cases: [string, RegExp][] = [
    [pathOf([...basics, 'curl', 'sha256sum']), /Node\.js 22 or newer is needed, and there is no node here/],
    [old, /Node\.js 22 or newer is needed; this one is 20\.19\.4/],
    [pathOf([...basics, 'node', 'sha256sum']), /curl or wget is needed/],
    [pathOf([...basics, 'node', 'curl']), /sha256sum, shasum or openssl is needed/],
  ];
  for (const [PATH, message] of cases) {
    const ran = await pipeToShell(text, { PATH });
    assert.is(ran.code, 1, ran.out);
    assert.match(ran.err, message);
    nothingIsThere();
  }
});

test('a client that is not the one of the checksum is never installed, and never replaces one', async () => {
  const { text } = await get('/install.sh');
  const wrong = text.replace(/checksum='[0-9a-f]{64}'/, `checksum='${'0'.repeat(64)}'`);
  assert.is.not(wrong, text);
  const ran = await pipeToShell(wrong);
  assert.is(ran.code, 1);
  assert.match(ran.err, 'the download is not what it should be');
  nothingIsThere();
  mkdirSync(join(home, '.local/bin'), { recursive: true });
  writeFileSync(installed(), 'the one before');
  assert.is((await pipeToShell(wrong)).code, 1);
  assert.equal(
    [readdirSync(join(home, '.local/bin')), readFileSync(installed(), 'utf8')],
    [['tandem'], 'the one before'],
  );
  const gone = text.replace(/url='[^']*'/, `url='${tandem.url}/nowhere'`);
  const missing = await pipeToShell(gone);
  assert.is(missing.code, 1);
  assert.match(missing.err, 'could not be downloaded');
  assert.is(readFileSync(installed(), 'utf8'), 'the one before');
});

test('an installer that was cut off anywhere runs nothing', async () => {
  const { text } = await get('/install.sh');
  const end = text.lastIndexOf('main "$@"');
  for (const length of [end, Math.floor(end * 0.9), Math.floor(end / 2), Math.floor(end / 3)]) {
    const ran = await pipeToShell(text.slice(0, length));
    assert.is(ran.out, '');
    nothingIsThere();
  }
});

test('no address of a service becomes a command in its installer', () => {
  const publicUrl = "https://example.com/it's$(touch owned)`touch owned`";
  const script = installer({ publicUrl, cliInstallUrl: 'https://example.com/\ntouch owned\n#' }, 'abc');
  const lines = script.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  assert.not.ok(lines.some((line) => line.startsWith('touch')));
  const shown = execFileSync('sh', ['-c', `${lines.find((line) => line.startsWith('url='))}; printf '%s' "$url"`], {
    cwd: home,
  });
  assert.is(shown.toString(), publicUrl);
  assert.equal(readdirSync(home), []);
});

test('a service whose client is not built returns an installer that says so and installs nothing', async () => {
  const app = fastify();
  mountCli(app, { publicUrl: tandem.url, cliInstallUrl: `${tandem.url}/install.sh` }, join(home, 'nowhere'));
  for (const url of ['/install.sh', '/cli/tandem.cjs', '/cli/tandem.cjs.sha256']) {
    const { statusCode, body } = await app.inject(url);
    assert.is(statusCode, 503);
    const ran = await pipeToShell(body);
    assert.is(ran.code, 1);
    assert.match(ran.err, 'npm run build');
  }
  await app.close();
});

test('the same sources make the same file, which names no path of the machine', async () => {
  const text = await bundleText();
  assert.is(text, readFileSync(bundle, 'utf8'));
  assert.not.match(text, process.cwd());
  assert.match(text, /^#!\/usr\/bin\/env node\n/);
  const needed = [...text.matchAll(/\brequire\("([^"]+)"\)/g)].map(([, name = '']) => name);
  assert.ok(needed.length > 5 && needed.every((name) => name.startsWith('node:')), needed.join());
});

test('an old Node prints an error; a newer one loads the file as CommonJS or as a module', async () => {
  const preload = join(home, 'old.cjs');
  const versions = "Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '20.19.4' } });";
  writeFileSync(preload, versions);
  const old = await startProgram(process.execPath, ['--require', preload, bundle, '--version'], {}).ended;
  assert.is(old.code, 1);
  assert.is(old.err, 'tandem needs Node.js 22 or newer; this is 20.19.4. See https://nodejs.org/\n');
  for (const type of ['module', 'commonjs']) {
    const directory = join(home, type);
    mkdirSync(directory);
    writeFileSync(join(directory, 'package.json'), `{"type":"${type}"}`);
    writeFileSync(join(directory, 'tandem'), readFileSync(bundle));
    const ran = await startProgram(process.execPath, [join(directory, 'tandem'), '--version'], {}).ended;
    assert.is(ran.out, 'tandem 0.1.0\n', `${type}: ${ran.err}`);
  }
});

test('the shells take their completion, and bash completes with it', async () => {
  const prompt = openPrompt(tandem.url);
  for (const shell of ['bash', 'zsh', 'fish']) {
    const { out, code } = await prompt.run(['completion', shell]);
    assert.is(code, 0);
    const path = join(home, `tandem.${shell}`);
    writeFileSync(path, out);
    if (found(shell)) execFileSync(shell, shell === 'fish' ? ['--no-execute', path] : ['-n', path]);
  }
  prompt.close();
  if (!found('bash')) return;
  const bin = pathOf([]);
  writeFileSync(join(bin, 'tandem'), readFileSync(bundle), { mode: 0o755 });
  const ask = (line: string) => {
    const script = `source '${home.replaceAll("'", "'\\''")}/tandem.bash'
COMP_LINE="$1"; COMP_POINT=\${#1}; _tandem tandem '' ''; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const PATH = [bin, dirname(process.execPath), process.env.PATH].join(delimiter);
    const printed = execFileSync('bash', ['-c', script, 'bash', line], { env: { PATH, HOME: home } });
    return printed.toString().trim().split('\n');
  };
  assert.equal(ask('tandem todos cre'), ['create', 'create-batch', 'create-comment', 'create-reminder']);
  assert.equal(ask('tandem todos list --status in'), ['in_progress']);
  assert.equal(ask('tandem todos list --status=in'), ['in_progress']);
  assert.equal(ask('tandem api-keys create "My key" --scope todos:read,todos:w'), ['write']);
  assert.equal(ask('tandem approvals decide ID '), ['approve', 'deny']);
});

test.run();
