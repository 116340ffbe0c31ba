import { isDeepStrictEqual } from 'node:util';
import * as assert from 'uvu/assert';
import type { EngineAnswer, EngineRequest } from '../../engine/engine.ts';
import type { Answer, TestWorkspace } from './harness.ts';
import { settled, untilAnswer } from './scripted-engine.ts';
import { until, within } from './until.ts';

/* Agents that really work, and what a test sees of them through HTTP. */

type Caller = Pick<TestWorkspace, 'call'>;

/** A step of an engine that continues when the test says so. */
export interface Held {
  /** What the engine does. */
  script(request: EngineRequest): Promise<EngineAnswer>;
  /** Waits until the engine is asked. */
  asked(): Promise<EngineRequest>;
  /** Waits until the engine is stopped by the signal of its request. */
  stopped(): Promise<void>;
  /** Lets it answer. */
  release(): void;
}

export function held(answer: EngineAnswer): Held {
  const asked = Promise.withResolvers<EngineRequest>();
  const stopped = Promise.withResolvers<void>();
  const free = Promise.withResolvers<void>();
  return {
    asked: () => within(() => 'the engine is asked', asked.promise),
    stopped: () => within(() => 'the engine is stopped', stopped.promise),
    release: free.resolve,
    script: (request) => {
      asked.resolve(request);
      const { signal } = request;
      const aborted = new Promise<never>((_, reject) => {
        signal.addEventListener('abort', () => {
          stopped.resolve();
          reject(signal.reason);
        });
      });
      return Promise.race([free.promise.then(() => answer), aborted]);
    },
  };
}

/** The body of an answer that must have this status. */
export function bodyOf({ status, body, text }: Answer, wanted = 200) {
  assert.is(status, wanted, text);
  return body;
}

/** An agent that calls tools without approval, unless `more` says otherwise. */
export async function agentOf({ call }: Caller, more: Record<string, unknown> = {}): Promise<string> {
  const { workingHours, ...given } = more;
  const fields = { name: `Agent ${crypto.randomUUID()}`, requiresApproval: false, ...given };
  const { id } = bodyOf(await call('POST /agents', fields), 201);
  if (workingHours) bodyOf(await call(`PATCH /agents/${id}`, { workingHours, workingHoursEnabled: true }));
  return id;
}

export async function todoNow({ call }: Caller, todoId: string) {
  return bodyOf(await call(`GET /todos/${todoId}`));
}

export async function chatNow({ call }: Caller, chatId: string) {
  return bodyOf(await call(`GET /chats/${chatId}`));
}

export async function messagesOf({ call }: Caller, chatId: string) {
  return bodyOf(await call(`GET /chats/${chatId}/messages?limit=100`)).data;
}

/** Starts a run of a todo by an agent that does what `plan` says. */
export async function startRun({ call }: Caller, todoId: string, plan: string, agentId: string) {
  return bodyOf(await call(`POST /todos/${todoId}/runs`, { agentId, message: `Do it: ${plan}` }), 202);
}

/** A run once it has ended, the same wherever it is shown. */
export async function endOfRun(workspace: Caller, todoId: string) {
  await untilAnswer(
    () => workspace.call(`GET /todos/${todoId}`),
    ({ body }) => body.latestRun?.status !== 'running',
  );
  return latestRun(workspace, todoId);
}

/**
 * The latest run of a todo, once it is the same in the todo, in the list of todos and as the first of its runs. They
 * are read one after the other, and minutes are charged when the work has stopped: perhaps between two of them.
 */
export async function latestRun({ call }: Caller, todoId: string) {
  const paths = ['/todos?limit=100', `/todos/${todoId}`, `/todos/${todoId}/runs`];
  let shown: unknown[] = [];
  await until(
    async () => {
      const [listed, one, runs] = (await Promise.all(paths.map((path) => call(`GET ${path}`)))).map((each) =>
        bodyOf(each),
      );
      const inList = listed.data.find(({ id }: { id: string }) => id === todoId);
      shown = [one.latestRun, runs.data[0] ?? null, ...(inList ? [inList.latestRun] : [])];
      return shown.every((each) => isDeepStrictEqual(each, shown[0]));
    },
    () => `getTodo, listTodoRuns and listTodos show the same run: ${JSON.stringify(shown)}`,
  );
  return shown[0] as Answer['body'];
}

/** Waits until a chat has this status. */
export function untilStatus({ call }: Caller, chatId: string, status: string): Promise<Answer> {
  return untilAnswer(
    () => call(`GET /chats/${chatId}`),
    ({ body }) => body.status === status,
  );
}

/** The one approval that a chat waits for. */
export async function approvalOf(workspace: Caller, chatId: string) {
  const { body } = await settled(workspace, chatId);
  assert.is(body.status, 'awaiting_input', body.errorMessage);
  const page = bodyOf(await workspace.call(`GET /approvals?status=pending&chatId=${chatId}`));
  assert.is(page.data.length, 1);
  return page.data[0];
}
