import { createRequire } from 'node:module';
import { type DestinationStream, pino } from 'pino';
import type { Config } from './config.ts';
import { logOutput } from './log-output.ts';
import { traceFields } from './tracing/spans.ts';

const credentials = ['req.headers.authorization', 'req.headers.cookie', 'headers.authorization', 'headers.cookie'];

/**
 * Fields that would contain what people write. No log call uses them; if one is added by mistake, it is cut out of the
 * line.
 */
const written = 'body email name path query req.url subject text title to token url'.split(' ');

/**
 * The log of the process: JSON lines, or readable ones on a terminal. Credentials are cut out wherever headers show,
 * and so is what people write.
 * `destination` takes JSON lines instead of the standard output.
 */
export function createLog(config: Pick<Config, 'LOG_LEVEL' | 'LOG_FORMAT'>, destination?: DestinationStream) {
  const pretty = config.LOG_FORMAT === 'pretty' || (config.LOG_FORMAT === 'auto' && process.stdout.isTTY === true);
  const options = {
    level: config.LOG_LEVEL,
    serializers: { err: describeError },
    mixin: traceFields,
    redact: {
      paths: [...credentials, ...written],
      censor: '[cut]',
    },
  };
  if (destination || !pretty) return pino(options, destination ?? logOutput());
  // The package finds the program of its thread beside itself: in the bundle that is another copy.
  const { transport } = createRequire(import.meta.url)('pino') as typeof import('pino');
  const terminal = transport({ target: 'pino-pretty', options: { ignore: 'pid,hostname', translateTime: 'HH:MM:ss' } });
  // It was closed.
  terminal.on('error', () => {});
  return pino(options, terminal);
}

/** Errors whose text quotes the value that is at fault. */
const quoting = ['SyntaxError', 'RangeError', 'URIError', 'ZodError', '$ZodError', 'ZodRealError'];

/**
 * What any error message may contain and the log must not: addresses of people, secrets, what follows `?` in an
 * address, quotations.
 */
const values: [RegExp, string][] = [
  [/[^\s<>"“”]+@[^\s<>"“”]+/g, '[address]'],
  [/\btandem_[a-z]{2}_\w+/g, '[secret]'],
  [/(\w:\/\/[^\s?#]*)[?#]\S*/g, '$1?[cut]'],
  [/“[^”]*”/g, '“[cut]”'],
];

const withoutValues = (text: string) => values.reduce((cut, [value, name]) => cut.replace(value, name), text);

/** Whether it is an error of the mail server, whose answer repeats the address (RFC 5321 §4.2). */
const isOfMail = (error: Error) => 'responseCode' in error || 'command' in error;

/**
 * An error for the log, without what users wrote. The message of a database error can quote values, so only its code,
 * constraint and place are kept. The same holds for answers of mail servers, and for errors that quote input which they
 * could not parse. A wrapper (such as that of tRPC) repeats the message of its cause.
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
  if (isOfMail(error)) {
    const { code, command, responseCode } = error as unknown as Record<string, unknown>;
    return { type, code, command, responseCode, stack: frames, ...inner };
  }
  const quotes = quoting.includes(type) || (cause instanceof Error && error.message.includes(cause.message));
  return { type, ...(!quotes && { message: withoutValues(error.message) }), stack: frames, ...inner };
}
