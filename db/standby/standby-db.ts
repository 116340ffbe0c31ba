import type { Db } from '../client.ts';
import type { Plan } from '../connection.ts';
import { type Origin, serviceOrigin } from '../origin.ts';
import { type Orm, pooledOrm } from '../orm.ts';
import { rowsOf } from '../rows.ts';
import type { WorkPools } from '../work-pools.ts';

/** Runs a work on connections to one server. @throws what the work throws, or that the standby is lost meanwhile. */
export type UseStandby = <Result>(work: (pools: WorkPools) => Promise<Result>) => Promise<Result>;

/** @throws Error: nothing is changed, locked or notified of through a standby. Whoever gets it asks the primary. */
function refuse(): never {
  throw new Error('A standby only reads');
}

/**
 * The database as its standby has it, for the single reads of a workspace. A statement that fails is not repeated: the
 * primary answers the whole request instead.
 */
export class StandbyDb implements Db {
  readonly #use: UseStandby;
  readonly #workspaceId: string;
  readonly engine = 'postgres';
  readonly origin: Origin;
  #orm: Orm | undefined;

  constructor(use: UseStandby, workspaceId: string, origin = serviceOrigin()) {
    this.#use = use;
    this.#workspaceId = workspaceId;
    this.origin = origin;
  }

  as(origin: Origin): Db {
    return new StandbyDb(this.#use, this.#workspaceId, origin);
  }

  get orm(): Orm {
    this.#orm ??= pooledOrm((text, run) => this.#use((pools) => pools.run(text, 'generic', this.#workspaceId, run)));
    return this.#orm;
  }

  rows<Row extends object>(text: string, values: readonly unknown[], plan: Plan = 'generic'): Promise<Row[]> {
    return this.#use((pools) => pools.run(text, plan, this.#workspaceId, (on) => rowsOf<Row>(on, text, values)));
  }

  lookUp<Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> {
    return this.#use((pools) => pools.lookUp(text, this.#workspaceId, (on) => rowsOf<Row>(on, text, values)));
  }

  async transaction(): Promise<never> {
    return refuse();
  }

  notify(): never {
    return refuse();
  }
}
