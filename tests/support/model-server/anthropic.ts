import { randomUUID } from 'node:crypto';
import {
  type Asked,
  demand,
  fragmentsOf,
  type Protocol,
  piecesOf,
  type ReceivedMessage,
  type ScriptedAnswer,
} from './script.ts';

// biome-ignore lint/suspicious/noExplicitAny: the body of a stranger, looked at field by field
type Json = any;

const finishes: Record<string, string> = {
  stop: 'end_turn',
  tools: 'tool_use',
  length: 'max_tokens',
  filter: 'refusal',
};
const finishOf = ({ finish, toolCalls }: ScriptedAnswer) =>
  finish === undefined ? finishes[toolCalls?.length ? 'tools' : 'stop'] : (finishes[finish] ?? finish);

const textOf = (blocks: Json[]) => blocks.map((block) => block.text).join('\n\n');

function readBlocks(content: Json): Json[] {
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content;
  demand(Array.isArray(blocks) && blocks.length > 0, 'messages: all messages must have non-empty content');
  for (const { type, text } of blocks)
    demand(type !== 'text' || text?.trim(), 'messages: text content blocks must contain non-whitespace text');
  return blocks;
}

function readCall({ id, name, input }: Json, seen: Set<string>) {
  demand(/^[\w-]+$/.test(id), 'tool_use.id: String should match pattern');
  demand(!seen.has(id), 'tool_use ids must be unique');
  demand(/^[\w-]{1,128}$/.test(name), 'tool_use.name: String should match pattern');
  demand(typeof input === 'object' && input && !Array.isArray(input), 'tool_use.input: Input should be a dictionary');
  seen.add(id);
  return { id: id as string, name: name as string, input };
}

/** The messages of a request, by the rules of Anthropic's Messages. */
function readMessages(messages: Json[]): ReceivedMessage[] {
  const received: ReceivedMessage[] = [];
  const seen = new Set<string>();
  let open: string[] = [];
  messages.forEach(({ role, content }, at) => {
    demand(role === (at % 2 === 0 ? 'user' : 'assistant'), 'messages: roles must alternate, beginning with user');
    const blocks = readBlocks(content);
    if (role === 'assistant') {
      const toolCalls = blocks.filter(({ type }) => type === 'tool_use').map((block) => readCall(block, seen));
      open = toolCalls.map((call) => call.id);
      received.push({ role: 'agent', text: textOf(blocks.filter(({ type }) => type === 'text')), toolCalls });
      return;
    }
    const results = blocks.filter(({ type }) => type === 'tool_result');
    demand(
      blocks.slice(0, results.length).every(({ type }) => type === 'tool_result'),
      'tool_result blocks come first',
    );
    demand(
      results.length === open.length && open.every((id) => results.some((result) => result.tool_use_id === id)),
      '`tool_use` ids were found without `tool_result` blocks immediately after, or the other way round',
    );
    open = [];
    if (results.length > 0)
      received.push({
        role: 'tools',
        results: results.map((result) => ({
          toolCallId: result.tool_use_id,
          isError: result.is_error === true,
          output: typeof result.content === 'string' ? result.content : textOf(result.content),
        })),
      });
    const rest = blocks.slice(results.length);
    if (rest.length > 0) received.push({ role: 'user', text: textOf(rest) });
  });
  return received;
}

function read(body: Json): Asked {
  demand(typeof body?.model === 'string', 'model: Field required');
  demand(Number.isInteger(body.max_tokens) && body.max_tokens > 0, 'max_tokens: Field required');
  demand(Array.isArray(body.messages) && body.messages.length > 0, 'messages: at least one message is required');
  demand((JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0) <= 4, 'at most 4 blocks with cache_control');
  const messages = readMessages(body.messages);
  demand(body.messages.at(-1).role === 'user', 'the conversation must end with a user message');
  const tools = (body.tools ?? []).map((tool: Json) => {
    demand(/^[\w-]{1,128}$/.test(tool.name), 'tools.name: String should match pattern');
    demand(tool.input_schema?.type === 'object', 'tools.input_schema.type: Input should be object');
    return { name: tool.name, description: tool.description ?? '', inputSchema: tool.input_schema };
  });
  const system = body.system === undefined ? [] : readBlocks(body.system);
  const { model, max_tokens: maxTokens } = body;
  return { model, system: textOf(system), messages, tools, maxTokens, stream: body.stream === true, body };
}

const event = (data: { type: string } & Json) => `event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`;
const inputUsage = { input_tokens: 12, cache_creation_input_tokens: 0, cache_read_input_tokens: 0, output_tokens: 1 };
const newCallId = () => `toolu_${randomUUID().replaceAll('-', '')}`;

function block(index: number, start: object, deltas: object[]): string[] {
  return [
    event({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map((delta) => event({ type: 'content_block_delta', index, delta })),
    event({ type: 'content_block_stop', index }),
  ];
}

function events(answer: ScriptedAnswer, model: string): string[] {
  const id = `msg_${randomUUID()}`;
  const message = { id, type: 'message', role: 'assistant', model, content: [], stop_reason: null, usage: inputUsage };
  const blocks: [start: object, deltas: object[]][] = [];
  if (answer.reasoning)
    blocks.push([
      { type: 'thinking', thinking: '', signature: '' },
      [
        ...piecesOf(answer.reasoning).map((thinking) => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: 'c2lnbmVk' },
      ],
    ]);
  if (piecesOf(answer.text).length > 0)
    blocks.push([{ type: 'text', text: '' }, piecesOf(answer.text).map((text) => ({ type: 'text_delta', text }))]);
  for (const { id: callId = newCallId(), name, input } of answer.toolCalls ?? [])
    blocks.push([
      { type: 'tool_use', id: callId, name, input: {} },
      fragmentsOf(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
    ]);
  const end = { stop_reason: finishOf(answer), stop_sequence: null };
  return [
    event({ type: 'message_start', message }),
    event({ type: 'ping' }),
    ...blocks.flatMap(([start, deltas], index) => block(index, start, deltas)),
    event({ type: 'message_delta', delta: end, usage: { output_tokens: 34 } }),
    event({ type: 'message_stop' }),
  ];
}

/** The Messages of Anthropic: https://docs.anthropic.com/en/api/messages */
export const anthropic: Protocol = {
  path: '/messages',
  keyOf: (headers) => (headers['anthropic-version'] ? (headers['x-api-key'] as string | undefined) : undefined),
  read,
  events,
  whole: (answer, model) => {
    const text = piecesOf(answer.text).join('');
    const calls = (answer.toolCalls ?? []).map(({ id = newCallId(), ...call }) => ({ type: 'tool_use', id, ...call }));
    const content = [...(text === '' ? [] : [{ type: 'text', text }]), ...calls];
    const end = { stop_reason: finishOf(answer), stop_sequence: null, usage: { ...inputUsage, output_tokens: 34 } };
    return { id: `msg_${randomUUID()}`, type: 'message', role: 'assistant', model, content, ...end };
  },
  errorBody: (status, { type = 'api_error', message = `scripted ${status}` }) => ({
    type: 'error',
    error: { type, message },
    request_id: `req_${status}`,
  }),
  errorEvent: ({ type = 'api_error', message = 'scripted error' }) =>
    event({ type: 'error', error: { type, message } }),
};
