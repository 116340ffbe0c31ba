import { createServer, connect as open, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './ports.ts';

/** How often what happens on an unsteady network, each a chance from 0 to 1. */
export interface Unsteadiness {
  /** A new connection is refused, or accepted and silent from then on. */
  refused: number;
  mute: number;
  /** A chunk is held for up to `holdMs`. */
  held: number;
  /** A chunk is the last one: the connection is reset before it, or in the middle of it. */
  reset: number;
  torn: number;
  /** Nothing is passed on any more, and neither side notices. */
  lost: number;
}

/** A way to the database that does badly what it can. */
export interface UnsteadyNetwork {
  url: string;
  /** How often each happened. */
  seen: Record<keyof Unsteadiness, number>;
  /** From now on everything is passed on; connections that are silent are reset. */
  calm(): void;
  close(): Promise<void>;
}

/** The longest that a chunk is held, in ms. */
const holdMs = 200;

interface Way {
  to: Socket;
  fateOf: () => keyof Unsteadiness | undefined;
  reset: () => void;
  silence: () => void;
}

/** Passes on the chunks of one direction of a connection, in their order. */
function sender({ to, fateOf, reset, silence }: Way): (chunk: Buffer) => void {
  let passed: Promise<void> = Promise.resolve();
  const write = (chunk: Buffer) => {
    if (!to.destroyed) to.write(chunk);
  };
  return (chunk) => {
    const fate = fateOf();
    if (fate === 'reset') reset();
    else if (fate === 'lost') silence();
    else if (fate === 'torn') to.write(chunk.subarray(0, Math.floor(chunk.length / 2)), reset);
    else {
      const held = fate === 'held' ? sleep(Math.random() * holdMs) : undefined;
      passed = Promise.all([passed, held]).then(() => write(chunk));
    }
  };
}

/**
 * Resets a connection, or closes one whose end is under way: libuv does not reset that, and Node never frees its handle
 * then.
 */
function resetSocket(socket: Socket): void {
  if (socket.writableEnded) socket.destroy();
  else socket.resetAndDestroy();
}

/** Stands between a service and the database at `url`. `random` says what happens; chances are those of `chances`. */
export async function openUnsteadyNetwork(
  url: string,
  chances: Unsteadiness,
  random: () => number,
): Promise<UnsteadyNetwork> {
  const target = new URL(url);
  const seen = { refused: 0, mute: 0, held: 0, reset: 0, torn: 0, lost: 0 };
  const pairs = new Map<Socket, { isSilent: boolean; reset: () => void }>();
  let isCalm = false;
  const oneOf = (names: readonly (keyof Unsteadiness)[]) => {
    if (isCalm) return undefined;
    let left = random();
    const name = names.find((each) => {
      left -= chances[each];
      return left < 0;
    });
    if (name) seen[name]++;
    return name;
  };
  const server = createServer((client) => {
    client.on('error', () => {});
    const fate = oneOf(['refused', 'mute']);
    if (fate === 'refused') {
      client.resetAndDestroy();
      return;
    }
    const upstream = open(Number(target.port), target.hostname);
    let isReset = false;
    const reset = () => {
      isReset = true;
      resetSocket(client);
      resetSocket(upstream);
    };
    const pair = { isSilent: fate === 'mute', reset };
    pairs.set(client, pair);
    const fateOf = () => oneOf(['held', 'reset', 'torn', 'lost']);
    const silence = () => {
      pair.isSilent = true;
    };
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      const send = sender({ to, fateOf, reset, silence });
      from.on('data', (chunk: Buffer) => {
        if (!pair.isSilent) send(chunk);
      });
      from.on('error', () => {});
      from.on('close', () => {
        pairs.delete(client);
        if (!isReset) to.destroy();
      });
    }
  });
  const port = await freePort();
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  target.hostname = '127.0.0.1';
  return {
    url: target.toString().replace(`:${new URL(url).port}/`, `:${port}/`),
    seen,
    calm: () => {
      isCalm = true;
      for (const { isSilent, reset } of pairs.values()) if (isSilent) reset();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const { reset } of pairs.values()) reset();
      await closed;
    },
  };
}
