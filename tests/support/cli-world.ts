import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import * as assert from 'uvu/assert';
import { Store } from '../../cli/credentials/store.ts';
import { runClient } from '../../cli/run.ts';
import { openOutput } from '../../cli/terminal/output.ts';
import { openSources } from '../../cli/terminal/sources.ts';
import { bundleName } from '../../scripts/build-cli.ts';
import { catalogueOf } from '../../scripts/cli-catalogue.ts';
import { within } from './until.ts';

/** The client as it is installed. */
export const bundle = join(import.meta.dirname, '../..', 'cli', 'dist', bundleName);

export interface Ran {
  code: number | null;
  out: string;
  err: string;
  /** What was printed, as JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what was printed
  json: any;
}

/** A command that is running. */
export interface Running {
  ended: Promise<Ran>;
  /** Resolves when what was printed so far matches. @throws Error after 10 s, or when the command ends before. */
  until(pattern: RegExp): Promise<void>;
  interrupt(): void;
}

interface RunOptions {
  stdin?: string;
  environment?: Record<string, string>;
}

/** A person at a prompt, with a home of their own. */
export interface Prompt {
  home: string;
  environment: Record<string, string>;
  start(args: readonly string[], options?: RunOptions): Running;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** What the client stored. */
  // biome-ignore lint/suspicious/noExplicitAny: a test asserts the shape of what was stored
  stored(): any;
  close(): void;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Starts a program; its output is collected. */
export function startProgram(
  program: string,
  args: readonly string[],
  { stdin, environment = {} }: RunOptions,
): Running {
  const child = spawn(program, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  const watching = new Set<() => void>();
  const checkWatching = () => {
    for (const each of [...watching]) each();
  };
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
    checkWatching();
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
    checkWatching();
  });
  child.stdin.on('error', () => {});
  child.stdin.end(stdin ?? '');
  const ended = new Promise<Ran>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, out, err, json: parsed(out) }));
  });
  const until = (pattern: RegExp) => {
    const found = new Promise<void>((resolve, reject) => {
      const settle = (act: () => void) => {
        watching.delete(look);
        act();
      };
      const look = () => {
        if (pattern.test(out + err)) settle(resolve);
      };
      const fail = () => settle(() => reject(new Error(`it ended without ${pattern}: ${out}\n${err}`)));
      watching.add(look);
      void ended.then(() => (pattern.test(out + err) ? settle(resolve) : fail()));
      look();
    });
    return within(() => `${pattern}: ${out}\n${err}`, found);
  };
  return { ended, until, interrupt: () => child.kill('SIGINT') };
}

let catalogue: ReturnType<typeof catalogueOf> | undefined;

/** Runs the client in this process: what it does, without the file that it is built into. */
export async function runHere(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  stdin = '',
): Promise<Ran> {
  catalogue ??= catalogueOf();
  let [out, err] = ['', ''];
  const collect = (into: (text: string) => void) => ({
    write: (text: string | Uint8Array) => {
      into(String(text));
      return true;
    },
  });
  const code = await runClient(args, {
    catalogue,
    environment,
    out: openOutput(
      collect((text) => (out += text)),
      environment,
    ),
    err: openOutput(
      collect((text) => (err += text)),
      environment,
    ),
    sources: openSources(Readable.from([stdin])),
    store: new Store(environment),
    program: undefined,
    now: new Date(),
  });
  return { code, out, err, json: parsed(out) };
}

/** A prompt that is signed in with `key` by the environment, or nowhere. */
export function openPrompt(url: string, key?: string): Prompt {
  const home = mkdtempSync(join(tmpdir(), 'tandem-cli-'));
  const environment: Record<string, string> = {
    PATH: process.env.PATH ?? '',
    HOME: home,
    TZ: 'UTC',
    ...(key === undefined ? {} : { TANDEM_URL: url, TANDEM_API_KEY: key }),
  };
  const start: Prompt['start'] = (args, { stdin, environment: more = {} } = {}) =>
    startProgram(process.execPath, [bundle, ...args], {
      ...(stdin !== undefined && { stdin }),
      environment: { ...environment, ...more },
    });
  return {
    home,
    environment,
    start,
    run: (args, options) => start(args, options).ended,
    stored: () => JSON.parse(readFileSync(join(home, '.config/tandem/config.json'), 'utf8')),
    close: () => rmSync(home, { recursive: true, force: true }),
  };
}

/** The installed client where a file may have at most `blocks` blocks, as on a disk that is nearly full. */
export function runWithin(blocks: number, args: readonly string[], { environment }: Prompt): Promise<Ran> {
  const command = ['-c', `ulimit -f ${blocks}; exec "$0" "$@"`, process.execPath, bundle, ...args];
  return startProgram('sh', command, { environment }).ended;
}

/** What stands between a client and the service. */
export interface Between {
  url: string;
  /** Requests that came, as `METHOD /path`, with their headers. */
  seen: { route: string; headers: IncomingMessage['headers'] }[];
  close(): Promise<void>;
}

/**
 * Passes requests on to a service. `meddle` gets the number of the request, from 1: it may answer itself (true),
 * or ask for the connection to be cut once the service has answered (`cut`), or after so many bytes of its answer.
 */
export async function openBetween(
  url: string,
  meddle: (count: number, request: IncomingMessage, response: ServerResponse) => true | 'cut' | number | undefined,
): Promise<Between> {
  const seen: Between['seen'] = [];
  const server = createServer((incoming, response) => {
    seen.push({ route: `${incoming.method} ${incoming.url}`, headers: incoming.headers });
    const wish = meddle(seen.length, incoming, response);
    if (wish === true) return;
    const target = new URL(incoming.url ?? '/', url);
    const onward = request(target, {
      method: incoming.method ?? 'GET',
      headers: { ...incoming.headers, host: target.host },
    });
    onward.on('error', () => response.destroy());
    onward.on('response', (answer) => {
      if (wish === 'cut') {
        answer.resume().on('end', () => response.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      let left = wish ?? Number.POSITIVE_INFINITY;
      answer.on('data', (bytes: Buffer) => {
        const isLast = bytes.length >= left;
        response.write(bytes.subarray(0, left), () => isLast && response.destroy());
        left = Math.max(0, left - bytes.length);
      });
      answer.on('end', () => response.end());
      answer.on('error', () => response.destroy());
    });
    response.on('close', () => onward.destroy());
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Commands in this process, as the person at the prompt that is open then. */
export function runsAt(prompt: () => Prompt) {
  const run = (args: string[], { stdin, environment }: RunOptions = {}) =>
    runHere(args, { ...prompt().environment, ...environment }, stdin);
  return {
    run,
    /** Runs a command that succeeds. */
    done: async (...args: string[]): Promise<Ran> => {
      const ran = await run(args);
      assert.is(ran.code, 0, ran.err);
      return ran;
    },
    /** Runs a command that fails with this exit code. */
    fails: async (code: number, ...args: string[]): Promise<Ran> => {
      const ran = await run(args);
      assert.is(ran.code, code, `${ran.out}\n${ran.err}`);
      assert.is(ran.out, '', 'an error prints nothing that a program could take for an answer');
      return ran;
    },
  };
}
