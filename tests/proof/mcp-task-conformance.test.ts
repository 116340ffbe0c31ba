import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { failuresOf, runScenario, scenarioNames } from '../support/conformance.ts';
import { startTaskMount } from '../support/task-mount.ts';

/*
 * Every scenario of @modelcontextprotocol/conformance on tasks, on the handlers of the service with the tools they
 * call.
 */
const test = suite('mcp tasks conformance');
let mount: Awaited<ReturnType<typeof startTaskMount>>;
let results: string;

test.before(async () => {
  mount = await startTaskMount();
  results = await mkdtemp(join(tmpdir(), 'tandem-task-conformance-'));
});
test.after(async () => {
  await mount.close();
  await rm(results, { recursive: true, force: true });
});

const scenarios = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
];

/** Scenarios that the runner itself skips, for it cannot watch what they are about. */
const skipped = ['tasks-status-notifications'];

test('all scenarios on tasks are run', async () => {
  assert.equal((await scenarioNames()).filter((name) => name.startsWith('tasks-')).sort(), scenarios.toSorted());
});

for (const scenario of scenarios) {
  test(`the scenario ${scenario} passes`, async () => {
    const checks = await runScenario(scenario, mount.url, results);
    assert.equal(failuresOf(checks), []);
    const passed = checks.filter(({ status }) => status === 'SUCCESS');
    assert.is(passed.length > 0, !skipped.includes(scenario));
    assert.equal(
      checks.filter(({ status }) => status === 'SKIPPED').map(({ id }) => id),
      skipped.filter((id) => id === scenario),
    );
  });
}

test.run();
