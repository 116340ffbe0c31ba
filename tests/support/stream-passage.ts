import { createServer, connect as open, type Socket } from 'node:net';

/** A way to a service on which a test can cut the streams of events. */
export interface StreamPassage {
  url: string;
  /** Connections with a stream now. */
  readonly streams: number;
  /** How many streams were opened. */
  readonly opened: number;
  /** Drops the connections of the streams; others stay. */
  cut(): void;
  close(): Promise<void>;
}

/** Stands between browsers and the service at `url`. */
export async function openStreamPassage(url: string): Promise<StreamPassage> {
  const target = new URL(url);
  const streams = new Set<Socket>();
  const sockets = new Set<Socket>();
  let opened = 0;
  const server = createServer((client) => {
    const upstream = open(Number(target.port), target.hostname);
    sockets.add(client);
    client.on('data', (chunk) => {
      // Browsers send no second request on the connection of an answer that has not ended.
      const isStream = chunk.includes('GET /trpc/events.stream');
      if (isStream) {
        opened++;
        streams.add(client);
      } else streams.delete(client);
      upstream.write(chunk);
    });
    upstream.on('data', (chunk) => client.write(chunk));
    const drop = () => {
      sockets.delete(client);
      streams.delete(client);
      client.destroy();
      upstream.destroy();
    };
    for (const each of [client, upstream]) each.on('error', drop).on('close', drop);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (typeof address !== 'object' || !address) throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    get streams() {
      return streams.size;
    },
    get opened() {
      return opened;
    },
    cut: () => {
      for (const socket of streams) socket.resetAndDestroy();
    },
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
