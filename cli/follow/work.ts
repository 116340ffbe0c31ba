import type { MessageAnswer } from '../../routers/chats/shapes.ts';
import type { CatalogueOperation } from '../catalogue.ts';
import type { World } from '../commands/world.ts';
import { CliFailure, type ExitCode, exitCodes } from '../failure.ts';
import { oneLine, safeJson } from '../output/safe.ts';
import type { Calls } from '../service/calls.ts';
import { type ChatStatus, followChat } from './events.ts';
import { nextSteps, Transcript } from './transcript.ts';

/** Work of an agent that can be followed. */
export interface Work {
  chatId: string;
  /** Only what comes after the message of this sequence. */
  after: number;
  /** Whether the words of people are shown too. */
  withPeople: boolean;
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

/** What an answer has set going; undefined when no agent is at work. */
export function workOf(answer: unknown): Work | undefined {
  const { object, id, chatId, messageSequence, latestRun } = answer as Thing;
  if (object === 'chat') return { chatId: String(id), after: 0, withPeople: false };
  if (object === 'todo') return latestRun ? workOf(latestRun) : undefined;
  if (typeof chatId !== 'string') return undefined;
  return { chatId, after: Number(messageSequence ?? 0), withPeople: false };
}

/** How the work is told: for people, as lines of JSON, or not at all. */
export type Telling = 'people' | 'events' | 'nothing';

function listingOf({ operations }: World['catalogue'], object: string): CatalogueOperation | undefined {
  return operations.find(
    ({ answer, pathFields }) => answer.isList && answer.object === object && pathFields.length === 0,
  );
}

/** What the agent asks a person in this chat. */
async function asked(calls: Calls, { catalogue }: World, chatId: string) {
  const list = listingOf(catalogue, 'approval');
  if (!list) return [];
  const { body } = await calls.send(list, { query: { chatId, status: 'pending', limit: '100' } });
  return (body as { data: { id: string; title: string; input: unknown }[] }).data;
}

function interrupted({ chatId }: Work): CliFailure {
  return new CliFailure(exitCodes.interrupted, 'No longer following. The agent works on.', [
    `Follow it again: tandem chats follow ${chatId}`,
    `Stop the agent:  tandem chats cancel ${chatId}`,
  ]);
}

/**
 * Follows work until the agent stops. Ctrl-C ends the following, never the work.
 * @throws CliFailure 130 for Ctrl-C, and when the service cannot be followed.
 */
export async function follow(work: Work, calls: Calls, world: World, telling: Telling): Promise<Outcome> {
  const { catalogue, out, err } = world;
  const stop = new AbortController();
  const onSignal = () => stop.abort();
  process.once('SIGINT', onSignal);
  if (telling === 'people') err.write(`${err.paint('dim', `Chat ${work.chatId}`)}\n`);
  const transcript = new Transcript(out, work.withPeople);
  const messages: MessageAnswer[] = [];
  let status: ChatStatus | undefined;
  try {
    for await (const event of followChat(calls, catalogue, work, stop.signal)) {
      if (telling === 'people') transcript.show(event);
      if (telling === 'events') out.write(`${safeJson(event, 0)}\n`);
      if (event.event === 'message') messages.push(event.data);
      if (event.event === 'status' && event.data.status === 'queued' && telling === 'people') {
        err.write('It is queued until the working hours of the agent.\n');
      }
      if (event.event === 'done') status = event.data.status;
    }
  } finally {
    process.removeListener('SIGINT', onSignal);
    if (telling === 'people') transcript.end();
  }
  if (status === undefined) throw interrupted(work);
  if (telling === 'people') {
    const approvals = status === 'awaiting_input' ? await asked(calls, world, work.chatId) : [];
    if (status !== 'completed') err.write(`${err.paint('bold', oneLine(status.replaceAll('_', ' ')))}\n`);
    for (const line of nextSteps(work.chatId, status, approvals)) err.write(`${line}\n`);
  }
  return { status, exitCode: outcomes[status], messages };
}

/** Reads a resource of this type again. */
export async function readAgain(object: string, id: unknown, calls: Calls, { catalogue }: World): Promise<unknown> {
  const operation = catalogue.operations.find(
    ({ method, answer, pathFields, streams }) =>
      method === 'GET' && !answer.isList && !streams && answer.object === object && pathFields.length === 1,
  );
  const name = operation?.pathFields[0]?.name;
  if (!operation || !name) return undefined;
  return (await calls.send(operation, { path: { [name]: String(id) } })).body;
}

/**
 * The answer of an operation as it stands once the work is over: what a request that waited would have answered. A run is
 * read with its todo.
 */
export async function settled(answer: unknown, outcome: Outcome, calls: Calls, world: World): Promise<unknown> {
  const { object, id, todoId } = answer as Record<string, string>;
  if (object === 'chat_run') {
    return { ...(answer as object), status: outcome.status, replies: outcome.messages, timedOut: false };
  }
  if (object !== 'todo_run') return (await readAgain(String(object), id, calls, world)) ?? answer;
  const todo = (await readAgain('todo', todoId, calls, world)) as { latestRun?: Thing } | undefined;
  return todo?.latestRun?.id === id ? todo?.latestRun : answer;
}
