/*
 * Sends a message to an agent and prints its messages, by polling. Needs only Node ≥ 22.18 and the REST API.
 *
 *   export TANDEM_URL=http://127.0.0.1:8080 TANDEM_API_KEY=tandem_sk_…      # scopes chats:read and chats:write
 *   node examples/poll-a-chat.ts "What is due this week?"
 *
 * Read the status of the chat BEFORE its messages: if it is neither “queued” nor “running” and there are no more
 * messages, all have been received. In the other order, a message could arrive between the two reads. Exits with 0 when
 * the agent completed, else with 1.
 */
import { setTimeout as sleep } from 'node:timers/promises';

interface Chat {
  id: string;
  status: 'queued' | 'running' | 'awaiting_input' | 'completed' | 'failed' | 'cancelled';
  errorMessage: string | null;
}

interface MessagePage {
  data: { sequence: number; role: 'user' | 'agent' | 'system'; text: string }[];
  hasMore: boolean;
}

const { TANDEM_URL: url = 'http://127.0.0.1:8080', TANDEM_API_KEY: key = '' } = process.env;

/**
 * Calls `METHOD /path`. Every call here is safe to repeat (reads, and a write with an idempotency key), so it is
 * repeated after `Retry-After` seconds on 429, and after a lost connection.
 */
async function call<Answer>(route: string, body?: object, headers: Record<string, string> = {}): Promise<Answer> {
  const [method = 'GET', path = ''] = route.split(' ');
  const all = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', ...headers };
  for (let tries = 1; ; tries++) {
    const request = { method, headers: all, ...(body && { body: JSON.stringify(body) }) };
    const response = await fetch(`${url}/api/v1${path}`, request).catch((error: Error) => error);
    if (response instanceof Error) {
      if (tries >= 5) throw response;
      await sleep(200 * 2 ** tries);
    } else if (response.ok) {
      return (await response.json()) as Answer;
    } else if (response.status === 429 && tries < 5) {
      await sleep(Number(response.headers.get('Retry-After') ?? 1) * 1000);
    } else {
      const { code, message, requestId } = (await response.json()) as Record<string, string>;
      throw new Error(`${code}: ${message} (request ${requestId})`);
    }
  }
}

const [message = 'What can you do?'] = process.argv.slice(2);
let chat = await call<Chat>('POST /chats', { message }, { 'Idempotency-Key': crypto.randomUUID() });

let last = 0;
let pause = 200;
for (;;) {
  chat = await call<Chat>(`GET /chats/${chat.id}`);
  const page = await call<MessagePage>(`GET /chats/${chat.id}/messages?afterSequence=${last}&limit=50`);
  for (const { sequence, role, text } of page.data) {
    process.stdout.write(`${role}: ${text}\n`);
    last = sequence;
  }
  if (page.hasMore) continue;
  if (chat.status !== 'running' && chat.status !== 'queued') break;
  pause = page.data.length > 0 ? 200 : Math.min(pause * 1.5, 5000);
  await sleep(pause);
}

if (chat.status === 'awaiting_input') process.stdout.write('The agent waits for a person: see GET /approvals.\n');
if (chat.errorMessage) process.stdout.write(`${chat.errorMessage}\n`);
process.exitCode = chat.status === 'completed' ? 0 : 1;
