import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { AnswerForm, notifyVerdict, type Question, takeAnswer } from '../../domain/approvals/asking.ts';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { invalid } from '../../domain/errors.ts';
import { showsForms } from './elicitation.ts';
import { signState, verifyState } from './signed-state.ts';

/*
 * Elicitation for clients of `initialize`, without state in the service. The session id holds only what the client
 * declared in `initialize`. A question is a JSON-RPC request whose id is a signed state: it names what the answer
 * decides, so that any process can take the answer.
 */

type Json = Record<string, unknown>;

const sessionPrefix = 'forms-';

function isMessage(body: unknown): body is Json {
  return typeof body === 'object' && body !== null && !Array.isArray(body);
}

/** The session id for a client whose `initialize` declares forms; undefined for other clients. */
export function sessionIdFor(body: unknown): string | undefined {
  if (!isMessage(body) || body.method !== 'initialize') return undefined;
  const { capabilities } = (body.params ?? {}) as Json;
  return showsForms(capabilities) ? `${sessionPrefix}${crypto.randomUUID()}` : undefined;
}

/** Whether a request comes from such a client. */
export function inFormSession({ headers }: Request): boolean {
  return headers.get('mcp-session-id')?.startsWith(sessionPrefix) ?? false;
}

const purpose = 'question';
const idPrefix = 'ask.';

/** A question as a request to the client. */
export function questionRequest(
  ctx: AuthenticatedContext,
  { approvalId, message }: Question,
  chatId: string,
): JSONRPCMessage {
  return {
    jsonrpc: '2.0',
    id: `${idPrefix}${signState(ctx, purpose, [approvalId, chatId])}`,
    method: 'elicitation/create',
    params: { mode: 'form', message, requestedSchema: AnswerForm },
  };
}

function isAnswer(message: unknown): message is { id: string; result?: unknown } {
  return (
    isMessage(message) && !('method' in message) && typeof message.id === 'string' && message.id.startsWith(idPrefix)
  );
}

/**
 * Takes the answers to such questions out of a body and notifies the processes that wait for them. Returns how many
 * there were, and the remaining messages. @throws Failure 400 for an answer to an unknown question, or to one that is
 * older than an hour.
 */
export async function takeAnswers(
  ctx: AuthenticatedContext,
  body: unknown,
): Promise<{ taken: number; rest: unknown[] }> {
  const messages = Array.isArray(body) ? body : [body];
  const answers = messages.filter(isAnswer);
  for (const { id, result } of answers) {
    const [approvalId, chatId] = verifyState<[string, string]>(ctx, purpose, id.slice(idPrefix.length)) ?? [];
    if (approvalId === undefined || chatId === undefined) {
      throw invalid('id', 'This answer is too late, or does not belong to an open question. It decided nothing.');
    }
    await notifyVerdict(ctx, { chatId, ...(await takeAnswer(ctx, { approvalId, response: result })) });
  }
  return { taken: answers.length, rest: messages.filter((message) => !isAnswer(message)) };
}
