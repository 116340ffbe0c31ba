import type { Db } from '../../db/client.ts';
import { beginOf } from './daily-sums.ts';
import type { UsageTrigger } from './shapes.ts';

const quarterMs = 15 * 60_000;
const dayMs = 96 * quarterMs;

/** What a sum of the ledger is of: a day, an agent, a trigger, or all days of the query. */
export type SumOf = 'day' | 'agent' | 'trigger' | 'all';

export interface Sum {
  of: SumOf;
  /** Place of the day, from 1. */
  place: number | null;
  agentId: string | null;
  name: string | null;
  trigger: UsageTrigger | null;
  minutes: number;
  turns: number;
  granted: number;
  remaining: number;
}

const instantOf = (ms: string) => `to_timestamp(${ms}::float8 / 1000)`;
const placeOf = (ms: string) => `width_bucket((${ms})::float8, $2::float8[])`;
const msOf = (instant: string) => `extract(epoch from ${instant}) * 1000`;

/** Turns that were charged again, with the time of their charge before. */
const again = `from days d cross join lateral unnest(d.again_quarters, d.again_after, d.again_work, d.again_turns)
        as a(quarter, after, work, turns)`;
const sinceOf = `d.begins + (a.quarter - a.after) * ${quarterMs}::float8`;

const columns = 'id, kind, agent_id, trigger, turn_id, minutes, created_at';

/*
 * $1 workspace, $2 begins of the days in ms, $3 the first of them, $4 the end of the last one; $5 and $6 the first and
 * the last midnight in UTC between. The days in UTC from `block.first` to `block.last` are read as they were summed up
 * (`daily-sums.ts`), what is before and after them entry by entry. One statement, so one snapshot: the sums agree with
 * each other and with the minutes left.
 *
 * A turn counts once in a day, and once in all: where its charge before, `since`, is not in it.
 */
const sums = `with block as (
    select case when first < last then first else ${instantOf('$4')} end as first,
      case when first < last then last else ${instantOf('$4')} end as last
    from (select ${instantOf('$5')} as first, least(${instantOf('$6')}, ${beginOf(
      `coalesce((select summed_until from minute_positions where workspace_id = $1), '-infinity')`,
    )}) as last) b
  ), entries as materialized (
    select ${columns} from minute_entries
    where workspace_id = $1 and created_at >= ${instantOf('$3')} and created_at < (select first from block)
    union all select ${columns} from minute_entries
    where workspace_id = $1 and created_at >= (select last from block) and created_at < ${instantOf('$4')}
  ), earlier as (
    select t.turn_id, (select max(e.created_at) from minute_entries e
      where e.workspace_id = $1 and e.turn_id = t.turn_id and e.created_at < (select last from block)) as at
    from (select distinct turn_id from entries where turn_id is not null and created_at >= (select last from block)) t
  ), charges as materialized (
    select agent_id, trigger, -10 * minutes as tenths, turn_id is not null as is_turn,
      ${placeOf(msOf('created_at'))} as place, ${msOf('since')} as since
    from (
      select c.*, case when c.before >= (select last from block) then c.before else coalesce(earlier.at, c.before) end as since
      from (select *, lag(created_at) over (partition by turn_id order by created_at, id) as before
        from entries where kind <> 'grant') c
        left join earlier on earlier.turn_id = c.turn_id and c.created_at >= (select last from block)
    ) c
  ), days as materialized (
    select *, (${msOf('day')})::float8 as begins from minute_days where workspace_id = $1
      and day >= ((select first from block) at time zone 'UTC')::date and day < ((select last from block) at time zone 'UTC')::date
  ), by_day as (
    select place, sum(tenths) / 10 as minutes, sum(turns) as turns from (
      select place, tenths, (is_turn and (since is null or since < ($2::float8[])[place]))::int as turns from charges
      union all select ${placeOf(`d.begins + q.quarter * ${quarterMs}`)}, q.tenths, q.turns
        from days d cross join lateral unnest(d.quarters, d.quarter_minutes, d.quarter_turns) as q(quarter, tenths, turns)
      union all select place, 0, turns from (
        select ${placeOf(`d.begins + a.quarter * ${quarterMs}`)} as place, ${sinceOf} as since, a.turns ${again}) a
      where since < ($2::float8[])[place]
    ) d group by place
  ), by_work as (
    select grouping(agent_id, trigger) as over, agent_id, trigger, sum(tenths) / 10 as minutes, sum(turns) as turns from (
      select agent_id, trigger, tenths, (is_turn and (since is null or since < $3::float8))::int as turns from charges
      union all select w.agent_id, w.trigger, w.tenths, w.turns
        from days d cross join lateral unnest(d.agents, d.triggers, d.work_minutes, d.work_turns)
          as w(agent_id, trigger, tenths, turns)
      union all select d.agents[a.work], d.triggers[a.work], 0, a.turns ${again} where a.work > 0 and ${sinceOf} < $3::float8
    ) w group by grouping sets ((agent_id), (trigger), ())
  ), all_sums as (
    select 'day' as of, place, null::uuid as agent_id, null::text as trigger, minutes, turns from by_day
    union all select case over when 1 then 'agent' when 2 then 'trigger' else 'all' end, null, agent_id, trigger, minutes, turns
      from by_work
  ) select s.of, s.place, s.agent_id as "agentId", a.name, s.trigger, coalesce(s.minutes, 0)::float8 as minutes,
    coalesce(s.turns, 0)::int as turns,
    (select coalesce(sum(minutes), 0)::float8 from (
      select minutes from entries where kind = 'grant' union all select granted from days) g) as granted,
    (select agent_minutes::float8 from workspaces where id = $1) as remaining
  from all_sums s left join agents a on a.workspace_id = $1 and a.id = s.agent_id
  order by s.minutes desc, a.name, s.agent_id`;

/**
 * The sums of the ledger of a workspace in the days that begin at these times; the last of `borders` is the end of the
 * last day. Milliseconds since 1970.
 */
export function sumsOf(db: Db, workspaceId: string, borders: readonly number[]): Promise<Sum[]> {
  const begins = borders.slice(0, -1);
  const [from = 0, ends = 0] = [borders[0], borders.at(-1)];
  // Days of sums are made of quarters of an hour; time zones of the far past had other borders.
  const isOfQuarters = borders.every((border) => border % quarterMs === 0);
  const [first, last] = isOfQuarters
    ? [Math.ceil(from / dayMs) * dayMs, Math.floor(ends / dayMs) * dayMs]
    : [ends, ends];
  return db.rows<Sum>(sums, [workspaceId, begins, from, ends, first, last]);
}
