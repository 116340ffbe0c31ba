import type { Database } from '../db/client.ts';
import { type Config, loadConfig } from '../server/config.ts';
import { openDatabase } from '../server/database.ts';
import { createLog } from '../server/log.ts';
import { publicAddress } from '../server/service-settings.ts';
import { describeStartError, StartError } from '../server/start-errors.ts';

interface Command {
  usage: string;
  accepts: (args: readonly string[]) => boolean;
  /** Returns the text to print. `refuse` ends the command with a sentence and the exit code 1. */
  run: (on: {
    db: Database;
    /** The driver itself, for what is done to the schema. */
    driver: Database['driver'];
    config: Config;
    /** Where people reach the service, for links. */
    publicUrl: string;
    args: readonly string[];
    refuse: (message: string) => never;
  }) => Promise<string>;
}

/** The address in printed links. @throws StartError where the port is known only to the running service. */
function addressForLinks(config: Config): string {
  if (config.PORT === 0 && config.PUBLIC_URL === undefined)
    throw new StartError('PORT is 0, so the address of the service is not known here: set PUBLIC_URL.');
  return publicAddress(config, config.PORT);
}

async function resultOf({ usage, accepts, run }: Command, args: readonly string[]): Promise<string> {
  if (!accepts(args)) throw new StartError(usage);
  const config = loadConfig();
  const publicUrl = addressForLinks(config);
  const { db, close } = await openDatabase(config, createLog({ ...config, LOG_LEVEL: 'silent' }), false);
  const refuse = (message: string): never => {
    throw new StartError(message);
  };
  try {
    return await run({ db, driver: db.driver, config, publicUrl, args, refuse });
  } finally {
    await close();
  }
}

/** Runs a command of the operator beside the service, on the database of its settings, and prints its result. */
export async function operatorCommand(command: Command): Promise<void> {
  try {
    process.stdout.write(`${await resultOf(command, process.argv.slice(2))}\n`);
  } catch (error) {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exitCode = 1;
  }
}
