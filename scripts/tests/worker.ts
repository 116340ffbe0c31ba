import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { Socket } from 'node:net';
import { pathToFileURL } from 'node:url';
import { setDefaultEngine } from '../../db/engine/index.ts';
import type { FileToRun, WorkerMessage } from './messages.ts';
import { watchStatements } from './statement-law.ts';

/*
 * A process that runs test files one after another, so that the modules they share are loaded once. What it prints goes
 * to its log file; what the parent counts goes over IPC. An uncaught error ends the process, and fails the file.
 */

const suiteUrl = new URL('./suite.ts', import.meta.url).href;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === 'uvu' && context.parentURL !== suiteUrl
      ? { url: suiteUrl, shortCircuit: true }
      : next(specifier, context),
});

type Suite = () => Promise<[errors: string | true, passed: number, skipped: number, total: number]>;
const uvu = globalThis as unknown as { UVU_DEFER: number; UVU_QUEUE: Suite[][] };
uvu.UVU_DEFER = 1; // before uvu is loaded: it then leaves the suites in its queue
const { clearSuites, plannedTests } = await import('./suite.ts');

const report = (message: WorkerMessage) => process.send?.(message);

/** Milliseconds of CPU of this process and, on Linux, of its child processes that ended. */
function cpuMs(): number {
  const { user, system } = process.cpuUsage();
  let children = 0;
  try {
    const [, fields = ''] = readFileSync('/proc/self/stat', 'utf8').split(') ');
    const [childUser, childSystem] = fields.split(' ').slice(13, 15).map(Number);
    children = 10 * ((childUser ?? 0) + (childSystem ?? 0));
  } catch {}
  return (user + system) / 1000 + children;
}

/** A worker of this size (resident, bytes) is replaced: what the modules of its files hold is never freed. */
const maxBytes = 900 * 2 ** 20;

/** What keeps this process alive and did not before; waits `ms` for it to close. */
async function leftOpen(before: readonly string[], ms: number): Promise<string[]> {
  for (const deadline = Date.now() + ms; ; ) {
    const open = process.getActiveResourcesInfo();
    for (const each of before) if (open.includes(each)) open.splice(open.indexOf(each), 1);
    if (open.length === 0 || Date.now() > deadline) return open;
    await new Promise((resolve) => setTimeout(resolve, 10).unref());
  }
}

/** Where the sockets of this process lead, for whoever looks for one that was left open. */
function sockets(): string {
  const { _getActiveHandles: handles } = process as unknown as { _getActiveHandles(): unknown[] };
  const open = handles
    .call(process)
    .filter((each) => each instanceof Socket && each.remotePort !== undefined) as Socket[];
  return open.map((each) => `port ${each.localPort} to ${each.remotePort}, ${each.readyState}`).join('; ');
}

async function runSuites(path: string): Promise<void> {
  clearSuites();
  uvu.UVU_QUEUE = [[]];
  report({ type: 'started', name: 'import' });
  await import(pathToFileURL(path).href);
  report({ type: 'planned', ...plannedTests() });
  for (const suite of uvu.UVU_QUEUE.flat()) {
    const [errors, passed] = await suite();
    if (errors !== true) process.stdout.write(`\n${errors}\n`);
    report({ type: 'suite', passed });
  }
}

if (process.env.TEST_CITUS_URL) setDefaultEngine('citus');

/** Statements of the running file that break the law of `statement-law.ts`. */
let unlawful: string[] = [];
watchStatements((fault) => unlawful.push(fault));

async function runFile({ path, databaseUrl, limitSeconds }: FileToRun): Promise<void> {
  process.env.TEST_DATABASE_URL = databaseUrl;
  const faults: string[] = [];
  unlawful = [];
  const before = process.getActiveResourcesInfo();
  const begunMs = cpuMs();
  try {
    await runSuites(path);
  } catch (error) {
    faults.push((error as Error)?.stack ?? String(error));
  }
  faults.push(...unlawful);
  report({ type: 'started', name: 'close' });
  const open = await leftOpen(before, Math.min(20, limitSeconds / 2) * 1000);
  if (open.length > 0) faults.push(`It left something open; close it in \`after\`: ${open.join(', ')} (${sockets()})`);
  const { timersAreFrozen = false } = globalThis as { timersAreFrozen?: boolean };
  const isSpent = timersAreFrozen || process.memoryUsage.rss() > maxBytes;
  report({ type: 'ended', faults, isSpent, cpuMs: cpuMs() - begunMs });
}

process.on('message', runFile);
process.on('disconnect', () => process.exit());
