import { type DestinationStream, pino } from 'pino';
import type { Config } from './config.ts';

/**
 * The log of the process: JSON lines, or readable ones on a terminal. Credentials are cut out wherever headers show.
 * `destination` takes JSON lines instead of the standard output.
 */
export function createLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>, destination?: DestinationStream) {
  const pretty = config.LOG_FORMAT === 'pretty' || (config.LOG_FORMAT === 'auto' && process.stdout.isTTY === true);
  const options = {
    level: config.LOG_LEVEL,
    serializers: { err: describeError },
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
      censor: '[cut]',
    },
  };
  if (destination) return pino(options, destination);
  if (!pretty) return pino(options);
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
  });
}

/**
 * An error for the log, without what users wrote. The text of a database error can quote values, so only its code,
 * constraint and place are kept; a syntax error quotes what it could not read; and a wrapper (tRPC's, for one) repeats
 * the text of its cause.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { stack, cause } = error;
  // Not `name`: drizzle leaves it at “Error”.
  const type = error.constructor.name;
  const frames = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
  const inner = cause === undefined ? {} : { cause: describeError(cause) };
  if (type === 'PostgresError' || type === 'DrizzleQueryError') {
    const {
      code,
      constraint_name: constraint,
      table_name: table,
      routine,
      severity,
    } = error as unknown as Record<string, unknown>;
    return { type, code, constraint, table, routine, severity, stack: frames, ...inner };
  }
  const quotes = type === 'SyntaxError' || (cause instanceof Error && error.message.includes(cause.message));
  return { type, ...(!quotes && { message: error.message }), stack: frames, ...inner };
}
