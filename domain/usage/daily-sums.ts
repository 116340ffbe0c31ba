import type { Db } from '../../db/client.ts';

/** Entries that are summed up in one transaction, about; those of one day where it has more. */
const maxEntries = 5000;

/** The begin of a day in UTC, which no setting changes. */
export const beginOf = (day: string) => `(${day})::timestamp at time zone 'UTC'`;
/** The day of an instant in UTC. */
const dayOf = (instant: string) => `(${instant} at time zone 'UTC')::date`;

/*
 * The days that are over. An entry is committed within two hours of its `created_at`, or the trigger
 * `minute_entries_late` finds it: a transaction lasts for seconds (`db/time-limits.ts`), and an entry that is an hour
 * old when it is made is late.
 */
const today = dayOf(`(now() - interval '2 hours')`);

const summedUntil = `coalesce((select summed_until from minute_positions where workspace_id = $1), '-infinity')`;
const notSummed = `from minute_entries where workspace_id = $1 and created_at >= ${beginOf(summedUntil)}
    and created_at < ${beginOf(today)} order by created_at`;
const isBehind = `select 1 ${notSummed} limit 1`;
const place = `insert into minute_positions (workspace_id, summed_until) values ($1, '-infinity') on conflict do nothing`;
const lock = 'select summed_until::text as until from minute_positions where workspace_id = $1 for update';
const next = `select f.day::text as "from", (case when l.day is null then ${today} else greatest(l.day, f.day + 1) end)::text as until
  from (select ${dayOf('created_at')} as day ${notSummed} limit 1) f
    left join (select ${dayOf('created_at')} as day ${notSummed} offset $2 limit 1) l on true`;
const removeStale = 'delete from minute_days where workspace_id = $1 and day >= $2::date';
const move = 'update minute_positions set summed_until = $2::date where workspace_id = $1';

const quarterOf = (instant: string) => `floor(extract(epoch from ${instant}) / 900)::int`;

/*
 * $1 workspace, $2 first day, $3 the day after the last one. Quarters of an hour and days are counted from 1970.
 * `since`: the quarter of the charge of the turn before, null for its first. A turn has one agent and one trigger;
 * those of turns that were charged before on the same day matter to no report.
 */
const add = `insert into minute_days (workspace_id, day, granted, quarters, quarter_minutes, quarter_turns,
    agents, triggers, work_minutes, work_turns, again_quarters, again_after, again_work, again_turns)
  with entries as materialized (
    select kind, agent_id, trigger, turn_id, minutes, ${quarterOf('created_at')} as quarter
    from minute_entries
    where workspace_id = $1 and created_at >= ${beginOf('$2::date')} and created_at < ${beginOf('$3::date')}
  ), charges as materialized (
    select agent_id, trigger, turn_id, quarter, quarter / 96 as day, (-10 * minutes)::int as tenths
    from entries where kind <> 'grant'
  ), turns as materialized (
    select t.*, t.quarter / 96 as day, coalesce(lag(t.quarter) over (partition by t.turn_id order by t.quarter), (
        select ${quarterOf('max(e.created_at)')} from minute_entries e
        where e.workspace_id = $1 and e.turn_id = t.turn_id and e.created_at < ${beginOf('$2::date')})) as since
    from (select distinct turn_id, agent_id, trigger, quarter from charges where turn_id is not null) t
  ), quarters as (
    select day, quarter, sum(tenths) as tenths, sum(turn) as turns from (
      select day, quarter, tenths, 0 as turn from charges
      union all select day, quarter, 0, 1 from turns where since is null) c
    group by day, quarter
  ), works as materialized (
    select day, agent_id, trigger, sum(tenths) as tenths, sum(turn) as turns,
      row_number() over (partition by day order by agent_id, trigger) as place
    from (
      select day, agent_id, trigger, tenths, 0 as turn from charges
      union all select day, agent_id, trigger, 0, 1 from turns where since is null) c
    group by day, agent_id, trigger
  ), again as (
    select t.day, t.quarter, t.quarter - t.since as after,
      case when t.since / 96 < t.day then w.place else 0 end as place, count(*) as turns
    from turns t join works w on w.day = t.day
      and w.agent_id is not distinct from t.agent_id and w.trigger is not distinct from t.trigger
    where t.since is not null group by 1, 2, 3, 4
  ) select $1, date '1970-01-01' + g.day, g.granted,
    coalesce(q.quarters, '{}'), coalesce(q.tenths, '{}'), coalesce(q.turns, '{}'),
    coalesce(w.agents, '{}'), coalesce(w.triggers, '{}'), coalesce(w.tenths, '{}'), coalesce(w.turns, '{}'),
    coalesce(a.quarters, '{}'), coalesce(a.after, '{}'), coalesce(a.places, '{}'), coalesce(a.turns, '{}')
  from (
      select quarter / 96 as day, coalesce(sum(minutes) filter (where kind = 'grant'), 0) as granted from entries group by 1
    ) g left join (
      select day, array_agg(quarter % 96 order by quarter) as quarters, array_agg(tenths order by quarter) as tenths,
        array_agg(turns order by quarter) as turns from quarters group by day
    ) q on q.day = g.day left join (
      select day, array_agg(agent_id order by place) as agents, array_agg(trigger order by place) as triggers,
        array_agg(tenths order by place) as tenths, array_agg(turns order by place) as turns from works group by day
    ) w on w.day = g.day left join (
      select day, array_agg(quarter % 96) as quarters, array_agg(after) as after, array_agg(place) as places,
        array_agg(turns) as turns from again group by day
    ) a on a.day = g.day`;

/** Sums up the next days of a workspace. Returns whether there were any. */
function sumNextDays(db: Db, workspaceId: string, entries: number): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.rows(place, [workspaceId]);
    const [position] = await tx.rows<{ until: string }>(lock, [workspaceId]);
    const [days] = await tx.rows<{ from: string; until: string }>(next, [workspaceId, entries]);
    if (!position || !days) return false;
    await tx.rows(removeStale, [workspaceId, position.until]);
    await tx.rows(add, [workspaceId, days.from, days.until]);
    await tx.rows(move, [workspaceId, days.until]);
    return true;
  });
}

/**
 * Sums up the ledger of a workspace, for the days in UTC that are over and were not summed up yet: some days in each
 * transaction, which locks nothing that a charge needs. Entries of days before may be made at any time. `entries`:
 * about how many are summed up at a time; another number only in tests.
 */
export async function sumDays(db: Db, workspaceId: string, entries = maxEntries): Promise<void> {
  while ((await db.rows(isBehind, [workspaceId])).length > 0 && (await sumNextDays(db, workspaceId, entries)));
}
