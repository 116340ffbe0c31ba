import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { tickMs } from './connection.ts';
import { engineOf } from './engine/index.ts';
import { failure, Hosts } from './hosts.ts';
import { PreparedTexts } from './prepared-texts.ts';
import { maxConnectMs, timeLimits } from './time-limits.ts';
import { type PoolsBase, WorkPools } from './work-pools.ts';

/** A worker, as the coordinator knows it. */
export interface NodeAddress {
  /** `host:port`. */
  name: string;
  host: string;
  port: number;
  group: number;
}

/** A worker that statements are sent to. */
export interface Worker {
  pools: WorkPools;
  /** Each text exists there once for each shard: they take no places of those of the coordinator. */
  prepared: PreparedTexts;
}

interface Node {
  worker: Worker | undefined;
  /** When it is examined again, where it is not read from; in ms of a monotonic clock. */
  againAt: number;
}

/** Runs a statement on the coordinator. */
export type Ask = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>;

/** A worker that cannot be read from is examined again after so many ms, and the list of workers is read as often. */
const againMs = 30_000;
const maxReadSeconds = timeLimits.requests.maxStatementMs / 1000;

const ownIdentity = `select system_identifier || ' ' || (select oid from pg_database where datname = current_database()) as identity
  from pg_control_system()`;

/** The identity of the server, as the coordinator reaches it; no row where it is no worker any more. */
const identityOf = `select r.result as identity from pg_dist_node n,
    master_run_on_worker(array[n.nodename], array[n.nodeport], array['${ownIdentity.replaceAll("'", "''")}'], false) r
  where n.nodename = $1 and n.nodeport = $2 and n.groupid = $3 and n.noderole = 'primary' and n.isactive and r.success`;

const state = 'select groupid as "group", pg_is_in_recovery() as "isStandby" from pg_dist_local_group';

const listed = `select nodename || ':' || nodeport as name from pg_dist_node where noderole = 'primary' and isactive`;

/** Whether an address leads to the machine itself, wherever it is used. */
const isLoopback = (host: string) => /^(localhost|.*\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[?::1?\]?|\/.*)$/i.test(host);

/**
 * The workers of Citus that this process may read from. Each is examined before: the server at its address has to be
 * the one that the coordinator finds there.
 */
export class DirectNodes {
  readonly #options: PoolsBase;
  readonly #poolSize: number;
  readonly #ask: Ask;
  readonly #onLost: (name: string) => void;
  readonly #nodes = new Map<string, Node>();
  readonly #ticks: NodeJS.Timeout;
  #listAt = 0;
  #isClosed = false;

  /** `onLost` gets the name of a worker that is not read from any more. */
  constructor(options: PoolsBase, poolSize: number, ask: Ask, onLost: (name: string) => void) {
    this.#options = options;
    this.#poolSize = poolSize;
    this.#ask = ask;
    this.#onLost = onLost;
    this.#ticks = setInterval(() => this.#tick(), tickMs);
    this.#ticks.unref();
  }

  /** The worker; undefined while it is not examined. */
  at(address: NodeAddress): Worker | undefined {
    const node = this.#nodes.get(address.name) ?? this.#add(address.name);
    if (!node.worker && performance.now() >= node.againAt) {
      node.againAt = performance.now() + againMs;
      this.#examine(address).then(
        (url) => {
          const isKnown = !this.#isClosed && this.#nodes.get(address.name) === node;
          if (isKnown && url !== undefined) node.worker = this.#open(url);
        },
        () => {},
      );
    }
    return node.worker;
  }

  #add(name: string): Node {
    const node = { worker: undefined, againAt: 0 };
    this.#nodes.set(name, node);
    return node;
  }

  /**
   * Does not read from the worker for a while. Waits for statements that are running there, unless the worker is
   * silent.
   */
  lose(name: string, worker: Worker, isSilent: boolean): void {
    const node = this.#nodes.get(name);
    if (!node || node.worker !== worker) return;
    node.worker = undefined;
    node.againAt = performance.now() + againMs;
    worker.pools.close(isSilent ? 1 : maxReadSeconds).catch(() => {});
    this.#onLost(name);
  }

  async close(seconds: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    await Promise.all([...this.#nodes.values()].map(({ worker }) => worker?.pools.close(seconds)));
  }

  /** The address of the worker for this process; undefined where another server answers there, or it only reads. */
  async #examine({ name, host, port, group }: NodeAddress): Promise<string | undefined> {
    // Whatever listens on this machine would be sent the password.
    if (isLoopback(host) && !isLoopback(this.#options.hosts.one.host ?? '')) return undefined;
    const [found] = await this.#ask<{ identity: string }>(identityOf, [host, port, group]);
    if (!found) return undefined;
    const url = urlOf(this.#options.url, name);
    const sql = postgres(url, { max: 1, connect_timeout: maxConnectMs / 1000, fetch_types: false, onnotice: () => {} });
    const late = sleep(maxConnectMs, undefined, { ref: false }).then(() => {
      throw failure('CONNECT_TIMEOUT', 'The worker did not answer in time');
    });
    late.catch(() => {});
    try {
      const [[own], [now]] = await Promise.race([
        Promise.all([
          sql.unsafe<{ identity: string }[]>(ownIdentity),
          sql.unsafe<{ group: number; isStandby: boolean }[]>(state),
        ]),
        late,
      ]);
      return own?.identity === found.identity && now?.group === group && !now.isStandby ? url : undefined;
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  #open(url: string): Worker {
    // What is sent whole writes nothing where its BEGIN fails (`sendTransaction`).
    const engine = { ...engineOf('postgres'), settings: { default_transaction_read_only: 'on' } };
    const base = { ...this.#options, url, hosts: new Hosts(url), engine };
    return { pools: new WorkPools('requests', this.#poolSize, base), prepared: new PreparedTexts() };
  }

  #tick(): void {
    for (const { worker } of this.#nodes.values()) worker?.pools.tick();
    if (this.#nodes.size === 0 || performance.now() < this.#listAt) return;
    this.#listAt = performance.now() + againMs;
    this.#dropOthers().catch(() => {});
  }

  /** Drops the nodes that are no workers any more, as those that became standbys. */
  async #dropOthers(): Promise<void> {
    const names = new Set((await this.#ask<{ name: string }>(listed, [])).map(({ name }) => name));
    for (const [name, { worker }] of this.#nodes) {
      if (names.has(name)) continue;
      this.#nodes.delete(name);
      worker?.pools.close(maxReadSeconds).catch(() => {});
      this.#onLost(name);
    }
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
