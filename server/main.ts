import { banner } from './banner.ts';
import { loadConfig } from './config.ts';
import { requireWritable, usedDirectories } from './data-directories.ts';
import { firstSteps } from './first-run.ts';
import { createLog } from './log.ts';
import { optimizeCode } from './runtime/start-code.ts';
import { collectInAllThreads, limitHeapGrowth } from './runtime/start-memory.ts';
import { throttledWarning } from './runtime/throttled-warning.ts';
import { surviveLostConnections } from './runtime/unhandled-rejections.ts';
import { settleLater } from './settle.ts';
import { shutDown } from './shutdown.ts';
import { describeStartError } from './start-errors.ts';
import { startWhenAvailable } from './starting.ts';
import { tracingSettings } from './tracing/settings.ts';
import { startTracing } from './tracing/start.ts';

/** Resolves when the signal is aborted, also when it was before. */
function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve());
    if (signal.aborted) resolve();
  });
}

const answering = Promise.withResolvers<void>();

/** Resolves when the service answers requests. */
export const started = answering.promise;

async function main(): Promise<void> {
  limitHeapGrowth();
  // A banner that cannot be written, as on a full disk, is no reason to stop.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});
  const config = loadConfig();
  const log = createLog(config);
  surviveLostConnections(log);
  const stopTracing = await startTracing(tracingSettings(config), throttledWarning(log));
  await requireWritable(usedDirectories(config));
  const stopping = new AbortController();
  // Whoever presses Ctrl-C or closes the terminal does not wait for a load balancer.
  const hurry = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      if (!stopping.signal.aborted) log.info({ signal }, 'shutting down');
      stopping.abort();
      if (signal !== 'SIGTERM') hurry.abort();
    });
  }
  const started = await startWhenAvailable(config, log, stopping.signal);
  if (!started) process.exit(0);
  optimizeCode();
  collectInAllThreads();
  answering.resolve();
  const { service, database } = started;

  if (!stopping.signal.aborted) {
    settleLater(service, log);
    const steps = await firstSteps(database.db, database.embedded, config, service.url);
    const installUrl = config.CLI_INSTALL_URL ?? `${service.url}/install.sh`;
    process.stdout.write(`${banner(service.url, installUrl, steps)}\n`);
    await aborted(stopping.signal);
  }
  await shutDown(service, database, config, log, hurry.signal).catch((error: unknown) => {
    log.fatal({ err: error }, 'shutdown failed');
    process.exit(1);
  });
  await stopTracing();
  process.exit(0);
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${describeStartError(error)}\n\n`);
  process.exit(1);
});
