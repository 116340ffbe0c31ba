import { createLog } from '../../server/log.ts';
import { startTestService, type TestService } from './harness.ts';
import { type MailServer, openMailServer } from './mail-server.ts';
import { createServiceDatabase } from './scratch.ts';
import { ScriptedEngine } from './scripted-engine.ts';

/** Stands in everything that the requests of a test hold and its log must not. */
export const mark = 'Zq9xMark';

/** An address with the mark, of nobody else. */
export const markedEmail = () => `${mark}-${crypto.randomUUID()}@example.com`;

/** A service whose log is kept whole, with mail and a scripted engine. */
export interface LoggedService {
  tandem: TestService;
  box: MailServer;
  engine: ScriptedEngine;
  /** All that it has logged, at the finest level. */
  lines: string[];
  close(): Promise<void>;
}

/** Starts one on a database of its own. */
export async function startLoggedService(): Promise<LoggedService> {
  const lines: string[] = [];
  const log = createLog({ LOG_LEVEL: 'trace', LOG_FORMAT: 'json' }, { write: (line: string) => void lines.push(line) });
  const [database, box, engine] = [await createServiceDatabase(), await openMailServer(), new ScriptedEngine()];
  const tandem = await startTestService(
    { DATABASE_URL: database.url, SMTP_URL: box.url, REQUIRE_VERIFIED_EMAIL: 'false' },
    { engine, log },
  );
  const close = async () => {
    await tandem.close();
    await box.close();
    await database.drop();
  };
  return { tandem, box, engine, lines, close };
}
