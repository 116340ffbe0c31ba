import { EmbeddedDatabaseError } from '../db/embedded.ts';
import { MigrationError } from '../db/migrate.ts';
import { ConfigError, loadConfig } from './config.ts';
import { firstKey } from './first-run.ts';
import { createLog } from './log.ts';
import { openDatabase, startService } from './process.ts';

/** The service could not start, and the message says why to whoever started it. */
class StartError extends Error {}

/** Ends with a sentence a person can act on instead of a stack, where we know one. */
function explain(error: unknown, host = '', port = 0): string {
  const told = [ConfigError, EmbeddedDatabaseError, MigrationError, StartError];
  if (error instanceof Error && told.some((kind) => error instanceof kind)) return error.message;
  const { code, message, hostname } = error as NodeJS.ErrnoException & { hostname?: string };
  if (code === 'EADDRINUSE')
    return `Port ${port} on ${host} is taken by another program. Stop it, or set PORT to a free one.`;
  if (code === 'EACCES') return `Port ${port} on ${host} may not be opened by this user. Set PORT to one above 1023.`;
  const unresolved = code === 'ENOTFOUND' || code === 'EAI_AGAIN';
  if (code === 'EADDRNOTAVAIL' || (unresolved && hostname === host))
    return `This machine has no address ${host}. Set HOST to one that it has, such as 127.0.0.1.`;
  if (unresolved || ['ECONNREFUSED', 'EHOSTUNREACH', 'ETIMEDOUT', 'CONNECT_TIMEOUT'].includes(code ?? '')) {
    return 'The database at DATABASE_URL cannot be reached. Check its address and that it runs.';
  }
  if (code?.startsWith('28') || code === '3D000') {
    return `The database at DATABASE_URL does not let this service in: ${message}.`;
  }
  return `The service could not start: ${message}`;
}

function banner(url: string, key: string | null): string {
  const lines = ['', `Tandem is running at ${url}`, `Reference: ${url}/docs`, ''];
  if (key === null) {
    return [...lines, 'Your data is where you left it. For another workspace and key: npm run seed', ''].join('\n');
  }
  const curl = `curl -H 'Authorization: Bearer ${key}' ${url}/api/v1/todos`;
  return [...lines, `Your API key, shown only this once: ${key}`, '', 'Try it:', `  ${curl}`, ''].join('\n');
}

async function main(): Promise<void> {
  const config = loadConfig();
  const log = createLog(config);
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
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => {
      stop(signal).catch((error: unknown) => {
        log.fatal({ err: error }, 'the shutdown failed');
        process.exit(1);
      });
    });
  }

  const key = embedded ? await firstKey(db, config) : null;
  process.stdout.write(`${banner(service.url, key)}\n`);
}

main().catch((error: unknown) => {
  process.stderr.write(`\n${explain(error)}\n\n`);
  process.exit(1);
});
