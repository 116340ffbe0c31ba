import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Engine } from '../../engine/engine.ts';
import { freezeTimers } from '../support/frozen-timers.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from '../support/harness.ts';
import { type ModelServer, startModelServer } from '../support/model-server.ts';
import { startProcess, stopProcesses } from '../support/processes.ts';
import { reply, ScriptedEngine, settled, untilAnswer, use } from '../support/scripted-engine.ts';
import { call as calling, modelEnvironment, requestsWith, ScriptedModel } from '../support/scripted-model.ts';
import { until, within } from '../support/until.ts';
import { agentOf, bodyOf, endOfRun, held, messagesOf } from '../support/work-fixtures.ts';

const sharing = suite('two processes that share the work');
const engine = new ScriptedEngine();
/** Which process the engine of a turn was asked by, by the last word of its chat. */
const askedBy = new Map<string, Set<string>>();
const services: Record<string, TestService> = {};

/** The engine as one process has it. */
function engineOf(process: string): Engine {
  return {
    name: process,
    answer: (request) => {
      for (const word of JSON.stringify(request.conversation).match(/plan-[0-9a-f-]{36}/g) ?? [])
        askedBy.set(word, (askedBy.get(word) ?? new Set()).add(process));
      return engine.answer(request);
    },
  };
}

sharing.before(async () => {
  for (const name of ['first', 'second'])
    services[name] = await startTestService({ AGENT_CONCURRENCY: '4' }, { engine: engineOf(name) });
});
/** Starts the timers that a test froze. */
let thaw = () => {};
sharing.after.each(() => thaw());
sharing.after(async () => {
  for (const service of Object.values(services)) await service.close();
});

const first = () => services.first as TestService;
const other = (process: string) => services[process === 'first' ? 'second' : 'first'] as TestService;

/** Asks a process on behalf of a workspace of another one. */
function ask(
  service: TestService,
  { key }: TestWorkspace,
  route: string,
  body?: unknown,
  headers = {},
): Promise<Answer> {
  return service.call(route, body, { key, headers });
}

async function turnsIn(workspaceId: string): Promise<number> {
  const [row] = await first().db.rows<{ count: number }>(
    'select count(*)::int as count from chat_turns where workspace_id = $1',
    [workspaceId],
  );
  return row?.count ?? 0;
}

sharing('turns spread over both, and each is worked on by one', async () => {
  const workspace = await first().workspace();
  const agentId = await agentOf(workspace);
  const words = Array.from({ length: 24 }, (_, n) =>
    engine.plan(async (_request, asked) => {
      await new Promise((resolve) => setTimeout(resolve, 150));
      return asked === 0 ? use(['create_todo', { title: `Effect ${n}` }]) : reply('Done.');
    }),
  );
  const chats = await Promise.all(
    words.map(async (message) => bodyOf(await workspace.call('POST /chats', { message, agentId }), 201).id),
  );
  for (const id of chats) assert.is((await settled(workspace, id)).body.status, 'completed');
  const workers = words.map((word) => [...(askedBy.get(word) ?? [])]);
  assert.equal(new Set(workers.map(({ length }) => length)), new Set([1]));
  assert.equal(workers.flat().filter((each) => each === 'first').length > 3, true, workers.join());
  assert.equal(workers.flat().filter((each) => each === 'second').length > 3, true, workers.join());
  const titles = bodyOf(await workspace.call('GET /todos?limit=100')).data.map((each: { title: string }) => each.title);
  assert.is(titles.length, words.length);
  assert.is(new Set(titles).size, words.length);
});

sharing('whoever waits at the process that does not run the turn is answered by its end, not by a poll', async () => {
  thaw = freezeTimers();
  const workspace = await first().workspace();
  for (let round = 0; round < 4; round++) {
    const busy = held(reply('Done.'));
    const word = engine.plan(busy.script);
    const { id } = bodyOf(await workspace.call('POST /chats', { message: word, title: 'Wait' }), 201);
    await busy.asked();
    const [process = ''] = askedBy.get(word) ?? [];
    // The long poll of its messages ends with news as well; getting the chat does not wait.
    const waiting = ask(other(process), workspace, `GET /chats/${id}/messages?afterSequence=1&waitSeconds=20`);
    await until(() => other(process).service.live.subscribers > 0);
    busy.release();
    const { data } = bodyOf(await within(() => 'the wait ends', waiting));
    assert.is(data[0]?.text, 'Done.');
    const next = held(reply('Again.'));
    const sent = ask(other(process), workspace, `POST /chats/${id}/messages`, {
      message: engine.plan(next.script),
      waitSeconds: 20,
    });
    await next.asked();
    next.release();
    const run = bodyOf(await within(() => 'the wait ends', sent), 202);
    assert.equal([run.status, run.timedOut, run.replies.at(-1)?.text], ['completed', false, 'Again.']);
  }
});

sharing('cancelling at either process stops the agent at once', async () => {
  // Without the renewals of the lease, which would notice it too.
  thaw = freezeTimers();
  const workspace = await first().workspace();
  for (const which of ['first', 'second'] as const) {
    const busy = held(reply('Too late.'));
    const { id } = bodyOf(await workspace.call('POST /chats', { message: engine.plan(busy.script) }), 201);
    await busy.asked();
    bodyOf(await ask(services[which] as TestService, workspace, `POST /chats/${id}/cancel`));
    await busy.stopped();
  }
});

sharing(
  'createChat with one key, before, while and after its turn and at both processes, is one chat and one turn',
  async () => {
    const workspace = await first().workspace();
    const busy = held(reply('Done.'));
    const body = { message: engine.plan(busy.script), waitSeconds: 1 };
    const headers = { 'idempotency-key': 'once' };
    const create = (service: TestService, more = {}) =>
      ask(service, workspace, 'POST /chats', { ...body, ...more }, headers);
    const twins = Promise.all(Object.values(services).flatMap((service) => [create(service), create(service)]));
    await busy.asked();
    const early = (await twins).map((answer) => bodyOf(answer, 201));
    assert.is(new Set(early.map(({ id }) => id)).size, 1);
    assert.equal(new Set(early.map(({ status }) => status)), new Set(['running']), 'as it stands');
    const retried = create(other('first'));
    busy.release();
    const meanwhile = await retried;
    assert.is(meanwhile.headers.get('idempotency-replayed'), 'true');
    assert.is(bodyOf(meanwhile, 201).id, early[0].id);
    // Its wait may have ended before the turn did.
    await settled(workspace, early[0].id);
    for (const service of [other('first'), first()]) {
      const late = await create(service);
      assert.is(late.headers.get('idempotency-replayed'), 'true');
      assert.equal([bodyOf(late, 201).id, late.body.status, late.body.messageCount], [early[0].id, 'completed', 2]);
    }
    const reused = await create(first(), { waitSeconds: 2 });
    assert.equal([reused.status, reused.body.code], [409, 'idempotency_key_reused']);
    assert.is(await turnsIn(workspace.workspaceId), 1);
  },
);

sharing('sendMessage with one key is one message and one turn, and a retry brings the replies', async () => {
  const workspace = await first().workspace();
  const { id } = bodyOf(
    await workspace.call('POST /chats', { message: engine.plan([reply('Hello.')]), waitSeconds: 20 }),
    201,
  );
  const busy = held(reply('Done.'));
  const body = { message: engine.plan(busy.script), waitSeconds: 1 };
  const headers = { 'idempotency-key': 'once' };
  const send = (service: TestService) => ask(service, workspace, `POST /chats/${id}/messages`, body, headers);
  const twins = Promise.all(Object.values(services).map(send));
  await busy.asked();
  for (const answer of await twins) {
    const run = bodyOf(answer, 202);
    assert.equal([run.status, run.messageSequence, run.replies, run.timedOut], ['running', 3, [], true]);
  }
  busy.release();
  await settled(workspace, id);
  for (const service of Object.values(services)) {
    const run = bodyOf(await send(service), 202);
    assert.equal([run.status, run.messageSequence, run.timedOut], ['completed', 3, false]);
    assert.equal(
      run.replies.map((each: { sequence: number; text: string }) => [each.sequence, each.text]),
      [[4, 'Done.']],
    );
  }
  assert.is(await turnsIn(workspace.workspaceId), 2);
});

sharing('runTodo with one key is one run, while it works and after its end', async () => {
  const workspace = await first().workspace();
  const todo = bodyOf(await workspace.call('POST /todos', { title: 'Water the plants' }), 201);
  const busy = held(reply('Watered.'));
  const body = { message: engine.plan(busy.script) };
  const headers = { 'idempotency-key': 'once' };
  const start = (service: TestService) => ask(service, workspace, `POST /todos/${todo.id}/runs`, body, headers);
  const runs = (await Promise.all(Object.values(services).map(start))).map((answer) => bodyOf(answer, 202));
  await busy.asked();
  runs.push(bodyOf(await start(first()), 202));
  busy.release();
  const { id } = await endOfRun(workspace, todo.id);
  runs.push(bodyOf(await start(other('first')), 202));
  assert.equal(new Set(runs.map((run) => run.id)), new Set([id]));
  assert.is(bodyOf(await workspace.call(`GET /todos/${todo.id}/runs`)).data.length, 1);
  assert.is(await turnsIn(workspace.workspaceId), 1);
});

sharing.run();

const stopping = suite('a process that gets SIGTERM in the middle of turns');
const model = new ScriptedModel();
let server: ModelServer;
let idle: TestService;

stopping.before(async () => {
  server = await startModelServer('openai-compatible', model.script);
  idle = await startTestService({ AGENT_CONCURRENCY: '0' });
});
stopping.after(async () => {
  await stopProcesses();
  await idle.close();
  await server.close();
});

stopping('another one goes on at once, without doing anything twice; whoever waits is answered', async () => {
  const environment = { ...modelEnvironment('openai-compatible', server), AGENT_CONCURRENCY: '8' };
  const doomed = await startProcess(environment);
  const workspace = await idle.workspace();
  const agentId = await agentOf(workspace);
  const words = Array.from({ length: 6 }, (_, n) =>
    model.plan((_asked, asked) => {
      if (asked === 0) return calling('create_todo', { title: `Effect ${n}` });
      return asked === 1 ? { text: 'I think about', after: 3, fault: 'silence' } : { text: 'Done.' };
    }),
  );
  const [waited, ...rest] = words;
  const waiting = doomed.call('POST /chats', workspace.key, { message: waited, agentId, waitSeconds: 100 });
  const chats = await Promise.all(
    rest.map(async (message) => bodyOf(await workspace.call('POST /chats', { message, agentId }), 201).id),
  );
  await untilAnswer(
    () => workspace.call('GET /chats'),
    () => words.every((word) => requestsWith(server, word).length === 2),
  );
  const heir = await startTestService({ ...environment });
  try {
    // Whoever waited for the end of a lease would wait for an hour.
    const extend = `update chat_turns set lease_until = now() + interval '1 hour' where workspace_id = $1`;
    await idle.db.rows(extend, [workspace.workspaceId]);
    doomed.child.kill('SIGTERM');
    const asked = bodyOf(await within(() => 'the wait of a request ends', waiting), 201);
    assert.is(asked.status, 'running', 'as it stands');
    for (const id of [asked.id, ...chats]) {
      const { body } = await settled(workspace, id);
      assert.equal([body.status, body.messageCount], ['completed', 4], body.errorMessage);
      const messages = await messagesOf(workspace, id);
      assert.equal(
        messages.map((each: { sequence: number }) => each.sequence),
        [1, 2, 3, 4],
      );
    }
    assert.is(await within(() => 'the process ends', doomed.exited), 0, doomed.output());
    const titles = bodyOf(await workspace.call('GET /todos?order=asc')).data.map(
      (each: { title: string }) => each.title,
    );
    assert.equal(
      titles.toSorted(),
      words.map((_, n) => `Effect ${n}`),
    );
    for (const word of words) {
      const requests = requestsWith(server, word);
      assert.equal(
        requests.map(({ ended }) => ended),
        ['answered', 'client left', 'answered'],
      );
    }
    const turns = await idle.db.rows<{ attempt: number; outcome: string }>(
      'select distinct attempt, outcome from chat_turns where workspace_id = $1',
      [workspace.workspaceId],
    );
    assert.equal([...turns], [{ attempt: 2, outcome: 'completed' }]);
  } finally {
    await heir.close();
  }
});

stopping.run();
