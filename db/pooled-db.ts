import type { Plan } from './connection.ts';
import type { Db, Statement } from './db.ts';
import type { DirectStatements } from './direct-statements.ts';
import type { EngineName } from './engine/index.ts';
import { inTransactionOf } from './engine-transaction.ts';
import { retryOnConflict } from './errors.ts';
import { HeldNotifications, type Notifier, type Outgoing } from './notifier.ts';
import { type Origin, recording, serviceOrigin } from './origin.ts';
import { type Orm, ormOf, pooledOrm } from './orm.ts';
import { rowsOf } from './rows.ts';
import type { Scope } from './transaction.ts';
import type { WorkPools } from './work-pools.ts';

/** The rows of the statement that opens a transaction, if there is one. Whoever waits for them handles its failure. */
function opening<Row>(scope: Scope, first: Statement | undefined): Promise<Row[]> {
  const rows = first ? rowsOf<Row>(scope, first.text, first.values) : Promise.resolve([]);
  rows.catch(() => {});
  return rows;
}

function transactionDb(connection: Scope, origin: Origin, outgoing: Outgoing, engine: EngineName): Db {
  let orm: Orm | undefined;
  return {
    engine,
    origin,
    as: (other) => transactionDb(connection, other, outgoing, engine),
    notify: (channel, payload) => outgoing.add([{ channel, payload }]),
    get orm() {
      orm ??= ormOf(connection);
      return orm;
    },
    rows: (text, values) => rowsOf(connection, text, values),
    lookUp: (text, values) => rowsOf(connection, text, values),
    transaction: (work, first) =>
      recording(origin, async () => {
        const held = new HeldNotifications(outgoing);
        const result = await connection.savepoint((inner) =>
          work(transactionDb(inner, origin, held, engine), opening(inner, first)),
        );
        held.release();
        return result;
      }),
  };
}

/** What runs the statements of one kind of work. */
export interface Ways {
  pools: WorkPools;
  notifier: Notifier;
  /** Statements of a workspace that do not need the coordinator, on Citus. */
  direct?: DirectStatements | undefined;
}

/** Statements of one kind of work, and of one workspace where it is known. */
export class PooledDb implements Db {
  readonly #ways: Ways;
  readonly #workspaceId: string | undefined;
  readonly origin: Origin;
  #orm: Orm | undefined;

  constructor(ways: Ways, workspaceId?: string, origin = serviceOrigin()) {
    this.#ways = ways;
    this.#workspaceId = workspaceId;
    this.origin = origin;
  }

  as(origin: Origin): Db {
    return new PooledDb(this.#ways, this.#workspaceId, origin);
  }

  notify(channel: string, payload: string): void {
    this.#ways.notifier.add([{ channel, payload }]);
  }

  get engine(): EngineName {
    return this.#ways.pools.engine.name;
  }

  get orm(): Orm {
    this.#orm ??= pooledOrm((text, run) => this.#ways.pools.run(text, 'generic', this.#workspaceId, run));
    return this.#orm;
  }

  rows<Row extends object>(text: string, values: readonly unknown[], plan: Plan = 'generic'): Promise<Row[]> {
    const direct = this.#direct<Row>(text, values, plan);
    return direct ? direct.then((rows) => rows ?? this.#rows(text, values, plan)) : this.#rows(text, values, plan);
  }

  lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    const direct = this.#direct<Row>(text, values, 'generic');
    return direct ? direct.then((rows) => rows ?? this.#lookUp(text, values)) : this.#lookUp(text, values);
  }

  #direct<Row>(text: string, values: readonly unknown[], plan: Plan): Promise<Row[] | undefined> | undefined {
    return this.#workspaceId === undefined ? undefined : this.#ways.direct?.rows(text, values, plan, this.#workspaceId);
  }

  #rows<Row extends object>(text: string, values: readonly unknown[], plan: Plan): Promise<Row[]> {
    return retryOnConflict(() =>
      this.#ways.pools.run(text, plan, this.#workspaceId, (connection) => rowsOf<Row>(connection, text, values)),
    );
  }

  #lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return retryOnConflict(() =>
      this.#ways.pools.lookUp(text, this.#workspaceId, (connection) => rowsOf<Row>(connection, text, values)),
    );
  }

  transaction<Result, Row extends object>(
    work: (tx: Db, rows: Promise<Row[]>) => Promise<Result>,
    first?: Statement,
  ): Promise<Result> {
    const once = async () => {
      const held = new HeldNotifications(this.#ways.notifier);
      const result = await this.#ways.pools.transaction(this.#workspaceId, (connection) =>
        inTransactionOf(
          this.#ways.pools.engine,
          connection,
          first,
          (scope, opens) => opening<Row>(scope, opens),
          (scope, rows) => work(transactionDb(scope, this.origin, held, this.engine), rows),
        ),
      );
      held.release();
      return result;
    };
    return retryOnConflict(() => recording(this.origin, once));
  }
}
