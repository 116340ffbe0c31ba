import { DistributionError } from '../db/engine/cluster.ts';
import { EmbeddedDatabaseError, isDatabaseError, SharedSessionError, StandbyError } from '../db/errors.ts';
import { MigrationError } from '../db/migrate.ts';
import { ConfigError } from './config.ts';

/** The service could not start; the message is for the person who started it. */
export class StartError extends Error {}

/** Errors whose message is for the person who starts the service. */
const forPeople = [
  ConfigError,
  DistributionError,
  EmbeddedDatabaseError,
  MigrationError,
  SharedSessionError,
  StandbyError,
  StartError,
];

/**
 * What went wrong at the start, and what to do about it where that is known. `host` and `port` are those to listen on.
 */
export function describeStartError(error: unknown, host = '', port = 0): string {
  if (error instanceof Error && forPeople.some((kind) => error instanceof kind)) return error.message;
  const { code, message, hostname, syscall } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to a free one.`;
  if (code === 'EACCES' && syscall === 'listen')
    return `Port ${port} on ${host} may not be opened by this user. Set PORT to one above 1023.`;
  const unresolved = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (code === 'EADDRNOTAVAIL' || (unresolved && hostname === host))
    return `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1.`;
  if (isDatabaseError('unreachable', error)) {
    return 'The database at DATABASE_URL cannot be reached. Check its address and that it runs.';
  }
  if (isDatabaseError('denied', error)) {
    return `The database at DATABASE_URL refuses this service: ${message}.`;
  }
  return `The service could not start: ${message}`;
}
