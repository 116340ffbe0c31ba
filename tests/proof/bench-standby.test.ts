import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { type StandbyCluster, startStandbyCluster } from '../support/standby-cluster.ts';

const test = suite('bench of reads from a standby');

const sizes = '--workspaces 3 --todos 600 --giant 300 --seconds 1 --rounds 1 --connections 4';

/** On a busy machine nothing may have been measured within so short a time. */
const figures = /^(\d+\.\d\d|not measured) \/ (\d+\.\d\d|not measured)$/;
const rates = /^([\d,]+|not measured) \/ ([\d,]+|not measured)$/;

let cluster: StandbyCluster;

test.before(async () => {
  cluster = await startStandbyCluster();
});
test.after(() => cluster.remove());

test('each kind of read is measured on both servers without errors', async () => {
  const args = ['bench/main.ts', '--only', 'standby', ...sizes.split(' ')];
  const { primary: TEST_DATABASE_URL, standby: TEST_STANDBY_URL } = cluster.admin;
  const run = spawn(process.execPath, args, { env: { ...process.env, TEST_DATABASE_URL, TEST_STANDBY_URL } });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(run, 'close');
  assert.is(code, 0, output);
  let measured = 0;
  for (const name of ['getTodo', 'listTodos newest', 'summary', 'search']) {
    const row = output.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? '';
    const [, , perSecond = '', ...costs] = row.split('|').map((cell) => cell.trim());
    assert.match(perSecond, rates, output);
    if (!perSecond.includes('not measured')) measured++;
    for (const cost of costs.slice(0, 3)) assert.match(cost, figures, output);
  }
  assert.ok(measured > 0, output);
});

test.run();
