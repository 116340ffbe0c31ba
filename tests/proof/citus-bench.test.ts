import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { onCluster } from '../support/citus.ts';

const test = suite('bench of Citus');
const promise = onCluster(test);

const sizes = '--workspaces 3 --todos 600 --giant 300 --seconds 3 --rounds 1 --connections 4';

const latencies = /^[\d.,]+ \/ [\d.,]+$/;
/** The processor time of a request may be too short to be seen. */
const costs = /^(\d+\.\d\d|not measured) \/ (\d+\.\d\d|not measured)$/;

promise('each kind of request is measured on both engines without errors, and what each node does', async () => {
  const args = ['bench/main.ts', '--only', 'citus', ...sizes.split(' ')];
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [run.stdout, run.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  }
  const [code] = await once(run, 'close');
  assert.is(code, 0, output);
  /** The cells of a row after its name. */
  const cellsOf = (name: string) => {
    const row = output.split('\n').find((line) => line.startsWith(`| ${name} `)) ?? '';
    const cells = row.split('|').map((cell) => cell.trim());
    return cells.slice(2);
  };
  for (const name of ['getTodo', 'listTodos of 50', 'createTodo', 'createTodo keyed', 'updateTodo status']) {
    const [latency = '', , , ...more] = cellsOf(name);
    assert.match(latency, latencies, output);
    for (const cell of more.slice(0, 2)) assert.match(cell, costs, output);
  }
  for (const node of ['coordinator', 'worker 1', 'worker 2']) assert.match(cellsOf(node).join(' '), /\d/, output);
});

test.run();
