import postgres from 'postgres';
import type { SettingsBy } from '../connection.ts';
import { engineOn } from '../engine-check.ts';
import { errorCode, StandbyError } from '../errors.ts';
import { examineSessions } from '../session-check.ts';
import { maxConnectMs } from '../time-limits.ts';

/** SQLSTATE of a role that may not call a function, and of a server without it. */
const cannotAsk = ['42501', '42883', '0A000'];

const identity = `select c.system_identifier::text || ' ' || d.oid as identity
  from pg_control_system() c, pg_database d where d.datname = current_database()`;

/**
 * What distinguishes a database from all others and not from its copies on standbys; undefined where the role may not
 * ask.
 */
async function identityOf(sql: postgres.Sql): Promise<string | undefined> {
  try {
    const [row] = await sql.unsafe<{ identity: string }[]>(identity);
    return row?.identity;
  } catch (error) {
    if (cannotAsk.includes(errorCode(error) ?? '')) return undefined;
    throw error;
  }
}

async function identityAt(url: string): Promise<string | undefined> {
  const sql = postgres(url, { max: 1, connect_timeout: maxConnectMs / 1000, fetch_types: false, onnotice: () => {} });
  try {
    return await identityOf(sql);
  } finally {
    await sql.end({ timeout: 1 });
  }
}

/**
 * Examines the server at `url` before it is read from: that it has the database of `primary`, with sessions of its own.
 * Returns how connections get their settings.
 * @throws StandbyError or SharedSessionError, or the error of a server that cannot be reached.
 */
export async function examineStandby(url: string, primary: postgres.Sql): Promise<SettingsBy> {
  const { settingsBy, engine } = await examineSessions(url, engineOn, 'DATABASE_READ_URL');
  if (engine !== 'postgres') throw new StandbyError('DATABASE_READ_URL is not supported with Citus: leave it unset.');
  const [own, other] = [await identityOf(primary), await identityAt(url)];
  if (own !== undefined && other !== undefined && own !== other) {
    throw new StandbyError(
      'DATABASE_READ_URL leads to another database than DATABASE_URL. Set it to a streaming standby of that server, with the ' +
        'same name of the database (docs/scale.md, “Reads from a standby”), or leave it unset.',
    );
  }
  return settingsBy;
}
