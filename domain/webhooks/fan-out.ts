import { v7 as newId } from 'uuid';
import type { Db } from '../../db/client.ts';
import { type EventArgumentsInput, isWanted } from '../events/occurrences.ts';
import { readAddressedEvents } from '../events/read.ts';
import { wake } from '../jobs.ts';
import { type Next, saveOnCitus } from './fan-out-citus.ts';
import { sentTypes, type WantedType } from './rights.ts';

/** Endpoints that one transaction looks at, and events of a workspace. */
const maxEndpoints = 20;
const maxEvents = 500;

/** An endpoint with events behind its position. */
interface Behind {
  workspaceId: string;
  endpointId: string;
  userId: string;
  isOfKey: boolean;
  subscription: EventArgumentsInput | null;
  types: WantedType[];
  sequence: string;
}

const columns = `e.workspace_id as "workspaceId", e.id as "endpointId", e.user_id as "userId",
  coalesce(e.credential_id, e.connected_app_id) is not null as "isOfKey", e.subscription, e.types, e.sequence`;
const isOpen = 'e.enabled and (e.expires_at is null or e.expires_at > now())';
const behind = (where: string) => `webhook_endpoints e join event_positions p on p.workspace_id = e.workspace_id
  where ${where} e.sequence < p.latest and ${isOpen}`;
const lockedFirst = 'for no key update of e skip locked';
/**
 * Endpoints near the end of the log are served apart from those far behind, which have many pages of events before
 * them, as after they were asked to send old ones again. Of those near the farthest comes first; those far behind take
 * turns, by chance.
 */
const distances = {
  near: { condition: `e.sequence >= p.latest - ${maxEvents} and`, order: 'e.sequence, e.id' },
  far: { condition: `e.sequence < p.latest - ${maxEvents} and`, order: 'random()' },
};
type Distance = keyof typeof distances;
const ofThese = 'e.workspace_id = any($1::uuid[]) and';
function textsOf({ condition, order }: (typeof distances)[Distance]) {
  return {
    // Each workspace is one look into the index, however many endpoints there are elsewhere. Those that are behind get
    // as many places each: one with many endpoints and events does not hold up the others.
    postgres: `with w as materialized (select c.id from unnest($1::uuid[]) as c(id) cross join lateral (
        select 1 from ${behind(`${condition} e.workspace_id = c.id and`)} limit 1) b limit ${maxEndpoints})
      select x.* from w cross join lateral (select ${columns} from ${behind(`${condition} e.workspace_id = w.id and`)}
        order by ${order} limit (select ceil(${maxEndpoints}::numeric / count(*))::int from w) ${lockedFirst}) x
      limit ${maxEndpoints}`,
    // Where a statement locks rows of one workspace, and the positions are tables of the coordinator.
    citus: `select ${columns} from ${behind(`${condition} ${ofThese}`)}
      order by array_position($1::uuid[], e.workspace_id), ${order} limit ${maxEndpoints}`,
  };
}
const behindIn = { near: textsOf(distances.near), far: textsOf(distances.far) };
const lockOfWorkspace = `select ${columns} from webhook_endpoints e
  where e.workspace_id = $1 and e.id = any($2::uuid[]) and ${isOpen} ${lockedFirst}`;

/** The endpoints that are so far behind, with their rows locked; some of each workspace. */
async function lockBehind(tx: Db, workspaceIds: readonly string[], distance: Distance): Promise<Behind[]> {
  const found = await tx.rows<Behind>(behindIn[distance][tx.engine], [workspaceIds]);
  if (tx.engine === 'postgres') return found;
  const locked: Behind[] = [];
  for (const [id, endpoints] of Map.groupBy(found, ({ workspaceId }) => workspaceId)) {
    locked.push(...(await tx.rows<Behind>(lockOfWorkspace, [id, endpoints.map(({ endpointId }) => endpointId)])));
  }
  return locked;
}
const workspacesAnywhere = `select distinct e.workspace_id as "workspaceId" from ${behind('')}`;
const workspacesIn = `select e.workspace_id as "workspaceId", bool_or(e.sequence < p.latest - ${maxEvents}) as "hasFar"
  from ${behind(ofThese)} group by 1`;

/*
 * Exactly one delivery for each event and endpoint: one that is there already is sent again when it was not delivered,
 * or when the endpoint asked for all of them again.
 */
const insert = `insert into webhook_deliveries as d
    (workspace_id, id, endpoint_id, event_id, sequence, type, due_at)
  select g."workspaceId", g.id, g."endpointId", g."eventId", g.sequence, g.type, now()
  from jsonb_to_recordset($1::jsonb) as g("workspaceId" uuid, id uuid, "endpointId" uuid, "eventId" uuid,
    sequence bigint, type text)
  on conflict (workspace_id, endpoint_id, event_id) do update
    set status = 'pending', tries = 0, due_at = now(), ended_at = null
    where d.status in ('failed', 'cancelled') or (d.status = 'delivered' and d.sequence <= (
      select e.resend_to from webhook_endpoints e where e.workspace_id = d.workspace_id and e.id = d.endpoint_id))`;
// The rows are locked, so their places (`ctid`) are theirs; a join would read all endpoints of the service.
const move = `with moved as (
    update webhook_endpoints e set sequence = g.sequence,
      due_at = case when g."hasMore" and not e.is_leased then greatest(now(), e.paused_until) else e.due_at end
    from jsonb_to_recordset($1::jsonb) as g("workspaceId" uuid, "endpointId" uuid, sequence bigint, "hasMore" boolean)
      cross join lateral (select x.ctid from webhook_endpoints x
        where x.workspace_id = g."workspaceId" and x.id = g."endpointId" limit 1) l
    where e.ctid = l.ctid returning g."hasMore"
  ) select 1 from moved where "hasMore" limit 1`;

/** The position of one of the endpoints: the farthest of those near the end, any of those far behind. */
function startOf(endpoints: readonly Behind[], distance: Distance): number {
  const positions = endpoints.map(({ sequence }) => Number(sequence));
  if (distance === 'near') return Math.min(...positions);
  return positions[Math.floor(Math.random() * positions.length)] ?? 0;
}

/**
 * The deliveries for the next events behind a position, of the endpoints that these bring on, and their new positions.
 */
async function nextOf(tx: Db, workspaceId: string, found: readonly Behind[], after: number): Promise<Next[]> {
  const { addressed, through } = await readAddressedEvents(tx, { workspaceId, after, limit: maxEvents });
  const isWithin = ({ sequence }: Behind) => Number(sequence) >= after && Number(sequence) < after + maxEvents;
  return found.filter(isWithin).map(({ endpointId, userId, isOfKey, subscription, types, sequence }) => {
    const wanted = sentTypes(types, isOfKey);
    const deliveries = addressed.flatMap(({ event, readerId }) => {
      const isNew = event.sequence > Number(sequence);
      if (!isNew || !wanted.has(event.type) || (readerId !== null && readerId !== userId)) return [];
      if (subscription !== null && !isWanted(event, subscription)) return [];
      return [{ workspaceId, id: newId(), endpointId, eventId: event.id, sequence: event.sequence, type: event.type }];
    });
    const moved = { workspaceId, endpointId, sequence: Math.max(Number(sequence), through) };
    return { deliveries, moved: { ...moved, hasMore: deliveries.length > 0 } };
  });
}

/** Saves the deliveries and the positions. Whether an endpoint has something to send. */
async function save(tx: Db, next: readonly Next[]): Promise<boolean> {
  if (tx.engine === 'citus') return saveOnCitus(tx, next);
  const deliveries = next.flatMap((each) => each.deliveries);
  if (deliveries.length > 0) await tx.rows(insert, [JSON.stringify(deliveries)]);
  return (await tx.rows(move, [JSON.stringify(next.map(({ moved }) => moved))])).length > 0;
}

/** The workspaces with endpoints that are behind. */
export async function workspacesBehind(db: Db): Promise<string[]> {
  const found = await db.rows<Pick<Behind, 'workspaceId'>>(workspacesAnywhere, []);
  return found.map(({ workspaceId }) => workspaceId);
}

/** Workspaces where something may be left to do. */
export interface Made {
  /** Deliveries were made for some of their endpoints. */
  served: string[];
  /** All of their endpoints that are behind are locked, or others came first. */
  left: string[];
}

/** Makes the deliveries of endpoints that are so far behind. Returns their workspaces. */
function makeFor(db: Db, workspaceIds: readonly string[], distance: Distance): Promise<string[]> {
  return db.transaction(async (tx) => {
    const found = Map.groupBy(await lockBehind(tx, workspaceIds, distance), ({ workspaceId }) => workspaceId);
    const next: Next[] = [];
    for (const [workspaceId, endpoints] of found) {
      next.push(...(await nextOf(tx, workspaceId, endpoints, startOf(endpoints, distance))));
    }
    if (next.length > 0 && (await save(tx, next))) wake(tx, 'webhooks');
    return [...found.keys()];
  });
}

/**
 * Makes the deliveries of some endpoints of these workspaces for events behind their positions, and moves these on in
 * the same transaction: first those near the end of the log, then those far behind. Endpoints whose row is locked are
 * left out.
 */
export async function makeDeliveries(db: Db, workspaceIds: readonly string[]): Promise<Made> {
  const served = new Set(await makeFor(db, workspaceIds, 'near'));
  const rows = await db.rows<Pick<Behind, 'workspaceId'> & { hasFar: boolean }>(workspacesIn, [workspaceIds]);
  const farIds = new Set(rows.filter(({ hasFar }) => hasFar).map(({ workspaceId }) => workspaceId));
  // In the order given: those that were not served come first the next time.
  const far = workspaceIds.filter((id) => farIds.has(id));
  if (far.length > 0) for (const id of await makeFor(db, far, 'far')) served.add(id);
  const still = new Set(rows.map(({ workspaceId }) => workspaceId));
  return { served: [...served], left: workspaceIds.filter((id) => still.has(id) && !served.has(id)) };
}
