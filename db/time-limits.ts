/** What statements are run for. Each kind has connections and time limits of its own. */
export type Work =
  | 'requests'
  | 'standby'
  | 'admission'
  | 'workers'
  | 'events'
  | 'notifications'
  | 'maintenance'
  | 'health';

/** Time limits in milliseconds. PostgreSQL enforces the first two, this process the third. */
export interface TimeLimits {
  /** `statement_timeout`. */
  maxStatementMs: number;
  /** `lock_timeout`: less than the time of a statement, so that a wait for a lock is reported as such. */
  maxLockMs: number;
  /** Wait for a free connection. */
  maxQueueMs: number;
}

/**
 * The limits of each kind of work. Nobody waits for longer than ten seconds for a connection, a lock or a statement of
 * a request; maintenance has time, but no lock.
 */
export const timeLimits: Record<Work, TimeLimits> = {
  requests: { maxStatementMs: 9000, maxLockMs: 8000, maxQueueMs: 5000 },
  // What does not succeed there is read from the primary, with the time of a request.
  standby: { maxStatementMs: 3000, maxLockMs: 1000, maxQueueMs: 500 },
  admission: { maxStatementMs: 4000, maxLockMs: 250, maxQueueMs: 2000 },
  workers: { maxStatementMs: 9000, maxLockMs: 8000, maxQueueMs: 9000 },
  events: { maxStatementMs: 9000, maxLockMs: 2000, maxQueueMs: 9000 },
  notifications: { maxStatementMs: 2000, maxLockMs: 1000, maxQueueMs: 2000 },
  maintenance: { maxStatementMs: 60_000, maxLockMs: 2000, maxQueueMs: 9000 },
  health: { maxStatementMs: 2000, maxLockMs: 1000, maxQueueMs: 2000 },
};

/** Time to reach the server, and again to sign in there, in milliseconds. */
export const maxConnectMs = 4000;

/**
 * How long a transaction may wait for its next statement, in ms. Ours never wait: the locks of a process that is
 * stopped or unreachable must not block the others.
 */
export const maxIdleInTransactionMs = 10_000;

/** Beyond the time of a statement, in ms: a server that is still silent then is unreachable. */
export const silenceGraceMs = 1000;
