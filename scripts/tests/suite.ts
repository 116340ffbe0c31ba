import { type Callback, type Context, type Test, suite as uvuSuite } from 'uvu';
import type { WorkerMessage } from './messages.ts';

/*
 * Stands in for `uvu` in a worker (see worker.ts): the same suites, which also report what runs, so that the parent
 * process can end a test that hangs and knows which tests did not run.
 */

const report = (message: WorkerMessage) => process.send?.(message);

/** The suites of the file that runs. */
let suites: { name: string; tests: number; only: number; skipped: number; isRun: boolean }[] = [];

/** Begins a file. */
export function clearSuites(): void {
  suites = [];
}

/** How many tests the file registered and skips. @throws Error when it has a suite without `.run()`, or no suite. */
export function plannedTests(): { tests: number; skipped: number } {
  if (suites.length === 0) throw new Error('The file has no suite.');
  const idle = suites.find((each) => !each.isRun);
  if (idle) throw new Error(`The suite “${idle.name}” never calls .run().`);
  const tests = suites.reduce((sum, each) => sum + (each.only || each.tests), 0);
  const skipped = suites.reduce((sum, each) => sum + each.skipped + (each.only ? each.tests : 0), 0);
  return { tests, skipped };
}

/** uvu's `suite`. */
export function suite<T = Context>(name = '', state?: T): Test<T> {
  const inner = uvuSuite<T>(name, state as T);
  const counts = { name, tests: 0, only: 0, skipped: 0, isRun: false };
  suites.push(counts);
  const watched =
    (title: string, run: Callback<T>, isTest = false): Callback<T> =>
    async (context) => {
      report({ type: 'started', name: [name, title].filter(Boolean).join(': ') });
      await run(context);
      if (isTest) report({ type: 'passed' });
    };
  /** uvu counts the tests of a suite whose hook throws as failed, and drops the error. */
  const hook = (title: string, run: Callback<T>) =>
    watched(title, async (context) => {
      try {
        await run(context);
      } catch (error) {
        process.stdout.write(`\n   FAIL  ${name}: ${title}\n${(error as Error)?.stack ?? error}\n`);
        throw error;
      }
    });
  const test = (title: string, run: Callback<T>) => {
    counts.tests++;
    inner(title, watched(title, run, true));
  };
  return Object.assign(test, {
    before: Object.assign((run: Callback<T>) => inner.before(hook('before', run)), {
      each: (run: Callback<T>) => inner.before.each(hook('before each', run)),
    }),
    after: Object.assign((run: Callback<T>) => inner.after(hook('after', run)), {
      each: (run: Callback<T>) => inner.after.each(hook('after each', run)),
    }),
    only: (title: string, run: Callback<T>) => {
      counts.only++;
      inner.only(title, watched(title, run, true));
    },
    skip: () => {
      counts.skipped++;
      inner.skip();
    },
    run: () => {
      counts.isRun = true;
      inner.run();
    },
  }) as Test<T>;
}
