import type { Bindings } from '../db/bindings.ts';
import type { Db } from '../db/client.ts';
import { isDatabaseError } from '../db/errors.ts';

/** The row of an `Idempotency-Key` without its answer. */
export interface KeyRow {
  workspaceId: string;
  /** Of an app the id of its connection. */
  credentialId: string;
  operation: string;
  /** Canonical JSON of the path parameters. */
  path: string;
  key: string;
  fingerprint: Buffer;
}

/**
 * A statement that makes a claim waits for locks no longer than this, and then does nothing. Longer waits belong into
 * transactions, which have a limited part of the connections.
 */
const maxLockMs = 100;

/**
 * The key was claimed before, or a lock was not free: nothing was done, and the work is to be done in a transaction.
 */
export class Unclaimed extends Error {
  override readonly name = 'Unclaimed';
}

/**
 * In SQL, over a relation of the statement: JSON as text, by the mark that it replaces. A mark is a control character,
 * which JSON never contains.
 */
export type MarkedValues = Readonly<Record<string, string>>;

/** In SQL: a text of JSON with values in place of its marks. */
function filled(json: string, values: MarkedValues): string {
  return Object.entries(values).reduce(
    (text, [mark, value]) => `replace(${text}, chr(${mark.charCodeAt(0)}), ${value})`,
    `${json}::text`,
  );
}

/**
 * The claim of an `Idempotency-Key` that a verb makes in the one statement of its work (`op({ claims })`), with the
 * answer that a repeated request gets. The verb sends no other statement.
 */
export class Claim {
  readonly #db: Db;
  readonly #row: KeyRow;
  #isMade = false;

  constructor(db: Db, row: KeyRow) {
    this.#db = db;
    this.#row = row;
  }

  /**
   * The database for the verb. It sends its statement by `execute` and no other: another one would commit without the
   * key.
   */
  get onlyDb(): Db {
    const refuse = () => {
      throw new Error('A verb that makes its claim sends no other statement');
    };
    const { engine, origin } = this.#db;
    return {
      engine,
      origin,
      as: () => this.onlyDb,
      get orm(): never {
        return refuse();
      },
      rows: refuse,
      lookUp: refuse,
      transaction: refuse,
      notify: refuse,
    };
  }

  /** Whether the statement was executed, and with it the work. */
  get isMade(): boolean {
    return this.#isMade;
  }

  /**
   * A part of the `with` list of the statement, without the comma. `claimed` has one row, or none if the key was
   * claimed before. All that the statement changes must be derived from it, so that the key is locked first. `from` is
   * a relation of the statement. `answer` is the answer as JSON, with marks in place of `values`, which only the
   * database knows. `$1` is the workspace. Call it after the events of the statement are bound: the last one is stored
   * with the answer.
   */
  part(bindings: Bindings, from: string, answer: string, values: MarkedValues): string {
    const { credentialId, operation, path, key, fingerprint } = this.#row;
    const { eventId } = this.#db.origin;
    const stored = `{"data":${answer}${eventId === undefined ? '' : `,"eventId":${JSON.stringify(eventId)}`}}`;
    const bound = [credentialId, operation, path, key, fingerprint].map((value) => bindings.bind(value));
    return `claimed as (
      insert into idempotency_keys (workspace_id, credential_id, operation, path, key, fingerprint, answer)
      select $1, ${bound.join(', ')}, ${filled(bindings.bind(stored), values)}
      from ${from}, set_config('lock_timeout', '${maxLockMs}ms', true) on conflict do nothing returning 1
    )`;
  }

  /** Executes the statement, which returns a row if the key is claimed. @throws Unclaimed when it is not. */
  async execute<Row extends object>(text: string, { values }: Bindings): Promise<Row> {
    const [row] = await this.#db.rows<Row>(text, values).catch((error: unknown) => {
      if (isDatabaseError('lockTimeout', error)) throw new Unclaimed();
      throw error;
    });
    if (!row) throw new Unclaimed();
    this.#isMade = true;
    return row;
  }
}
