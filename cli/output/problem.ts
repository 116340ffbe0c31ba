import type { OperationCommand } from '../commands/command.ts';
import { CliFailure, Refused } from '../failure.ts';
import { oneLine, safeJson } from './safe.ts';
import type { Output } from './terminal.ts';

/** The flag of a field that an error names, such as `--due-date` for `dueDate`. */
function shownParam(param: string, command: OperationCommand | undefined): string {
  const path = param.replace(/\[\d+\]/g, '').split('.');
  const option = command?.options.find(({ target }) => target.path.join('.') === path.join('.'));
  return option ? `--${option.flag}` : oneLine(param);
}

function details({ body, status }: Refused, command: OperationCommand | undefined): string[] {
  const { errors = [], param, allowedValues, requiredScopes, reason, currentVersion, requestId, code } = body;
  const faults = errors.length > 1 || errors[0]?.message !== body.message ? errors : [];
  return [
    ...faults.map((each) => `  ${each.param ? `${shownParam(each.param, command)}: ` : ''}${oneLine(each.message)}`),
    ...(param && faults.length === 0 ? [`  About: ${shownParam(param, command)}`] : []),
    ...(allowedValues ? [`  Allowed: ${allowedValues.map((each) => oneLine(String(each))).join(', ')}`] : []),
    ...(requiredScopes ? [`  Needs: ${requiredScopes.map(oneLine).join(', ')}`] : []),
    ...(currentVersion === undefined ? [] : [`  Version now: ${currentVersion}`]),
    `  ${status} ${oneLine(code)}${reason ? ` (${oneLine(reason)})` : ''}${requestId ? `, request ${oneLine(requestId)}` : ''}`,
  ];
}

/** Tells on stderr what went wrong: for people, or for programs as the error object of the API. */
export function tellProblem(error: unknown, err: Output, isJson: boolean, command?: OperationCommand): void {
  if (isJson) {
    const { message, hints = [], exitCode = 1 } = error as Partial<CliFailure>;
    const own = { object: 'error', code: 'client_error', message: message ?? String(error), hints, exitCode };
    err.write(`${safeJson(error instanceof Refused ? error.body : own, 0)}\n`);
    return;
  }
  const message = error instanceof Error ? error.message : String(error);
  const lines = error instanceof Refused ? details(error, command) : [];
  err.write(`${err.paint('red', 'Error:')} ${oneLine(message)}\n`);
  for (const line of lines) err.write(`${line}\n`);
  for (const hint of error instanceof CliFailure ? error.hints : []) err.write(`${hint.replace(/\n/g, ' ')}\n`);
}
