import { EmbeddedDatabaseError } from '../db/embedded.ts';
import { MigrationError } from '../db/migrate.ts';
import { ConfigError } from './config.ts';

/** The service could not start, and the message says why to whoever started it. */
export class StartError extends Error {}

/** What went wrong at the start, as a sentence a person can act on where we know one. `host` and `port` are those to listen on. */
export function explain(error: unknown, host = '', port = 0): string {
  const told = [ConfigError, EmbeddedDatabaseError, MigrationError, StartError];
  if (error instanceof Error && told.some((kind) => error instanceof kind)) return error.message;
  const { code, message, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to a free one.`;
  if (code === 'EACCES') return `Port ${port} on ${host} may not be opened by this user. Set PORT to one above 1023.`;
  const unresolved = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (code === 'EADDRNOTAVAIL' || (unresolved && hostname === host))
    return `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1.`;
  if (unresolved || ['ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT'].includes(code ?? '')) {
    return 'The database at DATABASE_URL cannot be reached. Check its address and that it runs.';
  }
  if (code?.startsWith('28') || code === '3D000') {
    return `The database at DATABASE_URL does not let this service in: ${message}.`;
  }
  return `The service could not start: ${message}`;
}
