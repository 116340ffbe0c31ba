import type { Logger } from 'pino';
import { isDatabaseError } from '../../db/errors.ts';

/**
 * Prevents an unhandled rejection of the database driver from ending the process. While it connects, the driver queries
 * the array types and does not handle the rejection of that query when the connection is lost again. Every statement
 * that was queued is rejected anyway. Any other unhandled rejection ends the process, as it does by default. Returns
 * the function that removes the handler.
 */
export function surviveLostConnections(log: Pick<Logger, 'warn'>): () => void {
  const listener = (error: unknown) => {
    if (!isDatabaseError('connection', error)) throw error;
    log.warn({ err: error }, 'database connection lost while connecting');
  };
  process.on('unhandledRejection', listener);
  return () => process.off('unhandledRejection', listener);
}
