import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { ModelOrder, ModelReport } from './model.ts';
import { clockMs, tokenIn } from './tokens.ts';

/*
 * A model that costs nothing: an endpoint of the OpenAI protocol that answers at once, in a process of its own. It
 * notes when it was asked about which message, and can hold its answers to turns back until its parent lets them go.
 */

interface Message {
  role: string;
  content?: unknown;
}

/** What is asked, as far as it matters here. Only turns bring tools; titles and summaries do not. */
interface Question {
  messages: Message[];
  tools?: { function: { name: string } }[];
  stream?: boolean;
}

const counts = { turns: 0, texts: 0 };
let firstAsked: [token: string, at: number][] = [];
let holding = false;
const held: (() => void)[] = [];

const toolToCall = { index: 0, id: 'call_1', type: 'function' };

function textOf({ content }: Message): string {
  return typeof content === 'string' ? content : JSON.stringify(content ?? '');
}

/** One call of create_todo where the user asks for one, else three words. */
function deltasFor({ messages, tools = [] }: Question): object[] {
  const last = messages.at(-1);
  const wantsTodo = last?.role === 'user' && /make a todo/i.test(textOf(last));
  if (!wantsTodo || !tools.some((each) => each.function.name === 'create_todo'))
    return ['It ', 'is ', 'done.'].map((content) => ({ content }));
  const call = { name: 'create_todo', arguments: JSON.stringify({ title: `Buy milk ${tokenIn(textOf(last)) ?? ''}` }) };
  return [{ tool_calls: [{ ...toolToCall, function: call }] }];
}

function answer(question: Question, response: ServerResponse): void {
  const deltas = deltasFor(question);
  const finish = deltas.some((delta) => 'tool_calls' in delta) ? 'tool_calls' : 'stop';
  const base = { id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_790_000_000, model: 'instant' };
  const chunk = (delta: object, finish_reason: string | null = null) =>
    `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
  response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
  response.end(
    [
      chunk({ role: 'assistant', content: '' }),
      ...deltas.map((delta) => chunk(delta)),
      chunk({}, finish),
      'data: [DONE]\n\n',
    ].join(''),
  );
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const at = clockMs();
  const question = JSON.parse(await bodyOf(request)) as Question;
  if (!question.tools?.length) {
    counts.texts++;
    return answer(question, response);
  }
  counts.turns++;
  const last = question.messages.at(-1);
  const token = last?.role === 'user' ? tokenIn(textOf(last)) : undefined;
  if (token) firstAsked.push([token, at]);
  if (!holding) return answer(question, response);
  held.push(() => answer(question, response));
}

const server = createServer((request, response) => {
  serve(request, response).catch((error: unknown) => {
    response.writeHead(400, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error: { message: String(error), type: 'invalid_request_error' } }));
  });
});
server.keepAliveTimeout = 60_000;

const orders: Record<ModelOrder, () => void> = {
  hold: () => {
    holding = true;
  },
  release: () => {
    holding = false;
    for (const let_go of held.splice(0)) let_go();
  },
  report: () => {},
};

process.on('message', (order: ModelOrder) => {
  orders[order]();
  const { port } = server.address() as AddressInfo;
  process.send?.({ port, ...counts, held: held.length, firstAsked } satisfies ModelReport);
  if (order === 'report') firstAsked = [];
});
process.on('disconnect', () => process.exit());
server.listen(0, '127.0.0.1', () => process.send?.('listening'));
