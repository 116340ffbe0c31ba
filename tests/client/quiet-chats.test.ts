import { followChat, type TandemClient } from 'tandem/client';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { followChat as followInCli } from '../../cli/follow/events.ts';
import type { Calls } from '../../cli/service/calls.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';
import { inVirtualTime } from '../support/virtual-time.ts';

const test = suite('chats without news for long');

interface Sent {
  event: string;
  data: { status: string };
}

/** What one connection sends; it lasts until it is closed by the client, or for `lastsMs`. */
interface Connection {
  events: Sent[];
  lastsMs?: number;
}

const running = { event: 'status', data: { status: 'running' } };
const done = [
  { event: 'status', data: { status: 'completed' } },
  { event: 'done', data: { status: 'completed' } },
];

/** Resolves when the connection ends; rejects when the client closes it. */
function ending({ lastsMs }: Connection, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new Error('aborted')));
    if (lastsMs !== undefined) setTimeout(resolve, lastsMs);
  });
}

/** Follows a chat by both clients on these connections, the last one again and again: the statuses, and the error. */
async function followed(kind: 'client' | 'cli', connections: readonly Connection[]) {
  let count = 0;
  const next = () => connections[Math.min(count++, connections.length - 1)] ?? { events: [] };
  async function* stream(signal: AbortSignal | undefined) {
    const connection = next();
    yield* connection.events;
    await ending(connection, signal);
  }
  const query = async (_: unknown, { signal }: { signal?: AbortSignal }) => stream(signal);
  const client = { chats: { stream: { query } } } as unknown as TandemClient;
  const encoder = new TextEncoder();
  async function* bytes(signal: AbortSignal) {
    const connection = next();
    for (const { event, data } of connection.events) {
      yield encoder.encode(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    }
    await ending(connection, signal);
  }
  const open: Calls['open'] = async (_, __, signal) => new Response(ReadableStream.from(bytes(signal)));
  const calls = { open } as Calls;
  const statuses: string[] = [];
  const error = await inVirtualTime(async () => {
    const events =
      kind === 'client'
        ? followChat(client, 'chat')
        : followInCli(calls, catalogueOf(), { chatId: 'chat', after: 0 }, new AbortController().signal);
    try {
      for await (const { event, data } of events) {
        if (event === 'status' || event === 'done') statuses.push(data.status);
      }
    } catch (thrown) {
      return thrown as Error;
    }
    return undefined;
  });
  return { statuses, error, count };
}

for (const kind of ['client', 'cli'] as const) {
  const name = kind === 'client' ? 'the typed client' : 'the command-line client';

  test(`${name} follows a chat whose agent is silent for long, and shows its status once`, async () => {
    const quiet = Array.from({ length: 20 }, (_, n) => ({
      events: [running],
      ...(n % 2 === 1 && { lastsMs: 30_000 }),
    }));
    const { statuses, error, count } = await followed(kind, [...quiet, { events: done }]);
    assert.is(error, undefined);
    assert.equal([statuses, count], [['running', 'completed', 'completed'], 21]);
  });

  test(`${name} ends with an error when connections are closed at once, or send nothing`, async () => {
    for (const connection of [{ events: [running], lastsMs: 0 }, { events: [] }]) {
      const { statuses, error, count } = await followed(kind, [connection]);
      assert.instance(error, Error);
      assert.equal([statuses.length, count], [connection.events.length, 9]);
    }
  });
}

test.run();
