import { createHash } from 'node:crypto';
import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import {
  AnswerForm,
  askAndWait,
  type Question,
  questionsAbout,
  takeAnswer,
  waitingIn,
} from '../../routers/approvals/asking.ts';
import type { Context, Resumed } from '../../routers/base.ts';
import { invalid } from '../../routers/errors.ts';
import { canonical } from '../../routers/idempotency.ts';
import type { Verdict } from '../../routers/live.ts';
import type { Tool } from '../operations.ts';
import { answerOf } from './answer.ts';
import { seal, unseal } from './seal.ts';

/** Whether a client that declared these capabilities shows forms to its person. A bare declaration means forms. */
export function showsForms(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: unknown; url?: unknown } };
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Approvals that one call asks about, one after the other; what comes then is told and asked by the next call. */
const mostAsked = 8;

interface Wait {
  resumed: Resumed;
  questions: Question[];
}

/** What to ask before the call is answered; null when it can be. Who does not want to decide is not asked on. */
async function waitOf(ctx: Context, data: unknown, verdicts: readonly Verdict[]): Promise<Wait | null> {
  const resumed = waitingIn(data);
  if (!resumed || verdicts.length >= mostAsked) return null;
  if (verdicts.some(({ outcome }) => outcome === 'undecided')) return null;
  const known = verdicts.map(({ approvalId }) => approvalId);
  const questions = await questionsAbout(ctx, resumed.chatId, known);
  return questions.length > 0 ? { resumed, questions } : null;
}

function answer(tool: Tool, data: unknown, verdicts: readonly Verdict[]): CallToolResult {
  return answerOf(tool, verdicts.length > 0 ? { ...(data as object), asked: verdicts } : data);
}

/** A call that waits for a person, as the client keeps it. */
interface Paused {
  tool: string;
  /** SHA-256 of its arguments: the call that goes on must be the same. */
  input: string;
  resumed: Resumed;
  /** Approvals that are asked about now. */
  asked: string[];
  verdicts: Verdict[];
}

/** What a client sends beside the arguments of a call that it repeats (2026-07-28, multi round-trip requests). */
export interface Repeated {
  requestState: unknown;
  inputResponses: Record<string, unknown> | undefined;
}

const purpose = 'paused call';

function digest(input: unknown): string {
  return createHash('sha256').update(canonical(input)).digest('base64url');
}

/** @throws Failure 400 when it is not a call that was paused here, for this credential, within the hour. */
function pausedCall(tool: Tool, ctx: Context, input: unknown, requestState: unknown): Paused {
  const paused = typeof requestState === 'string' ? unseal<Paused>(ctx, purpose, requestState) : undefined;
  if (paused?.tool === tool.name && paused.input === digest(input)) return paused;
  const message =
    'This answer comes too late, or belongs to another call or credential, and decided nothing. Call get_chat to see what still waits.';
  throw invalid('requestState', message);
}

/**
 * Calls a tool for a client of 2026-07-28. When its answer waits for a person the client is asked to ask them, and to
 * repeat the call with what they said: that decides, does not repeat what the call did, and goes on. @throws Failure.
 */
export async function callOrAsk(
  tool: Tool,
  ctx: Context,
  input: unknown,
  { requestState, inputResponses }: Repeated,
): Promise<CallToolResult | InputRequiredResult> {
  const isRepeated = requestState !== undefined || inputResponses !== undefined;
  const paused = isRepeated ? pausedCall(tool, ctx, input, requestState) : undefined;
  const verdicts = paused?.verdicts ?? [];
  for (const id of paused?.asked ?? []) verdicts.push(await takeAnswer(ctx, id, inputResponses?.[id]));
  const data = await tool.call({ ...ctx, resumed: paused?.resumed }, input);
  const wait = await waitOf(ctx, data, verdicts);
  if (!wait) return answer(tool, data, verdicts);
  const { resumed, questions } = wait;
  const asked = questions.map(({ approvalId }) => approvalId);
  const next: Paused = { tool: tool.name, input: digest(input), resumed, asked, verdicts };
  return inputRequired({
    inputRequests: Object.fromEntries(
      questions.map(({ approvalId, message }) => [
        approvalId,
        inputRequired.elicit({ message, requestedSchema: AnswerForm }),
      ]),
    ),
    requestState: seal(ctx, purpose, next),
  });
}

/** How long a call may take that asks: clients of the old protocol give up after a minute. */
const longestCallMs = 55_000;

/**
 * Calls a tool for a client of `initialize`: while the call is open its person is asked by `ask`, and the call goes on
 * with what they said, on whichever process it arrived. @throws Failure.
 */
export async function callAndAsk(
  tool: Tool,
  ctx: Context,
  input: unknown,
  ask: (question: Question, chatId: string) => Promise<void>,
): Promise<CallToolResult> {
  const until = performance.now() + longestCallMs;
  const verdicts: Verdict[] = [];
  for (let resumed: Resumed | undefined; ; ) {
    const data = await tool.call({ ...ctx, resumed: resumed && { ...resumed, until } }, input);
    const wait = await waitOf(ctx, data, verdicts);
    if (!wait || performance.now() >= until) return answer(tool, data, verdicts);
    const { questions } = wait;
    resumed = wait.resumed;
    const { chatId } = resumed;
    const askAll = async () => {
      for (const question of questions) await ask(question, chatId);
    };
    const ids = questions.map(({ approvalId }) => approvalId);
    verdicts.push(...(await askAndWait(ctx, resumed, ids, { ask: askAll, until })));
  }
}
