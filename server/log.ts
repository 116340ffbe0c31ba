import { pino } from 'pino';
import type { Config } from './config.ts';

/** The log of the process: JSON lines, or readable ones on a terminal. Credentials are cut out wherever headers show. */
export function createLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>) {
  const pretty = config.LOG_FORMAT === 'pretty' || (config.LOG_FORMAT === 'auto' && process.stdout.isTTY === true);
  const options = {
    level: config.LOG_LEVEL,
    serializers: { err: describeError },
    redact: {
      paths: ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'],
      censor: '[cut]',
    },
  };
  if (!pretty) return pino(options);
  return pino({
    ...options,
    transport: { target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } },
  });
}

/**
 * An error for the log, without what users wrote: the text of a database error can quote values, so only its code,
 * constraint and place are kept.
 */
export function describeError(error: unknown): object {
  if (!(error instanceof Error)) return { type: typeof error };
  const { name, stack, cause } = error;
  const frames = stack
    ?.split('\n')
    .filter((line) => line.startsWith('    at '))
    .join('\n');
  const inner = cause === undefined ? {} : { cause: describeError(cause) };
  if (name === 'PostgresError' || name === 'DrizzleQueryError') {
    const {
      code,
      constraint_name: constraint,
      table_name: table,
      routine,
      severity,
    } = error as unknown as Record<string, unknown>;
    return { type: name, code, constraint, table, routine, severity, stack: frames, ...inner };
  }
  return { type: name, message: error.message, stack: frames, ...inner };
}
