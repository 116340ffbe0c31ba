import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type postgres from 'postgres';
import type { Database, Db } from '../client.ts';
import { type ObserveStatement, type SettingsBy, tickMs } from '../connection.ts';
import { engineOf } from '../engine/index.ts';
import { isConnectionLoss, isDatabaseError, isUnavailable, SharedSessionError, StandbyError } from '../errors.ts';
import { Hosts } from '../hosts.ts';
import { rowsOf } from '../rows.ts';
import { WorkPools } from '../work-pools.ts';
import { examineStandby } from './examine.ts';
import { Freshness } from './freshness.ts';
import { StandbyDb } from './standby-db.ts';

/** `starting`: not examined yet; `behind`: it has shown no beat of this process in a while. */
export type StandbyStatus = 'starting' | 'ok' | 'behind' | 'unreachable' | 'not a standby' | 'another database';

export interface StandbyOptions {
  url: string;
  poolSize: number;
  observe?: ObserveStatement | undefined;
  applicationName?: string;
}

/** What reads from one server. */
export interface StandbyReader {
  db: Db;
  /** The age that its data may have at most, in ms. */
  ageMs: number;
  /** Positions in the logs of workspaces that the server had, by workspace. */
  positions: Map<string, { latest: number; at: number }>;
}

/** A standby that is silent for so long is as good as lost, in ms. */
const maxSilenceMs = 1000;
/** What is applied within this time counts as read at once, in ms. */
const applyMs = 20;
/** Age of the data from which the standby counts as behind, in ms. */
const behindMs = 30_000;

const beatText = `insert into heartbeats (id, beat) values ($1, $2)
  on conflict (id) do update set beat = excluded.beat, beat_at = now()`;
const serverText = 'select pg_is_in_recovery() as "isStandby", pg_postmaster_start_time()::text as "startedAt"';
const lookText = `${serverText}, (select beat from heartbeats where id = $1)::float8 as beat`;

interface Server {
  isStandby: boolean;
  /** Distinguishes servers, and what one was before a restart. */
  startedAt: string;
}

type Found = Server & { beat: number | null };

interface Pools {
  reads: WorkPools;
  probe: WorkPools;
}

function inTime<Result>(work: Promise<Result>): Promise<Result> {
  const late = sleep(maxSilenceMs, undefined, { ref: false }).then(() => {
    throw new StandbyError('The standby did not answer in time');
  });
  late.catch(() => {});
  return Promise.race([work, late]);
}

/** A standby of the database, and whether it may be read from. `probe` has to be called again and again. */
export class Standby {
  readonly #primary: Database;
  readonly #options: StandbyOptions;
  readonly #id = randomUUID();
  readonly #freshness = new Freshness();
  /** What rejects each read that is in progress. */
  readonly #reading = new Set<(error: Error) => void>();
  #ticks: NodeJS.Timeout | undefined;
  #settingsBy: SettingsBy | undefined;
  #pools: Pools | undefined;
  #server: string | undefined;
  #positions: StandbyReader['positions'] = new Map();
  #status: StandbyStatus = 'starting';
  #beating: Promise<void> | undefined;
  #isClosed = false;

  constructor(primary: Database, options: StandbyOptions) {
    this.#primary = primary;
    this.#options = options;
  }

  get status(): StandbyStatus {
    const age = this.ageMs;
    return this.#status === 'ok' && (age === undefined || age > behindMs) ? 'behind' : this.#status;
  }

  /** The age that its data may have at most, in ms; undefined while it is not known. */
  get ageMs(): number | undefined {
    return this.#freshness.age(performance.now());
  }

  /** What reads a workspace from the server that is examined now, where its data is at most `maxAgeMs` old. */
  read(workspaceId: string, maxAgeMs: number): StandbyReader | undefined {
    const { ageMs } = this;
    const pools = this.#pools?.reads;
    if (this.#status !== 'ok' || !pools || ageMs === undefined || ageMs > maxAgeMs) return undefined;
    const db = new StandbyDb((work) => this.#use(() => work(pools)), workspaceId);
    return { db, ageMs, positions: this.#positions };
  }

  /**
   * Examines the server once, as far as it can be reached.
   * @throws StandbyError or SharedSessionError: it is no standby of this database, or its sessions are shared.
   */
  async examine(): Promise<void> {
    if (this.#settingsBy) return;
    try {
      this.#settingsBy = await examineStandby(this.#options.url, this.#primary.driver);
    } catch (error) {
      const isOther = error instanceof StandbyError || error instanceof SharedSessionError;
      this.#status = isOther ? 'another database' : 'unreachable';
      if (isOther) throw error;
    }
  }

  /**
   * Sends a beat to the primary and looks for it on the standby. Resolves within seconds with the error of a standby
   * that cannot be reached.
   */
  async probe(): Promise<unknown> {
    try {
      await this.examine();
    } catch (error) {
      return error;
    }
    if (!this.#settingsBy || this.#isClosed) return undefined;
    this.#beating ??= this.#beat().finally(() => {
      this.#beating = undefined;
    });
    await Promise.race([this.#beating, sleep(maxSilenceMs, undefined, { ref: false })]);
    await sleep(applyMs, undefined, { ref: false });
    try {
      this.#pools ??= this.#openPools();
      this.#found(await inTime(this.#look(this.#pools.probe)));
      return undefined;
    } catch (error) {
      this.#freshness.found(null);
      // Where the table is missing, the standby has the schema of an earlier release.
      this.#lose(error instanceof StandbyError || isUnavailable(error) ? 'unreachable' : 'behind');
      return error;
    }
  }

  /** Waits up to `seconds` for what is in progress, then closes every connection. */
  async close(seconds: number): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#ticks);
    await Promise.all([this.#pools?.reads.close(seconds), this.#pools?.probe.close(seconds)]);
  }

  async #beat(): Promise<void> {
    const beat = this.#freshness.send(performance.now());
    // Without a beat, as while the primary does not answer, the data of the standby counts as older.
    await this.#primary
      .for('health')
      .rows(beatText, [this.#id, beat])
      .catch(() => {});
  }

  async #look(probe: WorkPools): Promise<Found | undefined> {
    const [found] = await probe.run(lookText, 'generic', undefined, (on) => rowsOf<Found>(on, lookText, [this.#id]));
    return found;
  }

  #found(found: Found | undefined): void {
    if (this.#isClosed || !this.#pools || !found) return;
    if (found.startedAt !== this.#server) {
      const { reads } = this.#pools;
      if (this.#server !== undefined) {
        this.#pools.reads = this.#open('standby');
        reads.close(1).catch(() => {});
      }
      this.#server = found.startedAt;
      this.#positions = new Map();
    }
    this.#freshness.found(found.beat);
    if (found.isStandby) this.#status = 'ok';
    else this.#lose('not a standby');
  }

  /** The standby is not used any more: the primary answers also what is in progress. */
  #lose(status: StandbyStatus): void {
    this.#status = status;
    for (const reject of this.#reading) reject(new StandbyError('The standby is not used any more'));
  }

  async #use<Result>(work: () => Promise<Result>): Promise<Result> {
    const lost = Promise.withResolvers<never>();
    lost.promise.catch(() => {});
    this.#reading.add(lost.reject);
    try {
      return await Promise.race([work(), lost.promise]);
    } catch (error) {
      // Until the next probe: the reads that come meanwhile need not find out one by one.
      if (isConnectionLoss(error) || isDatabaseError('unreachable', error)) this.#status = 'unreachable';
      throw error;
    } finally {
      this.#reading.delete(lost.reject);
    }
  }

  #openPools(): Pools {
    const pools = { reads: this.#open('standby'), probe: this.#open('health') };
    this.#ticks = setInterval(() => {
      this.#pools?.reads.tick();
      this.#pools?.probe.tick();
    }, tickMs);
    this.#ticks.unref();
    return pools;
  }

  #open(work: 'standby' | 'health'): WorkPools {
    const { url, poolSize, observe, applicationName = 'tandem' } = this.#options;
    return new WorkPools(work, poolSize, {
      url,
      hosts: new Hosts(url),
      applicationName,
      observe,
      settingsBy: this.#settingsBy ?? 'startup',
      engine: engineOf('postgres'),
      onError: () => {},
      accept: work === 'standby' ? (sql) => this.#accept(sql) : undefined,
    });
  }

  /** Behind one address there may be several servers, and only one of them is examined. */
  async #accept(sql: postgres.Sql): Promise<void> {
    const [server] = await sql.unsafe<Server[]>(serverText);
    if (!server?.isStandby || server.startedAt !== this.#server) {
      throw new StandbyError('Another server answers at DATABASE_READ_URL than the one that was examined');
    }
  }
}
