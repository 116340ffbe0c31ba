import { inputRequired, type ServerContext } from '@modelcontextprotocol/server';
import { questionsAbout } from '../../domain/approvals/asking.ts';
import { EditForm, takeEdit } from '../../domain/approvals/edited.ts';
import { cancelFirstWork, type FirstWork, firstWorkOf } from '../../domain/chats/first-work.ts';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { Failure } from '../../domain/errors.ts';
import { lackingScopes } from '../../routers/tools/tool.ts';
import type { Tool } from '../operations.ts';
import { answerOf, type Exchange } from '../tools/answer.ts';
import { showsForms } from './elicitation.ts';
import { protocolErrorOf } from './protocol-errors.ts';
import { signState, verifyState } from './signed-state.ts';
import { capabilitiesOf, createdTask, type Task, type TaskSource, type TaskState } from './tasks.ts';

/*
 * Work of agents as tasks. Nothing is stored for a task: its id is signed and names the tool and the chat, and its
 * state is that of the chat. So every process can answer, also after another one was killed.
 */

/** How long a client may use an id. */
const ttlMs = 30 * 86_400_000;

/** An id opens for the credential alone that started the work; of an app, for the consent. */
const purposeOf = ({ principal }: AuthenticatedContext) => `task ${principal.grantId ?? ''}`;

interface TaskRef {
  tool: Tool;
  chatId: string;
}

function taskOf({ startedAt, changedAt }: Pick<FirstWork, 'startedAt' | 'changedAt'>, state: TaskState): Task {
  return { createdAt: startedAt, lastUpdatedAt: changedAt, ttlMs, state };
}

/** The chat in which a tool started work, of its answer. */
function chatIdOf(answer: unknown): string {
  const { chatId, chat } = answer as { chatId?: string; chat?: { id: string } };
  const id = chatId ?? chat?.id;
  if (id === undefined) throw new Error('A tool with readAgain must answer with its chat');
  return id;
}

/** Calls a tool that starts work, without waiting for it. Returns the handle of the work. @throws Failure. */
export async function startTask(tool: Tool, ctx: AuthenticatedContext, input: unknown) {
  const { waitSeconds: _, ...given } = input as Record<string, unknown>;
  const chatId = chatIdOf(await tool.call(ctx, given));
  const now = ctx.clock().toISOString();
  // The work has begun, also where it cannot be read.
  const work = (await firstWorkOf(ctx, chatId).catch(() => undefined)) ?? { startedAt: now, changedAt: now };
  const until = Date.parse(work.startedAt) + ttlMs;
  const taskId = signState(ctx, purposeOf(ctx), [tool.name, chatId], until);
  return createdTask(taskId, taskOf(work, { status: 'working' }));
}

const waits = 'The agent waits for a person to decide. Say so to them: they decide in Tandem, on the page of the chat.';

/** What the person at the client can decide. Without such forms the task continues: it needs nothing of the client. */
async function waitingState(ctx: AuthenticatedContext, chatId: string, asks: boolean): Promise<TaskState> {
  const questions = asks ? await questionsAbout(ctx, { chatId, known: [], limit: Number.POSITIVE_INFINITY }) : [];
  if (questions.length === 0)
    return { status: 'working', message: `${waits} ${ctx.service.publicUrl}/chats/${chatId}` };
  const inputRequests = Object.fromEntries(
    questions.map(({ approvalId, message }) => [
      approvalId,
      inputRequired.elicit({ message, requestedSchema: EditForm }),
    ]),
  );
  return { status: 'input_required', inputRequests };
}

/** The tasks of the credential of an exchange; `find` knows the tools. */
export function chatTasks(find: (name: string) => Tool | undefined, exchange: Exchange): TaskSource {
  const { ctx } = exchange;

  /** @throws Failure 403 when the credential may no longer call the tool. */
  const open = (taskId: string): TaskRef | undefined => {
    const [name, chatId] = verifyState<[string, string]>(ctx, purposeOf(ctx), taskId) ?? [];
    const tool = name === undefined ? undefined : find(name);
    if (!tool || chatId === undefined) return undefined;
    const lacking = lackingScopes(tool, ctx.principal);
    if (lacking.length === 0) return { tool, chatId };
    const message = `This credential lacks ${lacking.join(' and ')}.`;
    throw new Failure({ status: 403, code: 'missing_scope', message, requiredScopes: tool.scopes });
  };

  const stateOf = async (
    { tool, chatId }: TaskRef,
    work: FirstWork,
    mcp: ServerContext['mcpReq'],
  ): Promise<TaskState> => {
    if (work.outcome === 'cancelled') return { status: 'cancelled' };
    if (work.outcome !== null) {
      const answer = await tool.call({ ...ctx, resumed: { chatId, sequence: 1, isTask: true } }, tool.readAgain);
      const result = answerOf(tool, answer, ctx.service.publicUrl);
      // As the SDK completes the answer of the call itself.
      return { status: 'completed', result: { resultType: 'complete', ...result } };
    }
    if (work.status === 'awaiting_input') return waitingState(ctx, chatId, showsForms(capabilitiesOf(mcp)));
    return { status: 'working' };
  };

  const answer = async ({ chatId }: TaskRef, responses: Record<string, unknown>) => {
    const asked = await questionsAbout(ctx, { chatId, known: [], limit: Number.POSITIVE_INFINITY });
    const failures: unknown[] = [];
    for (const { approvalId } of asked.filter((each) => Object.hasOwn(responses, each.approvalId))) {
      await takeEdit(ctx, { approvalId, response: responses[approvalId] }).catch((error) => failures.push(error));
    }
    if (failures.length > 0) throw failures[0];
  };

  /** Runs `work` on the task of the id; undefined when there is none. */
  const on = async <Result>(taskId: string, work: (ref: TaskRef, first: FirstWork) => Promise<Result>) => {
    try {
      const ref = open(taskId);
      const first = ref && (await firstWorkOf(ctx, ref.chatId));
      return ref && first && { result: await work(ref, first) };
    } catch (error) {
      throw protocolErrorOf(exchange, error);
    }
  };

  return {
    read: async (taskId, mcp) => {
      const read = await on(taskId, async (ref, work) => taskOf(work, await stateOf(ref, work, mcp)));
      return read?.result;
    },
    answer: async (taskId, responses) => (await on(taskId, (ref) => answer(ref, responses))) !== undefined,
    cancel: async (taskId) => (await on(taskId, ({ chatId }) => cancelFirstWork(ctx, chatId))) !== undefined,
  };
}
