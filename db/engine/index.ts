import { stepsOf } from './steps.ts';

/** The databases that the service runs on. They differ in what this folder says, and nowhere else. */
export type EngineName = 'postgres' | 'citus';

/** How statements are planned, and what a connection is set to for that. */
export interface Engine {
  readonly name: EngineName;
  /** `plan_cache_mode` for statements that ask for this plan. */
  planMode(plan: 'generic' | 'custom'): string;
  /** Settings of every connection beside. */
  readonly settings: Readonly<Record<string, string>>;
  /** Whether a statement has to be sent in steps, in a transaction. */
  inSteps(text: string): boolean;
  /** Connections beside those that every engine has. */
  readonly moreConnections?: number;
  /** Where connections for one kind of work (`db/time-limits.ts`) differ: what they have instead. */
  forWork?(work: string): Engine | undefined;
}

const byPlan = (plan: 'generic' | 'custom') => `force_${plan}_plan`;

const engines: Readonly<Record<EngineName, Engine>> = {
  postgres: { name: 'postgres', planMode: byPlan, settings: {}, inSteps: () => false },
  citus: {
    name: 'citus',
    // Half of the statements have no generic plan there: their node depends on the values.
    planMode: () => 'force_custom_plan',
    // Tables of workspaces refer to reference tables: what changes both must not run in parallel.
    settings: { 'citus.multi_shard_modify_mode': 'sequential', 'citus.propagate_set_commands': 'local' },
    inSteps: (text) => stepsOf(text) !== null,
    forWork: (work) => {
      const { citus } = engines;
      // Admission has three statements, which the coordinator runs on its own tables, or which read one row by its key.
      if (work === 'admission') return { ...citus, planMode: byPlan };
      // One more deletes what has its number. Each look into the queue asks all shards: one after another, on each
      // worker.
      const settings = { ...citus.settings, 'citus.max_adaptive_executor_pool_size': '1' };
      return work === 'events' ? { ...citus, settings, moreConnections: 1 } : undefined;
    },
  },
};

const defaults: { name: EngineName } = { name: 'postgres' };

/** Sets the engine of connections that name none: tests set it for a whole process. */
export function setDefaultEngine(name: EngineName): void {
  defaults.name = name;
}

/** The engine of this name, or the default. */
export function engineOf(name: EngineName = defaults.name): Engine {
  return engines[name];
}

/**
 * In SQL: an instant moved by `by`, such as `+ interval '1 day'`. In UTC, so that the result depends on no setting:
 * Citus takes nothing else beside a column in an update.
 */
export function shifted(instant: string, by: string): string {
  return `((${instant} at time zone 'UTC') ${by}) at time zone 'UTC'`;
}
