import fs from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import postgres from 'postgres';
import { openEmbedded } from '../../db/embedded/index.ts';

/** A PostgreSQL for migrations of a test. */
export interface MigrationStage {
  /** A folder of migrations: their SQL by tag, and the last migration of the previous release. */
  folder(content: Record<string, string>, lastMigration?: string): Promise<string>;
  pool(url: string, settings?: Record<string, string>): postgres.Sql;
  /** The url of an empty database of its own. */
  freshDatabase(): Promise<string>;
  close(): Promise<void>;
}

export async function startMigrationStage(): Promise<MigrationStage> {
  const root = await fs.mkdtemp(path.join(os.tmpdir(), 'tandem-migrate-'));
  const { url, stop } = await openEmbedded({ dataDir: root });
  const pools: postgres.Sql[] = [];
  let count = 0;
  const pool = (to: string, settings: Record<string, string> = {}) => {
    const sql = postgres(to, { max: 2, onnotice: () => {}, connection: settings });
    pools.push(sql);
    return sql;
  };
  return {
    pool,
    folder: async (content, lastMigration) => {
      const dir = path.join(root, `migrations-${++count}`);
      await fs.mkdir(path.join(dir, 'meta'), { recursive: true });
      const entries = Object.keys(content).map((tag, idx) => ({ idx, tag, when: 1_700_000_000_000 + idx }));
      await fs.writeFile(path.join(dir, 'meta', '_journal.json'), JSON.stringify({ entries: entries.toReversed() }));
      for (const [tag, text] of Object.entries(content)) await fs.writeFile(path.join(dir, `${tag}.sql`), text);
      if (lastMigration) {
        await fs.writeFile(path.join(dir, 'previous-release.json'), JSON.stringify({ lastMigration }));
      }
      return dir;
    },
    freshDatabase: async () => {
      const name = `migrate_${++count}`;
      await pool(url).unsafe(`create database ${name}`);
      return url.replace(/tandem$/, name);
    },
    close: async () => {
      await Promise.all(pools.map((sql) => sql.end({ timeout: 1 })));
      await stop();
      await fs.rm(root, { recursive: true, force: true });
    },
  };
}
