import { eq } from 'drizzle-orm';
import { workspaces } from '../../db/schema/workspaces.ts';
import type { Context, Principal } from '../context.ts';
import { invalid } from '../errors.ts';
import { minMinutesApart } from '../recurrence/spacing.ts';
import { turnTaker } from '../slices.ts';
import { type Plan, planOf, previewOf } from './plan.ts';
import type { SchedulePreviewAnswer, ScheduleRequest } from './shapes.ts';

/**
 * The plan of each request for a schedule, null if there is none; `pathOf` gives the path of the i-th. A request
 * without a zone gets that of the workspace. While rules need a long search, other work of the process has its turn.
 * @throws Failure 400 with the `param` at fault.
 */
export async function plansOf(
  { db, clock, principal }: Pick<Context, 'db' | 'clock' | 'principal'>,
  requests: readonly (ScheduleRequest | null | undefined)[],
  pathOf: (index: number) => string,
): Promise<(Plan | null)[]> {
  const needsZone = requests.some((request) => request && request.timezone === undefined);
  const isOurs = eq(workspaces.id, principal.workspaceId);
  const zoneOf = () => db.orm.select({ timezone: workspaces.timezone }).from(workspaces).where(isOurs);
  const [workspace] = needsZone ? await zoneOf() : [];
  const now = clock();
  const takeTurn = turnTaker();
  const plans: (Plan | null)[] = [];
  for (const [index, request] of requests.entries()) {
    plans.push(request ? planOf(request, workspace?.timezone ?? 'UTC', now, pathOf(index)) : null);
    await takeTurn();
  }
  return plans;
}

/** The meaning of a schedule before it is set: its rule, in words, and its next times. @throws Failure 400. */
export async function previewSchedule(
  ctx: Context,
  { schedule }: { schedule: ScheduleRequest },
): Promise<SchedulePreviewAnswer> {
  const [plan] = await plansOf(ctx, [schedule], () => 'schedule');
  if (!plan) throw new Error('plansOf returned no plan');
  return previewOf(plan);
}

/** A schedule that an agent sets is at least this far ahead: as far as times of a rule are apart. */
const minAheadMs = minMinutesApart * 60_000;

/**
 * Checks that a schedule set by an agent does not start at once. Otherwise an agent that sets a schedule that starts an
 * agent could repeat this without the limit on agents that start agents.
 * @throws Failure 400.
 */
export function requireDistance({ agent }: Pick<Principal, 'agent'>, plan: Plan, now: Date, param: string): void {
  if (!agent || Date.parse(plan.nextRunAt) - now.getTime() >= minAheadMs) return;
  throw invalid(param, 'An agent sets a schedule whose first time is at least 15 minutes ahead. Choose a later one.');
}
