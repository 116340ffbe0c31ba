import { createHash } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { Failure } from '../errors.ts';

const windowMinutes = 15;

/** Failures in the window after which an attempt is refused without a look at the secret. */
interface AttemptLimits {
  perPair: number;
  perAddress: number;
  /** From addresses that never succeeded. */
  perAccount: number;
  /** What failed, and what to do instead of waiting. */
  failures: string;
  advice: string;
}

const passwordLimits: AttemptLimits = {
  ...{ perPair: 10, perAddress: 50, perAccount: 100 },
  ...{ failures: 'failed sign-ins', advice: ', or reset the password' },
};

/** A code has 6 digits, and three are right at a time: 20 guesses in 15 minutes find one in 6 years on average. */
export const secondFactorLimits: AttemptLimits = {
  ...{ perPair: 10, perAddress: 50, perAccount: 20 },
  ...{ failures: 'wrong codes', advice: '' },
};

/** A window that is further ahead is from before the clock of the database was set back. */
const recent = `window_start between now() - interval '${windowMinutes} minutes' and now() + interval '1 minute'`;

/* The upsert locks the pair's row, so that its count is exact however many guesses come at once. */
const count = `with mine as (
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
const uncount = `update sign_in_attempts set failures = greatest(failures - 1, 0) where account = $1 and address = $2`;
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
  readonly #limits: AttemptLimits;
  readonly #pair: [account: Buffer, address: Buffer];

  /** `account`: an e-mail address, or another name of what is tried. */
  constructor(db: Db, account: string, address: Buffer, limits = passwordLimits) {
    this.#db = db;
    this.#limits = limits;
    this.#pair = [createHash('sha256').update(`account ${account.toLowerCase()}`).digest(), address];
  }

  /**
   * Counts an attempt before its secret is checked, so that parallel guesses are counted as well. Too many failures of
   * this pair, of this address, or of this account from addresses it never signed in from are refused at once.
   * @throws Failure 429 with the seconds to wait, the same whether the account exists or not.
   */
  async begin(): Promise<void> {
    const [found] = await this.#db.rows<Counts>(count, this.#pair);
    if (!found) throw new Error('the upsert of an attempt returned no row');
    const { ofPair, ofAddress, ofAccount, trusted } = found;
    const { perPair, perAddress, perAccount, failures, advice } = this.#limits;
    const over = ofPair > perPair || ofAddress > perAddress || (ofAccount > perAccount && !trusted);
    if (!over) return;
    const retryAfterSeconds = Math.max(1, found.seconds);
    const message = `Too many ${failures}. Try again in ${Math.ceil(retryAfterSeconds / 60)} min${advice}.`;
    throw new Failure({
      status: 429,
      code: 'rate_limit_exceeded',
      message,
      reason: 'sign_in_attempts',
      retryAfterSeconds,
    });
  }

  /** The attempt that `begin` counted does not count: its secret was not checked, or is not all that is needed. */
  async withdraw(): Promise<void> {
    await this.#db.rows(uncount, this.#pair);
  }

  /** The secret was right: the address is trusted from now on, and its failures are reset. */
  async succeeded(): Promise<void> {
    await this.#db.rows(trust, this.#pair);
  }
}
