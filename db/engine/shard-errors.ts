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
