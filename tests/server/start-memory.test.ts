import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMeasurable, residentMb } from '../support/process-usage.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';

const test = suite('memory after the start');
test.after(stopProcesses);

/** When all libraries were loaded at the start, 176 MiB were resident; now 125. */
const maxMb = 140;

test('a process that has just started is small', async () => {
  if (!isMeasurable) return;
  const { child } = await startProcess();
  const resident = residentMb(child.pid ?? 0);
  assert.ok(resident <= maxMb, `${Math.round(resident)} MiB are resident`);
});

test.run();
