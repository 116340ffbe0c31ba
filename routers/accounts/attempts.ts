import { createHash } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { Failure } from '../errors.ts';

const windowMinutes = 15;

/** Failures in the window after which a sign-in is refused unheard. */
const most = { perPair: 10, perAddress: 50, perAccount: 100 };

const recent = `window_start > now() - interval '${windowMinutes} minutes'`;

/* The upsert locks the pair's row, so that its count is exact however many guesses come at once. */
const begin = `with mine as (
    insert into sign_in_attempts as a (account, address, failures, window_start) values ($1, $2, 1, now())
    on conflict (account, address) do update set
      failures = case when a.${recent} then a.failures + 1 else 1 end,
      window_start = case when a.${recent} then a.window_start else now() end
    returning failures, window_start, trusted_at is not null as trusted
  ), others as (
    select account, address, failures from sign_in_attempts
    where (account = $1 or address = $2) and not (account = $1 and address = $2) and ${recent}
  )
  select mine.failures as "ofPair", mine.trusted,
    mine.failures + coalesce((select sum(failures) from others where address = $2), 0)::int as "ofAddress",
    mine.failures + coalesce((select sum(failures) from others where account = $1), 0)::int as "ofAccount",
    ceil(extract(epoch from mine.window_start + interval '${windowMinutes} minutes' - now()))::int as seconds
  from mine`;
const trust = `update sign_in_attempts set failures = 0, trusted_at = now() where account = $1 and address = $2`;

interface Counts {
  ofPair: number;
  ofAddress: number;
  ofAccount: number;
  trusted: boolean;
  seconds: number;
}

/** Brute-force limits of one account, as tried from one client address. */
export class Attempts {
  readonly #db: Db;
  readonly #pair: [account: Buffer, address: Buffer];

  constructor(db: Db, email: string, address: Buffer) {
    this.#db = db;
    this.#pair = [createHash('sha256').update(`account ${email.toLowerCase()}`).digest(), address];
  }

  /**
   * Counts an attempt before its password is looked at, so that parallel guesses cannot slip by. Too many failures of
   * this pair, of this address, or of this account from addresses it never signed in from are refused unheard.
   * @throws Failure 429 with the seconds to wait, the same whether the account exists or not.
   */
  async begin(): Promise<void> {
    const [found] = await this.#db.rows<Counts>(begin, this.#pair);
    if (!found) throw new Error('an upsert returned nothing');
    const { ofPair, ofAddress, ofAccount, trusted } = found;
    const over = ofPair > most.perPair || ofAddress > most.perAddress || (ofAccount > most.perAccount && !trusted);
    if (!over) return;
    const retryAfterSeconds = Math.max(1, found.seconds);
    const message = `Too many failed sign-ins. Try again in ${Math.ceil(retryAfterSeconds / 60)} min, or reset the password.`;
    throw new Failure({
      status: 429,
      code: 'rate_limit_exceeded',
      message,
      reason: 'sign_in_attempts',
      retryAfterSeconds,
    });
  }

  /** The password was right: the address is trusted from now on, and its failures are forgotten. */
  async succeeded(): Promise<void> {
    await this.#db.rows(trust, this.#pair);
  }
}
