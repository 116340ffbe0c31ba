import { loadConfig } from './config.ts';
import { explain, StartError } from './explain.ts';
import { firstKey } from './first-run.ts';
import { createLog } from './log.ts';
import { openDatabase, startService } from './process.ts';
import { surviveLostConnections } from './strays.ts';

function banner(url: string, installUrl: string, key: string | null): string {
  const install = `Command line: curl -fsSL ${installUrl} | sh`;
  const lines = ['', `Tandem is running at ${url}`, `Reference: ${url}/docs`, install, ''];
  if (key === null) {
    return [...lines, 'Your data is where you left it. For another workspace and key: npm run seed', ''].join('\n');
  }
  const curl = `curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/todos`;
  return [...lines, `Your API key, shown only this once: ${key}`, '', 'Try it:', `  ${curl}`, ''].join('\n');
}

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config);
  surviveLostConnections(log);
  const { db, embedded, close: closeDatabase } = await openDatabase(config, log);
  const service = await startService(config, db, log).catch(async (error: unknown) => {
    await closeDatabase();
    throw new StartError(explain(error, config.HOST, config.PORT), { cause: error });
  });

  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'finishing the requests in flight');
    const patience = setTimeout(() => {
      log.warn('some requests did not finish in time');
      service.app.server.closeAllConnections();
    }, config.SHUTDOWN_SECONDS * 1000);
    await service.close();
    clearTimeout(patience);
    await closeDatabase();
    process.exit(0);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ err: error }, 'the shutdown failed');
        process.exit(1);
      });
    });
  }

  const key = embedded ? await firstKey(db, config) : null;
  const installUrl = config.CLI_INSTALL_URL ?? `${service.url}/install.sh`;
  process.stdout.write(`${banner(service.url, installUrl, key)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${explain(error)}\n\n`);
  process.exit(1);
});
