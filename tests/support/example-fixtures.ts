import { type ChildProcess, execFile } from 'node:child_process';
import { createServer } from 'node:http';
import { type AddressInfo, connect, createServer as createTcpServer, type Socket } from 'node:net';
import { maxWaitMs } from './until.ts';

export interface Ended {
  /** Null when it was killed. */
  code: number | null;
  stdout: string;
  stderr: string;
}

/** An example at work, as somebody runs it: by Node alone, without a loader. */
export interface RunningExample {
  process: ChildProcess;
  ended: Promise<Ended>;
}

export function startExample(name: string, args: string[], environment: Record<string, string>): RunningExample {
  let child: ChildProcess | undefined;
  const ended = new Promise<Ended>((resolve) => {
    const env = { PATH: process.env.PATH, ...environment };
    child = execFile(
      process.execPath,
      [`examples/${name}`, ...args],
      { env, timeout: maxWaitMs },
      (_, stdout, stderr) => resolve({ code: child?.exitCode ?? null, stdout, stderr }),
    );
  });
  if (!child) throw new Error('the example did not start');
  return { process: child, ended };
}

export function runExample(name: string, args: string[], environment: Record<string, string>): Promise<Ended> {
  return startExample(name, args, environment).ended;
}

/** Where an example finds the service, and with what key. */
export function environmentOf({ url }: { url: string }, { key }: { key: string }): Record<string, string> {
  return { TANDEM_URL: url, TANDEM_API_KEY: key };
}

/** What an example prints of these messages. */
export function printed(messages: { role: string; text: string }[]): string {
  return messages.map(({ role, text }) => `${role}: ${text}\n`).join('');
}

/** What becomes of a request on its way: it goes through, the connection breaks, or there were too many. */
export type Fate = 'pass' | 'break' | 'busy';

export interface Way {
  url: string;
  close(): Promise<void>;
}

/** A way to the service on which `fateOf` says what becomes of each `METHOD /path`, and may do something before. */
export async function wayTo(service: string, fateOf: (route: string) => Promise<Fate>): Promise<Way> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/' } = request;
    const sent = Buffer.concat(await request.toArray());
    const fate = await fateOf(`${method} ${path}`).catch((fault: Error) => fault);
    if (fate instanceof Error)
      return void response.writeHead(500).end(JSON.stringify({ code: 'fault', message: fate.stack }));
    if (fate === 'break') return void response.destroy();
    if (fate === 'busy') return void response.writeHead(429, { 'Retry-After': '0' }).end();
    const { authorization = '', 'content-type': type = '', 'idempotency-key': key = '' } = request.headers;
    const headers = { authorization, 'content-type': type, ...(key !== '' && { 'idempotency-key': String(key) }) };
    const answer = await fetch(`${service}${path}`, { method, headers, ...(method !== 'GET' && { body: sent }) });
    const passed = { 'content-type': answer.headers.get('content-type') ?? '', date: answer.headers.get('date') ?? '' };
    response.writeHead(answer.status, passed).end(await answer.text());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A way of bytes to the service at `port`, which breaks after so many of them came from a client; once. */
export async function breakingWay(listenAt: number, port: number, breaksAfter: number) {
  let broken = 0;
  const sockets = new Set<Socket>();
  const server = createTcpServer((near) => {
    const far = connect(port, '127.0.0.1');
    let bytes = 0;
    near.on('data', (piece) => {
      bytes += piece.length;
      if (bytes < breaksAfter || broken > 0) return;
      broken++;
      near.destroy();
      far.destroy();
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(listenAt, '127.0.0.1', resolve));
  return {
    /** How often it broke. */
    broken: () => broken,
    close: () => {
      for (const each of sockets) each.destroy();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
