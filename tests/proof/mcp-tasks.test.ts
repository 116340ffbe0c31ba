import { pino } from 'pino';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createEngines } from '../../engine/models/engines.ts';
import { parseConfig } from '../../server/config.ts';
import { specified } from '../fixtures/tools.ts';
import type { TestService } from '../support/harness.ts';
import { startModelServer } from '../support/model-server.ts';
import { assistantOf } from '../support/tasks/engine.ts';
import { tasks } from '../support/tasks/index.ts';
import { type Assistant, attempt, oracle } from '../support/tasks/task.ts';
import { startTaskService } from '../support/tasks/world.ts';

/*
 * Requests as people write them, and the calls that serve them. `npm run tasks -- --model NAME` lets a model choose the
 * calls instead, and counts the requests that end in the same state.
 */
const test = suite('tasks over mcp');
let tandem: TestService;

test.before(async () => {
  tandem = await startTaskService();
});
test.after(() => tandem.close());

/** The requests that the assistant did not serve, with what is wrong. */
async function failures(assistant: Assistant): Promise<Record<string, string[]>> {
  const failed: Record<string, string[]> = {};
  for (const task of tasks) {
    const faults = await attempt(tandem, task, assistant);
    if (faults.length > 0) failed[task.request] = faults;
  }
  return failed;
}

const enginesOf = (environment: NodeJS.ProcessEnv) =>
  createEngines(parseConfig({ ...environment, DATABASE_URL: undefined }), pino({ level: 'silent' }));

if (process.env.TASKS_MODEL) {
  test(`${process.env.TASKS_MODEL} serves the requests`, async () => {
    const { turn } = enginesOf({ ...process.env, AI_MODEL: process.env.TASKS_MODEL });
    if (!turn) throw new Error('No model is configured: set AI_PROVIDER, AI_BASE_URL and AI_API_KEY.');
    const failed = await failures(assistantOf(turn));
    for (const [request, faults] of Object.entries(failed)) console.log(`✘ ${request}\n    ${faults.join('\n    ')}`);
    console.log(`${turn.name}: ${tasks.length - Object.keys(failed).length} of ${tasks.length}`);
  });
} else {
  test('forty requests are served by their calls, which use every tool', async () => {
    assert.is(tasks.length, 40);
    assert.equal(await failures(oracle), {});
    const used = new Set(tasks.flatMap(({ calls }) => calls.map(([name]) => name)));
    assert.equal(
      specified.map(([name]) => name).filter((name) => !used.has(name)),
      [],
    );
  });

  test('a model that does nothing serves none, and one that makes the calls serves them', async () => {
    const [first] = tasks.filter(({ request }) => request.includes('Moving house'));
    if (!first) throw new Error('the task is gone');
    const model = await startModelServer('openai-compatible', ({ messages }) => {
      const last = messages.at(-1);
      const asked = messages[0];
      if (last?.role === 'user' && asked?.role === 'user' && asked.text === first.request) {
        return { toolCalls: first.calls.map(([name, input = {}]) => ({ name, input })) };
      }
      return 'Done.';
    });
    const { turn } = enginesOf({ AI_PROVIDER: 'openai-compatible', AI_BASE_URL: model.url, AI_MODEL: 'scripted' });
    if (!turn) throw new Error('no engine');
    const failed = await failures(assistantOf(turn));
    await model.close();
    assert.equal(
      tasks.map(({ request }) => request).filter((request) => !(request in failed)),
      [first.request],
    );
  });
}

test.run();
