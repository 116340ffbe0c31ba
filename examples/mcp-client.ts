/*
 * A client of the MCP endpoint: lists the tools that the key's scopes allow, creates a todo, has an agent run it, and
 * polls the run until it has ended.
 *
 *   export TANDEM_URL=http://127.0.0.1:8080 TANDEM_API_KEY=tandem_sk_…      # scopes todos:read, todos:write,
 *   chats:read node examples/mcp-client.ts "List what is due this week"
 *
 * Needs Node ≥ 22.18 and `npm install @modelcontextprotocol/client`. A client that cannot send headers signs in with
 * OAuth instead: see docs/clients.md. Exits with 0 when the run completed, else with 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';

interface TodoShown {
  todo: { id: string; title?: string };
  latestRun?: { status: string; statusReason?: string; errorMessage?: string };
  messages?: { sequence: number; role: string; text: string }[];
  hasMore?: boolean;
  nextSequence?: number;
}

const { TANDEM_URL: url = 'http://127.0.0.1:8080', TANDEM_API_KEY: key = '' } = process.env;
const client = new Client({ name: 'tandem-example', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
const headers = { Authorization: `Bearer ${key}` };
await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit: { headers } }));

/** The structured result of a tool. @throws Error with the tool's error, which describes what to do. */
async function use<Answer>(name: string, input: Record<string, unknown>): Promise<Answer> {
  const { isError, structuredContent } = await client.callTool({ name, arguments: input });
  if (isError) throw new Error(`${name}: ${JSON.stringify(structuredContent)}`);
  return structuredContent as Answer;
}

const { tools } = await client.listTools();
process.stdout.write(`${tools.length} tools: ${tools.map(({ name }) => name).join(', ')}\n`);

const [title = 'List what is due this week'] = process.argv.slice(2);
const { todo } = await use<TodoShown>('create_todo', { title });
await use('run_todo', { todoId: todo.id });

let last = 0;
for (;;) {
  const shown = await use<TodoShown>('get_todo', { todoId: todo.id, afterSequence: last });
  for (const { role, text } of shown.messages ?? []) process.stdout.write(`${role}: ${text}\n`);
  last = shown.nextSequence ?? last;
  if (shown.hasMore) continue;
  const { status, statusReason, errorMessage = '' } = shown.latestRun ?? {};
  if (status === 'running' && statusReason !== 'awaiting_input') {
    await sleep(500);
    continue;
  }
  const outcome = status === 'running' ? 'it waits for a person to approve something' : status;
  process.stdout.write(`The run: ${outcome}. ${errorMessage}\n`);
  process.exitCode = status === 'completed' ? 0 : 1;
  break;
}
await client.close();
