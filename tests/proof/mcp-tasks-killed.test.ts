import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestService, type TestService } from '../support/harness.ts';
import { modernRequest } from '../support/mcp-clients.ts';
import { type ServiceProcess, startProcess, stopProcesses } from '../support/processes.ts';
import { until } from '../support/until.ts';

/* The handle of a task outlives the process that gave it: each is killed, and another one answers, asks and goes on. */
const test = suite('mcp tasks: kill -9');
let tandem: TestService;

test.before(async () => {
  tandem = await startTestService({ AGENT_CONCURRENCY: '0' });
});
test.after(async () => {
  await stopProcesses();
  await tandem.close();
});

/** Kills a process and starts the next one. */
async function another(service: ServiceProcess): Promise<ServiceProcess> {
  service.child.kill('SIGKILL');
  await service.exited;
  return startProcess();
}

test('a task is started, waits, is approved with other arguments and completed, each by another process', async () => {
  const { key, call } = await tandem.workspace();
  const { body: agent } = await call('POST /agents', { name: 'Careful', requiresApproval: true });
  let service = await startProcess();
  const ask = async (method: string, params: Record<string, unknown>) => {
    const { body, text } = await modernRequest(service.url, key, method, params);
    if (!body?.result) throw new Error(text);
    return body.result;
  };
  const input = { agentId: agent.id, message: 'Create a todo: call the bank' };
  const { taskId, status } = await ask('tools/call', { name: 'create_chat', arguments: input });
  assert.is(status, 'working');
  service = await another(service);
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  let task: any;
  const reached = async (wanted: string) => {
    const holds = async () => {
      task = await ask('tasks/get', { taskId });
      return task.status === wanted;
    };
    await until(holds, () => JSON.stringify(task));
  };
  await reached('input_required');
  const [approvalId = ''] = Object.keys(task.inputRequests);
  service = await another(service);
  const content = { decision: 'approve', input: '{"title":"Call the other bank"}' };
  await ask('tasks/update', { taskId, inputResponses: { [approvalId]: { action: 'accept', content } } });
  service = await another(service);
  await reached('completed');
  assert.is(task.result.structuredContent.chat.status, 'completed');
  const { data: todos } = (await call('GET /todos')).body;
  assert.equal(
    todos.map(({ title }: { title: string }) => title),
    ['Call the other bank'],
  );
});

test.run();
