import { setTimeout as sleep } from 'node:timers/promises';
import type { Plan } from './connection.ts';
import { type Ask, DirectNodes, type NodeAddress, type Worker } from './direct-nodes.ts';
import { type DirectText, directOf, type Shards } from './engine/direct.ts';
import { errorCode, isConnectionLoss, isDatabaseError } from './errors.ts';
import { failure } from './hosts.ts';
import { rowsOf, type Statements } from './rows.ts';
import { timeLimits } from './time-limits.ts';
import { NotCommitted, type Scope, sendTransaction } from './transaction.ts';
import type { PoolsBase } from './work-pools.ts';

interface Sent {
  text: string;
  values: readonly unknown[];
  plan: Plan;
  workspaceId: string;
}

/** Where a workspace is: the worker, and its shards there. `shard` is that of the table of workspaces. */
interface Place {
  node: NodeAddress;
  shard: string;
  shards: Shards;
}

/** Workspaces whose places are remembered, and shards. */
const [maxPlaces, maxShards] = [20_000, 1000];
/** A place that could not be found is looked up again after so many ms. */
const pauseMs = 5000;
/** A read that was lost after so many ms is not repeated at the coordinator, which would wait for the same worker. */
const maxLossMs = 1000;

/** SQLSTATE of a table that does not exist, as a shard that was moved. */
const noTable = '42P01';
/** SQLSTATE of a server that has no connection left. */
const tooMany = '53300';

const find = `with own as (
    select shardid, shardminvalue from pg_dist_shard
    where shardid = get_shard_id_for_distribution_column('workspaces', $1::uuid))
  select c.relname as name, s.shardid::text as shard, n.nodename as host, n.nodeport as port, n.groupid as "group", own.shardid::text as own
  from own, pg_dist_partition p join pg_class c on c.oid = p.logicalrelid
    join pg_dist_shard s on s.logicalrelid = p.logicalrelid
    join pg_dist_placement l on l.shardid = s.shardid
    join pg_dist_node n on n.groupid = l.groupid and n.noderole = 'primary' and n.isactive
  where (p.partmethod = 'h' and s.shardminvalue = own.shardminvalue or p.partmethod = 'n' and p.repmodel = 't')
    and l.groupid = (select o.groupid from pg_dist_placement o where o.shardid = own.shardid)`;

interface Found {
  name: string;
  shard: string;
  host: string;
  port: number;
  group: number;
  own: string;
}

/** Asks the coordinator where a workspace is. @throws Error when it has no shard. */
export async function findPlace(ask: Ask, workspaceId: string): Promise<Place> {
  const found = await ask<Found>(find, [workspaceId]);
  const [first] = found;
  if (!first) throw new Error('The workspace has no shard');
  const { host, port, group, own } = first;
  const shards = new Map(found.map((each) => [each.name, `${each.name}_${each.shard}`]));
  return { node: { name: `${host}:${port}`, host, port, group }, shard: own, shards };
}

/**
 * Whether the worker still has the shard. A move of a shard commits on the worker before anybody can write elsewhere.
 * So if it is still there after a read, that read was the state of the workspace.
 */
const stateText = `select pg_is_in_recovery() as "isStandby", exists (select from pg_dist_placement p
  join pg_dist_local_group g on g.groupid = p.groupid where p.shardid = $1) as "isThere"`;

interface State {
  /** It was switched over: what it has may be old. */
  isStandby: boolean;
  isThere: boolean;
}

const lost = Symbol('the shard is not there any more');

/** Sends a statement; calls `begin` when it may have an effect from then on. */
type Run = <Row>(
  place: Place,
  worker: Worker,
  direct: DirectText,
  sent: Sent,
  begin: () => void,
) => Promise<Row[] | typeof lost>;

/**
 * Milliseconds after which a change that waits for a shard being moved goes on to wait on the coordinator: others need
 * the connections here.
 */
const maxMoveMs = 200;

/**
 * Begins a change with the lock that Citus takes for it (`AcquireMetadataLocks`: ShareLock, on all that is colocated
 * with the shard). Who moves or splits the shard has it exclusively on every node, until the new place is committed
 * there.
 */
const beginChange = (shard: string) => `begin read write; set local lock_timeout = ${maxMoveMs};
  select lock_shard_metadata(5, array[${shard}]); set local lock_timeout = ${timeLimits.requests.maxLockMs}`;
/**
 * With a later snapshot than that of the lock: an error where the shard is not there any more, as the worker knows it.
 */
const requireShard = `select case when not exists (select from pg_dist_placement p
  join pg_dist_local_group g on g.groupid = p.groupid where p.shardid = $1) then current_setting('tandem.shard_has_moved') end`;
/** SQLSTATE of a setting that does not exist. */
const noSetting = '42704';

/**
 * Statements of workspaces on the Citus workers that have them (`engine/direct.ts`). A worker is examined in the
 * background when the first workspace of it is asked for, and again after it could not be reached: until then, and for
 * whatever else cannot be sent there, Citus answers as for every other statement.
 */
export class DirectStatements {
  readonly #ask: Ask;
  readonly #nodes: DirectNodes;
  readonly #places = new Map<string, Place | undefined>();
  readonly #byShard = new Map<string, Place>();

  constructor(options: PoolsBase, poolSize: number, ask: Ask) {
    this.#ask = ask;
    this.#nodes = new DirectNodes(options, poolSize, ask, (name) => this.#forget(name));
  }

  /**
   * The rows of a statement; undefined: Citus has to run it, and nothing was changed. @throws PoolError, the error of a
   * statement that took too long, or of a change that may have been committed.
   */
  async rows<Row>(
    text: string,
    values: readonly unknown[],
    plan: Plan,
    workspaceId: string,
  ): Promise<Row[] | undefined> {
    const direct = directOf(text);
    if (!direct?.workspaces.every((place) => values[place - 1] === workspaceId)) return undefined;
    const place = this.#placeOf(workspaceId);
    const worker = place && this.#nodes.at(place.node);
    if (!place || !worker) return undefined;
    let hasBegun = false;
    const began = performance.now();
    const begin = () => {
      hasBegun = true;
    };
    try {
      const run = direct.isWrite ? this.#change<Row> : this.#read<Row>;
      const rows = await run(place, worker, direct, { text, values, plan, workspaceId }, begin);
      if (rows !== lost) return rows;
    } catch (thrown) {
      const isUndone = thrown instanceof NotCommitted;
      const mayBeDone = direct.isWrite && hasBegun && !isUndone;
      const error = isUndone ? thrown.cause : thrown;
      if (isUndone && thrown.isOfBegin && isDatabaseError('lockTimeout', error)) return undefined;
      // It would take too long, or wait too long, there too.
      if (isDatabaseError('tooLong', error) || (errorCode(error) ?? '').startsWith('POOL_')) throw error;
      if (errorCode(error) === tooMany) return undefined;
      if (isConnectionLoss(error) || isDatabaseError('unreachable', error)) {
        const wasSilent = performance.now() - began > maxLossMs;
        this.#nodes.lose(place.node.name, worker, wasSilent);
        if (wasSilent || mayBeDone) throw error;
        // What else is wrong with it, Citus finds again.
      } else if (mayBeDone) throw error;
      else if (errorCode(error) !== noTable && errorCode(error) !== noSetting) return undefined;
    }
    this.#places.delete(workspaceId);
    return undefined;
  }

  close(seconds: number): Promise<void> {
    return this.#nodes.close(seconds);
  }

  /** Where the workspace is; undefined until that is found. */
  #placeOf(workspaceId: string): Place | undefined {
    if (!this.#places.has(workspaceId)) {
      if (this.#places.size >= maxPlaces) this.#places.clear();
      this.#places.set(workspaceId, undefined);
      this.#find(workspaceId).catch(async () => {
        await sleep(pauseMs, undefined, { ref: false });
        this.#places.delete(workspaceId);
      });
    }
    return this.#places.get(workspaceId);
  }

  async #find(workspaceId: string): Promise<void> {
    const found = await findPlace(this.#ask, workspaceId);
    // Workspaces of the same shards share their texts.
    const key = [found.shard, found.node.group, found.node.name, ...[...found.shards.values()].sort()].join(' ');
    const place = this.#byShard.get(key) ?? found;
    if (this.#byShard.size >= maxShards) this.#byShard.clear();
    this.#byShard.set(key, place);
    if (this.#places.has(workspaceId)) this.#places.set(workspaceId, place);
  }

  /** Forgets the places at the worker: where its shards are is asked again. */
  #forget(name: string): void {
    for (const [workspaceId, place] of this.#places) if (place?.node.name === name) this.#places.delete(workspaceId);
    for (const [key, { node }] of this.#byShard) if (node.name === name) this.#byShard.delete(key);
  }

  readonly #read: Run = async <Row>(place: Place, { pools, prepared }: Worker, direct: DirectText, sent: Sent) => {
    const text = direct.at(place.shards);
    const run = async (connection: Statements) => {
      // Sent together: the second sees what was committed before it began, after the first was over.
      const [rows, [state]] = await Promise.all([
        rowsOf<Row>(connection, text, sent.values, prepared),
        rowsOf<State>(connection, stateText, [place.shard], prepared),
      ]);
      if (state?.isStandby) throw failure('CONNECTION_CLOSED', 'The worker is a standby');
      return state?.isThere ? rows : lost;
    };
    return pools.run<Row[] | typeof lost>(sent.text, sent.plan, sent.workspaceId, run);
  };

  readonly #change: Run = async <Row>(
    place: Place,
    { pools, prepared }: Worker,
    direct: DirectText,
    sent: Sent,
    begin: () => void,
  ) => {
    const text = direct.at(place.shards);
    const send = (scope: Scope) => {
      rowsOf(scope, requireShard, [place.shard], prepared).catch(() => {});
      return rowsOf<Row>(scope, text, sent.values, prepared);
    };
    return pools.by(sent.text, sent.plan, sent.workspaceId, (connection) => {
      begin();
      return sendTransaction(connection, beginChange(place.shard), send);
    });
  };
}
