import type { Db } from '../../../db/client.ts';
import type { Claimed, LeasedRow, Share, WorkTable } from './work-table.ts';

/*
 * Claims on Citus, where a statement locks rows of one workspace: what is due anywhere is looked for without locks, and
 * then claimed workspace by workspace, each in a statement of its own.
 */

interface Candidate {
  workspaceId: string;
}

/** The texts of a table: `$1` how many, `$2` the worker or the workspace to begin after, `$3` the workspace. */
export interface ClaimTexts {
  candidates: string;
  ofWorkspace: string;
}

export function claimTexts<Claim extends LeasedRow>(table: WorkTable<Claim>, seconds: number): ClaimTexts {
  const { name, key, due, attempt, open, eligible = 'true', onClaim, columns, joins = '' } = table;
  const isDue = `${open} and t.${due} < now() + interval '1 millisecond'`;
  // A subquery is found by the parameter, not by the row around it.
  const eligibleHere = eligible.replaceAll('= t.workspace_id', '= $3');
  const keys = key.map(({ column }) => `t.${column}`).join(', ');
  const same = key.map(({ column }) => `t.${column} = l.${column}`).join(' and ');
  return {
    candidates: `select w.workspace_id as "workspaceId" from (
        select t.workspace_id, row_number() over (partition by t.workspace_id order by t.${due}) as nth
        from ${name} t where ${isDue} and ${eligible}
      ) w where w.nth <= $1 order by w.nth, w.workspace_id <= $2::uuid, w.workspace_id limit $1`,
    ofWorkspace: `with locked as materialized (
        select ${keys}, row_number() over (order by o.${due}) as nth from (
          select t.* from ${name} t where t.workspace_id = $3 and ${isDue} and ${eligibleHere}
          order by t.${due} limit $1 for no key update of t skip locked
        ) o join ${name} t on t.workspace_id = $3 and ${key.map(({ column }) => `t.${column} = o.${column}`).join(' and ')}
      ), claimed as (
        update ${name} t set ${attempt} = t.${attempt} + 1, ${due} = now() + interval '${seconds} seconds'${onClaim ? `, ${onClaim}` : ''}
        from locked l where t.workspace_id = $3 and ${same} returning t.*, l.nth, $2::uuid as worker
      )
      select t.workspace_id as "workspaceId", t.${attempt} as attempt, ${columns} from claimed t ${joins}
      where t.workspace_id = $3 order by t.nth`,
  };
}

interface Wanted {
  limit: number;
  spare: number;
  workerId: string;
  after: string;
  share?: Share | undefined;
}

/** Those that a workspace may still have of its share. */
function withinShare(found: readonly Candidate[], { most, held }: Share): Candidate[] {
  const counts = new Map<string, number>();
  for (const id of held) counts.set(id, (counts.get(id) ?? 0) + 1);
  return found.filter(({ workspaceId }) => {
    const count = (counts.get(workspaceId) ?? 0) + 1;
    counts.set(workspaceId, count);
    return count <= most;
  });
}

/** Claims up to `limit` rows, as `Leases.claim` does. Those of one workspace are claimed at once, all or none. */
export async function claimAnywhere<Claim extends LeasedRow>(
  db: Db,
  { candidates, ofWorkspace }: ClaimTexts,
  { limit, spare, workerId, after, share }: Wanted,
): Promise<Claimed<Claim>> {
  const found = await db.rows<Candidate>(candidates, [limit + spare, after]);
  const allowed = share ? withinShare(found, share) : found;
  const wanted = Map.groupBy(allowed.slice(0, limit), ({ workspaceId }) => workspaceId);
  const turns: Claim[][] = [];
  for (const [workspaceId, { length }] of wanted) {
    turns.push(await db.rows<Claim>(ofWorkspace, [length, workerId, workspaceId]));
  }
  const longest = Math.max(0, ...turns.map(({ length }) => length));
  const claims = Array.from({ length: longest }, (_, nth) => turns.flatMap((each) => each[nth] ?? [])).flat();
  const isFull = found.length === limit + spare;
  const last = [...wanted.keys()].at(-1) ?? found.at(-1)?.workspaceId ?? null;
  return { claims, found: allowed.length, reached: isFull ? last : null };
}

/** The claims of each workspace. */
export function byWorkspace<Claim extends LeasedRow>(claims: readonly Claim[]): Claim[][] {
  return [...Map.groupBy(claims, ({ workspaceId }) => workspaceId).values()];
}
