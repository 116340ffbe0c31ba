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
  stop: 'stop',
  tools: 'tool_calls',
  length: 'length',
  filter: 'content_filter',
};
const finishOf = ({ finish, toolCalls }: ScriptedAnswer) =>
  finish === undefined ? finishes[toolCalls?.length ? 'tools' : 'stop'] : (finishes[finish] ?? finish);

function readCall(call: Json) {
  demand(call?.type === 'function', "tool_calls[].type must be 'function'");
  demand(typeof call.id === 'string' && /^.{1,40}$/.test(call.id), 'tool_calls[].id must have 1 to 40 characters');
  demand(/^[\w-]{1,64}$/.test(call.function?.name), 'tool_calls[].function.name does not match the pattern');
  const input = JSON.parse(call.function.arguments);
  demand(typeof input === 'object' && input && !Array.isArray(input), 'function.arguments must be an object');
  return { id: call.id as string, name: call.function.name as string, input };
}

/** The messages of a request, by the rules of OpenAI and of the stricter servers that resemble it. */
function readMessages(messages: Json[]): ReceivedMessage[] {
  const received: ReceivedMessage[] = [];
  let open: string[] = [];
  for (const { role, content, tool_calls: calls, tool_call_id: callId } of messages) {
    if (role === 'tool') {
      demand(open.includes(callId), `tool_call_id ${callId} answers no tool call before it`);
      demand(typeof content === 'string', 'content of a tool message must be text');
      open = open.filter((id) => id !== callId);
      const last = received.at(-1);
      const result = { toolCallId: callId as string, isError: false, output: content };
      if (last?.role === 'tools') last.results.push(result);
      else received.push({ role: 'tools', results: [result] });
      continue;
    }
    demand(open.length === 0, `tool calls without a result: ${open.join(', ')}`);
    if (role === 'user') {
      demand(typeof content === 'string' && content.trim() !== '', 'content of a user message must be text');
      demand(received.at(-1)?.role !== 'user', 'roles must alternate');
      received.push({ role: 'user', text: content });
    } else {
      demand(role === 'assistant', `unknown role ${role}`);
      const toolCalls = (calls ?? []).map(readCall);
      demand(content === null ? toolCalls.length > 0 : typeof content === 'string' && content !== '', 'empty content');
      open = toolCalls.map((call: { id: string }) => call.id);
      demand(new Set(open).size === open.length, 'ids of tool calls must be unique');
      received.push({ role: 'agent', text: content ?? '', toolCalls });
    }
  }
  demand(open.length === 0, `tool calls without a result: ${open.join(', ')}`);
  return received;
}

function read(body: Json): Asked {
  demand(typeof body?.model === 'string', 'model must be text');
  demand(Array.isArray(body.messages) && body.messages.length > 0, 'messages must not be empty');
  const hasSystem = body.messages[0].role === 'system';
  const tools = (body.tools ?? []).map(({ type, function: tool }: Json) => {
    demand(type === 'function' && /^[\w-]{1,64}$/.test(tool?.name), 'tools[].function.name does not match the pattern');
    demand(tool.parameters?.type === 'object', 'tools[].function.parameters must describe an object');
    return { name: tool.name, description: tool.description ?? '', inputSchema: tool.parameters };
  });
  demand(body.tools === undefined || tools.length > 0, 'tools must not be empty');
  const messages = readMessages(hasSystem ? body.messages.slice(1) : body.messages);
  demand(messages.length > 0 && messages.at(-1)?.role !== 'agent', 'the last message must be of the user or of a tool');
  return {
    model: body.model,
    system: hasSystem ? body.messages[0].content : '',
    messages,
    tools,
    maxTokens: body.max_tokens ?? body.max_completion_tokens,
    stream: body.stream === true,
    body,
  };
}

const usage = { prompt_tokens: 12, completion_tokens: 34, total_tokens: 46 };
const event = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

function events(answer: ScriptedAnswer, model: string): string[] {
  const base = { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion.chunk', created: 1_790_000_000, model };
  const chunk = (delta: object, finish: string | null | undefined = null) =>
    event({ ...base, choices: [{ index: 0, delta, finish_reason: finish }] });
  return [
    chunk({ role: 'assistant', content: '' }),
    ...piecesOf(answer.reasoning).map((piece) => chunk({ reasoning_content: piece })),
    ...piecesOf(answer.text).map((piece) => chunk({ content: piece })),
    ...(answer.toolCalls ?? []).flatMap(({ id = `call_${randomUUID()}`, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...fragmentsOf(input).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishOf(answer)),
    event({ ...base, choices: [], usage }),
    'data: [DONE]\n\n',
  ];
}

/** The chat completions of OpenAI: https://platform.openai.com/docs/api-reference/chat */
export const openai: Protocol = {
  path: '/chat/completions',
  keyOf: (headers) => String(headers.authorization ?? '').replace(/^Bearer /, '') || undefined,
  read,
  events,
  whole: (answer, model) => {
    const calls = (answer.toolCalls ?? []).map(({ id = `call_${randomUUID()}`, name, input }) => ({
      id,
      type: 'function',
      function: { name, arguments: fragmentsOf(input).join('') },
    }));
    const message = {
      role: 'assistant',
      content: piecesOf(answer.text).join('') || null,
      ...(calls.length > 0 && { tool_calls: calls }),
    };
    const choices = [{ index: 0, message, finish_reason: finishOf(answer) }];
    return { id: `chatcmpl-${randomUUID()}`, object: 'chat.completion', created: 1_790_000_000, model, choices, usage };
  },
  errorBody: (status, { type = 'server_error', code = null, message = `scripted ${status}` }: Json) => ({
    error: { message, type, param: null, code },
  }),
  errorEvent: ({ type = 'server_error', code, message = 'scripted error' }) =>
    event({ error: { message, type, code } }),
};
