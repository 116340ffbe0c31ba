import { type ChildProcess, execFile } from 'node:child_process';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

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
    child = execFile(process.execPath, [`examples/${name}`, ...args], { env, timeout: 20_000 }, (_, stdout, stderr) =>
      resolve({ code: child?.exitCode ?? null, stdout, stderr }),
    );
  });
  if (!child) throw new Error('the example did not start');
  return { process: child, ended };
}

export function runExample(name: string, args: string[], environment: Record<string, string>): Promise<Ended> {
  return startExample(name, args, environment).ended;
}

/** What becomes of a request on its way: it goes through, the connection breaks, or there were too many. */
export type Fate = 'pass' | 'break' | 'busy';

export interface Way {
  url: string;
  close(): Promise<void>;
}

/** A way to the service on which `fateOf` says what becomes of each request that reads, and may do something before. */
export async function wayTo(service: string, fateOf: (path: string) => Promise<Fate>): Promise<Way> {
  const server = createServer(async (request, response) => {
    const path = request.url ?? '/';
    const fate = await fateOf(path);
    if (fate === 'break') return void response.destroy();
    if (fate === 'busy') return void response.writeHead(429, { 'Retry-After': '0' }).end();
    const headers = { authorization: request.headers.authorization ?? '' };
    const answer = await fetch(`${service}${path}`, { headers });
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
