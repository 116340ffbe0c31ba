import type { CallToolResult } from '@modelcontextprotocol/server';
import type { AuthenticatedContext } from '../../domain/context.ts';
import { errorBody, type Failure, translate } from '../../domain/errors.ts';
import { addressOf } from '../../routers/tools/addresses.ts';
import { finderOf } from '../../routers/tools/tool.ts';
import type { Tool } from '../operations.ts';
import { compact, lengthsOnce } from './text.ts';

type Json = Record<string, unknown>;

/**
 * Longest answers in characters of JSON. An answer is sent twice (structured and as text): with 40,000 characters that
 * is 20,000 tokens of 4 characters. If the caller does not choose the length with `limit`, it stays below 2,000 tokens
 * for each of the two.
 */
const maxCharacters = { chosen: 40_000, given: 8000, row: 800 };

/** Most characters of a text, and most items of a list below the rows of a page. */
type Size = readonly [text: number, items: number];

const all = Number.POSITIVE_INFINITY;
const smallest: Size = [30, 0];

/** Smaller and smaller sizes, for an answer that is too long with the texts that the tool allows. */
const smaller: readonly Size[] = [
  [1000, all],
  [500, all],
  [500, 20],
  [200, 20],
  [200, 10],
  [80, 10],
  [80, 5],
  [80, 3],
  [80, 1],
  [30, 1],
  smallest,
];

/** Cuts that are listed; `truncated` is set in any case. */
const maxCuts = 5;

function result(structuredContent: Json, text: string, isError: boolean): CallToolResult {
  return { content: [{ type: 'text', text }], structuredContent, ...(isError && { isError }) };
}

/**
 * The characters that an answer may have: those of a page of rows grow with their number. Messages are chosen to fit by
 * their tool, which shows at least one.
 */
function limitFor(tool: Tool, data: unknown): number {
  const { chosen, given, row } = maxCharacters;
  if (!('limit' in tool.input.shape)) return given;
  const { data: rows, messages } = data as { data?: unknown; messages?: unknown };
  if (Array.isArray(rows)) return Math.min(chosen, Math.max(given, row * rows.length));
  return Array.isArray(messages) && messages.length <= 1 ? given : chosen;
}

/** What stays the same while one answer is shown in several sizes. */
interface Showing {
  publicUrl: string;
  lengthOf: (text: string) => number;
}

const showing = (publicUrl: string): Showing => ({ publicUrl, lengthOf: lengthsOnce() });

interface Shown {
  answer: Json;
  text: string;
}

/**
 * The answer of a tool, reduced to a size: no nulls, long texts cut, long lists shortened, with a note on what is
 * missing. Links to pages are below `publicUrl`.
 */
function shownIn(tool: Tool, data: unknown, { publicUrl, lengthOf }: Showing, [maxText, maxItems]: Size): Shown {
  const length = Math.min(maxText, tool.maxText);
  const address = (shown: Json) => addressOf(publicUrl, shown);
  const { value, cuts, isShortened } = compact(data, length, address, maxItems, lengthOf);
  const cut = cuts.length > 0 && { cut: cuts.slice(0, maxCuts) };
  const answer = { ...(value as Json), ...((cut || isShortened) && { truncated: true, ...cut, rest: tool.rest }) };
  return { answer, text: JSON.stringify(answer) };
}

/** The answer in the largest size that fits; undefined when none does. */
function fitted(tool: Tool, data: unknown, view: Showing): CallToolResult | undefined {
  const limit = limitFor(tool, data);
  const sizes = smaller.filter(([text, items]) => text < tool.maxText || items < all);
  for (const size of [[tool.maxText, all] as const, ...sizes]) {
    const { answer, text } = shownIn(tool, data, view, size);
    if (text.length <= limit) return result(answer, text, false);
  }
  return undefined;
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null;

/**
 * The answer where no size is small enough: only its own values and those of its objects, which identify them. It is
 * not an error, because the work is done and a model repeats a call that failed.
 */
function outlined(tool: Tool, data: unknown, view: Showing): CallToolResult {
  const { answer } = shownIn(tool, data, view, smallest);
  const valuesOf = (object: Json) => Object.fromEntries(Object.entries(object).filter(([, value]) => !isObject(value)));
  const objects = Object.entries(answer).filter(([, value]) => isObject(value) && !Array.isArray(value));
  const advice = tool.readOnly ? 'Ask for less.' : 'What the call asked for is done: do not repeat it.';
  const shown = {
    ...valuesOf(answer),
    ...Object.fromEntries(objects.map(([key, value]) => [key, valuesOf(value as Json)])),
    truncated: true,
    rest: tool.rest,
    note: `The rest of the answer is too long to be shown. ${advice}`,
  };
  return result(shown, JSON.stringify(shown), false);
}

/** What a tool returned, for a model: cut and shortened as far as it needs. */
export function answerOf(tool: Tool, data: unknown, publicUrl: string): CallToolResult {
  const view = showing(publicUrl);
  return fitted(tool, data, view) ?? outlined(tool, data, view);
}

/** How many rows of a page that fits in no size fit in the smallest; 0 when it is no page. */
function fittingRows(tool: Tool, data: unknown, view: Showing): number {
  const { data: rows } = data as { data?: unknown };
  if (!tool.readOnly || !('limit' in tool.input.shape) || !Array.isArray(rows)) return 0;
  const fits = (count: number) => {
    const page = { ...(data as Json), data: rows.slice(0, count) };
    return shownIn(tool, page, view, smallest).text.length <= limitFor(tool, page);
  };
  let count = Math.max(0, rows.length - 1);
  while (count > 0 && !fits(count)) count--;
  return count;
}

/**
 * Calls a tool, and answers what it returned. A page that is too long is read again with fewer rows. @throws Failure.
 */
export async function answerTo(tool: Tool, ctx: AuthenticatedContext, input: unknown): Promise<CallToolResult> {
  const view = showing(ctx.service.publicUrl);
  let data = await tool.call(ctx, input);
  for (;;) {
    const limit = fitted(tool, data, view) ?? fittingRows(tool, data, view);
    if (typeof limit !== 'number') return limit;
    if (limit === 0) return outlined(tool, data, view);
    data = await tool.call(ctx, { ...(input as Json), limit });
  }
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
