import { setFlag, takeBack } from './v8-flags.ts';

/*
 * Most code of a start runs only once, much of it in loops: without this, V8 spends a fifth of the processor time of a
 * start on optimized code that never runs again.
 */

/** The compilers of optimized code that these processors have. */
const compilers = ['opt', 'maglev'];
const hasCompilers = ['x64', 'arm64'].includes(process.arch);

/**
 * Whether the operator chose how V8 compiles. Of these flags NODE_OPTIONS takes `--jitless` alone, which has no
 * WebAssembly.
 */
function isChosen(): boolean {
  return !('WebAssembly' in globalThis) || /-opt\b|maglev|turbofan/.test(process.execArgv.join(' '));
}

/** Has V8 run code as it was first compiled, until `optimizeCode` is called. */
export function leaveCodeAsItIs(): void {
  if (!hasCompilers || isChosen()) return;
  for (const name of compilers) setFlag(`--no-${name}`, `--${name}`);
}

/** Has V8 optimize what is run often, as it does by itself. Call it before requests are many. */
export function optimizeCode(): void {
  for (const name of compilers) takeBack(`--no-${name}`);
}
