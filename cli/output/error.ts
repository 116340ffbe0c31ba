import type { Command } from '../commands/tree.ts';
import { CliFailure, Refused } from '../model/failure.ts';
import type { Output } from '../terminal/output.ts';
import { oneLine, safeJson } from '../terminal/safe.ts';

/** The argument or flag of a field that an error names: `TODO` for `todoId`, `TODO 2` for `ids[1]`, `--due-date`. */
function shownParam(param: string, command: Command | undefined): string {
  const path = param.replace(/\[\d+\]/g, '');
  const argument = command?.arguments.find(({ target }) => target.path.join('.') === path);
  const index = /\[(\d+)\]$/.exec(param)?.[1];
  const number = argument?.isRest && index !== undefined ? ` ${Number(index) + 1}` : '';
  if (argument) return `${argument.name.toUpperCase()}${number}`;
  const option = command?.options.find(({ target }) => target.path.join('.') === path);
  return option ? `--${option.flag}` : oneLine(param);
}

function details({ body, status }: Refused, command: Command | undefined): string[] {
  const { errors = [], param, allowedValues, requiredScopes, reason, currentVersion, requestId, code } = body;
  const [first] = errors;
  const isNamed = errors.length === 1 && body.message === `${first?.param}: ${first?.message}`;
  const isInMessage = errors.length === 1 && (isNamed || first?.message === body.message);
  const faults = isInMessage ? [] : errors;
  return [
    ...faults.map((each) => `  ${each.param ? `${shownParam(each.param, command)}: ` : ''}${oneLine(each.message)}`),
    ...(param && faults.length === 0 && !isNamed ? [`  About: ${shownParam(param, command)}`] : []),
    ...(allowedValues ? [`  Allowed: ${allowedValues.map((each) => oneLine(String(each))).join(', ')}`] : []),
    ...(requiredScopes ? [`  Needs: ${requiredScopes.map(oneLine).join(', ')}`] : []),
    ...(currentVersion === undefined ? [] : [`  Version now: ${currentVersion}`]),
    `  ${status} ${oneLine(code)}${reason ? ` (${oneLine(reason)})` : ''}${requestId ? `, request ${oneLine(requestId)}` : ''}`,
  ];
}

/** The message of an error; a field at its start is named as on the command line. */
function messageOf(error: unknown, command: Command | undefined): string {
  const message = error instanceof Error ? error.message : String(error);
  const param = error instanceof Refused ? error.body.param : undefined;
  if (!param || !message.startsWith(`${param}: `)) return message;
  return `${shownParam(param, command)}${message.slice(param.length)}`;
}

/**
 * Prints an error on stderr: for people, or with `isJson` as the API's error object, with `hints` where there are any.
 */
export function printError(error: unknown, err: Output, isJson: boolean, command?: Command): void {
  if (isJson) {
    const { message, hints = [], exitCode = 1 } = error as Partial<CliFailure>;
    const own = { object: 'error', code: 'client_error', message: message ?? String(error), hints, exitCode };
    const refused = error instanceof Refused && { ...error.body, ...(hints.length > 0 && { hints }) };
    err.write(`${safeJson(refused || own, 0)}\n`);
    return;
  }
  const message = messageOf(error, command);
  const lines = error instanceof Refused ? details(error, command) : [];
  err.write(`${err.paint('red', 'Error:')} ${oneLine(message)}\n`);
  for (const line of lines) err.write(`${line}\n`);
  for (const hint of error instanceof CliFailure ? error.hints : []) err.write(`${oneLine(hint)}\n`);
}
