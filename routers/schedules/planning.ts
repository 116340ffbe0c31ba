import type { Context } from '../base.ts';
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
