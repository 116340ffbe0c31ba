import { loadConfig } from '../server/config.ts';
import { seedWorkspace } from '../server/first-run.ts';
import { createLog } from '../server/log.ts';
import { openDatabase } from '../server/process.ts';

/* `npm run seed`: a new workspace with a person and a full-scope API key; `-- --json` prints one line for programs. */

const config = loadConfig();
const json = process.argv.includes('--json');
const log = createLog({ ...config, LOG_LEVEL: 'silent' });

try {
  const { db, close } = await openDatabase(config, log, false);
  try {
    const seeded = await seedWorkspace(db, config);
    const lines = Object.entries(seeded).map(([name, value]) => `${name.padEnd(12)}${value}`);
    const note = 'The key and the password are shown only this once.';
    process.stdout.write(json ? `${JSON.stringify(seeded)}\n` : `${lines.join('\n')}\n\n${note}\n`);
  } finally {
    await close();
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
