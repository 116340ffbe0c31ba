import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { setFlag, takeBack } from './v8-flags.ts';

/**
 * By how much the heap may grow over what is alive until V8 collects it again, in per cent. V8's own choice on a
 * machine with much memory is several times the live heap: large bodies then leave hundreds of megabytes behind.
 */
const heapGrowingPercent = 50;

/** The collection that V8 itself makes before it gives up, which also gives back free pages. */
type Collect = (options: { type: 'major'; execution: 'sync'; flavor: 'last-resort' }) => void;

const oneThread = '--no-parallel-scavenge';

/**
 * Makes one thread collect new objects until `collectInAllThreads` is called: nearly all objects of a start are alive,
 * and several threads that copy them together take half as much processor time again.
 */
export function collectInOneThread(): void {
  if (!/parallel-scavenge|single-threaded/.test(process.execArgv.join(' '))) setFlag(oneThread, '--parallel-scavenge');
}

/** Has V8 collect new objects as it does by itself. */
export function collectInAllThreads(): void {
  takeBack(oneThread);
}

/** Limits how far the heap grows. Call it at the start. */
export function limitHeapGrowth(): void {
  setFlag(`--heap-growing-percent=${heapGrowingPercent}`, '--heap-growing-percent=0');
}

/**
 * Gives the memory that the start left behind back to the system: V8 keeps the pages for a heap that it expects to stay
 * as large. Takes about 0.1 s: call it once, when nobody waits.
 */
export function releaseStartMemory(): void {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as Collect;
  setFlagsFromString('--no-expose-gc');
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}
