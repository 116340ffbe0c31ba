import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { isMeasurable, residentMb } from '../support/process-usage.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';

const test = suite('memory after the start');
test.after(stopProcesses);

/** Without the collection, 300 MiB were resident before the first request. */
const maxMb = 240;

test('a process that has just started frees the memory that loading needed', async () => {
  if (!isMeasurable) return;
  const { child } = await startProcess();
  const resident = residentMb(child.pid ?? 0);
  assert.ok(resident <= maxMb, `${Math.round(resident)} MiB are resident`);
});

test.run();
