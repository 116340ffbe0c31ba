import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { anthropic } from './model-server/anthropic.ts';
import { openai } from './model-server/openai.ts';
import {
  type Asked,
  type Delivery,
  type Protocol,
  type Raw,
  type Script,
  type ScriptedAnswer,
  Unacceptable,
} from './model-server/script.ts';

export type { Asked, Delivery, Raw, Reply, Script, ScriptedAnswer } from './model-server/script.ts';

export const modelProtocols = { 'openai-compatible': openai, anthropic } as const;
export type ModelProtocol = keyof typeof modelProtocols;

/** One request that came in. */
export interface Received {
  headers: IncomingMessage['headers'];
  path: string;
  /** Undefined when it could not be read. */
  asked: Asked | undefined;
  /** How it ended, once it has: with the whole reply, by the script's doing, or because the client went away. */
  ended: 'answered' | 'cut' | 'client left' | undefined;
  /** `performance.now()` when it ended. */
  endedAt: number | undefined;
}

/** A server that speaks a provider's protocol over real connections and answers by a script. */
export interface ModelServer {
  /** The base URL, for `AI_BASE_URL`. */
  url: string;
  port: number;
  received: Received[];
  /** What was asked, of the requests that could be read. */
  asked(): Asked[];
  close(): Promise<void>;
}

export interface ModelServerOptions {
  /** Default: a free one. */
  port?: number;
  /** When given, any other key is refused with 401. */
  apiKey?: string | undefined;
  /** When given, any other model is refused with 404. */
  model?: string;
  /** Whether `received` fills. Default: true. */
  keep?: boolean;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

function sendRaw(response: ServerResponse, protocol: Protocol, { status, headers, body, error = {} }: Raw): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(body ?? JSON.stringify(protocol.errorBody(status, error)));
}

/** Sends the events of an answer, up to where the script breaks it. */
async function sendEvents(
  response: ServerResponse,
  protocol: Protocol,
  asked: Asked,
  reply: ScriptedAnswer & Delivery,
  onCut: () => void,
): Promise<void> {
  const { after = 0, fault, eventMs = 0, error = {} } = reply;
  const events = protocol.events(reply, asked.model);
  const reset = () => {
    onCut();
    response.socket?.resetAndDestroy();
  };
  if (fault === 'silence' && after === 0) return;
  if (fault === 'reset' && after === 0) return reset();
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' });
  response.flushHeaders();
  for (const [at, event] of events.entries()) {
    if (response.destroyed) return;
    if (fault !== undefined && at === after) {
      // What was sent before reaches the client as its own packets.
      if (after > 0) await delay(20);
      if (fault === 'silence') return;
      if (fault === 'reset') return reset();
      if (fault === 'end') break;
      response.write(fault === 'error' ? protocol.errorEvent(error) : 'data: {"id":"x","choi\n\n');
    }
    if (eventMs > 0) await delay(eventMs);
    response.write(event);
  }
  response.end();
}

/**
 * Starts a server of `protocol` that answers what `script` says. It refuses with 400 what a real provider would: roles
 * that do not alternate, tool calls without results, empty messages, ids that are not unique.
 */
export async function startModelServer(
  protocolName: ModelProtocol,
  script: Script,
  options: ModelServerOptions = {},
): Promise<ModelServer> {
  const protocol = modelProtocols[protocolName];
  const received: Received[] = [];
  let count = 0;

  async function reply(request: IncomingMessage, response: ServerResponse, entry: Received, n: number): Promise<void> {
    const text = await bodyOf(request);
    const refuse = (status: number, type: string, message: string) =>
      sendRaw(response, protocol, { status, error: { type, message } });
    if (request.method !== 'POST' || entry.path !== `/v1${protocol.path}`)
      return refuse(404, 'not_found_error', `${request.method} ${entry.path} is unknown`);
    const key = protocol.keyOf(request.headers);
    if (options.apiKey !== undefined && key !== options.apiKey)
      return refuse(401, 'authentication_error', `Incorrect API key provided: ${key}`);
    try {
      if (!text.isWellFormed() || /\\u0000|(?<!\\)\\ud[89a-f]/i.test(text))
        throw new Unacceptable('invalid characters');
      entry.asked = protocol.read(JSON.parse(text));
    } catch (error) {
      return refuse(400, 'invalid_request_error', error instanceof Error ? error.message : String(error));
    }
    const { asked } = entry;
    if (options.model !== undefined && asked.model !== options.model)
      return refuse(404, 'not_found_error', `The model ${asked.model} does not exist`);
    const scripted = await script(asked, n);
    const answer = typeof scripted === 'string' ? { text: scripted } : scripted;
    if ('status' in answer) return sendRaw(response, protocol, answer);
    if (answer.delayMs) await delay(answer.delayMs);
    const onCut = () => {
      entry.ended = 'cut';
    };
    if (asked.stream) await sendEvents(response, protocol, asked, answer, onCut);
    else sendRaw(response, protocol, { status: 200, body: JSON.stringify(protocol.whole(answer, asked.model)) });
  }

  const server = createServer((request, response) => {
    const path = request.url ?? '';
    const entry: Received = { headers: request.headers, path, asked: undefined, ended: undefined, endedAt: undefined };
    if (options.keep !== false) received.push(entry);
    response.on('close', () => {
      entry.ended ??= response.writableFinished ? 'answered' : 'client left';
      entry.endedAt = performance.now();
    });
    reply(request, response, entry, ++count).catch((error: unknown) => {
      if (response.destroyed) return;
      process.stderr.write(`The script of the model server failed: ${error}\n`);
      response.destroy();
    });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    received,
    asked: () => received.flatMap(({ asked }) => asked ?? []),
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
