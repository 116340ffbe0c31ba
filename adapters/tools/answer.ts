import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { errorBody, Failure, translate } from '../../domain/errors.ts';
import { addressOf } from '../../routers/tools/addresses.ts';
import { finderOf } from '../../routers/tools/tool.ts';
import type { Tool } from '../operations.ts';
import { compact } from './text.ts';

type Json = Record<string, unknown>;

/**
 * Longest answers in characters of JSON. An answer is sent twice (structured and as text): with 40,000 that is 20,000
 * tokens of 4 characters. One whose length the caller does not choose with `limit` stays below 2,000 tokens each time.
 */
const maxCharacters = { chosen: 40_000, given: 8000, row: 800 };

/** Shorter and shorter texts, for an answer that is too long with those that the tool allows. */
const shorter = [1000, 500, 200, 80, 30];

/** Cuts that are listed; `truncated` is set in any case. */
const maxCuts = 5;

function result(structuredContent: Json, text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, ...(isError && { isError }) };
}

/** The characters that an answer may have: those of a page of rows grow with their number. */
function limitFor(tool: Tool, data: unknown): number {
  const { chosen, given, row } = maxCharacters;
  if (!('limit' in tool.input.shape)) return given;
  const rows = (data as { data?: unknown } | null)?.data;
  return Array.isArray(rows) ? Math.min(chosen, Math.max(given, row * rows.length)) : chosen;
}

/**
 * What a tool returned, for a model: no nulls, long texts cut and saying so, pages below `publicUrl`.
 * @throws Failure 400 when still too long.
 */
export function answerOf(tool: Tool, data: unknown, publicUrl: string): CallToolResult {
  const limit = limitFor(tool, data);
  for (const maxText of [tool.maxText, ...shorter.filter((each) => each < tool.maxText)]) {
    const { value, cuts } = compact(data, maxText, (shown) => addressOf(publicUrl, shown));
    const cutNote = cuts.length === 0 ? {} : { truncated: true, cut: cuts.slice(0, maxCuts), rest: tool.rest };
    const answer = { ...(value as Json), ...cutNote };
    const text = JSON.stringify(answer);
    if (text.length <= limit) return result(answer, text, false);
  }
  const message = 'The answer is too long. Ask for less: a smaller limit, or narrower filters.';
  throw new Failure({ status: 400, code: 'validation_failed', message });
}

/** Fields at fault, and allowed values, that an error lists for a model. */
const maxErrors = 5;
const maxAllowedValues = 100;

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

type Caller = Pick<AuthenticatedContext, 'requestId' | 'principal'>;

/** Codes of a field at fault that names nothing: an id that is none, or that nothing has. */
const namesNothing = ['not_found', 'invalid_format'];

/** What the argument at fault may be: by the failure, else by the input of the tool. */
function allowedFor(tool: Tool, { problem }: Failure): readonly string[] | undefined {
  const { errors = [], allowedValues, currentVersion } = problem;
  if (allowedValues) return allowedValues;
  if (currentVersion !== undefined) return [String(currentVersion)];
  const unknown = errors.some(({ code, param }) => code === 'unknown_field' && !param?.includes('.'));
  return unknown ? Object.keys(tool.input.shape) : undefined;
}

/** What went wrong, for a model: all fields at fault at once, what would be allowed, and which tool shows it. */
export function errorOf(tool: Tool, failure: Failure, { requestId, principal }: Caller): CallToolResult {
  const { code, param, message, retryable, errors } = errorBody(failure, requestId, '');
  const named = errors.map((each) =>
    each.param === null || each.message.includes(each.param) ? each.message : `${each.param}: ${each.message}`,
  );
  const finder = namesNothing.includes(errors[0]?.code ?? '') ? finderOf(param, principal) : undefined;
  const text = named.length > 1 ? named.slice(0, maxErrors).map(sentence).join(' ') : message;
  const allowedValues = allowedFor(tool, failure);
  const error = {
    code,
    message: finder === undefined ? text : `${sentence(text)} ${finder} shows what there is.`,
    ...(param !== null && { param }),
    ...(allowedValues && { allowedValues: allowedValues.slice(0, maxAllowedValues) }),
    retryable,
    requestId,
  };
  return result(error, JSON.stringify(error), true);
}

/** One call of a tool: its context, and callbacks for what went wrong. */
export interface Exchange {
  ctx: AuthenticatedContext;
  /** Called with failures of ours (5xx). */
  report: (failure: Failure) => void;
  /** Called when the arguments need a scope beyond those of the tool, which the credential lacks. */
  lacks: (failure: Failure) => void;
}

/** What `call` answers. Whatever goes wrong is a result that the model can read. */
export async function answered<Result>(
  tool: Tool,
  { ctx, report, lacks }: Exchange,
  call: () => Promise<Result>,
): Promise<Result | CallToolResult> {
  try {
    return await call();
  } catch (error) {
    const failure = translate(error);
    if (failure.problem.status >= 500) report(failure);
    if (failure.problem.code === 'missing_scope') lacks(failure);
    return errorOf(tool, failure, ctx);
  }
}
