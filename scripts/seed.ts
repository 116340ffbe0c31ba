import { loadConfig } from '../server/config.ts';
import { openDatabase } from '../server/database.ts';
import { seedWorkspace } from '../server/first-run.ts';
import { createLog } from '../server/log.ts';
import { describeStartError, StartError } from '../server/start-errors.ts';

/* `npm run seed`: creates a workspace with a user and a full-scope API key; `-- --json` prints one line of JSON. */

async function seed(args: readonly string[]): Promise<string> {
  const unknown = args.find((arg) => arg !== '--json');
  if (unknown !== undefined) throw new StartError(`npm run seed takes --json and nothing else; it got ${unknown}.`);
  const config = loadConfig();
  const log = createLog({ ...config, LOG_LEVEL: 'silent' });
  const { db, close } = await openDatabase(config, log, false);
  try {
    const seeded = await seedWorkspace(db, config);
    if (args.includes('--json')) return JSON.stringify(seeded);
    const lines = Object.entries(seeded).map(([name, value]) => `${name.padEnd(12)}${value}`);
    return [...lines, '', 'The key and the password are shown only once.'].join('\n');
  } finally {
    await close();
  }
}

seed(process.argv.slice(2)).then(
  (text) => process.stdout.write(`${text}\n`),
  (error: unknown) => {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exitCode = 1;
  },
);
