import type { EngineRequest, Utterance } from '../engine.ts';
import { cleanText } from '../providers/text.ts';
import type { CallOptions, Prompt } from './provider.ts';

type Message = Prompt[number];
type ToolResult = Extract<Utterance, { role: 'tools' }>['results'][number];

/** An id that every provider accepts: Mistral requires nine letters and digits, Anthropic unique ones. */
const wireId = (ordinal: number) => `call${String(ordinal).padStart(5, '0')}`;

/** A name as providers take it back, also where the model made one up. */
const wireName = (name: string) => name.replace(/[^\w-]/g, '_').slice(0, 64) || 'unnamed';

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The arguments as an object, as providers demand, also where the model wrote something else. */
const argumentsOf = (input: unknown) => (isRecord(input) ? input : { unreadable: input ?? null });

function outputOf({ isError, output }: ToolResult) {
  const value = cleanText(typeof output === 'string' ? output : (JSON.stringify(output) ?? ''));
  return isError ? ({ type: 'error-text', value } as const) : ({ type: 'text', value } as const);
}

const lost: Pick<ToolResult, 'isError' | 'output'> = {
  isError: true,
  output: 'There is no result: the work was interrupted before the tool answered. It may or may not have acted.',
};

/**
 * The conversation as providers accept it: roles alternate, no message is empty, every tool call has one result right
 * behind it, ids are unique. What has no place (a result without its call, a blank utterance) is left out.
 */
function toMessages(conversation: readonly Utterance[]): Message[] {
  const messages: Message[] = [];
  let ordinal = 0;
  conversation.forEach((utterance, at) => {
    if (utterance.role === 'tools') return;
    const text = cleanText(utterance.text);
    const blank = text.trim() === '';
    const last = messages.at(-1);
    if (utterance.role === 'user') {
      if (blank) return;
      const part = last?.role === 'user' ? last.content[0] : undefined;
      if (part?.type === 'text') part.text += `\n\n${text}`;
      else messages.push({ role: 'user', content: [{ type: 'text', text }] });
      return;
    }
    const calls = utterance.toolCalls.map((call) => ({ call, wire: wireId(++ordinal) }));
    if (blank && calls.length === 0) return;
    messages.push({
      role: 'assistant',
      content: [
        ...(blank ? [] : [{ type: 'text' as const, text }]),
        ...calls.map(({ call, wire }) => ({
          type: 'tool-call' as const,
          toolCallId: wire,
          toolName: wireName(call.name),
          input: argumentsOf(call.input),
        })),
      ],
    });
    if (calls.length === 0) return;
    const next = conversation[at + 1];
    const results = next?.role === 'tools' ? next.results : [];
    messages.push({
      role: 'tool',
      content: calls.map(({ call, wire }) => {
        const result = results.find(({ toolCallId }) => toolCallId === call.id);
        const output = outputOf({ ...lost, ...result, toolCallId: call.id, name: call.name });
        return { type: 'tool-result' as const, toolCallId: wire, toolName: wireName(call.name), output };
      }),
    });
  });
  return messages;
}

/** What the AI SDK is called with, but for the signal. */
export function toCall(request: EngineRequest): Pick<CallOptions, 'prompt' | 'tools'> {
  const messages = toMessages(request.conversation);
  const system = cleanText(request.system);
  const tools = request.tools.map(({ name, description, inputSchema }) => ({
    type: 'function' as const,
    name,
    description,
    inputSchema,
  }));
  return { prompt: system === '' ? messages : [{ role: 'system', content: system }, ...messages], tools };
}
