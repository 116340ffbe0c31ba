import { once } from 'node:events';
import { connect as open, type Socket } from 'node:net';
import postgres from 'postgres';
import { maxConnectMs } from './time-limits.ts';

/** SQLSTATE of a statement that a server which only reads refuses. */
const readOnly = '25006';

/** What the driver made of a URL. */
interface Parsed {
  host: string[];
  port: number[];
  path: string | false | undefined;
}

/** An error with the code of its class (`db/errors.ts`). */
export function failure(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

const late = () => failure('CONNECT_TIMEOUT', 'The database cannot be reached in time');

/**
 * The hosts of one URL, or of the environment as libpq has it. Of several, connections lead to the primary: the others
 * are its standbys, which may be promoted at any time.
 */
export class Hosts {
  readonly #url: string;
  readonly #parsed: Parsed;
  /** The place of the last primary, which is asked first. */
  #first = 0;
  #finding: Promise<number> | undefined;

  constructor(url: string) {
    this.#url = url;
    this.#parsed = postgres(url, { max: 1 }).options as unknown as Parsed;
  }

  /**
   * The options of the driver for one of the hosts: with several, the driver would not reject what waits for a
   * connection.
   */
  get one(): { host: string | undefined; port: number | undefined } {
    return this.#at(0);
  }

  /** Opens a socket. @throws Error with the code of the host that was tried last. */
  async connect(): Promise<Socket> {
    const socket = this.#open(await this.#primary());
    const deadline = AbortSignal.timeout(this.#maxMs);
    try {
      await once(socket, 'connect', { signal: deadline });
      return socket;
    } catch (error) {
      socket.on('error', () => {}).destroy();
      throw deadline.aborted ? late() : error;
    }
  }

  /** Options for a client of the driver that opens its connections itself: nothing where there is one host. */
  get driverOptions(): object {
    if (this.#parsed.host.length === 1) return {};
    // The driver must be given a socket, which reports by itself that it cannot be connected.
    const socket = async () => this.#open(await this.#primary().catch(() => this.#first));
    return { ...this.one, target_session_attrs: 'primary', socket };
  }

  /** The time for one host, in ms. */
  get #maxMs(): number {
    return maxConnectMs / this.#parsed.host.length;
  }

  #at(place: number) {
    const { host, port } = this.#parsed;
    return { host: host[place], port: port[place] ?? port[0] };
  }

  #open(place: number): Socket {
    const { host, port = 5432 } = this.#at(place);
    const { path } = this.#parsed;
    const socket = path ? open(path) : open(port, host);
    // The driver checks the certificate against it.
    return Object.assign(socket, { host });
  }

  async #primary(): Promise<number> {
    if (this.#parsed.host.length === 1) return 0;
    this.#finding ??= this.#find().finally(() => {
      this.#finding = undefined;
    });
    return await this.#finding;
  }

  async #find(): Promise<number> {
    const { length } = this.#parsed.host;
    let fault: unknown;
    for (let tries = 0; tries < length; tries++) {
      const place = (this.#first + tries) % length;
      try {
        await this.#requirePrimary(place);
        this.#first = place;
        return place;
      } catch (error) {
        fault = error;
      }
    }
    throw fault;
  }

  async #requirePrimary(place: number): Promise<void> {
    const ms = this.#maxMs;
    const sql = postgres(this.#url, {
      ...(this.#at(place) as { host: string; port: number }),
      max: 1,
      connect_timeout: ms / 1000,
      fetch_types: false,
      onnotice: () => {},
      connection: { application_name: 'tandem' },
    });
    const silent = Promise.withResolvers<never>();
    const timer = setTimeout(() => silent.reject(late()), ms);
    try {
      const asked = sql<{ isStandby: boolean }[]>`select pg_is_in_recovery() as "isStandby"`;
      const [server] = await Promise.race([asked, silent.promise]);
      if (server?.isStandby) throw failure(readOnly, 'No host in DATABASE_URL that can be reached is a primary');
    } finally {
      clearTimeout(timer);
      await sql.end({ timeout: 0 });
    }
  }
}
