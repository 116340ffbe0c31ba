import type { Logger } from 'pino';

/**
 * Keeps the process alive when the driver drops a rejection: while it makes a connection it asks for the array types,
 * and nobody waits for that answer when the connection is lost again. Every statement that waited is rejected anyway.
 * Any other stray rejection ends the process, as always.
 */
export function surviveLostConnections(log: Pick<Logger, 'warn'>): () => void {
  const listener = (error: unknown) => {
    const code = String((error as { code?: unknown } | null)?.code);
    if (!/^(CONNECTION_|CONNECT_TIMEOUT|ECONN|EPIPE|ETIMEDOUT|EHOSTUNREACH|57P0)/.test(code)) throw error;
    log.warn({ err: error }, 'a connection to the database was lost while it was made');
  };
  process.on('unhandledRejection', listener);
  return () => process.off('unhandledRejection', listener);
}
