import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { atFullSpeed } from '../support/cpu-time.ts';
import { cpuMsOfProcess, isMeasurable } from '../support/process-usage.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';

const test = suite('processor time of a start');
test.after(stopProcesses);

/** It is about 390 ms. With optimized code and a route for each refusal it was 545, with all libraries loaded 1,400. */
const maxCpuMs = 600;
const starts = 3;

test('a start takes little processor time', async () => {
  if (!isMeasurable) return;
  // The first one of a build writes the compiled code.
  await (await startProcess()).stop();
  const spent: number[] = [];
  for (let start = 0; start < starts; start++) {
    spent.push(await atFullSpeed(async () => cpuMsOfProcess((await startProcess()).child.pid ?? 0)));
    await stopProcesses();
  }
  assert.ok(Math.min(...spent) <= maxCpuMs, `${spent.map(Math.round).join(', ')} ms of processor time`);
});

test.run();
