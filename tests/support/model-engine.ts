import { type DestinationStream, pino } from 'pino';
import type { Engine, EngineAnswer, EngineRequest, ModelFault } from '../../engine/engine.ts';
import { createEngine, type EngineSettings } from '../../engine/models/engines.ts';
import { createLog } from '../../server/log.ts';
import {
  type ModelProtocol,
  type ModelServer,
  type ModelServerOptions,
  modelProtocols,
  type Script,
  startModelServer,
} from './model-server.ts';

export const protocols = Object.keys(modelProtocols) as ModelProtocol[];

/** The key of every engine under test: it may stand in no message and no line of the log. */
export const secretKey = 'sk-test-0123456789-very-secret';

/** A log like the service's, whose lines are kept. */
export function keptLog(level = 'debug') {
  const lines: string[] = [];
  const destination: DestinationStream = { write: (line) => void lines.push(line) };
  return { lines, log: createLog({ LOG_LEVEL: level as 'debug', LOG_FORMAT: 'json' }, destination) };
}

export const silentLog = pino({ level: 'silent' });

const opened: ModelServer[] = [];

/** Closes every model server of the file. */
export async function closeModelServers(): Promise<void> {
  await Promise.all(opened.splice(0).map((server) => server.close()));
}

export interface UnderTest {
  engine: Engine;
  server: ModelServer;
  /** What the engine logged. */
  lines: string[];
  /** Asks with one user message unless `request` has others. */
  ask(request?: Partial<EngineRequest>): Promise<EngineAnswer>;
  /** Asks and gives the fault. @throws Error when there is none. */
  fault(request?: Partial<EngineRequest>): Promise<ModelFault>;
}

export function requestOf(request: Partial<EngineRequest> = {}): EngineRequest {
  return {
    purpose: 'turn',
    system: 'You are a colleague.',
    conversation: [{ role: 'user', text: 'Hello' }],
    tools: [],
    signal: new AbortController().signal,
    ...request,
  };
}

/** An engine, and the server that it asks. Timeouts are long unless `settings` has others. */
export async function underTest(
  protocol: ModelProtocol,
  script: Script,
  settings: Partial<EngineSettings> = {},
  options: ModelServerOptions = {},
): Promise<UnderTest> {
  const server = await startModelServer(protocol, script, { apiKey: secretKey, ...options });
  opened.push(server);
  const { lines, log } = keptLog();
  const address = { protocol, baseUrl: server.url, apiKey: secretKey, model: 'test-model' };
  const timeouts = { silenceSeconds: 60, answerSeconds: 120, maxOutputTokens: 0 };
  const engine = createEngine(address, { ...timeouts, ...settings }, log);
  const ask: UnderTest['ask'] = (request) => engine.answer(requestOf(request));
  const fault: UnderTest['fault'] = async (request) => {
    try {
      await ask(request);
    } catch (error) {
      return error as ModelFault;
    }
    throw new Error('it answered');
  };
  return { engine, server, lines, ask, fault };
}

/** A tool that makes a todo. */
export const createTodo = {
  name: 'create_todo',
  description: 'Makes a todo.',
  inputSchema: {
    type: 'object',
    properties: { title: { type: 'string' } },
    required: ['title'],
    additionalProperties: false,
  },
};
