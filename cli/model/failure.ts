/** Exit codes, documented in `docs/cli.md` and `tandem --help`. */
export const exitCodes = {
  done: 0,
  failed: 1,
  usage: 2,
  credentials: 3,
  notFound: 4,
  conflict: 5,
  minutes: 6,
  rateLimit: 7,
  unreachable: 8,
  workFailed: 9,
  awaitingInput: 10,
  workStopped: 11,
  interrupted: 130,
} as const;

export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes];

/** The meaning of each code, as the help prints it. */
export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'done'],
  [1, 'failed, in the client or in the service'],
  [2, 'the command or a value is invalid'],
  [3, 'not signed in, or not permitted'],
  [4, 'not found'],
  [5, 'conflict with the current state, or changed by someone else'],
  [6, 'the workspace has no agent minutes left'],
  [7, 'too many requests'],
  [8, 'the service cannot be reached'],
  [9, '--wait and follow: the agent failed'],
  [10, '--wait and follow: the agent waits for a person'],
  [11, '--wait and follow: somebody stopped the agent'],
  [130, 'stopped with Ctrl-C'],
];

/** An error that ends a command and is shown to its user. */
export class CliFailure extends Error {
  readonly exitCode: ExitCode;
  /** Lines below the message: what to do next. */
  readonly hints: readonly string[];

  constructor(exitCode: ExitCode, message: string, hints: readonly string[] = []) {
    super(message);
    this.exitCode = exitCode;
    this.hints = hints;
  }
}

/** A failure for an invalid command or value (exit code 2). */
export function usage(message: string, ...hints: string[]): CliFailure {
  return new CliFailure(exitCodes.usage, message, hints);
}

/** The parts of the service's error object that are shown. */
export interface ErrorBody {
  code: string;
  message: string;
  param?: string | null;
  reason?: string;
  requestId?: string;
  allowedValues?: readonly unknown[];
  requiredScopes?: readonly string[];
  currentVersion?: number;
  retryable?: boolean;
  errors?: readonly { param: string | null; code: string; message: string }[];
}

function exitCodeOf(status: number): ExitCode {
  if (status === 401 || status === 403) return exitCodes.credentials;
  if (status === 404) return exitCodes.notFound;
  if (status === 409 || status === 412) return exitCodes.conflict;
  if (status === 402) return exitCodes.minutes;
  if (status === 429) return exitCodes.rateLimit;
  if (status >= 502 && status <= 504) return exitCodes.unreachable;
  return status >= 400 && status < 500 ? exitCodes.usage : exitCodes.failed;
}

/** The error code for a response that did not come from a Tandem service. */
export const foreignAnswer = 'not_the_service';

/** An error response of the service. */
export class Refused extends CliFailure {
  readonly status: number;
  readonly body: ErrorBody;

  constructor(status: number, body: ErrorBody, hints: readonly string[] = []) {
    super(body.code === foreignAnswer ? exitCodes.unreachable : exitCodeOf(status), body.message, hints);
    this.status = status;
    this.body = body;
  }
}
