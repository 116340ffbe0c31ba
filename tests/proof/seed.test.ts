import { execFile } from 'node:child_process';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { ask } from '../support/frame.ts';
import { startTestService, type TestService, testDatabaseUrl } from '../support/harness.ts';

const test = suite('npm run seed');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService();
});
test.after(() => tandem.close());

interface Ended {
  code: number;
  stdout: string;
  stderr: string;
}

function seed(args: string[], environment: Record<string, string> = {}): Promise<Ended> {
  const env = { ...process.env, DATABASE_URL: testDatabaseUrl(), ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, ['scripts/seed.ts', ...args], { env }, (error, stdout, stderr) =>
      resolve({ code: error ? Number(error.code) : 0, stdout, stderr }),
    );
  });
}

test('--json prints one line with a key that opens the new workspace, another one at every call', async () => {
  const seeded = (await Promise.all([seed(['--json']), seed(['--json'])])).map(({ code, stdout }) => {
    assert.is(code, 0);
    assert.is(stdout.split('\n').length, 2);
    return JSON.parse(stdout);
  });
  for (const { workspaceId, userId, email, password, apiKey, ...rest } of seeded) {
    assert.equal(rest, {});
    assert.ok(password.length >= 16);
    const { body } = await ask(`${tandem.url}/api/v1/me`, { headers: { authorization: `Bearer ${apiKey}` } });
    assert.equal([body.workspace.id, body.user.id, body.user.email], [workspaceId, userId, email]);
  }
  assert.is.not(seeded[0].workspaceId, seeded[1].workspaceId);
});

test('an error is printed as a sentence, without a stack', async () => {
  const wrong: [args: string[], environment: Record<string, string>, message: string][] = [
    [[], { AGENT_MINUTES: 'many' }, 'AGENT_MINUTES must be a whole number (it is “many”)'],
    [[], { DATABASE_URL: 'postgres://a:secret@127.0.0.1:1/x' }, 'The database at DATABASE_URL cannot be reached.'],
    [['--jsn'], {}, 'npm run seed takes --json and nothing else; it got --jsn.'],
  ];
  for (const [args, environment, message] of wrong) {
    const { code, stdout, stderr } = await seed(args, environment);
    assert.is(code, 1);
    assert.is(stdout, '');
    assert.match(stderr, message);
    assert.not.match(stderr, /\n {4}at |node_modules|secret/);
  }
});

test.run();
