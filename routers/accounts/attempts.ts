import { createHash } from 'node:crypto';
import type { Db } from '../../db/client.ts';
import { Failure } from '../errors.ts';

const windowMinutes = 15;

/** Failures in the window after which a sign-in is refused unheard. */
const most = { perPair: 10, perAddress: 50, perAccount: 100 };

const counts = `with seen as (
    select *, window_start > now() - interval '${windowMinutes} minutes' as recent from sign_in_attempts
    where (account = $1 and address = $2)
      or ((account = $1 or address = $2) and window_start > now() - interval '${windowMinutes} minutes')
  )
  select coalesce(sum(failures) filter (where recent and account = $1 and address = $2), 0)::int as "perPair",
    coalesce(sum(failures) filter (where recent and address = $2), 0)::int as "perAddress",
    coalesce(sum(failures) filter (where recent and account = $1), 0)::int as "perAccount",
    coalesce(bool_or(trusted_at is not null) filter (where account = $1 and address = $2), false) as trusted,
    ceil(extract(epoch from min(window_start) filter (where recent and failures > 0)
      + interval '${windowMinutes} minutes' - now()))::int as seconds
  from seen`;
const reserve = `insert into sign_in_attempts as a (account, address, failures, window_start) values ($1, $2, 1, now())
  on conflict (account, address) do update set
    failures = case when a.window_start > now() - interval '${windowMinutes} minutes' then a.failures + 1 else 1 end,
    window_start = case when a.window_start > now() - interval '${windowMinutes} minutes' then a.window_start else now() end`;
const trust = `update sign_in_attempts set failures = 0, trusted_at = now() where account = $1 and address = $2`;

interface Counts {
  perPair: number;
  perAddress: number;
  perAccount: number;
  trusted: boolean;
  seconds: number | null;
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
    const [found] = await this.#db.rows<Counts>(counts, this.#pair);
    const overPair = found && found.perPair >= most.perPair;
    const overAddress = found && found.perAddress >= most.perAddress;
    const overAccount = found && found.perAccount >= most.perAccount && !found.trusted;
    if (overPair || overAddress || overAccount) {
      const retryAfterSeconds = Math.max(1, found.seconds ?? windowMinutes * 60);
      const message = `Too many failed sign-ins. Try again in ${Math.ceil(retryAfterSeconds / 60)} min, or reset the password.`;
      throw new Failure({
        status: 429,
        code: 'rate_limit_exceeded',
        message,
        reason: 'sign_in_attempts',
        retryAfterSeconds,
      });
    }
    await this.#db.rows(reserve, this.#pair);
  }

  /** The password was right: the address is trusted from now on, and its failures are forgotten. */
  async succeeded(): Promise<void> {
    await this.#db.rows(trust, this.#pair);
  }
}
