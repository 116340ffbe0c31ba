import type { Connection, Plan, StatementWatch } from './connection.ts';
import type { Engine } from './engine/index.ts';
import { inTransactionOf } from './engine-transaction.ts';
import { Pool, type PoolOptions, type Share, type Shares } from './pool.ts';
import type { Statements } from './rows.ts';
import { SharedReads } from './shared-reads.ts';
import { tableNames } from './statement-names.ts';
import { timeLimits, type Work } from './time-limits.ts';

/** Statement texts whose shares are remembered. There are some hundred; those of tests are more. */
const maxTexts = 5000;

const none: Shares = [];

/**
 * Connections for each kind of work, from those for requests. Requests whose statements are planned for each execution
 * have a quarter as many; admission needs one, and others while a row is locked.
 */
const sizes: Record<Work, (poolSize: number) => number> = {
  requests: (poolSize) => poolSize,
  standby: (poolSize) => poolSize,
  admission: () => 4,
  workers: (poolSize) => Math.max(4, Math.ceil(poolSize / 2)),
  // One numbers the events, one reads them for those who follow.
  events: () => 2,
  notifications: () => 1,
  maintenance: () => 1,
  health: () => 1,
};

/** What the pools of every kind of work have in common. */
export type PoolsBase = Pick<
  PoolOptions,
  'url' | 'hosts' | 'applicationName' | 'observe' | 'settingsBy' | 'engine' | 'onError' | 'accept'
>;

/**
 * The smallest share, because two works of a share may wait for each other. A pool of fewer than six is not divided.
 */
const minShare = 2;

/**
 * Shares of a pool for requests: a workspace, a table and the transactions each have not quite half of it. If one or
 * two of them are locked, some connections are left.
 */
class RequestShares {
  readonly #transactions: Share;
  readonly #ofTables: (name: string) => Share;
  readonly #max: number;
  readonly #byText = new Map<string, Shares>();

  constructor(maxConnections: number) {
    const max = Math.max(minShare, Math.floor((maxConnections - 1) / 2));
    this.#transactions = { name: 'transactions', max };
    this.#ofTables = (name) => ({ name, max });
    this.#max = max;
  }

  /** The tables that a statement names. */
  #tables(text: string): Shares {
    const known = this.#byText.get(text);
    if (known) return known;
    const words = new Set(text.match(/[a-z_]+/g));
    const shares = [...words].filter((word) => tableNames.has(word)).map(this.#ofTables);
    if (this.#byText.size === maxTexts) this.#byText.clear();
    this.#byText.set(text, shares);
    return shares;
  }

  #with(workspaceId: string | undefined, shares: Shares): Shares {
    return workspaceId === undefined ? shares : [{ name: workspaceId, max: this.#max }, ...shares];
  }

  ofStatement(text: string, workspaceId: string | undefined): Shares {
    return this.#with(workspaceId, this.#tables(text));
  }

  ofTransaction(workspaceId: string | undefined): Shares {
    return this.#with(workspaceId, [this.#transactions]);
  }
}

/** The connections of one kind of work. */
export class WorkPools {
  readonly #pools: Record<Plan, Pool>;
  readonly #shares: Record<Plan, RequestShares> | undefined;
  readonly #sharedReads = new SharedReads();
  readonly engine: Engine;

  constructor(work: Work, poolSize: number, base: PoolsBase) {
    this.engine = base.engine;
    const engine = base.engine.forWork?.(work) ?? base.engine;
    const size = sizes[work](poolSize) + (engine.moreConnections ?? 0);
    const custom = Math.max(2, Math.ceil(size / 4));
    const limits = timeLimits[work];
    const make = (plan: Plan, maxConnections: number) => new Pool({ ...base, engine, plan, limits, maxConnections });
    this.#pools = { generic: make('generic', size), custom: make('custom', custom) };
    if (work === 'requests' || work === 'standby') {
      this.#shares = { generic: new RequestShares(size), custom: new RequestShares(custom) };
    }
  }

  /** Runs one statement, as the engine takes it. @throws PoolError before it began. */
  run<Result>(
    text: string,
    plan: Plan,
    workspaceId: string | undefined,
    run: (connection: Statements) => Promise<Result>,
  ): Promise<Result> {
    const shares = this.#shares?.[plan].ofStatement(text, workspaceId) ?? none;
    return this.#pools[plan].use(shares, (connection) =>
      this.engine.inSteps(text)
        ? inTransactionOf(this.engine, connection, undefined, () => undefined, run)
        : watched(connection, text, () => run(connection.sql)),
    );
  }

  /** Runs one statement as `run` does, together with others of the same text (`db/shared-reads.ts`). */
  lookUp<Result>(
    text: string,
    workspaceId: string | undefined,
    run: (connection: Statements) => Promise<Result>,
  ): Promise<Result> {
    if (this.engine.inSteps(text)) return this.run(text, 'generic', workspaceId, run);
    const shares = this.#shares?.generic.ofStatement(text, workspaceId) ?? none;
    return this.#sharedReads.run(
      text,
      (work) => this.#pools.generic.use(shares, work),
      (connection) => watched(connection, text, () => run(connection.sql)),
    );
  }

  /** Runs one statement by `run`, which watches it, on a connection of its own. @throws PoolError before it began. */
  by<Result>(
    text: string,
    plan: Plan,
    workspaceId: string | undefined,
    run: (connection: Connection) => Promise<Result>,
  ): Promise<Result> {
    return this.#pools[plan].use(this.#shares?.[plan].ofStatement(text, workspaceId) ?? none, run);
  }

  /** Runs a transaction, which watches its own statements. @throws PoolError before it began. */
  transaction<Result>(workspaceId: string | undefined, run: (connection: Connection) => Promise<Result>) {
    return this.#pools.generic.use(this.#shares?.generic.ofTransaction(workspaceId) ?? none, run);
  }

  /** Works at a connection and works that wait for one. */
  get load(): { busy: number; waiting: number } {
    const { generic, custom } = this.#pools;
    return { busy: generic.busy + custom.busy, waiting: generic.waiting + custom.waiting };
  }

  tick(): void {
    this.#pools.generic.tick();
    this.#pools.custom.tick();
  }

  async close(seconds: number): Promise<void> {
    await Promise.all([this.#pools.generic.close(seconds), this.#pools.custom.close(seconds)]);
  }
}

async function watched<Result>(watch: StatementWatch, text: string, statement: () => Promise<Result>): Promise<Result> {
  const answered = watch.sent(text);
  try {
    const result = await statement();
    answered();
    return result;
  } catch (error) {
    answered(error);
    throw error;
  }
}
