import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { AnswerForm, type Question, takeAnswer, tellVerdict } from '../../routers/approvals/asking.ts';
import type { Context } from '../../routers/base.ts';
import { invalid } from '../../routers/errors.ts';
import { showsForms } from './asking.ts';
import { seal, unseal } from './seal.ts';

/*
 * Asking a person through a client of `initialize` without keeping anything of it. What the client declared in
 * `initialize` is all that the session id says, and a question is a JSON-RPC request whose id is sealed: it says what the
 * answer decides, so that any process can take it.
 */

type Json = Record<string, unknown>;

const prefix = 'forms-';

function isMessage(body: unknown): body is Json {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** The session id for a client whose `initialize` says that it shows forms; other clients get none. */
export function sessionIdFor(body: unknown): string | undefined {
  if (!isMessage(body) || body.method !== 'initialize') return undefined;
  const { capabilities } = (body.params ?? {}) as Json;
  return showsForms(capabilities) ? `${prefix}${crypto.randomUUID()}` : undefined;
}

/** Whether a request comes from such a client. */
export function inFormSession({ headers }: Request): boolean {
  return headers.get('mcp-session-id')?.startsWith(prefix) ?? false;
}

const purpose = 'question';
const mark = 'ask.';

/** A question as a request to the client. */
export function questionRequest(ctx: Context, { approvalId, message }: Question, chatId: string): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    id: `${mark}${seal(ctx, purpose, [approvalId, chatId])}`,
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: AnswerForm },
  };
}

function isAnswer(message: unknown): message is { id: string; result?: unknown } {
  return isMessage(message) && !('method' in message) && typeof message.id === 'string' && message.id.startsWith(mark);
}

/**
 * Takes the answers to such questions out of a body, and tells the processes that wait for them. Returns how many there
 * were, and the messages that are left. @throws Failure 400 for an answer to no question of ours, or to one that was
 * asked longer ago than an hour.
 */
export async function takeAnswers(ctx: Context, body: unknown): Promise<{ taken: number; rest: unknown[] }> {
  const messages = Array.isArray(body) ? body : [body];
  const answers = messages.filter(isAnswer);
  for (const { id, result } of answers) {
    const [approvalId, chatId] = unseal<[string, string]>(ctx, purpose, id.slice(mark.length)) ?? [];
    if (approvalId === undefined || chatId === undefined) {
      throw invalid('id', 'This answers no question of ours, or comes too late. It decided nothing.');
    }
    await tellVerdict(ctx, chatId, await takeAnswer(ctx, approvalId, result));
  }
  return { taken: answers.length, rest: messages.filter((message) => !isAnswer(message)) };
}
