import type { Socket } from 'node:net';
import postgres from 'postgres';
import { type Engine, engineOf } from './engine/index.ts';
import { failure, type Hosts } from './hosts.ts';
import { maxConnectMs, maxIdleInTransactionMs, silenceGraceMs, type TimeLimits } from './time-limits.ts';
import { valueTypes } from './value-types.ts';

/** How PostgreSQL plans a statement: once for all values, or for each execution. */
export type Plan = 'generic' | 'custom';

export interface ConnectionOptions {
  url: string;
  hosts: Hosts;
  plan: Plan;
  applicationName: string;
  limits: TimeLimits;
  observe?: ObserveStatement | undefined;
  settingsBy: SettingsBy;
  engine: Engine;
  /** Examines the server of a new connection, which is closed when this rejects. */
  accept?: ((sql: postgres.Sql) => Promise<void>) | undefined;
}

/**
 * How a connection gets its settings: when it is opened, or by a statement before its first one
 * (`db/session-check.ts`).
 */
export type SettingsBy = 'startup' | 'statement';

/** The settings of a connection for these statements, with values as `pg_settings` shows them. */
export function sessionSettings(plan: Plan, limits: TimeLimits, engine: Engine = engineOf('postgres')) {
  const { maxStatementMs, maxLockMs } = limits;
  return {
    plan_cache_mode: engine.planMode(plan),
    // JIT is off. It is chosen by estimates, and those of a claim grow with the queue: compiling would take far longer
    // than the claim.
    jit: 'off',
    statement_timeout: maxStatementMs,
    lock_timeout: maxLockMs,
    idle_in_transaction_session_timeout: maxIdleInTransactionMs,
    ...engine.settings,
  };
}

/** Called with the text of a statement when it is sent; what it returns, when it is answered or has failed. */
export type ObserveStatement = (text: string) => ((error?: unknown) => void) | undefined;

/** Counts statements, so that one which is never answered is noticed. */
export interface StatementWatch {
  /** Returns what to call once the statement is answered or has failed. */
  sent(text: string): (error?: unknown) => void;
}

/** Interval of `tick` in milliseconds. */
export const tickMs = 500;

/** Age of a connection in milliseconds after which it is replaced: a backend grows with all that it has planned. */
const maxAgeMs = 45 * 60_000;

const lost = 'The connection to the database was lost';

/**
 * One connection to PostgreSQL, opened with its first statement. A lost connection is never opened again by the driver:
 * it would repeat its connect without end, and run the rest of a transaction outside of it. If the server does not
 * answer a statement within its time, the connection is cut: TCP alone would wait for minutes.
 */
export class Connection implements StatementWatch {
  readonly sql: postgres.Sql;
  /** Where it is defined, to be awaited before the first statement: resolves once the settings are made. */
  readonly ready: Promise<void> | undefined;
  readonly #silentTicks: number;
  readonly #observe: ObserveStatement | undefined;
  #socket: Socket | undefined;
  #isOpened = false;
  #isLost = false;
  #unanswered = 0;
  #ticks = 0;
  #onLoss: ((error: Error) => void) | undefined;
  readonly #expiresAt = performance.now() + maxAgeMs * (0.75 + Math.random() / 2);

  constructor(
    { url, hosts, plan, applicationName, limits, observe, settingsBy, engine, accept }: ConnectionOptions,
    onLost: () => void,
  ) {
    this.#observe = observe;
    const settings = sessionSettings(plan, limits, engine);
    this.#silentTicks = Math.ceil((limits.maxStatementMs + silenceGraceMs) / tickMs);
    const options = {
      max: 1,
      max_lifetime: null,
      connect_timeout: maxConnectMs / 1000,
      onnotice: () => {},
      onclose: () => {
        this.#isLost = true;
        this.#onLoss?.(failure('CONNECTION_CLOSED', lost));
        onLost();
      },
      connection: {
        application_name: applicationName,
        TimeZone: 'UTC',
        ...(settingsBy === 'startup' && settings),
      },
      types: valueTypes,
      fetch_types: false,
      // Missing in the types of the driver.
      socket: () => this.#connect(hosts),
    };
    this.sql = postgres(url, { ...options, ...(hosts.one as { host: string; port: number }) });
    if (settingsBy === 'statement' || accept) {
      this.ready = this.#prepare(settingsBy === 'statement' ? settings : {}, accept);
    }
  }

  /**
   * Sets up the connection before any other statement is sent: one that is sent while the connection opens would wait
   * without end if that fails.
   */
  async #prepare(settings: Record<string, string | number>, accept: ConnectionOptions['accept']): Promise<void> {
    const texts = Object.entries(settings).map(([name, value]) => `set ${name} = ${value}`);
    const answered = this.sent('set up a connection');
    try {
      if (texts.length > 0) await this.sql.unsafe(texts.join('; '));
      await accept?.(this.sql);
    } catch (error) {
      this.discard();
      throw error;
    } finally {
      answered();
    }
  }

  async #connect(hosts: Hosts): Promise<Socket> {
    try {
      if (this.#isOpened) throw failure('CONNECTION_CLOSED', lost);
      this.#isOpened = true;
      this.#socket = await hosts.connect();
      if (!this.#isLost) return this.#socket;
      this.#socket.destroy();
      throw failure('CONNECT_TIMEOUT', 'The database cannot be reached in time');
    } catch (error) {
      this.#isLost = true;
      this.#onLoss?.(error as Error);
      throw error;
    }
  }

  /** Whether it may serve another statement. */
  get isUsable(): boolean {
    return !this.#isLost && !this.#socket?.destroyed && performance.now() < this.#expiresAt;
  }

  /**
   * Calls `listener`, the only one, when the connection is lost or cannot be opened; undefined when nobody waits any
   * more. The driver never settles statements that it held back behind the first one.
   */
  whenLost(listener: ((error: Error) => void) | undefined): void {
    this.#onLoss = listener;
  }

  /** Has it closed after the work that it is used for: its state is not known. */
  discard(): void {
    this.#isLost = true;
  }

  sent(text: string): (error?: unknown) => void {
    this.#unanswered++;
    this.#ticks = 0;
    const observed = this.#observe?.(text);
    if (!observed) return this.#answered;
    return (error) => {
      this.#answered();
      observed(error);
    };
  }

  readonly #answered = () => {
    this.#unanswered--;
    this.#ticks = 0;
  };

  /** Called after each work: whatever was sent for it is over. */
  rest(): void {
    this.#unanswered = 0;
  }

  /**
   * Called every `tickMs`. Counts ticks, not time: after this process itself was suspended, answers that have arrived
   * meanwhile are read before the timeout.
   */
  tick(): void {
    if (this.#unanswered === 0 || ++this.#ticks < this.#silentTicks) return;
    this.#isLost = true;
    this.#socket?.destroy();
  }

  /** Waits up to `seconds` for what is running, then closes. */
  async close(seconds: number): Promise<void> {
    this.#isLost = true;
    await this.sql.end({ timeout: seconds });
    this.#socket?.destroy();
  }
}
