import type { Context } from '../context.ts';
import { invalid } from '../errors.ts';
import { bordersOf, dayAfter, dayAt, daysBetween } from './days.ts';
import { type UsageAnswer, type UsageRange, type UsageTrigger, usageTriggers } from './shapes.ts';

const defaultDays = 30;
const maxDays = 366;

/** What a sum of the ledger is grouped by: the bits of `grouping (place, agent_id, trigger)` are set for the others. */
const over = { day: 0b011, agent: 0b101, trigger: 0b110, all: 0b111 };

interface Sum {
  over: number;
  /** Place of the day, from 1. */
  place: number | null;
  agentId: string | null;
  name: string | null;
  trigger: UsageTrigger | null;
  minutes: number | null;
  turns: number;
  granted: number;
  remaining: number;
}

const timezoneOf = 'select timezone from workspaces where id = $1';

// One statement, so one snapshot: the sums agree with each other and with the minutes left.
const sums = `with entries as (
    select width_bucket((extract(epoch from created_at) * 1000)::float8, $2::float8[]) as place,
      kind, agent_id, trigger, turn_id, minutes
    from minute_entries
    where workspace_id = $1 and created_at >= to_timestamp($3::float8 / 1000) and created_at < to_timestamp($4::float8 / 1000)
  ), sums as (
    select grouping(place, agent_id, trigger) as over, place, agent_id, trigger, sum(-minutes)::float8 as minutes, count(distinct turn_id)::int as turns
    from entries where kind <> 'grant' group by grouping sets ((place), (agent_id), (trigger), ())
  ) select s.over, s.place, s.agent_id as "agentId", a.name, s.trigger, s.minutes, s.turns,
    (select coalesce(sum(minutes), 0)::float8 from entries where kind = 'grant') as granted,
    (select agent_minutes::float8 from workspaces where id = $1) as remaining
  from sums s left join agents a on a.workspace_id = $1 and a.id = s.agent_id
  order by s.minutes desc, a.name, s.agent_id`;

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
  const [begins, ends] = [borders.slice(0, -1), borders.at(-1)];
  const rows = await db.rows<Sum>(sums, [workspaceId, begins, begins[0], ends]);
  const used = ({ minutes, turns }: Pick<Sum, 'minutes' | 'turns'> = { minutes: 0, turns: 0 }) => ({
    minutes: minutes ?? 0,
    turns,
  });
  const total = rows.find((row) => row.over === over.all);
  if (!total) throw new Error('the sums have no total');
  return {
    object: 'usage',
    from,
    to,
    timezone,
    minutesGranted: total.granted,
    minutesUsed: total.minutes ?? 0,
    minutesRemaining: total.remaining,
    turns: total.turns,
    byDay: begins.map((_, place) => ({
      day: dayAfter(from, place),
      ...used(rows.find((row) => row.over === over.day && row.place === place + 1)),
    })),
    byAgent: rows.flatMap(({ agentId, name, ...sum }) =>
      agentId === null ? [] : [{ agentId, name: name ?? '', ...used(sum) }],
    ),
    byTrigger: usageTriggers.map((trigger) => ({
      trigger,
      ...used(rows.find((row) => row.over === over.trigger && row.trigger === trigger)),
    })),
  };
}
