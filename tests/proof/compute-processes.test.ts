import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { childrenOf, isMeasurable } from '../support/process-usage.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

const test = suite('compute processes of a service');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const body = 'Ada: We send the report on Friday.\n'.repeat(60_000);
const capture = { type: 'recording', title: 'Long', transcript: { format: 'text', body } };

if (isMeasurable)
  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    test(`after ${signal} to the service none of them is left`, async () => {
      const { key } = await tandem.workspace();
      const service = await startProcess();
      const pid = service.child.pid ?? 0;
      const answer = service.call('POST /captures', key, capture).catch(() => undefined);
      await until(() => childrenOf(pid).length > 0);
      const children = childrenOf(pid);
      service.child.kill(signal);
      await service.exited;
      await until(() => !children.some(isRunning));
      // A service that is asked to stop answers first.
      if (signal === 'SIGTERM') assert.is((await answer)?.status, 201);
    });

test.run();
