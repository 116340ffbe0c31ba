import type { Context, Principal } from '../base.ts';
import { invalid } from '../errors.ts';
import { type Plan, planOf } from './plan.ts';
import type { ScheduleRequest } from './shapes.ts';

const zone = 'select timezone from workspaces where id = $1';

/**
 * The plan of each request for a schedule, null where there is none; `pathOf` gives the path of the i-th. The zone of
 * the workspace is looked up where one needs it. @throws Failure 400 with the `param` at fault.
 */
export async function plansOf(
  { db, clock }: Pick<Context, 'db' | 'clock'>,
  workspaceId: string,
  requests: readonly (ScheduleRequest | null | undefined)[],
  pathOf: (index: number) => string = () => 'schedule',
): Promise<(Plan | null)[]> {
  const needsZone = requests.some((request) => request && request.timezone === undefined);
  const [workspace] = needsZone ? await db.rows<{ timezone: string }>(zone, [workspaceId]) : [];
  const now = clock();
  return requests.map((request, index) =>
    request ? planOf(request, workspace?.timezone ?? 'UTC', now, pathOf(index)) : null,
  );
}

/** As far as times of a rule lie apart at least. */
const distanceMs = 15 * 60_000;

/**
 * A schedule that an agent sets begins some way ahead: one that starts an agent at once could go round for ever, past
 * the bound on agents that ask agents. @throws Failure 400.
 */
export function requireDistance({ agent }: Pick<Principal, 'agent'>, plan: Plan, now: Date, param: string): void {
  if (!agent || Date.parse(plan.nextRunAt) - now.getTime() >= distanceMs) return;
  throw invalid(param, 'An agent sets a schedule whose first time is at least 15 minutes ahead. Choose a later one.');
}
