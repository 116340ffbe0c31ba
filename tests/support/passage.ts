import { createServer, connect as open, type Socket } from 'node:net';
import { freePort } from './ports.ts';

type Act = (chunk: Buffer, client: Socket) => Buffer | undefined;

/** A way to the database that a test can cut and mend. */
export interface Passage {
  url: string;
  /** Drops every connection and refuses new ones. */
  cut(): Promise<void>;
  /** Accepts connections, passes on nothing: a machine that went silent. */
  stall(): void;
  /**
   * Has `act` replace the next chunk for the database that contains `text`, on `client` or any connection; undefined:
   * nothing is passed on.
   */
  meet(text: string, act: Act, client?: Socket): void;
  mend(): Promise<void>;
  close(): Promise<void>;
}

/** Stands between a service and the database at `url`. */
export async function openPassage(url: string): Promise<Passage> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  let met: { text: string; act: Act; client: Socket | undefined } | undefined;
  const altered = (chunk: Buffer, from: Socket): Buffer | undefined => {
    if (!met || !chunk.includes(met.text) || (met.client ?? from) !== from) return chunk;
    const { act } = met;
    met = undefined;
    return act(chunk, from);
  };
  const server = createServer((client) => {
    const upstream = open(Number(target.port), target.hostname);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(from);
      from.on('data', (chunk: Buffer) => {
        const passed = from === client ? altered(chunk, client) : chunk;
        if (passed && !silent) to.write(passed);
      });
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        to.destroy();
      });
    }
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  // It has to be free again after a cut.
  const port = await freePort();
  await listen(port);
  const cut = async () => {
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  target.hostname = '127.0.0.1';
  const host = target.toString().replace(`:${new URL(url).port}/`, `:${port}/`);
  return {
    url: host,
    cut,
    stall: () => {
      silent = true;
    },
    meet: (text, act, client) => {
      met = { text, act, client };
    },
    mend: async () => {
      silent = false;
      if (!server.listening) await listen(port);
    },
    close: async () => {
      if (server.listening) await cut();
    },
  };
}
