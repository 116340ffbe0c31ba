import { createHash } from 'node:crypto';
import { type CallToolResult, type InputRequiredResult, inputRequired } from '@modelcontextprotocol/server';
import {
  AnswerForm,
  askAndWait,
  type Question,
  questionsAbout,
  takeAnswer,
  waitingIn,
} from '../../domain/approvals/asking.ts';
import { canonical } from '../../domain/canonical-json.ts';
import type { AuthenticatedContext, Resumed } from '../../domain/context.ts';
import { invalid } from '../../domain/errors.ts';
import type { Verdict } from '../../domain/live.ts';
import type { Tool } from '../operations.ts';
import { answerOf } from '../tools/answer.ts';
import { signState, verifyState } from './signed-state.ts';

/** Whether a client with these capabilities shows forms (elicitation). A declaration without a mode means forms. */
export function showsForms(capabilities: unknown): boolean {
  const { elicitation } = (capabilities ?? {}) as { elicitation?: { form?: unknown; url?: unknown } };
  if (typeof elicitation !== 'object' || elicitation === null) return false;
  return elicitation.form !== undefined || elicitation.url === undefined;
}

/** Approvals that one call elicits, one after the other; the next call elicits the rest. */
const maxElicited = 8;

interface Wait {
  resumed: Resumed;
  questions: Question[];
}

/**
 * What to ask before the call is answered; null for nothing. A person who has declined to decide is not asked again.
 */
async function waitOf(ctx: AuthenticatedContext, data: unknown, verdicts: readonly Verdict[]): Promise<Wait | null> {
  const resumed = waitingIn(data);
  if (!resumed || verdicts.length >= maxElicited) return null;
  if (verdicts.some(({ outcome }) => outcome === 'undecided')) return null;
  const known = verdicts.map(({ approvalId }) => approvalId);
  const questions = await questionsAbout(ctx, { chatId: resumed.chatId, known });
  return questions.length > 0 ? { resumed, questions } : null;
}

function answer(tool: Tool, ctx: AuthenticatedContext, data: unknown, verdicts: readonly Verdict[]): CallToolResult {
  const shown = verdicts.length > 0 ? { ...(data as object), asked: verdicts } : data;
  return answerOf(tool, shown, ctx.service.publicUrl);
}

/**
 * An error after a tool did its work must not fail the call, because a model would repeat it: the result is `instead`.
 */
const afterWork =
  <Instead>({ readOnly }: Tool, instead: Instead) =>
  (error: unknown): Instead => {
    if (readOnly) throw error;
    return instead;
  };

const unsaved =
  'It is not known whether the decision of the person was saved. Call get_chat to see which approvals are pending.';

/** A call that waits for a person, in the signed state that the client holds. */
interface Paused {
  tool: string;
  /** SHA-256 of its arguments: the repeated call must have the same. */
  input: string;
  resumed: Resumed;
  /** Approvals whose forms the client shows now. */
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

/** @throws Failure 400 when the state is not of this tool, input and credential, or is older than an hour. */
function pausedCall(tool: Tool, ctx: AuthenticatedContext, input: unknown, requestState: unknown): Paused {
  const paused = typeof requestState === 'string' ? verifyState<Paused>(ctx, purpose, requestState) : undefined;
  if (paused?.tool === tool.name && paused.input === digest(input)) return paused;
  const message =
    'This answer is too late, or belongs to another call or credential. It decided nothing. Call get_chat to see which approvals are pending.';
  throw invalid('requestState', message);
}

/**
 * Calls a tool for a client of 2026-07-28. When the answer waits for a person, the result is `input_required`: the
 * client shows forms and repeats the call with the answers, which decides without doing the work again. @throws
 * Failure.
 */
export async function callWithInputRequired(
  tool: Tool,
  ctx: AuthenticatedContext,
  input: unknown,
  { requestState, inputResponses }: Repeated,
): Promise<CallToolResult | InputRequiredResult> {
  const isRepeated = requestState !== undefined || inputResponses !== undefined;
  const paused = isRepeated ? pausedCall(tool, ctx, input, requestState) : undefined;
  const verdicts = paused?.verdicts ?? [];
  for (const id of paused?.asked ?? []) {
    const taken = takeAnswer(ctx, { approvalId: id, response: inputResponses?.[id] });
    const unknown: Verdict = { approvalId: id, outcome: 'undecided', message: unsaved };
    verdicts.push(await taken.catch(afterWork(tool, unknown)));
  }
  const data = await tool.call({ ...ctx, resumed: paused?.resumed }, input);
  const wait = await waitOf(ctx, data, verdicts).catch(afterWork(tool, null));
  if (!wait) return answer(tool, ctx, data, verdicts);
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
    requestState: signState(ctx, purpose, next),
  });
}

/** How long a call with forms may take: clients of the old protocol time out after a minute. */
const maxCallMs = 55_000;

/**
 * Calls a tool for a client of `initialize`: while the call is open, `ask` sends the forms, and the call continues with
 * the answers, whichever process receives them. @throws Failure.
 */
export async function callWithElicitation(
  tool: Tool,
  ctx: AuthenticatedContext,
  input: unknown,
  ask: (question: Question, chatId: string) => Promise<void>,
): Promise<CallToolResult> {
  const until = performance.now() + maxCallMs;
  const verdicts: Verdict[] = [];
  let data = await tool.call(ctx, input);
  try {
    for (let wait = await waitOf(ctx, data, verdicts); wait && performance.now() < until; ) {
      const { questions, resumed } = wait;
      const { chatId } = resumed;
      const askAll = async () => {
        for (const question of questions) await ask(question, chatId);
      };
      const approvalIds = questions.map(({ approvalId }) => approvalId);
      verdicts.push(...(await askAndWait(ctx, { chatId, approvalIds, ask: askAll, until })));
      data = await tool.call({ ...ctx, resumed: { ...resumed, until } }, input);
      wait = await waitOf(ctx, data, verdicts);
    }
  } catch (error) {
    // As `afterWork`: what was done is the answer.
    if (tool.readOnly) throw error;
  }
  return answer(tool, ctx, data, verdicts);
}
