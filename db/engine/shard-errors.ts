const violation = /violates (?:unique|foreign key|check|exclusion) constraint "([^"]+?)(?:_\d{6,})?"/;

/**
 * The constraint that an error of PostgreSQL names. A worker of Citus reports the constraint of a shard, such as
 * `agents_name_102017`, and in the message alone. Undefined for other errors.
 */
export function constraintOf(error: Error): string | undefined {
  const {
    constraint_name: name,
    code,
    routine,
  } = error as Error & Record<'constraint_name' | 'code' | 'routine', unknown>;
  if (typeof name === 'string') return name;
  const isOfWorker = routine === 'ReportResultError' && /^(23|XX)/.test(String(code));
  return isOfWorker ? violation.exec(error.message)?.[1] : undefined;
}

const moved = /^(shard for the given value does not exist|could not find valid entry for shard \d+)$/;

/** Whether Citus rolled a statement back because the shard it was planned for had been moved or split meanwhile. */
export function isOfMovedShard(error: Error): boolean {
  return typeof (error as { routine?: unknown }).routine === 'string' && moved.test(error.message);
}

/** What Citus raises with the code of an internal error when it loses the connection to a worker in a transaction. */
const ofLostWorkers = new Set(['MarkRemoteTransactionFailed', 'ErrorIfPostCommitFailedShardPlacements']);
/** The same of rows that it copies to a worker; errors of the worker itself are reported so too. */
const lostInCopy =
  /^(failed to complete COPY on |server closed the connection|terminating connection|connection not open)/;

/** Whether Citus lost a worker in the middle of a transaction: whether that was committed is not known. */
export function isOfLostWorker(error: Error): boolean {
  const { code, routine } = error as Error & Record<'code' | 'routine', unknown>;
  if (code !== 'XX000') return false;
  return ofLostWorkers.has(String(routine)) || (routine === 'ReportCopyError' && lostInCopy.test(error.message));
}
