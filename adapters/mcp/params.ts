import { ProtocolError, ProtocolErrorCode, Server } from '@modelcontextprotocol/server';
import { z } from 'zod';
import { isCreatedTask } from './tasks.ts';

/** What zod says of a value, as the SDK writes it into its message. */
const Issues = z.array(z.object({ path: z.array(z.union([z.string(), z.number()])), message: z.string() }));

/** In words what is wrong with the params of a request; undefined for an error of another kind. */
function describe(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof ProtocolError || !error.message.startsWith('[')) return undefined;
  try {
    const [issue] = Issues.parse(JSON.parse(error.message));
    return issue && `${issue.path.join('.') || 'The request'}: ${issue.message}`;
  } catch {
    return undefined;
  }
}

type Wrap = Server['_wrapHandler'];

/**
 * Stands in for a result of `tools/call` that the SDK is not to check. The SDK knows no tasks, and would copy every
 * answer of a tool, whose shape its type ensures already.
 */
const unchecked = { content: [] };

/** Whether a result is the answer of a tool: those always have a structure. */
function isAnswer(result: unknown): boolean {
  return typeof (result as { structuredContent?: unknown } | null)?.structuredContent === 'object';
}

/**
 * The SDK's server with two differences. Params of the wrong shape are -32602 (JSON-RPC 2.0 §5.1, MCP): the SDK throws
 * a plain error for them and reports it as -32603, as if the service had failed. And a tool may answer with a task.
 */
export class ParamsServer extends Server {
  /**
   * For callers that still wait when it closes, the SDK makes an error that is never thrown. Its stack trace takes
   * longer than the rest.
   */
  protected override _onclose(): void {
    const { stackTraceLimit } = Error;
    Error.stackTraceLimit = 0;
    try {
      super._onclose();
    } finally {
      Error.stackTraceLimit = stackTraceLimit;
    }
  }

  protected override _wrapHandler(method: Parameters<Wrap>[0], handler: Parameters<Wrap>[1]): ReturnType<Wrap> {
    return async (request, ctx) => {
      let answer: Awaited<ReturnType<typeof handler>> | undefined;
      const wrapped = super._wrapHandler(method, async (...given) => {
        const result = await handler(...given);
        if (!isCreatedTask(result) && !isAnswer(result)) return result;
        answer = result;
        return unchecked;
      });
      try {
        const result = await wrapped(request, ctx);
        return answer ?? result;
      } catch (error) {
        const fault = describe(error);
        throw fault === undefined ? error : new ProtocolError(ProtocolErrorCode.InvalidParams, fault);
      }
    };
  }
}
