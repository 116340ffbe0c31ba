import { suite, type Test } from 'uvu';
import { ModelFault } from '../../engine/engine.ts';
import { hours } from './agent-fixtures.ts';
import { type Answer, startTestService, type TestService, type TestWorkspace } from './harness.ts';
import { reply, ScriptedEngine, use } from './scripted-engine.ts';
import { until } from './until.ts';
import { agentOf, bodyOf, type Held, held } from './work-fixtures.ts';

/* For the tables of SPEC "States and transitions" and the rows of CONTRACT §5 and §6, with agents that really work. */

export const engine = new ScriptedEngine();

interface States {
  test: Test;
  service(): TestService;
  /** A workspace with a todo and a scripted agent. */
  world(todo?: object, agent?: Record<string, unknown>): Promise<World>;
}

interface World {
  workspace: TestWorkspace;
  call: TestWorkspace['call'];
  agentId: string;
  // biome-ignore lint/suspicious/noExplicitAny: a todo as it came over the wire
  todo: any;
}

/** A suite with a service whose agents are scripted by `engine`. */
export function states(name: string): States {
  const test = suite(name);
  let tandem: TestService;
  test.before(async () => {
    tandem = await startTestService({}, { engine });
  });
  test.after(() => tandem.close());
  return {
    test,
    service: () => tandem,
    world: async (todo = {}, agent = {}) => {
      const workspace = await tandem.workspace();
      const agentId = await agentOf(workspace, agent);
      return { workspace, call: workspace.call, agentId, todo: await newTodo(workspace, todo) };
    },
  };
}

export const everyDay = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'];

/** Working hours in which it is never now, nor within the next hours. */
export function closed() {
  const inTwoDays = new Date(Date.now() + 48 * 3_600_000).getUTCDay();
  return hours('00:00', '24:00', 'UTC', [everyDay[(inTwoDays + 6) % 7] as string]);
}

export async function newTodo({ call }: TestWorkspace, more: object = {}) {
  return bodyOf(await call('POST /todos', { title: 'Water the plants', ...more }), 201);
}

/** Sends a message and waits for the reply. */
export function send({ call }: TestWorkspace, chatId: string, message: string): Promise<Answer> {
  return call(`POST /chats/${chatId}/messages`, { message, waitSeconds: 100 });
}

/** How a turn ends. */
export interface Ending {
  plan(): string;
  /** What a person does while the agent works. */
  act?(workspace: TestWorkspace, chatId: string): Promise<unknown>;
  chat: string;
  errorMessage: RegExp | null;
  summary: string | null;
}

/** The step of the latest turn that a person cancels. */
let busy: Held;

/** The ends of a turn that a run shares with its chat. */
export const endings: Record<'completed' | 'failed' | 'cancelled', Ending> = {
  completed: {
    plan: () => engine.plan([use(['list_todos', {}]), reply('Watered.')]),
    chat: 'completed',
    errorMessage: null,
    summary: 'Watered.',
  },
  failed: {
    plan: () =>
      engine.plan(() => {
        throw new ModelFault('The model is not available. Try again in a minute.', { retryable: true });
      }),
    chat: 'failed',
    errorMessage: /The model is not available/,
    summary: null,
  },
  cancelled: {
    plan: () => {
      busy = held(reply('Too late.'));
      return engine.plan(busy.script);
    },
    act: async ({ call }, chatId) => {
      await busy.asked();
      const left = async () => bodyOf(await call('GET /me')).workspace.agentMinutesRemaining;
      const before = await left();
      bodyOf(await call(`POST /chats/${chatId}/cancel`));
      await until(
        async () => (await left()) < before,
        () => 'what was cancelled is charged',
      );
    },
    chat: 'cancelled',
    errorMessage: null,
    summary: null,
  },
};

/** The states that a chat can settle in. */
export const settlings: Record<string, () => { plan: string; agent?: object; act?: Ending['act'] }> = {
  completed: () => ({ plan: endings.completed.plan() }),
  failed: () => ({ plan: endings.failed.plan() }),
  cancelled: () => ({ plan: endings.cancelled.plan(), act: endings.cancelled.act }),
  awaiting_input: () => ({
    plan: engine.plan([use(['create_todo', { title: 'Buy milk' }])]),
    agent: { requiresApproval: true },
  }),
};
