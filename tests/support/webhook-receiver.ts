import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from './until.ts';

/** A request as it arrived: the body is the bytes that were sent. */
export interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what came over the wire
  event: any;
}

type Answer = (response: ServerResponse, request: Received) => void;

/** A server on loopback that gets webhooks. */
export interface Receiver {
  /** The address of a path. */
  url(path: string): string;
  /** How requests to a path are answered from now on; 204 unless set. */
  answer(path: string, with_: number | Answer): void;
  /** What a path has received, the oldest first. */
  at(path: string): Received[];
  /** What a path has received once that is `count` requests or more. */
  received(path: string, count: number): Promise<Received[]>;
  close(): Promise<void>;
}

/** Starts a receiver; the service must allow 127.0.0.1. */
export async function startReceiver(): Promise<Receiver> {
  const requests: Received[] = [];
  const answers = new Map<string, Answer>();
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => {});
    response.on('error', () => {});
    request.on('end', () => {
      const body = Buffer.concat(chunks).toString('utf8');
      const received = { path: request.url ?? '', headers: request.headers, body, event: JSON.parse(body) };
      requests.push(received);
      const answer = answers.get(received.path) ?? ((reply: ServerResponse) => reply.writeHead(204).end());
      answer(response, received);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const at = (path: string) => requests.filter((each) => each.path === path);
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    answer: (path, with_) => {
      const status = typeof with_ === 'number' ? with_ : undefined;
      answers.set(path, typeof with_ === 'number' ? (reply) => reply.writeHead(status ?? 200).end() : with_);
    },
    at,
    received: async (path, count) => {
      await until(
        () => at(path).length >= count,
        () => `${count} webhooks at ${path}, but ${at(path).length}`,
      );
      return at(path);
    },
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
