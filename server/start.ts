import { join } from 'node:path';
import { Parts } from './runtime/parts.ts';
import { leaveCodeAsItIs } from './runtime/start-code.ts';
import { collectInOneThread } from './runtime/start-memory.ts';

/* The entry of the bundle. V8's compiled code is kept beside it for the next start, where the folder can be written. */

/** Before what the start left behind is freed, which includes the compiled code of functions that run once. */
const saveAfterMs = 1000;

const folder = import.meta.dirname;
const parts = new Parts(folder, join(folder, 'compile-cache'));
leaveCodeAsItIs();
collectInOneThread();
const { started } = parts.load('main.cjs') as typeof import('./main.ts');
void started.then(() => setTimeout(() => parts.save(), saveAfterMs).unref());
