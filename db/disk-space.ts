import { Connection, type ConnectionOptions } from './connection.ts';
import { isDiskFull } from './errors.ts';

/** Whether there is space to write, as far as it is known. */
export interface Space {
  /** A write failed for want of space, and none is known to have succeeded since. */
  readonly isFull: boolean;
  /** Tries to write, when the last write failed. Never rejects. */
  check(): Promise<void>;
}

/*
 * Sorts more than fits into memory. This writes a temporary file of two megabytes: unlike a row, it needs new space on
 * the disk and leaves nothing behind.
 */
const probe = `select count(*)::int as written from (
  select md5(n::text) as line from generate_series(1, 50000) n order by line offset 0) lines`;

/** The space of the database: noted where a statement fails, checked on a connection of its own. */
export class DatabaseSpace implements Space {
  readonly #options: ConnectionOptions;
  #isFull = false;
  #checking: Promise<void> | undefined;

  constructor(options: ConnectionOptions) {
    this.#options = options;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** Notes an error that says that there is no space; others are passed over. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#isFull = true;
  }

  async check(): Promise<void> {
    if (!this.#isFull) return;
    this.#checking ??= this.#write().finally(() => {
      this.#checking = undefined;
    });
    await this.#checking;
  }

  async #write(): Promise<void> {
    const connection = new Connection(this.#options, () => {});
    try {
      await connection.ready;
      await connection.sql.unsafe(`set work_mem = '64kB'`);
      await connection.sql.unsafe(probe);
      this.#isFull = false;
    } catch {
      // Still full, or away: the next check tries again.
    } finally {
      await connection.close(1);
    }
  }
}
