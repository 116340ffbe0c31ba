import type { CallToolResult } from '@modelcontextprotocol/server';
import type { Context } from '../../routers/base.ts';
import { errorBody, Failure, translate } from '../../routers/errors.ts';
import { finderOf } from '../../routers/tool.ts';
import type { Tool } from '../operations.ts';
import { compact } from './text.ts';

type Json = Record<string, unknown>;

/**
 * Longest answers in characters of JSON. An answer is sent twice (structured and as text): with 40,000 that is 20,000
 * tokens of 4 characters. One whose length the caller does not choose with `limit` stays below 2,000 tokens each time.
 */
const longest = { chosen: 40_000, given: 8000 };

/** Shorter and shorter texts, for an answer that is too long with those that the tool allows. */
const shorter = [1000, 500, 200, 80, 30];

/** Cuts that are told one by one; `truncated` tells of all. */
const mostCuts = 5;

function result(structuredContent: Json, text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, ...(isError && { isError }) };
}

/** What a tool returned, for a model: no nulls, long texts cut and saying so. @throws Failure 400 when still too long. */
export function answerOf(tool: Tool, data: unknown): CallToolResult {
  const mostCharacters = 'limit' in tool.input.shape ? longest.chosen : longest.given;
  for (const longestText of [tool.longestText, ...shorter.filter((each) => each < tool.longestText)]) {
    const { value, cuts } = compact(data, longestText);
    const told = cuts.length === 0 ? {} : { truncated: true, cut: cuts.slice(0, mostCuts), rest: tool.rest };
    const answer = { ...(value as Json), ...told };
    const text = JSON.stringify(answer);
    if (text.length <= mostCharacters) return result(answer, text, false);
  }
  const message = 'The answer is too long. Ask for less: a smaller limit, or narrower filters.';
  throw new Failure({ status: 400, code: 'validation_failed', message });
}

const mostErrors = 5;

function sentence(text: string): string {
  return text.endsWith('.') ? text : `${text}.`;
}

type Asker = Pick<Context, 'requestId' | 'principal'>;

/** Codes of a field at fault that names nothing: an id that is none, or that nothing has. */
const namesNothing = ['not_found', 'invalid_format'];

/** What the argument at fault may be: as the failure says, else what is known of it. */
function allowedFor(tool: Tool, { problem }: Failure): readonly string[] | undefined {
  const { errors = [], allowedValues, currentVersion } = problem;
  if (allowedValues) return allowedValues;
  if (currentVersion !== undefined) return [String(currentVersion)];
  const unknown = errors.some(({ code, param }) => code === 'unknown_field' && !param?.includes('.'));
  return unknown ? Object.keys(tool.input.shape) : undefined;
}

/** What went wrong, for a model: all fields at fault at once, what would be allowed, and which tool shows it. */
export function errorOf(tool: Tool, failure: Failure, { requestId, principal }: Asker): CallToolResult {
  const { code, param, message, retryable, errors } = errorBody(failure, requestId, '');
  const named = errors.map((each) =>
    each.param === null || each.message.includes(each.param) ? each.message : `${each.param}: ${each.message}`,
  );
  const finder = namesNothing.includes(errors[0]?.code ?? '') ? finderOf(param, principal) : undefined;
  const told = named.length > 1 ? named.slice(0, mostErrors).map(sentence).join(' ') : message;
  const allowedValues = allowedFor(tool, failure);
  const error = {
    code,
    message: finder === undefined ? told : `${sentence(told)} ${finder} shows what there is.`,
    ...(param !== null && { param }),
    ...(allowedValues && { allowedValues: allowedValues.slice(0, 100) }),
    retryable,
    requestId,
  };
  return result(error, JSON.stringify(error), true);
}

/** One exchange: who asks, and who hears of what went wrong. */
export interface Exchange {
  ctx: Context;
  /** Hears of failures of ours. */
  report: (failure: Failure) => void;
  /** Hears that the arguments need a scope beside those of the tool, which the credential lacks. */
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
