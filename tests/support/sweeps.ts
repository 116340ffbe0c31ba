import type { Db } from '../../db/client.ts';
import { type KeptDays, sweep as sweepKept, sweepWork, type WorkRetention } from '../../server/sweeps.ts';

/** For how many days the service keeps what grows, without settings. */
export const keptDays: KeptDays = {
  eventDays: 30,
  auditDays: 365,
  deliveryDays: 30,
  notificationDays: 180,
  archiveDays: 0,
  erasureDays: 0,
  runDays: 0,
  approvalDays: 0,
  turnDays: 0,
  minuteDetailDays: 0,
};

/** Deletes what has expired, as one of the processes does every hour. */
export function sweep(db: Db, kept: Partial<KeptDays> = {}): Promise<void> {
  return sweepKept(db, { ...keptDays, ...kept });
}

/** Deletes the old traces of work, as one of the processes does every day. */
export function sweepTraces(db: Db, kept: Partial<WorkRetention>): Promise<void> {
  return sweepWork(db, { ...keptDays, ...kept });
}
