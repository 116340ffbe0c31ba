import { setTimeout as sleep } from 'node:timers/promises';
import { type EventStream, follow } from './event-source.ts';
import type { Asked, Reply } from './model-server.ts';
import type { ServiceProcess } from './processes.ts';
import { until } from './until.ts';
import type { WriteLedger } from './write-ledger.ts';

/* What clients do while processes die: each kind of work, of which every effect has a name of its own. */

const effect = /EFFECT-[0-9a-f-]{36}/;
const newEffect = () => `EFFECT-${crypto.randomUUID()}`;

/** The suggested todo of each capture. */
export const suggestion = 'Send the report';
const digest = {
  title: 'Talk about the report',
  subtitle: 'One line',
  summary: 'The report is to be sent.',
  todos: [{ title: suggestion, content: null, dueDate: null, assignee: null }],
};

/** A model that makes the one effect which its chat names, and writes the same of every capture. */
export async function effectModel({ system, messages, tools }: Asked): Promise<Reply> {
  await sleep(50 + Math.random() * 250);
  if (tools.length === 0) return JSON.stringify(digest);
  if (messages.at(-1)?.role === 'tools') return 'It is done.';
  const asked = messages.map((message) => (message.role === 'user' ? message.text : '')).join('\n');
  const [name] = effect.exec(asked) ?? effect.exec(system) ?? [];
  return { toolCalls: [{ name: 'create_todo', input: { title: `Made ${name}` } }] };
}

/** What a load has done, to be held against the rows. */
export interface Done {
  /** Titles of todos that must exist once each. */
  titles: string[];
  captures: string[];
  chats: string[];
  /** Of todos that were to run once, by their schedule. */
  scheduled: string[];
  reconnections: number;
}

export interface Load {
  ledger: WriteLedger;
  any: () => ServiceProcess;
  key: string;
  /** Agents that need not ask, and that ask first. */
  free: string;
  careful: string;
  done: Done;
}

const batchSize = 5;

async function batch({ ledger, done }: Load): Promise<void> {
  const key = newEffect();
  const titles = Array.from({ length: batchSize }, (_, place) => `${key} ${place}`);
  await ledger.write('POST /todos/batch', { data: titles.map((title) => ({ title })) }, key);
  done.titles.push(...titles);
  await sleep(50);
}

async function capture({ ledger, done }: Load): Promise<void> {
  const key = newEffect();
  const body = `Ada: ${key}. I will send the report to Grace.`;
  const { id } = await ledger.write('POST /captures', { type: 'recording', transcript: { format: 'text', body } }, key);
  done.captures.push(id);
  await sleep(300);
}

/**
 * Follows a chat to its end over as many connections as it takes. @throws Error when a message is missed or comes
 * twice.
 */
async function followed({ any, key, done }: Load, chatId: string): Promise<void> {
  const seen: number[] = [];
  let isDone = false;
  const connect = async () => {
    const after = seen.length === 0 ? '' : `?afterSequence=${seen.at(-1)}`;
    const opening = follow(`${any().url}/api/v1/chats/${chatId}/stream${after}`, key).catch(() => undefined);
    const stream: EventStream | undefined = await Promise.race([opening, sleep(5000, undefined, { ref: false })]);
    if (!stream) {
      void opening.then((late) => late?.leave());
      return false;
    }
    // A process may be frozen with the stream open.
    await Promise.race([stream.ended, sleep(8000, undefined, { ref: false })]);
    stream.leave();
    for (const { event, data } of stream.events) {
      if (event === 'message') seen.push(data.sequence);
      if (event === 'done') isDone = true;
    }
    done.reconnections++;
    return isDone;
  };
  await until(connect, () => `the end of chat ${chatId}; seen ${seen}`);
  seen.forEach((sequence, place) => {
    if (sequence !== place + 1) throw new Error(`chat ${chatId} streamed ${seen}`);
  });
}

async function chat(load: Load): Promise<void> {
  const key = newEffect();
  const { id } = await load.ledger.write('POST /chats', { message: `Make ${key}`, agentId: load.free }, key);
  load.done.chats.push(id);
  load.done.titles.push(`Made ${key}`);
  await followed(load, id);
}

async function approval({ ledger, careful, done }: Load): Promise<void> {
  const key = newEffect();
  const { id } = await ledger.write('POST /chats', { message: `Ask for ${key}`, agentId: careful }, key);
  done.chats.push(id);
  done.titles.push(`Made ${key}`);
  const pending = async () => (await ledger.ask(`GET /approvals?chatId=${id}&status=pending`)).body.data[0]?.id;
  await until(pending, () => `an approval of chat ${id}`);
  const approvalId = await pending();
  const decided = await ledger.ask(`POST /approvals/${approvalId}/decide`, { decision: 'approve' });
  if (decided.status !== 200) throw new Error(decided.text);
  const isOver = async () => (await ledger.ask(`GET /chats/${id}`)).body.status === 'completed';
  await until(isOver, () => `the end of chat ${id}`);
}

async function schedule({ ledger, free, done }: Load): Promise<void> {
  const key = newEffect();
  const runAt = new Date(Date.now() + 4000).toISOString();
  const body = { title: `Do ${key}`, assignees: [{ id: free }], schedule: { runAt } };
  const made = await ledger.write('POST /todos', body, key).catch((error: Error) => {
    // Nobody could answer before that time, so nothing was written: a replay would say what was.
    if (error.message.includes('This time is past')) return null;
    throw error;
  });
  if (made) {
    done.scheduled.push(made.id);
    done.titles.push(`Do ${key}`, `Made ${key}`);
  }
  await sleep(3000);
}

/** Each kind of work, and how many clients do it. */
const kinds: [work: (load: Load) => Promise<void>, clients: number][] = [
  [batch, 2],
  [capture, 1],
  [chat, 3],
  [approval, 2],
  [schedule, 1],
];

/** Lets all clients work until `isOver`; what they began they bring to an end. @throws the first that failed. */
export async function work(load: Load, isOver: () => boolean): Promise<void> {
  const client = async (each: (load: Load) => Promise<void>) => {
    while (!isOver()) await each(load);
  };
  await Promise.all(kinds.flatMap(([each, clients]) => Array.from({ length: clients }, () => client(each))));
}
