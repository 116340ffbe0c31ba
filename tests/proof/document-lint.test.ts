import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';

const test = suite('lint of the document');
const run = promisify(execFile);

const env = { ...process.env, REDOCLY_TELEMETRY: 'off', REDOCLY_SUPPRESS_UPDATE_NOTICE: 'true', NO_COLOR: '1' };

/** What a command prints, whether it is content or not. */
async function output(command: string, args: string[]): Promise<string> {
  const { stdout } = await run(`node_modules/.bin/${command}`, args, { env, maxBuffer: 2 ** 26 }).catch(
    (error) => error,
  );
  return stdout;
}

test('redocly reports nothing', async () => {
  const text = await output('redocly', ['lint', 'openapi.json', '--format=json']);
  const { totals, problems } = JSON.parse(text);
  assert.equal(problems, []);
  assert.equal(totals, { errors: 0, warnings: 0, ignored: 0 });
});

test('spectral reports nothing', async () => {
  const args = [
    'lint',
    'openapi.json',
    '--ruleset',
    '.spectral.yaml',
    '--format=json',
    '--fail-severity=hint',
    '--quiet',
  ];
  assert.equal(JSON.parse(await output('spectral', args)), []);
});

test.run();
