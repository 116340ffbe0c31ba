import { parseArgs } from 'node:util';
import { serviceOrigin } from '../db/origin.ts';
import { revokeAccess } from '../domain/sign-in/operator-access.ts';
import { loadConfig } from '../server/config.ts';
import { openDatabase } from '../server/database.ts';
import { createLog } from '../server/log.ts';
import { describeStartError, StartError } from '../server/start-errors.ts';

/*
 * `npm run revoke-access`: the operator ends sessions, keys and second factors of one person, or sessions and keys of
 * all.
 */

const usage = `npm run revoke-access -- EMAIL [--keys] [--factors]
npm run revoke-access -- --all [--keys]

Ends the sessions of the person with this e-mail address, or of everybody.
  --keys     API keys and connected apps too; webhooks that were made in sessions are disabled
  --factors  the authenticator app, passkeys and recovery codes too, of a person who lost them`;

function parse(args: string[]) {
  const flag = { type: 'boolean', default: false } as const;
  try {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { all: flag, keys: flag, factors: flag },
    });
    const { all, keys, factors } = values;
    if (positionals.length === (all ? 0 : 1) && !(all && factors))
      return { email: positionals[0] ?? null, keys, factors };
  } catch {
    // An unknown option.
  }
  throw new StartError(usage);
}

async function main(args: string[]): Promise<string> {
  const { email, keys, factors } = parse(args);
  const config = loadConfig();
  const { db, close } = await openDatabase(config, createLog({ ...config, LOG_LEVEL: 'silent' }), false);
  try {
    const people = await revokeAccess(db.as({ ...serviceOrigin(), via: 'cli' }), email, { keys, factors });
    if (email !== null && people === 0) throw new StartError(`Nobody has the e-mail address ${email}.`);
    const ended = [
      'sessions',
      ...(keys ? ['API keys', 'connected apps', 'webhooks'] : []),
      ...(factors ? ['second factors'] : []),
    ];
    return `Ended for ${people === 1 ? 'one person' : `${people} people`}: ${ended.join(', ')}.`;
  } finally {
    await close();
  }
}

main(process.argv.slice(2)).then(
  (text) => process.stdout.write(`${text}\n`),
  (error: unknown) => {
    process.stderr.write(`${describeStartError(error)}\n`);
    process.exitCode = 1;
  },
);
