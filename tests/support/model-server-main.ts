import { parseArgs } from 'node:util';
import { builtInScript, type ScriptName, scriptNames } from './model-server/scripts.ts';
import { type ModelProtocol, modelProtocols, startModelServer } from './model-server.ts';

/*
 * A model server as a process of its own:
 *
 *   node tests/support/model-server-main.ts --script instant|todo-maker
 *     [--protocol openai-compatible|anthropic] [--port 0] [--delay MILLISECONDS]
 *
 * Its first line on standard output is {"url", "port", "pid"}; it runs until SIGTERM.
 */

const { values } = parseArgs({
  options: {
    script: { type: 'string', default: 'instant' },
    protocol: { type: 'string', default: 'openai-compatible' },
    port: { type: 'string', default: '0' },
    delay: { type: 'string', default: '0' },
  },
});
const { script, protocol } = values;
if (!scriptNames.includes(script as ScriptName)) throw new Error(`--script must be ${scriptNames.join(' or ')}`);
if (!(protocol in modelProtocols)) throw new Error(`--protocol must be ${Object.keys(modelProtocols).join(' or ')}`);

const server = await startModelServer(
  protocol as ModelProtocol,
  builtInScript(script as ScriptName, Number(values.delay)),
  { port: Number(values.port), keep: false },
);
process.stdout.write(`${JSON.stringify({ url: server.url, port: server.port, pid: process.pid })}\n`);
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => void server.close());
