import type { z } from 'zod';
import { instantFromPostgres } from '../../db/client.ts';
import type { todoSchedules } from '../../db/schema/schedules.ts';
import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { cursorScope, pageOf, positionOf } from '../page.ts';
import { turnTaker } from '../slices.ts';
import { type Timing, timesAfter } from './plan.ts';
import type { PlannedTimesListing } from './shapes.ts';

const maxDays = 62;
const dayMs = 86_400_000;
/** Times of one todo in an answer. */
const maxTimes = 200;
/** Times that are computed at once. */
const batch = 16;

type Row = Pick<typeof todoSchedules.$inferSelect, 'todoId' | 'kind' | 'rrule' | 'timezone' | 'startsAt'> & {
  nextRunAt: string;
  settled: string[] | null;
};

// Paused, stopped and spent ones, and those of todos that are done or archived, have no next time.
const list = `select s.todo_id as "todoId", s.kind, s.rrule, s.timezone, s.starts_at as "startsAt",
    s.next_run_at as "nextRunAt",
    (select json_agg(o.planned_at) from todo_occurrences o where o.workspace_id = $1
      and o.todo_id = s.todo_id and o.planned_at >= s.next_run_at and o.status in ('done', 'skipped')) as settled
  from todo_schedules s
  where s.workspace_id = $1 and s.next_run_at < $2::timestamptz and ($3::uuid is null or s.todo_id > $3::uuid)
  order by s.todo_id limit $4`;

/** The times of a schedule in a range, ascending: at most `maxTimes` and one more. */
function timesOf(
  { nextRunAt, settled, ...timing }: Timing & Pick<Row, 'nextRunAt' | 'settled'>,
  from: number,
  to: number,
) {
  const isSettled = new Set(settled?.map(instantFromPostgres));
  const times: string[] = [];
  let after = Math.max(from, Date.parse(nextRunAt)) - 1;
  while (times.length <= maxTimes) {
    const found = timesAfter(timing, after, batch);
    const inRange = found.filter((at) => Date.parse(at) < to);
    times.push(...inRange.filter((at) => !isSettled.has(at)));
    if (inRange.length < batch) break;
    after = Date.parse(inRange.at(-1) ?? '');
  }
  return times;
}

/**
 * One page of the todos with a schedule that are planned in a range, by id, with their times in it.
 * @throws Failure 400 for a range that is empty or too long, and `invalid_cursor`.
 */
export async function listPlannedTimes(ctx: Context, input: z.infer<typeof PlannedTimesListing>) {
  const { limit, cursor } = input;
  const [from, to] = [Date.parse(input.from), Date.parse(input.to)];
  if (to <= from) throw invalid('to', 'The end of the range must be after its beginning.');
  if (to - from > maxDays * dayMs) throw invalid('to', `A range has at most ${maxDays} days. Ask for less at once.`);
  const scope = cursorScope(ctx, { sort: 'todoId', order: 'asc', filters: { from, to } });
  const after = cursor === undefined ? null : positionOf(scope, cursor)[1];
  const end = new Date(to).toISOString();
  const rows = await ctx.db.rows<Row>(list, [ctx.principal.workspaceId, end, after, limit + 1]);
  const page = pageOf(rows, limit, scope, ({ todoId }) => [todoId, todoId]);
  const takeTurn = turnTaker();
  const data = [];
  for (const { todoId, ...schedule } of page.data) {
    const times = timesOf(schedule, from, to);
    data.push({
      object: 'planned_times' as const,
      todoId,
      times: times.slice(0, maxTimes),
      isCut: times.length > maxTimes,
    });
    await takeTurn();
  }
  return { object: 'list' as const, ...page, data };
}
