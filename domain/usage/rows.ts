import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { bordersOf, dayAfter, dayAt, daysBetween } from './days.ts';
import { type UsageAnswer, type UsageRange, usageTriggers } from './shapes.ts';
import { type Sum, sumsOf } from './sums.ts';

const defaultDays = 30;
const maxDays = 366;
const timezoneOf = 'select timezone from workspaces where id = $1';

/** The days of a query. @throws Failure 400 when they end before they begin, or are too many. */
function rangeOf(given: UsageRange, today: string) {
  const to = given.to ?? today;
  const from = given.from ?? dayAfter(to, 1 - defaultDays);
  const count = daysBetween(from, to) + 1;
  const ends = given.to === undefined ? `${to}, which is today` : to;
  if (count < 1) throw invalid('from', `from must not be after to (${ends}). Pass an earlier from, or a later to.`);
  if (count <= maxDays) return { from, to, count };
  throw invalid('from', `from must be at most ${maxDays - 1} days before to (${ends}). Request fewer days at once.`);
}

/** The agent minutes that the workspace used, day by day in its time zone. @throws Failure 400. */
export async function getUsage({ db, principal, clock }: Context, given: UsageRange): Promise<UsageAnswer> {
  const { workspaceId } = principal;
  const [workspace] = await db.rows<{ timezone: string }>(timezoneOf, [workspaceId]);
  if (!workspace) throw new Error('the workspace of the credential does not exist');
  const { timezone } = workspace;
  const { from, to, count } = rangeOf(given, dayAt(clock(), timezone));
  const borders = bordersOf(from, count, timezone);
  const rows = await sumsOf(db, workspaceId, borders);
  const used = ({ minutes, turns }: Pick<Sum, 'minutes' | 'turns'> = { minutes: 0, turns: 0 }) => ({ minutes, turns });
  const total = rows.find((row) => row.of === 'all');
  if (!total) throw new Error('the sums have no total');
  return {
    object: 'usage',
    from,
    to,
    timezone,
    minutesGranted: total.granted,
    minutesUsed: total.minutes,
    minutesRemaining: total.remaining,
    turns: total.turns,
    byDay: Array.from({ length: count }, (_, place) => ({
      day: dayAfter(from, place),
      ...used(rows.find((row) => row.of === 'day' && row.place === place + 1)),
    })),
    byAgent: rows.flatMap(({ of, agentId, name, ...sum }) =>
      of !== 'agent' || agentId === null ? [] : [{ agentId, name: name ?? '', ...used(sum) }],
    ),
    byTrigger: usageTriggers.map((trigger) => ({
      trigger,
      ...used(rows.find((row) => row.of === 'trigger' && row.trigger === trigger)),
    })),
  };
}
