import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { translate } from '../../domain/errors.ts';
import { eventErrors } from '../../domain/events/occurrences.ts';
import type { Exchange } from '../tools/answer.ts';

/**
 * An error of MCP Events (SEP-3415, codes -32023 to -32027), to be thrown by a handler. `data` names the argument or
 * the limit that the error is about.
 */
export function eventError(name: keyof typeof eventErrors, message: string, data: Record<string, unknown>) {
  return new ProtocolError(eventErrors[name], message, data);
}

/** What is answered for an error where there is no result of a tool that could hold it. */
export function protocolErrorOf({ report, lacks }: Exchange, error: unknown): ProtocolError {
  if (error instanceof ProtocolError) return error;
  const failure = translate(error);
  const { status, code, message } = failure.problem;
  if (status >= 500) report(failure);
  if (code === 'missing_scope') lacks(failure);
  return new ProtocolError(status >= 500 ? ProtocolErrorCode.InternalError : ProtocolErrorCode.InvalidParams, message);
}
