import postgres from 'postgres';
import { type Plan, tickMs } from './connection.ts';
import { type DirectText, directOf, type Shards } from './engine/direct.ts';
import { type Engine, engineOf } from './engine/index.ts';
import { errorCode, isConnectionLoss, isDatabaseError } from './errors.ts';
import { Hosts } from './hosts.ts';
import { rowsOf, type Statements } from './rows.ts';
import { maxConnectMs } from './time-limits.ts';
import { type PoolsBase, WorkPools } from './work-pools.ts';

interface Read {
  text: string;
  values: readonly unknown[];
  plan: Plan;
  workspaceId: string;
}

/** Where a workspace is: the worker, and its shards there. `shard` is that of the table of workspaces. */
interface Place {
  node: string;
  group: number;
  shard: string;
  shards: Shards;
}

interface Node {
  pools: WorkPools | undefined;
  /** When it is examined again, where it could not be read from; in ms of a monotonic clock. */
  againAt: number;
}

/** A worker that cannot be read from is examined again after so many ms. */
const againMs = 30_000;
/** Workspaces whose places are remembered, and shards. */
const [maxPlaces, maxShards] = [20_000, 1000];

/** SQLSTATE of a table that does not exist, as a shard that was moved. */
const noTable = '42P01';

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

/** Identities of the servers by their addresses, as the coordinator reaches them. */
const identities = `select nodename || ':' || nodeport as node, result from run_command_on_workers(
  'select system_identifier || '' '' || (select oid from pg_database where datname = current_database()) from pg_control_system()')
  where success`;
const identity = `select system_identifier || ' ' || (select oid from pg_database where datname = current_database()) as result
  from pg_control_system()`;

/**
 * Whether the shard is still there, as the worker knows it. A move commits on the worker before anybody can write elsewhere,
 * so what was read before this is the state of the workspace where it holds afterwards.
 */
const isThere = `select exists (select from pg_dist_placement p join pg_dist_local_group g on g.groupid = p.groupid
  where p.shardid = $1) as "isThere"`;

/** Runs a statement on the coordinator. */
type Ask = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;

const lost = Symbol('the shard is not there any more');

/**
 * Reads of workspaces on the Citus workers that have them (`engine/direct.ts`). A worker is examined in the background when
 * the first workspace of it is read, and again after it could not be reached: until then, and for whatever else cannot be
 * read there, Citus answers as for every other statement.
 */
export class DirectReads {
  readonly #options: PoolsBase;
  readonly #poolSize: number;
  readonly #ask: Ask;
  readonly #engine: Engine;
  readonly #places = new Map<string, Place | undefined>();
  readonly #byShard = new Map<string, Place>();
  readonly #nodes = new Map<string, Node>();
  readonly #ticks: NodeJS.Timeout;
  #isClosed = false;

  constructor(options: PoolsBase, poolSize: number, ask: Ask) {
    this.#options = options;
    this.#poolSize = poolSize;
    this.#ask = ask;
    this.#engine = engineOf('postgres');
    this.#ticks = setInterval(() => this.#tick(), tickMs);
    this.#ticks.unref();
  }

  /** The rows of a statement; undefined: Citus has to run it. @throws PoolError, or the error of a statement that took too long. */
  async rows<Row>(
    text: string,
    values: readonly unknown[],
    plan: Plan,
    workspaceId: string,
  ): Promise<Row[] | undefined> {
    const direct = directOf(text);
    if (!direct?.workspaces.every((place) => values[place - 1] === workspaceId)) return undefined;
    const place = this.#placeOf(workspaceId);
    const pools = place && this.#poolsOf(place);
    if (!place || !pools) return undefined;
    try {
      const rows = await this.#read<Row>(place, pools, direct, { text, values, plan, workspaceId });
      if (rows !== lost) return rows;
    } catch (error) {
      // It would take too long, or wait too long, there too.
      if (isDatabaseError('tooLong', error) || (errorCode(error) ?? '').startsWith('POOL_')) throw error;
      if (isConnectionLoss(error) || isDatabaseError('unreachable', error)) this.#lose(place.node);
      // What else is wrong with it, Citus finds again.
      else if (errorCode(error) !== noTable) return undefined;
    }
    this.#places.delete(workspaceId);
    return undefined;
  }

  async close(seconds: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    await Promise.all([...this.#nodes.values()].map(({ pools }) => pools?.close(seconds)));
  }

  /** Where the workspace is; undefined until that is found. */
  #placeOf(workspaceId: string): Place | undefined {
    if (!this.#places.has(workspaceId)) {
      if (this.#places.size >= maxPlaces) this.#places.clear();
      this.#places.set(workspaceId, undefined);
      this.#find(workspaceId).catch(() => this.#places.delete(workspaceId));
    }
    return this.#places.get(workspaceId);
  }

  async #find(workspaceId: string): Promise<void> {
    const found = await this.#ask<Found>(find, [workspaceId]);
    const [{ host, port, group, own } = {}] = found as Partial<Found>[];
    if (host === undefined || port === undefined || group === undefined || own === undefined) {
      throw new Error('The workspace has no shard');
    }
    // Workspaces of the same shards share their texts.
    const key = `${own} ${group}`;
    const shards = new Map(found.map(({ name, shard }) => [name, `${name}_${shard}`]));
    const place = this.#byShard.get(key) ?? { node: `${host}:${port}`, group, shard: own, shards };
    if (this.#byShard.size >= maxShards) this.#byShard.clear();
    this.#byShard.set(key, place);
    if (this.#places.has(workspaceId)) this.#places.set(workspaceId, place);
  }

  /** The connections to the worker; undefined while it is not examined. */
  #poolsOf({ node, group }: Place): WorkPools | undefined {
    const known = this.#nodes.get(node) ?? { pools: undefined, againAt: 0 };
    this.#nodes.set(node, known);
    if (!known.pools && performance.now() >= known.againAt) {
      known.againAt = performance.now() + againMs;
      this.#examine(node, group).then(
        (url) => {
          if (url !== undefined && !this.#isClosed) known.pools = this.#open(url);
        },
        () => {},
      );
    }
    return known.pools;
  }

  /** The address of the worker for this process; undefined where another server answers there. */
  async #examine(node: string, group: number): Promise<string | undefined> {
    const [found] = (await this.#ask<{ node: string; result: string }>(identities, [])).filter(
      (each) => each.node === node,
    );
    const url = urlOf(this.#options.url, node);
    const sql = postgres(url, { max: 1, connect_timeout: maxConnectMs / 1000, fetch_types: false, onnotice: () => {} });
    try {
      const [own] = await sql.unsafe<{ result: string }[]>(identity);
      const [local] = await sql.unsafe<{ group: number }[]>('select groupid as "group" from pg_dist_local_group');
      return own?.result === found?.result && local?.group === group ? url : undefined;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  #open(url: string): WorkPools {
    const base = { ...this.#options, url, hosts: new Hosts(url), engine: this.#engine };
    return new WorkPools('requests', this.#poolSize, base);
  }

  #lose(node: string): void {
    const known = this.#nodes.get(node);
    known?.pools?.close(1).catch(() => {});
    this.#nodes.set(node, { pools: undefined, againAt: performance.now() + againMs });
  }

  async #read<Row>(place: Place, pools: WorkPools, direct: DirectText, read: Read): Promise<Row[] | typeof lost> {
    const text = direct.at(place.shards);
    const run = async (connection: Statements) => {
      // Sent together: the second sees what was committed before it began, after the first was over.
      const [rows, [state]] = await Promise.all([
        rowsOf<Row>(connection, text, read.values),
        rowsOf<{ isThere: boolean }>(connection, isThere, [place.shard]),
      ]);
      return state?.isThere ? rows : lost;
    };
    return pools.run(read.text, read.plan, read.workspaceId, run);
  }

  #tick(): void {
    for (const { pools } of this.#nodes.values()) pools?.tick();
  }
}

/** The address of a node with everything else of the URL. @throws TypeError where that has several hosts. */
function urlOf(url: string, node: string): string {
  const at = new URL(url);
  at.host = node;
  at.searchParams.delete('host');
  at.searchParams.delete('port');
  return at.href;
}
