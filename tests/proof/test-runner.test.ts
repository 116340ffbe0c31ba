import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { testDatabaseUrl } from '../support/harness.ts';
import { until } from '../support/until.ts';

const test = suite('test runner');

const directory = mkdtempSync(join(tmpdir(), 'tandem-runner-'));
test.after(() => rmSync(directory, { recursive: true, force: true }));

interface Outcome {
  code: number | null;
  output: string;
  lastLine: string;
}

let count = 0;

/** Runs test files, given by name and source, with the real runner. `limit`: seconds that a test may take. */
async function runTests(files: Record<string, string>, args: string[] = [], limit = 300): Promise<Outcome> {
  const root = join(directory, `${++count}`);
  for (const [name, source] of Object.entries(files)) {
    const path = join(root, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, `import { suite } from 'uvu';\nconst test = suite('sample');\n${source}`);
  }
  const env = {
    ...process.env,
    TEST_DATABASE_URL: testDatabaseUrl(),
    TEST_TIMEOUT_SECONDS: `${limit}`,
    TEST_WORKERS: '2',
  };
  const command = ['scripts/test.ts', '--root', root, ...args];
  const child = spawn(process.execPath, command, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const closed = new Promise<number | null>((resolve) => child.on('close', resolve));
  const [output, errors, code] = await Promise.all([text(child.stdout), text(child.stderr), closed]);
  return { code, output: output + errors, lastLine: output.trimEnd().split('\n').at(-1) ?? '' };
}

const passing = `test('passes', () => {});\n`;
const last = `test('comes last', () => {});\n`;

test('counts what passed, and what was skipped', async () => {
  const { code, output, lastLine } = await runTests({
    'one.test.ts': `${passing}${last}test.run();`,
    'room/two.test.ts': `${passing}test.skip('later', () => {});\ntest.run();`,
    'room/support.ts': 'throw new Error("no test file");',
  });
  assert.is(lastLine, '3 passed, 0 failed, 1 skipped', output);
  assert.is(code, 0);
});

test('gives no file a database to which another one connected', async () => {
  const connect = `import postgres from ${JSON.stringify(import.meta.resolve('postgres'))};\nconst sql = postgres(process.env.TEST_DATABASE_URL, { max: 1 });
    test.after(() => sql.end());\n`;
  const isNew = `test('is new', async () => {
    const [{ left }] = await sql\`select to_regclass('left_behind') as left\`;
    if (left !== null) throw new Error('it has a table of another file');
    await sql\`create table left_behind ()\`;
  });\n`;
  const files = Array.from({ length: 8 }, (_, index) => {
    const source = index % 2 === 0 ? `${connect}${isNew}` : passing;
    return [`file-${index}.test.ts`, `${source}test.run();`];
  });
  const { code, output, lastLine } = await runTests(Object.fromEntries(files));
  assert.is(lastLine, '8 passed, 0 failed, 0 skipped', output);
  assert.is(code, 0);
});

test('says once more at the end what failed, and why', async () => {
  const passes = Array.from({ length: 10 }, (_, index) => [`passes-${index}.test.ts`, `${passing}test.run();`]);
  const source = `test('fails', () => { throw new Error('on purpose'); });\n${passing}test.run();`;
  const { output } = await runTests({ 'fails.test.ts': source, ...Object.fromEntries(passes) });
  const end = output.slice(output.indexOf('What failed:'));
  assert.match(
    end,
    /^What failed:\n✗ \S*fails\.test\.ts\n +FAIL +sample +"fails"\n +on purpose\n\n11 passed, 1 failed/,
  );
});

/** Where the runner waits for its end: no other test waits so long for anything. */
const shortLimit = 10;

const faults: Record<string, { source: string; line: string; names: RegExp; limit?: number }> = {
  'a test that fails': {
    source: `test('fails', () => { throw new Error('on purpose'); });\n${passing}test.run();`,
    line: '1 passed, 1 failed',
    names: /fails[\s\S]*on purpose/,
  },
  'a test that hangs, and those after it': {
    source: `${passing}test('hangs', () => new Promise(() => {}));\n${last}test.run();`,
    line: '1 passed, 2 failed',
    names: /“sample: hangs” took more than 10 s/,
    limit: shortLimit,
  },
  'a test that never yields, and those after it': {
    source: `${passing}test('spins', () => { for (;;); });\n${last}test.run();`,
    line: '1 passed, 2 failed',
    names: /“sample: spins” took more than 10 s/,
    limit: shortLimit,
  },
  'a file that exits in the middle': {
    source: `${passing}test('exits', () => process.exit(0));\n${last}test.run();`,
    line: '1 passed, 2 failed',
    names: /ended in “sample: exits” with exit code 0/,
  },
  'a process that is killed': {
    source: `${passing}test('dies', () => { process.kill(process.pid, 'SIGKILL'); });\n${last}test.run();`,
    line: '1 passed, 2 failed',
    names: /with signal SIGKILL/,
  },
  'an error that nobody catches': {
    source: `${passing}test('rejects', () => { Promise.reject(new Error('on purpose')); return new Promise(() => {}); });\ntest.run();`,
    line: '1 passed, 1 failed',
    names: /on purpose[\s\S]*ended in “sample: rejects” with exit code 1/,
  },
  'a crash on import': {
    source: `throw new Error('on purpose');`,
    line: '0 passed, 1 failed',
    names: /on purpose/,
  },
  'a suite without .run()': {
    source: passing,
    line: '0 passed, 1 failed',
    names: /“sample” never calls \.run\(\)/,
  },
  'a hook before the tests that fails': {
    source: `test.before(() => { throw new Error('on purpose'); });\n${passing}${last}test.run();`,
    line: '0 passed, 2 failed',
    names: /sample: before[\s\S]*on purpose/,
  },
  'a hook after the tests that fails': {
    source: `test.after(() => { throw new Error('on purpose'); });\n${passing}test.run();`,
    line: '1 passed, 1 failed',
    names: /sample: after[\s\S]*on purpose/,
  },
  'a handle that is left open': {
    source: `${passing}test('listens', async () => { (await import('node:net')).createServer().listen(0); });\ntest.run();`,
    line: '2 passed, 1 failed',
    names: /left something open.*TCPServerWrap/,
    limit: shortLimit,
  },
};

const nameOf = (fault: string) => fault.replaceAll(/\W+/g, '-');

/** Runs the faulty files that have this limit, all at once. */
function runFaults(limit?: number): Promise<Outcome> {
  const chosen = Object.entries(faults).filter(([, fault]) => fault.limit === limit);
  const files = chosen.map(([fault, { source }]) => [`${nameOf(fault)}.test.ts`, source]);
  return runTests(Object.fromEntries(files), [], limit);
}

const faultRuns = new Map<number | undefined, Promise<Outcome>>();

for (const [fault, { line, names, limit }] of Object.entries(faults)) {
  test(`counts as failed: ${fault}`, async () => {
    const run = faultRuns.get(limit) ?? runFaults(limit);
    faultRuns.set(limit, run);
    const { code, output } = await run;
    const end = new RegExp(`^✗ \\S*/${nameOf(fault)}\\.test\\.ts: (.*) \\(`, 'm').exec(output);
    assert.is(end?.[1], line, output);
    // What a file printed stands between its line and that of the file which ended before it.
    const own =
      output
        .slice(0, end?.index)
        .split(/^[✓✗] .*$/m)
        .at(-1) ?? '';
    assert.match(own, names);
    assert.is(code, 1);
  });
}

test('continues after a worker was killed, and ends what its tests started', async () => {
  const hanging = `import { spawn, spawnSync } from 'node:child_process';
    test('hangs', () => {
      const child = spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)']);
      process.stdout.write('child ' + child.pid + '\\n');
      return new Promise(() => {});
    });
    test.run();`;
  const files = ['b', 'c', 'd', 'e'].map((name) => [`${name}.test.ts`, `${passing}test.run();`]);
  const { output, lastLine } = await runTests({ 'a.test.ts': hanging, ...Object.fromEntries(files) }, [], shortLimit);
  assert.is(lastLine, '4 passed, 1 failed, 0 skipped', output);
  const pid = Number(/child (\d+)/.exec(output)?.[1]);
  assert.ok(pid > 0);
  const stateOf = () => spawnSync('ps', ['-o', 'stat=', '-p', `${pid}`], { encoding: 'utf8' }).stdout;
  await until(
    () => /^(Z.*\s*)?$/.test(stateOf()),
    () => `it ended, whether or not its parent has collected it: ${stateOf()}`,
  );
});

test('counts as failed what did not run because the run was stopped', async () => {
  const stopping = `test('stops the run', () => {
      process.kill(process.ppid, 'SIGTERM');
      return new Promise(() => {});
    });
    test.run();`;
  const files = ['b', 'c', 'd'].map((name) => [`${name}.test.ts`, `${stopping}`]);
  const { code, output, lastLine } = await runTests({ 'a.test.ts': stopping, ...Object.fromEntries(files) });
  assert.is(lastLine, '0 passed, 4 failed, 0 skipped', output);
  assert.is(code, 1);
});

test('runs one ring by its folder, or both by a pattern', async () => {
  const files = {
    'todos.test.ts': `${passing}test.run();`,
    'proof/todos-storm.test.ts': `${passing}${last}test.run();`,
  };
  const runs: [string[], string][] = [
    [['--ring', 'quick'], '1 passed, 0 failed, 0 skipped'],
    [['--ring', 'proof'], '2 passed, 0 failed, 0 skipped'],
    [['todos'], '3 passed, 0 failed, 0 skipped'],
    [['storm'], '2 passed, 0 failed, 0 skipped'],
  ];
  for (const [args, line] of runs) assert.is((await runTests(files, args)).lastLine, line, args.join(' '));
  const none = await runTests(files, ['nonsense']);
  assert.equal([none.code, none.lastLine], [1, '0 passed, 0 failed, 0 skipped']);
});

test('gives each file a migrated database of its own', async () => {
  const source = `import postgres from ${JSON.stringify(import.meta.resolve('postgres'))};
    test('finds no members', async () => {
      const sql = postgres(process.env.TEST_DATABASE_URL, { max: 1 });
      const found = await sql\`select count(*) from users\`;
      await sql\`insert into users (id, name, email, password_hash) values (gen_random_uuid(), 'Ada', 'ada@example.com', 'none')\`;
      await sql.end();
      if (found[0].count !== '0') throw new Error('somebody is there');
    });
    test.run();`;
  const { output, lastLine } = await runTests({
    'one.test.ts': source,
    'two.test.ts': source,
    'three.test.ts': source,
  });
  assert.is(lastLine, '3 passed, 0 failed, 0 skipped', output);
});

test.run();
