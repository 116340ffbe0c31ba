import type { MessageAnswer } from '../../domain/chats/shapes.ts';
import type { Context } from '../commands/invocation.ts';
import type { CatalogueOperation } from '../model/catalogue.ts';
import { CliFailure, type ExitCode, exitCodes } from '../model/failure.ts';
import type { Calls } from '../service/calls.ts';
import { oneLine, safeJson } from '../terminal/safe.ts';
import { type ChatStatus, followChat } from './events.ts';
import { nextSteps, Transcript } from './transcript.ts';

/** Work of an agent that can be followed. */
export interface Work {
  chatId: string;
  /** Start after the message with this sequence. */
  after: number;
  /** Whether messages of people are shown too. */
  withUserMessages: boolean;
}

export interface Outcome {
  status: ChatStatus;
  exitCode: ExitCode;
  messages: readonly MessageAnswer[];
}

type Thing = Readonly<Record<string, unknown>>;

const outcomes: Readonly<Record<ChatStatus, ExitCode>> = {
  queued: exitCodes.done,
  running: exitCodes.done,
  completed: exitCodes.done,
  failed: exitCodes.workFailed,
  awaiting_input: exitCodes.awaitingInput,
  cancelled: exitCodes.workStopped,
};

/** The work that a response refers to; undefined when no agent is running. */
export function workOf(answer: unknown): Work | undefined {
  const { object, id, chatId, messageSequence, latestRun } = answer as Thing;
  if (object === 'chat') return { chatId: String(id), after: 0, withUserMessages: false };
  if (object === 'todo') return latestRun ? workOf(latestRun) : undefined;
  if (typeof chatId !== 'string') return undefined;
  return { chatId, after: Number(messageSequence ?? 0), withUserMessages: false };
}

/** How work is printed: for people, as lines of JSON, or not at all. */
export type FollowOutput = 'people' | 'events' | 'none';

function listingOf({ operations }: Context['catalogue'], object: string): CatalogueOperation | undefined {
  return operations.find(
    ({ answer, pathFields }) => answer.isList && answer.object === object && pathFields.length === 0,
  );
}

/** Pending approvals of this chat. */
async function pendingApprovals(calls: Calls, { catalogue }: Context, chatId: string) {
  const list = listingOf(catalogue, 'approval');
  if (!list) return [];
  const { body } = await calls.send(list, { query: { chatId, status: 'pending', limit: '100' } });
  return (body as { data: { id: string; title: string; input: unknown }[] }).data;
}

function interrupted({ chatId }: Work): CliFailure {
  return new CliFailure(exitCodes.interrupted, 'Stopped following. The agent continues.', [
    `Follow it again: tandem chats follow ${chatId}`,
    `Stop the agent:  tandem chats cancel ${chatId}`,
  ]);
}

/**
 * Prints work until the agent stops, also when nobody reads it any more. Ctrl-C stops following, not the agent.
 * @throws CliFailure 130 for Ctrl-C, and when the service cannot be followed.
 */
export async function follow(work: Work, calls: Calls, context: Context, mode: FollowOutput): Promise<Outcome> {
  const { catalogue, out, err } = context;
  out.isOptional = true;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  if (mode === 'people') err.write(`${err.paint('dim', `Chat ${work.chatId}`)}\n`);
  const transcript = new Transcript(out, work.withUserMessages);
  const messages: MessageAnswer[] = [];
  let status: ChatStatus | undefined;
  try {
    for await (const event of followChat(calls, catalogue, work, stop.signal)) {
      if (mode === 'people') transcript.show(event);
      if (mode === 'events') out.write(`${safeJson(event, 0)}\n`);
      if (event.event === 'message') messages.push(event.data);
      if (event.event === 'status' && event.data.status === 'queued' && mode === 'people') {
        err.write('Queued until the working hours of the agent.\n');
      }
      if (event.event === 'done') status = event.data.status;
    }
  } finally {
    process.removeListener('SIGINT', onSignal);
    if (mode === 'people') transcript.end();
  }
  if (status === undefined) throw interrupted(work);
  if (mode === 'people') {
    const approvals = status === 'awaiting_input' ? await pendingApprovals(calls, context, work.chatId) : [];
    if (status !== 'completed') err.write(`${err.paint('bold', oneLine(status.replaceAll('_', ' ')))}\n`);
    for (const line of nextSteps(work.chatId, status, approvals)) err.write(`${line}\n`);
  }
  return { status, exitCode: outcomes[status], messages };
}

/** Reads a resource of this type again. */
export async function readAgain(object: string, id: unknown, calls: Calls, { catalogue }: Context): Promise<unknown> {
  const operation = catalogue.operations.find(
    ({ method, answer, pathFields, streams }) =>
      method === 'GET' && !answer.isList && !streams && answer.object === object && pathFields.length === 1,
  );
  const name = operation?.pathFields[0]?.name;
  if (!operation || !name) return undefined;
  return (await calls.send(operation, { path: { [name]: String(id) } })).body;
}

/**
 * The response of an operation after its work has ended, with the messages that the agent produced: in `replies`, as a
 * request with `waitSeconds` returns them, or in `messages` beside the fields of the resource. A run is read from its
 * todo.
 */
export async function settled(answer: unknown, outcome: Outcome, calls: Calls, context: Context): Promise<unknown> {
  const { object, id, todoId } = answer as Record<string, string>;
  if (object === 'chat_run') {
    return { ...(answer as object), status: outcome.status, replies: outcome.messages, timedOut: false };
  }
  const { messages } = outcome;
  if (object !== 'todo_run') {
    const fresh = (await readAgain(String(object), id, calls, context)) ?? answer;
    return { ...(fresh as object), messages };
  }
  const todo = (await readAgain('todo', todoId, calls, context)) as { latestRun?: Thing } | undefined;
  return { ...(todo?.latestRun?.id === id ? todo?.latestRun : (answer as object)), messages };
}
