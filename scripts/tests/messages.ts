/** A test file for a worker to run, on a database of its own. */
export interface FileToRun {
  path: string;
  databaseUrl: string;
  /** The time limit of each test and hook. */
  limitSeconds: number;
}

/** What a worker reports about the file it runs. */
export type WorkerMessage =
  /** The tests the file registered. */
  | { type: 'planned'; tests: number; skipped: number }
  /** A hook or a test begins: the time limit starts again. */
  | { type: 'started'; name: string }
  | { type: 'passed' }
  /** A suite ended: `passed` is what uvu counted, hooks included. */
  | { type: 'suite'; passed: number }
  /**
   * The file ended. `faults`: what failed beside its tests. `isSpent`: it changed the worker for the files after it, or
   * the worker has become large. `cpuMs` counts the worker and its ended child processes.
   */
  | { type: 'ended'; faults: string[]; isSpent: boolean; cpuMs: number };
