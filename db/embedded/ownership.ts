import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { isAlive } from './postmaster.ts';

/** Where a running PostgreSQL of ours listens. */
export interface Server {
  pid: number;
  port: number;
  password: string;
}

/** Logs a line about the database; `warn` when an operator should read it. */
export type Log = (line: string, level?: 'debug' | 'warn') => void;

const lockKey = [0x7a4d, 1] as const;
const owner = /^tandem-owner (\d+)$/;

/** One connection that lives until it is ended. `onclose` is called whenever it drops. */
export function connect(server: Server, applicationName: string, onclose: () => void = () => {}): postgres.Sql {
  return postgres({
    host: '127.0.0.1',
    port: server.port,
    user: 'postgres',
    password: server.password,
    database: 'postgres',
    ssl: false,
    max: 1,
    idle_timeout: 0,
    max_lifetime: null,
    connect_timeout: 5,
    fetch_types: false,
    onnotice: () => {},
    onclose,
    connection: { application_name: applicationName },
  });
}

/**
 * The right to the directory: a session advisory lock on a dedicated connection. It ends with the process, so it cannot
 * be stale. It lives in the database `postgres`, apart from the locks of the service.
 */
export class Ownership {
  readonly #log: Log;
  readonly #restart: () => Promise<Server>;
  #server: Server;
  #repair: Promise<void> = Promise.resolve();
  #connection: postgres.Sql | undefined;
  #closed = false;

  /** `restart` starts the server again after it has ended. */
  constructor(server: Server, log: Log, restart: () => Promise<Server>) {
    this.#server = server;
    this.#log = log;
    this.#restart = restart;
  }

  /** The server as it runs now. */
  get server(): Server {
    return this.#server;
  }

  get held(): boolean {
    return this.#connection !== undefined;
  }

  /** Takes the lock unless another process holds it. Throws when the server does not answer. */
  async take(): Promise<boolean> {
    if (this.#connection) return true;
    let open = true;
    const sql = connect(this.#server, `tandem-owner ${process.pid}`, () => {
      open = false;
      if (this.#connection === sql) this.#repair = this.#lost(sql);
    });
    try {
      const [row] = await sql<{ taken: boolean }[]>`select pg_try_advisory_lock(${lockKey[0]}, ${lockKey[1]}) as taken`;
      if (row?.taken && open) {
        this.#connection = sql;
        return true;
      }
    } catch (error) {
      await sql.end({ timeout: 0 });
      throw error;
    }
    await sql.end({ timeout: 1 });
    return false;
  }

  /** Pid of the service that holds the lock; undefined when it is unknown. */
  async holder(): Promise<number | undefined> {
    const sql = connect(this.#server, 'tandem-owner-lookup');
    try {
      const [row] = await sql<{ name: string }[]>`
        select a.application_name as name from pg_locks l join pg_stat_activity a on a.pid = l.pid
        where l.locktype = 'advisory' and l.granted and l.classid = ${lockKey[0]} and l.objid = ${lockKey[1]}`;
      const pid = owner.exec(row?.name ?? '')?.[1];
      return pid === undefined ? undefined : Number(pid);
    } finally {
      await sql.end({ timeout: 1 });
    }
  }

  /** From here on a drop of the connection is expected and not repaired. */
  expectEnd(): void {
    this.#closed = true;
  }

  /** Resolves when no repair is under way: after `expectEnd` none begins. */
  settled(): Promise<void> {
    return this.#repair;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#connection?.end({ timeout: 0 });
    this.#connection = undefined;
  }

  async #lost(dropped: postgres.Sql): Promise<void> {
    this.#connection = undefined;
    void dropped.end({ timeout: 0 });
    if (this.#closed) return;
    this.#log('embedded database: owner lock lost, taking it again');
    for (let delay = 100; !this.#closed; delay = Math.min(delay * 2, 5000)) {
      await sleep(delay, undefined, { ref: false });
      if (this.#closed) return;
      if (!(await isAlive(this.#server.pid)) && !(await this.#restarted())) continue;
      const taken = await this.take().catch(() => false);
      if (taken && this.#closed) return await this.close();
      if (taken) return this.#log('embedded database: owner lock taken again');
    }
  }

  /** Starts the server again; false when that failed, to be tried again. */
  async #restarted(): Promise<boolean> {
    this.#log(`embedded database: PostgreSQL exited (pid ${this.#server.pid}), starting it again`, 'warn');
    try {
      this.#server = await this.#restart();
      return true;
    } catch (error) {
      this.#log(`embedded database: ${error instanceof Error ? error.message : String(error)}`, 'warn');
      return false;
    }
  }
}
