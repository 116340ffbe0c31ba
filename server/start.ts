import { enableCompileCache, flushCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { leaveCodeAsItIs } from './runtime/start-code.ts';

/*
 * The entry of the bundle. V8 keeps the compiled code beside it for the next start, where the folder can be written. It is saved
 * once the start is over: a process that is killed saves nothing at its end.
 */

const saveAfterMs = 10_000;

enableCompileCache(fileURLToPath(new URL('../dist/server/compile-cache', import.meta.url)));
setTimeout(flushCompileCache, saveAfterMs).unref();
leaveCodeAsItIs();
await import('./main.ts');
