import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { find } from '../../cli/commands/tree.ts';
import { everyCommand } from '../../cli/run.ts';
import { buildCli } from '../../scripts/build-cli.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';
import { blocksOf, commandsOf, documentTexts, mentionsOf } from '../support/documented-commands.ts';
import { startTestService, type TestService, type TestWorkspace, testDatabaseUrl } from '../support/harness.ts';

const test = suite('the commands in README and docs');
const documents = documentTexts();
let tandem: TestService;
let home: string;

test.before(async () => {
  await buildCli();
  tandem = await startTestService();
  home = mkdtempSync(join(tmpdir(), 'tandem-documents-'));
});
test.after(async () => {
  await tandem.close();
  rmSync(home, { recursive: true, force: true });
});

/** Commands that are not run here, each with the reason. Every entry fits a command. */
const exceptions: readonly (readonly [command: RegExp, reason: string])[] = [
  [/^npm start$/, 'needs the PostgreSQL of an operator; tests/proof/npm-start.test.ts starts the service with npm'],
  [/^npm ci && npm start$/, 'installs all packages again; tests/proof/npm-start.test.ts starts the service with npm'],
  [/^npm ci && npm test$/, 'installs all packages again, and is what runs the tests'],
  [
    /^(createuser|createdb|pg_\w+|psql|patroni(ctl)?) /,
    'acts on the PostgreSQL servers of an operator, as their administrator',
  ],
  [/^rsync /, 'copies to another machine'],
  [
    /^(EMBEDDED_PORT=.* npm start|PGPASSWORD=.* pg_dump|mkdir -p \/srv)/,
    'moves the data of an operator to another PostgreSQL',
  ],
  [/^git pull\b/, 'replaces these sources'],
  [/^(docker compose|echo "POSTGRES_PASSWORD=)/, 'needs Docker, and makes a database of an operator'],
  [/^npm install /, 'installs for a person; tests/proof/client-package.test.ts installs both packages'],
  [
    /^(DATABASE_URL|HOST)=\S.* npm start$/s,
    'needs such servers; tests/proof/npm-start.test.ts starts the service with npm',
  ],
  [/^DATABASE_URL=\S+ npm run db:distribute$/, 'needs a cluster of Citus'],
  [/^TEST_CITUS_URL=\S+ .*npm run bench -- --only citus /s, 'needs a cluster of Citus'],
  [
    /^TEST_DATABASE_URL=\S+ TEST_STANDBY_URL=\S+ .*npm run bench -- --only standby /s,
    'tests/proof/bench-standby.test.ts runs a small one',
  ],
  [/^npm run welcome /, 'needs such a service; tests/proof/first-start.test.ts runs it'],
  [/^npm run bench -- --only growth /, 'takes a quarter of an hour; tests/proof/bench.test.ts runs a small one'],
  [/^PROOF_SIZE=full .*npm run proof/, 'takes hours; the small size of each proof is run with the others'],
];

/** What a person types otherwise: prompts that need a terminal. */
const typed: readonly (readonly [pattern: RegExp, replacement: string])[] = [
  [/(tandem login(?: --url \S+)?)(?=\s|$)(?! --)/, '$1 --key -'],
];

/** Commands that show a refusal, by the code that they show; and those that end with another exit code than 0. */
const refusals: readonly (readonly [command: RegExp, code: string])[] = [[/todos\?limit=1000/, 'validation_failed']];
const exits: readonly (readonly [command: RegExp, code: number, reason: string])[] = [];

interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the lines in a shell of their own, as a person who has the client installed, a key at hand and the settings. */
function shell(lines: string, { key }: TestWorkspace): Promise<Ran> {
  const bin = join(home, '.local/bin');
  const env = {
    PATH: `${bin}${delimiter}${process.env.PATH}`,
    HOME: home,
    TANDEM_URL: tandem.url,
    TANDEM_API_KEY: key,
    TANDEM_INSTALL_DIR: bin,
    // Commands of the operator work on the database of the service.
    DATABASE_URL: testDatabaseUrl(),
  };
  return new Promise((resolve) => {
    const child = execFile('bash', ['-c', lines], { env, maxBuffer: 2 ** 26 }, (error, out, err) =>
      resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, out, err }),
    );
    child.stdin?.on('error', () => {});
    child.stdin?.end(`${key}\n`);
  });
}

function parsed(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Notes the ids of what a command printed: `CHAT_ID` is the last chat. */
function learn(ids: Map<string, string>, out: string): void {
  const body = parsed(out);
  const things = Array.isArray(body?.data) ? body.data.slice(0, 1) : [body];
  for (const thing of things) {
    if (typeof thing?.object === 'string' && thing.id) ids.set(`${thing.object.toUpperCase()}_ID`, thing.id);
  }
}

/** Runs the commands of one document in order; what one creates is there for the next. */
async function runAll(path: string, text: string): Promise<void> {
  const workspace = await tandem.workspace();
  const ids = new Map<string, string>();
  let settings = '';
  let previous = '';
  for (const command of blocksOf(text, 'sh').flatMap(commandsOf)) {
    if (exceptions.some(([pattern]) => pattern.test(command))) continue;
    const wanted = (command.match(/\b[A-Z]+_ID\b/g) ?? []).filter((name) => name !== 'REQUEST_ID');
    // What the agent does may come later: the command before is repeated until it shows what this one names.
    while (wanted.some((name) => !ids.has(name))) {
      assert.ok(previous, `${path}: nothing before “${command}” shows ${wanted}`);
      learn(ids, (await shell(previous, workspace)).out);
    }
    let line = command
      .replaceAll(/https:\/\/tandem\.example\.com|http:\/\/127\.0\.0\.1:8080/g, tandem.url)
      .replaceAll('tandem_sk_…', workspace.key);
    for (const name of wanted) line = line.replaceAll(name, ids.get(name) ?? '');
    for (const [pattern, replacement] of typed) line = line.replace(pattern, replacement);
    if (/^export /.test(line)) settings += `${line}\n`;
    previous = `${settings}${line}`;
    const { code, out, err } = await shell(previous, workspace);
    const expected = exits.find(([pattern]) => pattern.test(command))?.[1] ?? 0;
    assert.is(code, expected, `${path}:\n${command}\n${out}\n${err}`);
    const refusal = refusals.find(([pattern]) => pattern.test(command))?.[1];
    const body = parsed(out);
    const shown = body?.object === 'error' ? body.code : undefined;
    assert.is(shown, refusal, `${path}:\n${command}\n${out}`);
    learn(ids, out);
  }
}

test('the client can be installed as they say', async () => {
  const { code, err } = await shell('curl -fsSL $TANDEM_URL/install.sh | sh', await tandem.workspace());
  assert.is(code, 0, err);
});

for (const [path, text] of documents) {
  if (blocksOf(text, 'sh').length > 0) test(`those of ${path} work in their order`, () => runAll(path, text));
}

test('no exception is left over', () => {
  const commands = [...documents.values()].flatMap((text) => blocksOf(text, 'sh').flatMap(commandsOf));
  const all = [...exceptions, ...refusals, ...exits].map(([pattern]) => pattern);
  assert.equal(
    all.filter((pattern) => !commands.some((command) => pattern.test(command))),
    [],
  );
});

test('a command in a block without a language would not be run: it has one', () => {
  const plain = [...documents].flatMap(([path, text]) => blocksOf(text, '').map((block) => `${path}: ${block}`));
  assert.equal(
    plain.filter((block) => /^\S+: (?:\$ )?(?:\w+=\S+ )*(?:npm|npx|curl|tandem|docker|node|git) /.test(block)),
    [],
  );
});

test('statements of SQL that change rows fit the tables', async () => {
  const blocks = [...documents.values()].flatMap((text) => [...text.matchAll(/^ *```sql\n([\s\S]*?)```/gm)]);
  const changes = blocks.flatMap(([, block = '']) => block.split(';').filter((each) => /^\s*update /.test(each)));
  assert.is(changes.length, 6);
  for (const change of changes) assert.ok((await tandem.db.rows(`explain ${change}`, [])).length > 0, change);
});

test('npm scripts and commands of the client that the text names exist', () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> };
  const tree = everyCommand({ catalogue: catalogueOf() });
  const missing: string[] = [];
  for (const [path, text] of documents) {
    for (const each of mentionsOf(text, 'npm')) {
      const [, name = ''] = /^npm (?:run )?([\w:-]+)/.exec(each) ?? [];
      const isOwn = ['ci', 'install', 'publish', 'pack', 'audit', 'sbom'].includes(name);
      if (!isOwn && scripts[name] === undefined) missing.push(`${path}: ${each}`);
    }
    for (const each of mentionsOf(text, 'tandem')) {
      const words = each.split(' ').slice(1);
      if (!/^[a-z-]+$/.test(words[0] ?? '')) continue;
      try {
        find(tree, words);
      } catch {
        missing.push(`${path}: ${each}`);
      }
    }
  }
  assert.equal(missing, []);
});

test.run();
