import type { Db } from '../../../db/client.ts';
import { wake } from '../../../domain/jobs.ts';
import { byWorkspace, claimAnywhere, claimTexts } from './leases-citus.ts';
import type { Claimed, LeasedRow, Share, WorkTable } from './work-table.ts';

export type { Claimed, LeasedRow, Share, WorkTable } from './work-table.ts';

/** How long a worker holds a claim without renewing it, in seconds. It renews it this many times in that time. */
export const leaseSeconds = 12;
export const renewalsPerLease = 4;

/** Candidates for a claim beyond those wanted: other processes may claim some of them first. */
const spare = 8;

/** Rows that wait are counted up to so many: the count of more would take long. */
export const maxCounted = 10_000;

/** The leases on the rows of one table. Each method is one statement; `claim` and `renew` never wait for a lock. */
export interface Leases<Claim extends LeasedRow> {
  readonly name: string;
  readonly leaseSeconds: number;
  /** Selects `due` of the rows that may be claimed now, of up to `maxCounted`. */
  readonly waiting: string;
  /**
   * Claims up to `limit` rows that are due, or whose lease has ended. Workspaces take turns, beginning with the one
   * after `after`, and within a workspace what is due longest comes first. The last claim is that of the last turn.
   * With a `share`, a workspace that has it gets no more.
   */
  claim(db: Db, limit: number, workerId: string, after: string, share?: Share): Promise<Claimed<Claim>>;
  /** Whether rows of other workspaces wait for a worker. */
  othersWait(db: Db, workspaceId: string): Promise<boolean>;
  /** Renews the leases of claims, and returns those that the worker still holds. */
  renew(db: Db, claims: readonly Claim[]): Promise<Set<Claim>>;
  /** Gives a row back after its work failed; it is due again in `seconds`. Does nothing when the lease was lost. */
  retry(db: Db, claim: Claim, seconds: number): Promise<void>;
  /**
   * Gives a row that was not worked on to other processes, at once or in `seconds`. Does nothing when the lease was
   * lost.
   */
  handBack(db: Db, claim: Claim, seconds?: number): Promise<void>;
  /** Deletes rows whose work is done, but not those whose lease was lost. */
  remove(db: Db, claims: readonly Claim[]): Promise<void>;
  /**
   * Makes rows due that were to be due before the clock of the database was set back: they would wait until that time
   * comes again.
   */
  recall(db: Db): Promise<void>;
}

/** Those held are not among the rows found: their leases last. */
const withinShare = 'and w.nth + (select count(*) from unnest($5::uuid[]) h(id) where h.id = r.workspace_id) <= $6';

function claimText<Claim extends LeasedRow>(table: WorkTable<Claim>, seconds: number, share = ''): string {
  const { name, due, attempt, open, eligible = 'true', onClaim, columns, joins = '' } = table;
  // A row is due in the millisecond in which it was made, to which its time is rounded up.
  const isDue = `${open} and t.${due} < now() + interval '1 millisecond'`;
  const next = (condition: string) =>
    `(select t.workspace_id from ${name} t where ${isDue} and ${condition} order by t.workspace_id, t.${due} limit 1)`;
  // The orders and the places of rows (`ctid`) leave the planner one index and no join, also while a table is empty and
  // has no statistics. A row that is changed between two of the steps is missed, and found by the next claim.
  // `ring`: workspaces with work that is due, from the one after $3 on and round to it. Each step is one look into the
  // index, however much work a workspace has.
  return `with recursive ring as (
    select $3::uuid as workspace_id, 0 as place, 0 as lap
  union all
    select n.workspace_id, r.place + 1, n.lap from ring r cross join lateral (
      select a.workspace_id, r.lap from ${next('t.workspace_id > r.workspace_id and (r.lap = 0 or t.workspace_id <= $3)')} a
      union all
      select b.workspace_id, 1 from ${next('r.lap = 0 and t.workspace_id <= $3')} b
      limit 1
    ) n where r.place < $4
  ), found as materialized (
    select w.row, w.nth, r.place from ring r cross join lateral (
      select o.row, row_number() over (order by o.${due}) as nth from (
        select t.ctid as row, t.${due} from ${name} t where t.workspace_id = r.workspace_id and ${isDue} and ${eligible}
        order by t.${due} limit $4
      ) o
    ) w where r.place > 0 ${share} order by w.nth, r.place limit $4
  ), locked as materialized (
    select f.* from found f join ${name} t on t.ctid = f.row
    where ${isDue} order by f.nth, f.place limit $1 for no key update of t skip locked
  ), claimed as (
    update ${name} t set ${attempt} = t.${attempt} + 1, ${due} = now() + interval '${seconds} seconds'${onClaim ? `, ${onClaim}` : ''}
    from locked l where t.ctid = l.row returning t.*, l.nth, l.place
  )
  select c.*, x.* from (select count(*)::int as found, $2::uuid as worker,
      (select r.workspace_id from ring r where r.place = $4) as reached from found) c left join (
    select t.workspace_id as "workspaceId", t.${attempt} as attempt, ${columns}, t.nth, t.place from claimed t ${joins}
  ) x on true order by x.nth, x.place`;
}

/**
 * The statements on claims: `m` are those given as arrays, in the order of `valuesOf`. `isOfOne`: all are of one
 * workspace, which is the last parameter.
 */
function claimedTexts<Claim extends LeasedRow>(table: WorkTable<Claim>, seconds: number, isOfOne: boolean) {
  const { name, key, due, attempt, open, held = open, onRelease, onHandBack } = table;
  const types = ['uuid', ...key.map(({ type }) => type), 'int'];
  const columns = ['workspace_id', ...key.map(({ column }) => column)];
  const arrays = types.map((type, place) => `$${place + 1}::${type}[]`).join(', ');
  const given = `unnest(${arrays}) with ordinality as m(${columns.join(', ')}, attempt, place)`;
  const same = (alias: string) => columns.map((each) => `t.${each} = ${alias}.${each}`).join(' and ');
  const within = (place: number) => (isOfOne ? ` and t.workspace_id = $${types.length + place}::uuid` : '');
  const isHeldWithin = (place: number) => `${same('m')} and t.${attempt} = m.attempt and ${held}${within(place)}`;
  const isHeld = isHeldWithin(1);
  const after = `$${types.length + 1}::float8`;
  const release = (...assignments: (string | undefined)[]) => {
    const set = [`${due} = now() + make_interval(secs => ${after})`, onRelease, ...assignments].filter(Boolean);
    return `update ${name} t set ${set.join(', ')} from ${given} where ${isHeldWithin(2)} returning 1`;
  };
  return {
    // A row that is locked is passed over: the step that holds it may take long, and renewals must not queue up behind
    // it, each with a connection. Nobody else can claim it meanwhile.
    renew: `with free as materialized (
      select ${columns.map((each) => `t.${each}`).join(', ')} from ${name} t join ${given} on ${isHeld}
      for no key update of t skip locked
    ), renewed as (
      update ${name} t set ${due} = now() + interval '${seconds} seconds' from free f where ${same('f')}${within(1)}
    ) select m.place::int as place from ${name} t join ${given} on ${isHeld}`,
    retry: release(),
    handBack: release(onHandBack),
    remove: `delete from ${name} t using ${given} where ${same('m')} and t.${attempt} = m.attempt${within(1)}`,
  };
}

/** The workspaces with rows that are due too late, and the statement that makes those of one due. */
function recallTexts<Claim extends LeasedRow>({ name, due, open }: WorkTable<Claim>, isSoon: string) {
  const isAhead = `${open} and ${isSoon} and t.${due} > now() + interval '2 minutes'`;
  return {
    ahead: `select distinct t.workspace_id as id from ${name} t where ${isAhead}`,
    recall: `update ${name} t set ${due} = now() where t.workspace_id = $1 and ${isAhead}`,
  };
}

/** In the order of the index, as in a claim: the planner has no other way than the partial index. */
function waitingText<Claim extends LeasedRow>(table: WorkTable<Claim>, limit: number, condition = 'true'): string {
  const { name, due, open, eligible = 'true' } = table;
  return `select t.${due} as due from ${name} t where ${open} and t.${due} < now() and ${condition} and ${eligible}
    order by t.workspace_id, t.${due} limit ${limit}`;
}

/** The leases on the rows of a table. */
export function leasesOf<Claim extends LeasedRow>(table: WorkTable<Claim>): Leases<Claim> {
  const { leaseSeconds: seconds = leaseSeconds } = table;
  const [claim, claimWithin] = [claimText(table, seconds), claimText(table, seconds, withinShare)];
  const onCitus = claimTexts(table, seconds);
  const recalls = table.isSoon === undefined ? undefined : recallTexts(table, table.isSoon);
  const elsewhere = waitingText(table, 1, 't.workspace_id <> $1::uuid');
  const [everywhere, withinOne] = [claimedTexts(table, seconds, false), claimedTexts(table, seconds, true)];
  const textsOn = ({ engine }: Pick<Db, 'engine'>) => (engine === 'citus' ? withinOne : everywhere);
  /** The values of a statement of `textsOn`: one on all claims, or one for each workspace. */
  const batchesOn = ({ engine }: Pick<Db, 'engine'>, claims: readonly Claim[], ...more: unknown[]) => {
    if (engine === 'postgres') return [{ batch: claims, values: [...valuesOf(claims), ...more] }];
    return byWorkspace(claims).map((batch) => ({
      batch,
      values: [...valuesOf(batch), ...more, batch[0]?.workspaceId],
    }));
  };
  const valuesOf = (claims: readonly Claim[]) => [
    claims.map(({ workspaceId }) => workspaceId),
    ...table.key.map(({ property }) => claims.map((each) => each[property])),
    claims.map(({ attempt }) => attempt),
  ];
  return {
    name: table.name,
    leaseSeconds: seconds,
    waiting: waitingText(table, maxCounted),
    claim: async (db, limit, workerId, after, share) => {
      if (db.engine === 'citus') return claimAnywhere<Claim>(db, onCitus, { limit, spare, workerId, after, share });
      type Row = Claim & Pick<Claimed<Claim>, 'found' | 'reached'>;
      const values = [limit, workerId, after, limit + spare];
      const rows = await (share
        ? db.rows<Row>(claimWithin, [...values, share.held, share.most])
        : db.rows<Row>(claim, values));
      const [{ found, reached } = { found: 0, reached: null }] = rows;
      return { claims: rows.filter(({ workspaceId }) => workspaceId !== null), found, reached };
    },
    othersWait: async (db, workspaceId) => (await db.rows(elsewhere, [workspaceId])).length > 0,
    renew: async (db, claims) => {
      const held = new Set<Claim>();
      for (const { batch, values } of batchesOn(db, claims)) {
        const rows = await db.rows<{ place: number }>(textsOn(db).renew, values);
        for (const { place } of rows) for (const claim of batch.slice(place - 1, place)) held.add(claim);
      }
      return held;
    },
    retry: async (db, each, after) => {
      for (const { values } of batchesOn(db, [each], after)) await db.rows(textsOn(db).retry, values);
    },
    handBack: async (db, each, after = 0) => {
      for (const { values } of batchesOn(db, [each], after)) {
        const freed = await db.rows(textsOn(db).handBack, values);
        if (table.notifies && freed.length > 0 && after === 0) wake(db, table.notifies);
      }
    },
    remove: async (db, claims) => {
      for (const { values } of batchesOn(db, claims)) await db.rows(textsOn(db).remove, values);
    },
    recall: async (db) => {
      if (!recalls) return;
      for (const { id } of await db.rows<{ id: string }>(recalls.ahead, [])) await db.rows(recalls.recall, [id]);
    },
  };
}
